/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of operators that make elements out of a few numbers, and of places and counts. */
#include <math.h>

#include "graph/shape_rules.h"

assay_code as_shape_arg(const as_shape_call *call)
{
    const as_shape *x = as_shape_in(call, 0);
    const as_attributes *a = &call->node->attributes;
    int axis;
    assay_code code = as_shape_axis(call, a->arg.axis, x->rank, &axis);
    if (code) return code;
    if (x->dims[axis] == 0)
        return as_fail(call->err, as_shape_mismatch_code(call),
                       "its input has no elements along axis %d", axis);
    as_shape out = {0};
    for (int i = 0; i < x->rank; i++)
        if (i != axis)
            out.dims[out.rank++] = x->dims[i];
        else if (a->arg.keepdims)
            out.dims[out.rank++] = 1;
    *call->out = out;
    return ASSAY_OK;
}

assay_code as_shape_size(const as_shape_call *call)
{
    *call->out = (as_shape){.rank = 0};
    return ASSAY_OK;
}

assay_code as_shape_constant_of_shape(const as_shape_call *call)
{
    as_shape out = {0};
    bool is_known;
    assay_code code = as_shape_integers(call, 0, out.dims, AS_MAX_RANK, &out.rank, &is_known);
    if (code) return code;
    if (!is_known) { /* its length may still tell the rank */
        const as_shape *list = as_shape_in(call, 0);
        code = as_shape_unknown(call, "shape");
        if (code || list->rank != 1 || list->dims[0] < 0 || list->dims[0] > AS_MAX_RANK)
            return code;
        out.rank = (int)list->dims[0];
        for (int i = 0; i < out.rank; i++)
            out.dims[i] = -1;
    } else {
        for (int i = 0; i < out.rank; i++)
            if (out.dims[i] < 0)
                return as_fail(call->err, as_shape_mismatch_code(call),
                               "its dim %d would be %lld, it must be >= 0", i,
                               (long long)out.dims[i]);
    }
    *call->out = out;
    return ASSAY_OK;
}

/* One number of a known scalar, exact for i32 and f32, and for what is in reach of i64. */
static bool take_number(const as_shape_call *call, int i, long double *out)
{
    as_array value;
    size_t n = 0;
    if (!as_shape_value(call, i, &value) || !as_shape_elements(&value.shape, &n) || n != 1)
        return false;
    if (value.dtype == AS_F32)
        *out = *(const float *)value.data;
    else if (value.dtype == AS_I64)
        *out = (long double)*(const int64_t *)value.data;
    else
        *out = *(const int32_t *)value.data;
    return true;
}

assay_code as_shape_range(const as_shape_call *call)
{
    long double start, limit, delta;
    for (int i = 0; i < 3; i++) {
        const as_shape *in = as_shape_in(call, i);
        size_t n = 0;
        if (as_shape_elements(in, &n) && n != 1)
            return as_fail(call->err, as_shape_mismatch_code(call),
                           "its input %d has %zu elements, it needs one number", i, n);
    }
    *call->out = (as_shape){.rank = 1, .dims = {-1}};
    if (!take_number(call, 0, &start) || !take_number(call, 1, &limit) ||
        !take_number(call, 2, &delta))
        return call->is_partial ? ASSAY_OK : as_shape_unknown(call, "range");
    if (delta == 0 || !isfinite(start) || !isfinite(limit) || isnan(delta))
        return as_fail(call->err, as_shape_mismatch_code(call),
                       "it goes from %Lg to %Lg by %Lg, which has no end", start, limit, delta);
    /* Of floats the distance is one, too: 1.7 - 0.1 is 8 times 0.2 then. */
    const bool is_float = as_node_input(call->graph, call->node, 0)->dtype == AS_F32;
    const long double distance = is_float ? (float)(limit - start) : limit - start;
    const long double n = ceill(distance / delta);
    call->out->dims[0] = n <= 0 ? 0 : n >= (long double)INT64_MAX ? INT64_MAX : (int64_t)n;
    return ASSAY_OK;
}
