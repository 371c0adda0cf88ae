/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/memory.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/size.h"

/* Every buffer begins on a cache line. */
#define ALIGNMENT_FLOATS (AS_ALIGNMENT / sizeof(float))

/* Larger first; equal ones in the order they were given, so that the layout is always the same. */
static int by_size(const void *a, const void *b)
{
    const as_live_range *const *x = a, *const *y = b;
    if ((*x)->n_floats != (*y)->n_floats) return (*x)->n_floats > (*y)->n_floats ? -1 : 1;
    return *x < *y ? -1 : *x > *y;
}

static bool meet_in_time(const as_live_range *a, const as_live_range *b)
{
    return a->first <= b->last && b->first <= a->last;
}

/* The n ranges of `placed` are sorted by offset; keep them so. */
static void insert(as_live_range *placed, size_t n, const as_live_range *range)
{
    size_t at = n;
    for (; at > 0 && placed[at - 1].offset > range->offset; at--)
        placed[at] = placed[at - 1];
    placed[at] = *range;
}

/* The lowest offset at which `range` meets nobody of `placed`, n of them sorted by offset. */
static size_t lowest_gap(const as_live_range *placed, size_t n, const as_live_range *range)
{
    size_t offset = 0;
    for (size_t i = 0; i < n; i++) {
        const as_live_range *other = &placed[i];
        if (!meet_in_time(other, range)) continue;
        if (other->offset >= offset + range->n_floats) break;
        size_t end = as_round_up(other->offset + other->n_floats, ALIGNMENT_FLOATS);
        offset = as_max(offset, end);
    }
    return offset;
}

assay_code as_memory_layout(as_live_range *ranges, size_t n, size_t *total_floats,
                            assay_error *err)
{
    *total_floats = 0;
    size_t sum = 0, n_placed = 0;
    for (size_t i = 0; i < n; i++)
        if (!as_add(sum, ranges[i].n_floats, &sum) || sum > SIZE_MAX / 8)
            return as_fail(err, ASSAY_E_MEMORY, "the tensors of a plan exceed all memory");
    as_live_range **order = as_alloc_array(n, sizeof *order);
    as_live_range *placed =
        as_alloc_array(n, sizeof *placed); /* side by side: all are walked */
    assay_code code = ASSAY_OK;
    if (!order || !placed) {
        code = as_fail(err, ASSAY_E_MEMORY, "no memory to lay out %zu buffers", n);
        goto done;
    }
    for (size_t i = 0; i < n; i++)
        order[i] = &ranges[i];
    if (n) qsort(order, n, sizeof *order, by_size);
    for (; n_placed < n && order[n_placed]->n_floats > 0; n_placed++) {
        as_live_range *range = order[n_placed];
        range->offset = lowest_gap(placed, n_placed, range);
        insert(placed, n_placed, range);
        *total_floats = as_max(*total_floats, range->offset + range->n_floats);
    }
    for (size_t i = n_placed; i < n; i++)
        order[i]->offset = 0;
    *total_floats = as_round_up(*total_floats, ALIGNMENT_FLOATS);
done:
    as_free(order);
    as_free(placed);
    return code;
}
