/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of operators that move, join, spread or reduce elements. */
#include <math.h>

#include "graph/shape_rules.h"

assay_code as_shape_reduce(const as_shape_call *call)
{
    const as_reduce_attributes *r = &call->node->attributes.reduce;
    if (!r->is_resolved) return as_shape_unknown(call, "input 'axes'");
    const as_shape *x = as_shape_in(call, 0);
    bool is_reduced[AS_MAX_RANK] = {false};
    for (int i = 0; i < r->n_axes; i++) {
        int axis;
        assay_code code = as_shape_axis(call, r->axes[i], x->rank, &axis);
        if (code) return code;
        is_reduced[axis] = true;
    }
    bool all = r->n_axes == 0 && !r->is_noop_when_empty;
    as_shape out = {0};
    for (int i = 0; i < x->rank; i++) {
        if (!is_reduced[i] && !all)
            out.dims[out.rank++] = x->dims[i];
        else if (r->keepdims)
            out.dims[out.rank++] = 1;
    }
    *call->out = out;
    return ASSAY_OK;
}

/* A dim by its scale, as ONNX says: floor(dim * scale). */
static int64_t scaled(int64_t dim, float scale)
{
    if (dim < 0) return -1;
    double extent = floor((double)((float)dim * scale));
    return extent > (double)AS_MAX_DIM ? (int64_t)AS_MAX_DIM + 1 : (int64_t)extent;
}

int64_t as_resize_ratio(const as_resize_attributes *r, const as_shape *x, int64_t *of)
{
    int64_t size = 0, dim = 0;
    const bool is_least = r->policy == AS_POLICY_NOT_LARGER;
    for (int i = 0; i < r->n_sizes; i++) {
        int axis = r->n_axes ? r->axes[i] : i;
        if (axis < 0) axis += x->rank;
        if (axis < 0 || axis >= x->rank) return 0;
        const int64_t n = x->dims[axis], s = r->sizes[i];
        if (n < 1 || n > AS_MAX_DIM || s < 1 || s > AS_MAX_DIM) return 0;
        /* s / n against size / dim: their products fit */
        if (dim == 0 || (is_least ? s * dim < size * n : s * dim > size * n)) size = s, dim = n;
    }
    *of = dim;
    return size;
}

/* An axis that keeps the aspect ratio: rounded, halves up. */
static int64_t proportional(const as_shape_call *call, int64_t dim)
{
    int64_t of = 0;
    const int64_t size =
        as_resize_ratio(&call->node->attributes.resize, as_shape_in(call, 0), &of);
    if (dim < 0 || size == 0) return -1; /* what is wrong is told of its own axis */
    const double extent = floor((double)size * (double)dim / (double)of + 0.5);
    return extent > (double)AS_MAX_DIM ? (int64_t)AS_MAX_DIM + 1 : (int64_t)extent;
}

/* One axis that is resized; `i` is its place among the scales or sizes. */
static assay_code resize_axis(const as_shape_call *call, int i, int axis, int64_t *dim)
{
    const as_resize_attributes *r = &call->node->attributes.resize;
    if (r->n_scales ? !(r->scales[i] > 0) : r->sizes[i] < 1 || r->sizes[i] > AS_MAX_DIM)
        return as_fail(call->err, ASSAY_E_FORMAT,
                       "its scale or size for axis %d is %g, it must be above 0", axis,
                       r->n_scales ? (double)r->scales[i] : (double)r->sizes[i]);
    if (r->n_scales)
        *dim = scaled(*dim, r->scales[i]);
    else
        *dim = r->policy == AS_POLICY_STRETCH ? r->sizes[i] : proportional(call, *dim);
    return ASSAY_OK;
}

assay_code as_shape_resize(const as_shape_call *call)
{
    const as_resize_attributes *r = &call->node->attributes.resize;
    as_shape out = *as_shape_in(call, 0);
    bool is_seen[AS_MAX_RANK] = {false};
    if (!r->is_resolved && call->is_partial && out.rank >= 0) {
        for (int i = 0; i < out.rank; i++)
            out.dims[i] = -1;
        *call->out = out;
        return ASSAY_OK;
    }
    if (!r->is_resolved) return as_shape_unknown(call, "input 'scales' or 'sizes'");
    int n = r->n_scales ? r->n_scales : r->n_sizes, wanted = r->n_axes ? r->n_axes : out.rank;
    if (n != wanted)
        return as_fail(call->err, as_shape_mismatch_code(call),
                       "it has %d scales or sizes for %d axes", n, wanted);
    for (int i = 0; i < n; i++) {
        int axis = i;
        assay_code code =
            r->n_axes ? as_shape_axis(call, r->axes[i], out.rank, &axis) : ASSAY_OK;
        if (!code && is_seen[axis])
            code = as_fail(call->err, ASSAY_E_FORMAT, "its axes name axis %d twice", axis);
        if (!code) code = resize_axis(call, i, axis, &out.dims[axis]);
        if (code) return code;
        is_seen[axis] = true;
    }
    *call->out = out;
    return ASSAY_OK;
}

/* Put the dims of a further input of Concat to those before. */
static assay_code join_input(const as_shape_call *call, int i, int axis, as_shape *out)
{
    const as_shape *in = as_shape_in(call, i);
    bool fits = in && in->rank == out->rank;
    for (int d = 0; fits && d < out->rank; d++) {
        int64_t *dim = &out->dims[d];
        if (d == axis)
            *dim = *dim < 0 || in->dims[d] < 0 ? -1 : *dim + in->dims[d];
        else if (*dim < 0)
            *dim = in->dims[d];
        else
            fits = in->dims[d] < 0 || in->dims[d] == *dim;
    }
    if (fits) return ASSAY_OK;
    char ta[64], tb[64];
    return as_fail(call->err, as_shape_mismatch_code(call),
                   "its input %d is %s, it must suit %s except on axis %d", i,
                   in ? as_shape_text(in, ta, sizeof ta) : "left out",
                   as_shape_text(as_shape_in(call, 0), tb, sizeof tb), axis);
}

assay_code as_shape_concat(const as_shape_call *call)
{
    int axis;
    const as_shape *first = as_shape_in(call, 0);
    if (!first) return as_fail(call->err, ASSAY_E_FORMAT, "its first input is left out");
    as_shape out = *first;
    assay_code code = as_shape_axis(call, call->node->attributes.axis.axis, out.rank, &axis);
    for (int i = 1; !code && i < call->node->n_inputs; i++)
        code = join_input(call, i, axis, &out);
    *call->out = out;
    return code;
}

/* Product of dims [from, to), -1 when one is not known, AS_MAX_DIM + 1 when too large. */
static int64_t product(const as_shape *shape, int from, int to)
{
    int64_t n = 1;
    for (int i = from; i < to; i++) {
        if (shape->dims[i] < 0) return -1;
        n = n > AS_MAX_DIM ? n : n * shape->dims[i];
    }
    return n;
}

assay_code as_shape_flatten(const as_shape_call *call)
{
    const as_shape *x = as_shape_in(call, 0);
    int axis = call->node->attributes.axis.axis;
    if (axis != x->rank) { /* one behind the last axis is allowed here */
        assay_code code = as_shape_axis(call, axis, x->rank, &axis);
        if (code) return code;
    }
    *call->out =
        (as_shape){.rank = 2, .dims = {product(x, 0, axis), product(x, axis, x->rank)}};
    return ASSAY_OK;
}

/* The dims that a Reshape wants, perhaps some of them not known. */
static assay_code wanted_dims(const as_shape_call *call, as_shape *out,
                              int32_t symbols[AS_MAX_RANK], bool *is_known)
{
    const as_reshape_attributes *r = &call->node->attributes.reshape;
    *is_known = true;
    if (!r->is_resolved)
        return as_shape_some_integers(call, 1, out->dims, symbols, AS_MAX_RANK, &out->rank,
                                      is_known);
    out->rank = r->n_dims;
    for (int i = 0; i < r->n_dims; i++) {
        out->dims[i] = r->dims[i];
        symbols[i] = 0;
    }
    return ASSAY_OK;
}

/*
 * The dim that is left to be found, and whether all fits, where the elements of both can be counted
 * but for dims that are the same on both sides (is_same).
 */
static bool fill_rest(const as_shape *x, const bool is_same[AS_MAX_RANK], int rest,
                      as_shape *out)
{
    as_shape from = *x, to = *out;
    size_t n = 0, known = 0;
    if (rest >= 0) to.dims[rest] = 1;
    for (int i = 0; i < AS_MAX_RANK; i++)
        if (is_same[i] && from.dims[i] < 0) from.dims[i] = to.dims[i] = 1;
    if (!as_shape_elements(&from, &n)) return true; /* a dynamic input: what is left stays -1 */
    for (int i = 0; i < to.rank; i++)
        if (to.dims[i] < 0) return true;
    if (!as_shape_elements(&to, &known)) return false;
    if (rest < 0) return n == known;
    if (known == 0 || n % known != 0) return false;
    out->dims[rest] = (int64_t)(n / known);
    return true;
}

static assay_code cannot_reshape(const as_shape_call *call, const as_shape *wanted)
{
    char from[64], to[64];
    const as_shape *x = as_shape_in(call, 0);
    size_t n = 0, used = 0;
    int n_rests = 0;
    to[0] = '\0';
    for (int i = 0; i < wanted->rank && used < sizeof to; i++) {
        n_rests += wanted->dims[i] == -1;
        used += (size_t)snprintf(to + used, sizeof to - used, i ? ",%lld" : "%lld",
                                 (long long)wanted->dims[i]);
    }
    as_shape_text(x, from, sizeof from);
    if (n_rests > 1)
        return as_fail(call->err, as_shape_mismatch_code(call),
                       "its dims [%s] have more than one -1, its input is %s", to, from);
    if (!as_shape_elements(x, &n))
        return as_fail(call->err, as_shape_mismatch_code(call),
                       "its input %s cannot be shaped [%s]", from, to);
    return as_fail(call->err, as_shape_mismatch_code(call),
                   "its input %s has %zu elements, which cannot be shaped [%s]", from, n, to);
}

assay_code as_shape_reshape(const as_shape_call *call)
{
    const bool copies_zero = !call->node->attributes.reshape.allow_zero;
    const as_shape *x = as_shape_in(call, 0);
    as_shape wanted = {0};
    int32_t symbols[AS_MAX_RANK];
    bool is_known = true, is_same[AS_MAX_RANK] = {false};
    assay_code code = wanted_dims(call, &wanted, symbols, &is_known);
    if (code) return code;
    if (!is_known) return as_shape_unknown(call, "input 'shape'");
    as_shape out = wanted;
    int rest = -1;
    for (int i = 0; i < wanted.rank; i++) {
        const int64_t dim = wanted.dims[i];
        if (symbols[i]) {
            out.dims[i] = -1;
            is_same[i] = i < x->rank && symbols[i] == AS_SYMBOL(call->node->inputs[0], i);
        } else if (dim == 0 && copies_zero) {
            if (i >= x->rank) return cannot_reshape(call, &wanted);
            out.dims[i] = x->dims[i];
            is_same[i] = true;
        } else if (dim == -1 && rest < 0) {
            rest = i;
        } else if (dim < 0) {
            return cannot_reshape(call, &wanted);
        }
    }
    if (!fill_rest(x, is_same, rest, &out)) return cannot_reshape(call, &wanted);
    *call->out = out;
    return ASSAY_OK;
}

assay_code as_shape_transpose(const as_shape_call *call)
{
    const as_shape *x = as_shape_in(call, 0);
    int n = call->node->attributes.transpose.n;
    const int *perm = call->node->attributes.transpose.perm;
    if (n != 0 && n != x->rank)
        return as_fail(call->err, as_shape_mismatch_code(call),
                       "its perm has %d axes, its input %d", n, x->rank);
    as_shape out = {.rank = x->rank};
    bool is_seen[AS_MAX_RANK] = {false};
    for (int i = 0; i < x->rank; i++) {
        int from = n ? perm[i] : x->rank - 1 - i;
        if (from < 0 || from >= x->rank || is_seen[from])
            return as_fail(call->err, ASSAY_E_FORMAT, "its perm is no order of its %d axes: %d",
                           x->rank, from);
        is_seen[from] = true;
        out.dims[i] = x->dims[from];
    }
    *call->out = out;
    return ASSAY_OK;
}
