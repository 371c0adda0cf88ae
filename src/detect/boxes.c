/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/boxes.h"

#include "base/memory.h"

assay_code as_boxes_add(as_boxes *boxes, const as_box *box, assay_error *err)
{
    as_box *items = as_grow(boxes->items, boxes->n, &boxes->room, sizeof *items);
    if (items == NULL)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for box %zu of a map", boxes->n + 1);
    boxes->items = items;
    items[boxes->n++] = *box;
    return ASSAY_OK;
}

void as_boxes_clear(as_boxes *boxes) { boxes->n = 0; }

void as_boxes_free(as_boxes *boxes)
{
    as_free(boxes->items);
    *boxes = (as_boxes){0};
}
