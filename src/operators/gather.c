/* SPDX-License-Identifier: Apache-2.0 */
/* Gather: entries of one axis by their indices; negative ones count from the end. */
#include "operators/move.h"

static int64_t index_at(const as_array *indices, size_t i)
{
    return indices->dtype == AS_I64 ? ((const int64_t *)indices->data)[i]
                                    : ((const int32_t *)indices->data)[i];
}

static int axis_of(const as_op_call *call)
{
    const int axis = call->node->attributes.axis.axis;
    return axis < 0 ? axis + call->in[0]->shape.rank : axis;
}

/* The walk's axes: before, the indices, behind. */
static int64_t offset_gather(const as_move *move, int axis, int64_t i)
{
    if (axis == 1) {
        i = index_at(move->more, (size_t)i);
        if (i < 0) i += move->n[1];
    }
    return i * move->step[axis];
}

assay_code as_check_gather(const as_op_call *call, assay_error *err)
{
    const as_array *indices = call->in[1];
    const int64_t n = call->in[0]->shape.dims[axis_of(call)];
    const size_t n_indices = as_array_elements(indices);
    for (size_t i = 0; i < n_indices; i++) {
        const int64_t index = index_at(indices, i);
        if (index < -n || index >= n)
            return as_fail(err, ASSAY_E_ARGUMENT,
                           "its index %zu is %lld, axis %d of its input has %lld elements", i,
                           (long long)index, axis_of(call), (long long)n);
    }
    return ASSAY_OK;
}

/* A row is what one index takes. */
size_t as_items_gather(const as_op_call *call)
{
    const as_array *x = call->in[0];
    if (as_array_elements(call->out[0]) == 0) return 0;
    return as_array_product(x, 0, axis_of(call)) * as_array_elements(call->in[1]);
}

void as_plain_gather(const as_op_call *call, size_t begin, size_t end)
{
    const as_array *x = call->in[0], *indices = call->in[1];
    const int axis = axis_of(call);
    const size_t inner = as_array_product(x, axis + 1, x->shape.rank);
    const int64_t n = x->shape.dims[axis];
    const as_move move = {
        .to = call->out[0],
        .from = x,
        .rank = 3,
        .dims = {as_array_product(x, 0, axis), as_array_elements(indices), inner},
        .offset = offset_gather,
        .step = {n * (int64_t)inner, (int64_t)inner, 1},
        .n = {0, n, 0},
        .more = indices};
    as_move_rows(&move, begin, end);
}
