/* SPDX-License-Identifier: Apache-2.0 */
#include "operators/broadcast.h"

/* Whether dim `i` and the one behind it are one in every operand. */
static bool is_joinable(const as_broadcast *b, size_t dim, const size_t *step, int i)
{
    for (int k = 0; k < b->n; k++)
        if (b->steps[k][i] != step[k] * dim) return false;
    return true;
}

as_broadcast as_broadcast_of(const as_array *out, const as_array *const *in, int n)
{
    as_broadcast b = {.rank = 0, .n = n};
    as_strides strides[AS_MOST_OPERANDS];
    const int rank = out->shape.rank;
    for (int k = 0; k < n; k++)
        strides[k] = as_broadcast_strides(in[k], rank);
    for (int i = 0; i < rank; i++) {
        const size_t dim = (size_t)out->shape.dims[i];
        size_t step[AS_MOST_OPERANDS];
        if (dim == 1) continue;
        for (int k = 0; k < n; k++)
            step[k] = strides[k].of[i];
        if (b.rank > 0 && is_joinable(&b, dim, step, b.rank - 1))
            b.dims[b.rank - 1] *= dim;
        else
            b.dims[b.rank++] = dim;
        for (int k = 0; k < n; k++)
            b.steps[k][b.rank - 1] = step[k];
    }
    if (b.rank == 0) b.dims[b.rank++] = 1; /* one number */
    return b;
}

as_row as_row_first(const as_broadcast *b, size_t begin, size_t end)
{
    as_row row = {.at = begin, .end = end};
    if (begin >= end) return row;
    const int last = b->rank - 1;
    size_t left = begin;
    for (int i = last; i >= 0; i--) {
        const size_t place = left % b->dims[i];
        left /= b->dims[i];
        for (int k = 0; k < b->n; k++)
            row.from[k] += place * b->steps[k][i];
        if (i == last) row.n = b->dims[i] - place;
    }
    for (int k = 0; k < b->n; k++)
        row.step[k] = b->steps[k][last];
    if (row.n > end - begin) row.n = end - begin;
    return row;
}

as_row as_row_next(const as_broadcast *b, const as_row *row)
{
    return as_row_first(b, row->at + row->n, row->end);
}
