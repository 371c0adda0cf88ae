/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Concat and Split: the same blocks, copied together or apart.  A piece is what one of the arrays
 * has for one index of the axes before.
 *
 *     whole  [ a0 | b0 b0 | a1 | b1 b1 ]       a [ a0 | a1 ]    b [ b0 b0 | b1 b1 ]
 */
#include "operators/operators.h"

static int axis_of(const as_op_call *call, const as_array *whole)
{
    const int axis = call->node->attributes.axis.axis;
    return axis < 0 ? axis + whole->shape.rank : axis;
}

static size_t outer(const as_op_call *call, const as_array *whole)
{
    return as_array_product(whole, 0, axis_of(call, whole));
}

static size_t piece(const as_op_call *call, const as_array *part)
{
    return as_array_product(part, axis_of(call, part), part->shape.rank);
}

/* What output `i` of a Split has of one piece of the whole: also of one that nobody wants. */
static size_t share(const as_op_call *call, int i)
{
    const as_array *whole = call->in[0], *sizes = as_op_in(call, 1);
    const int axis = axis_of(call, whole), said = call->node->attributes.axis.n_outputs;
    const size_t n = (size_t)whole->shape.dims[axis], inner = n ? piece(call, whole) / n : 0;
    if (sizes)
        return inner * (size_t)(sizes->dtype == AS_I64 ? ((const int64_t *)sizes->data)[i]
                                                       : ((const int32_t *)sizes->data)[i]);
    const size_t parts = (size_t)(said ? said : call->node->n_outputs);
    const size_t each = (n + parts - 1) / parts, first = each * (size_t)i;
    return inner * (first >= n ? 0 : n - first < each ? n - first : each);
}

size_t as_items_concat(const as_op_call *call) { return outer(call, call->out[0]); }

size_t as_items_split(const as_op_call *call) { return outer(call, call->in[0]); }

void as_plain_concat(const as_op_call *call, size_t begin, size_t end)
{
    const as_array *whole = call->out[0];
    const size_t bytes = as_dtype_bytes(whole->dtype), width = piece(call, whole);
    size_t at = 0;
    for (int i = 0; i < call->n_in; i++) {
        const as_array *part = call->in[i];
        const size_t n = piece(call, part);
        for (size_t o = begin; o < end; o++)
            as_copy_elements(whole->data, o * width + at, part->data, o * n, n, bytes);
        at += n;
    }
}

void as_plain_split(const as_op_call *call, size_t begin, size_t end)
{
    const as_array *whole = call->in[0];
    const size_t bytes = as_dtype_bytes(whole->dtype), width = piece(call, whole);
    size_t at = 0;
    for (int i = 0; i < call->n_out; i++) {
        const as_array *part = call->out[i];
        const size_t n = share(call, i);
        for (size_t o = begin; part && o < end; o++)
            as_copy_elements(part->data, o * n, whole->data, o * width + at, n, bytes);
        at += n;
    }
}
