/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/points.h"

#include "base/memory.h"
#include "base/size.h"

assay_code as_points_add(as_points *points, as_point point, assay_error *err)
{
    as_point *items = as_grow(points->items, points->n, &points->room, sizeof *items);
    if (items == NULL)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for point %zu of a map's contours",
                       points->n + 1);
    points->items = items;
    items[points->n++] = point;
    return ASSAY_OK;
}

void as_points_free(as_points *points)
{
    as_free(points->items);
    *points = (as_points){0};
}

assay_code as_room_reserve(as_room *room, size_t n, size_t element_bytes, assay_error *err)
{
    size_t bytes;
    if (!as_mul(n, element_bytes, &bytes) || bytes > SIZE_MAX / 2)
        return as_fail(err, ASSAY_E_MEMORY, "%zu elements of %zu bytes do not fit in memory", n,
                       element_bytes);
    if (bytes <= room->bytes) return ASSAY_OK;
    /* A quarter more than asked, so that slowly growing needs do not allocate each time. */
    size_t wanted = bytes + bytes / 4;
    void *data = as_alloc(wanted);
    if (data == NULL)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu bytes of a map's working room",
                       wanted);
    as_free(room->data);
    room->data = data;
    room->bytes = wanted;
    return ASSAY_OK;
}

void as_room_free(as_room *room)
{
    as_free(room->data);
    *room = (as_room){0};
}
