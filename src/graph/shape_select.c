/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of operators that take some elements or dims: what exporters write to compute a shape. */
#include "base/size.h"
#include "graph/shape_rules.h"

bool as_array_integers(const as_array *array, int64_t *out, int room, int *n)
{
    bool is_integer = array->dtype == AS_I64 || array->dtype == AS_I32;
    size_t count = 0;
    if (!is_integer || array->shape.rank > 1 || !as_shape_elements(&array->shape, &count) ||
        count > (size_t)room)
        return false;
    *n = (int)count;
    for (int i = 0; i < *n; i++)
        out[i] = array->dtype == AS_I64 ? ((const int64_t *)array->data)[i]
                                        : ((const int32_t *)array->data)[i];
    return true;
}

bool as_tensor_integers(const as_tensor *tensor, int64_t out[AS_MAX_RANK], int *n)
{
    if (!tensor->data) return false;
    const as_array array = {tensor->dtype, as_tensor_shape(tensor),
                            (void *)(uintptr_t)tensor->data};
    return as_array_integers(&array, out, AS_MAX_RANK, n);
}

static int64_t clamp(int64_t x, int64_t least, int64_t most)
{
    return x < least ? least : x > most ? most : x;
}

int64_t as_slice_range(int64_t n, int64_t start, int64_t end, int64_t step, int64_t *first)
{
    if (start < 0) start += n; /* no overflow: n is not negative */
    if (end < 0) end += n;
    if (step > 0) {
        start = clamp(start, 0, n);
        end = clamp(end, 0, n);
        *first = start;
        return end > start ? (end - start - 1) / step + 1 : 0;
    }
    start = clamp(start, 0, n - 1);
    end = clamp(end, -1, n - 1);
    *first = start;
    return start > end ? (start - end - 1) / -step + 1 : 0;
}

assay_code as_shape_shape(const as_shape_call *call)
{
    const as_shape *x = as_shape_in(call, 0);
    int64_t first;
    *call->out =
        (as_shape){.rank = 1,
                   .dims = {as_slice_range(x->rank, call->node->attributes.span.start,
                                           call->node->attributes.span.end, 1, &first)}};
    return ASSAY_OK;
}

/* The integers of input i; a left-out one has none.  *is_known false: it is computed. */
static assay_code take_list(const as_shape_call *call, int i, int64_t out[AS_MAX_RANK], int *n,
                            bool *is_known)
{
    bool is_this_known = true;
    *n = 0;
    if (!as_shape_in(call, i)) return ASSAY_OK;
    assay_code code = as_shape_integers(call, i, out, AS_MAX_RANK, n, &is_this_known);
    *is_known = *is_known && is_this_known;
    return code;
}

assay_code as_shape_slice(const as_shape_call *call)
{
    int64_t starts[AS_MAX_RANK], ends[AS_MAX_RANK], axes[AS_MAX_RANK], steps[AS_MAX_RANK];
    int n = 0, n_ends = 0, n_axes = 0, n_steps = 0;
    bool is_known = true;
    if (!as_shape_in(call, 1) || !as_shape_in(call, 2))
        return as_fail(call->err, ASSAY_E_FORMAT, "its starts or ends are left out");
    assay_code code = take_list(call, 1, starts, &n, &is_known);
    if (!code) code = take_list(call, 2, ends, &n_ends, &is_known);
    if (!code) code = take_list(call, 3, axes, &n_axes, &is_known);
    if (!code) code = take_list(call, 4, steps, &n_steps, &is_known);
    if (code) return code;
    if (!is_known) return as_shape_unknown(call, "slice");
    if (n_ends != n || (n_axes && n_axes != n) || (n_steps && n_steps != n))
        return as_fail(call->err, as_shape_mismatch_code(call),
                       "it has %d starts, %d ends, %d axes and %d steps", n, n_ends, n_axes,
                       n_steps);
    as_shape out = *as_shape_in(call, 0);
    for (int i = 0; i < n && !code; i++) {
        const int64_t step = n_steps ? steps[i] : 1;
        int64_t first;
        int axis = n_axes ? (int)clamp(axes[i], -AS_MAX_RANK - 1, AS_MAX_RANK) : i;
        code = as_shape_axis(call, axis, out.rank, &axis);
        if (!code && (step == 0 || step == INT64_MIN))
            code =
                as_fail(call->err, ASSAY_E_FORMAT, "its step %d is %lld", i, (long long)step);
        if (!code && out.dims[axis] >= 0)
            out.dims[axis] = as_slice_range(out.dims[axis], starts[i], ends[i], step, &first);
    }
    *call->out = out;
    return code;
}

assay_code as_shape_gather(const as_shape_call *call)
{
    const as_shape *x = as_shape_in(call, 0), *indices = as_shape_in(call, 1);
    int axis;
    assay_code code = as_shape_axis(call, call->node->attributes.axis.axis, x->rank, &axis);
    if (code) return code;
    if (x->rank - 1 + indices->rank > AS_MAX_RANK)
        return as_fail(call->err, ASSAY_E_UNSUPPORTED, "its output would have %d dims",
                       x->rank - 1 + indices->rank);
    as_shape out = {0};
    for (int i = 0; i < x->rank; i++) {
        for (int k = 0; i == axis && k < indices->rank; k++)
            out.dims[out.rank++] = indices->dims[k];
        if (i != axis) out.dims[out.rank++] = x->dims[i];
    }
    *call->out = out;
    return ASSAY_OK;
}

/* The axes of Squeeze or Unsqueeze, counted in a shape of `rank`. */
static assay_code take_axes(const as_shape_call *call, int rank, bool is_taken[AS_MAX_RANK])
{
    const as_reduce_attributes *r = &call->node->attributes.reduce;
    assay_code code = ASSAY_OK;
    for (int i = 0; i < r->n_axes && !code; i++) {
        int axis;
        code = as_shape_axis(call, r->axes[i], rank, &axis);
        if (!code) is_taken[axis] = true;
    }
    return code;
}

assay_code as_shape_squeeze(const as_shape_call *call)
{
    const as_reduce_attributes *r = &call->node->attributes.reduce;
    const as_shape *x = as_shape_in(call, 0);
    bool is_taken[AS_MAX_RANK] = {false};
    if (!r->is_resolved) return as_shape_unknown(call, "input 'axes'");
    assay_code code = take_axes(call, x->rank, is_taken);
    as_shape out = {0};
    for (int i = 0; i < x->rank && !code; i++) {
        if (r->n_axes == 0 && x->dims[i] < 0) return as_shape_unknown(call, "input's shape");
        if (r->n_axes == 0 ? x->dims[i] == 1 : is_taken[i]) {
            if (x->dims[i] >= 0 && x->dims[i] != 1)
                code = as_fail(call->err, as_shape_mismatch_code(call),
                               "it takes out axis %d, which has %lld elements", i,
                               (long long)x->dims[i]);
        } else {
            out.dims[out.rank++] = x->dims[i];
        }
    }
    *call->out = out;
    return code;
}

assay_code as_shape_unsqueeze(const as_shape_call *call)
{
    const as_reduce_attributes *r = &call->node->attributes.reduce;
    const as_shape *x = as_shape_in(call, 0);
    bool is_new[AS_MAX_RANK] = {false};
    if (!r->is_resolved) return as_shape_unknown(call, "input 'axes'");
    as_shape out = {.rank = x->rank + r->n_axes};
    if (out.rank > AS_MAX_RANK)
        return as_fail(call->err, ASSAY_E_UNSUPPORTED, "its output would have %d dims",
                       out.rank);
    assay_code code = take_axes(call, out.rank, is_new);
    int from = 0;
    for (int i = 0; i < out.rank && !code; i++) {
        if (!is_new[i] && from == x->rank)
            return as_fail(call->err, ASSAY_E_FORMAT, "its axes name one dim twice");
        out.dims[i] = is_new[i] ? 1 : x->dims[from++];
    }
    *call->out = out;
    return code;
}
