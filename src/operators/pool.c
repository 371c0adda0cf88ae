/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MaxPool (with Indices), AveragePool, LpPool, and the global ones, whose window is the input.
 * Places outside the input are never taken; AveragePool counts those that are padding when
 * count_include_pad asks for it, and those behind the padding (ceil_mode) never.
 */
#include <math.h>

#include "operators/window.h"

/* What one window gives. */
typedef struct taken {
    float most;
    int64_t most_at; /* place of `most` in its plane, -1 while there is none */
    double sum;      /* of x, or of |x|^p */
    double n;        /* how many, or what an average counts */
} taken;

static double power(double x, int p)
{
    x = fabs(x);
    return p == 1 ? x : p == 2 ? x * x : pow(x, (double)p);
}

static double root(double sum, int p)
{
    return p == 1 ? sum : p == 2 ? sqrt(sum) : pow(sum, 1.0 / (double)p);
}

static void take(as_op op, int p, float x, int64_t at, taken *t)
{
    if (t->most_at < 0 || x > t->most || isnan(x)) {
        t->most = x;
        t->most_at = at;
    }
    const bool is_lp = op == AS_OP_LP_POOL || op == AS_OP_GLOBAL_LP_POOL;
    t->sum += is_lp ? power((double)x, p) : (double)x;
    t->n++;
}

static float result(as_op op, int p, const taken *t)
{
    switch (op) {
    case AS_OP_MAX_POOL:
    case AS_OP_GLOBAL_MAX_POOL:
        return t->most;
    case AS_OP_LP_POOL:
    case AS_OP_GLOBAL_LP_POOL:
        return (float)root(t->sum, p);
    default:
        return (float)(t->sum / t->n);
    }
}

/* Kernel places [*begin, *end) of a window at `at` that lie in the input; *n_padded of all lie in
 * it or its padding. */
static void places(const as_geometry *g, int axis, int64_t at, int64_t *begin, int64_t *end,
                   int64_t *n_padded)
{
    const int64_t first = at * g->stride[axis] - g->before[axis], step = g->dilation[axis];
    *begin = first < 0 ? (-first + step - 1) / step : 0;
    *end = g->in[axis] > first ? (g->in[axis] - first + step - 1) / step : 0;
    *n_padded = (g->in[axis] + g->behind[axis] - first + step - 1) / step;
    if (*end > g->kernel[axis]) *end = g->kernel[axis];
    if (*n_padded > g->kernel[axis]) *n_padded = g->kernel[axis];
}

static int64_t place_of(const as_geometry *g, int axis, int64_t at, int64_t k)
{
    return at * g->stride[axis] - g->before[axis] + k * g->dilation[axis];
}

/* One element: the window at output (d, h, w) of a plane. */
static taken pool_window(const as_op_call *call, const as_geometry *g, const float *x,
                         const int64_t at[3])
{
    const as_pool_attributes *pool = &call->node->attributes.pool;
    const as_op op = call->node->op;
    int64_t begin[3], end[3];
    double n_padded = 1.0; /* three axes of a hostile file exceed an int64 */
    taken t = {.most_at = -1};
    for (int axis = 0; axis < 3; axis++) {
        int64_t n;
        places(g, axis, at[axis], &begin[axis], &end[axis], &n);
        n_padded *= (double)n;
    }
    for (int64_t kd = begin[0]; kd < end[0]; kd++)
        for (int64_t kh = begin[1]; kh < end[1]; kh++) {
            const int64_t row =
                place_of(g, 0, at[0], kd) * g->in[1] + place_of(g, 1, at[1], kh);
            for (int64_t kw = begin[2]; kw < end[2]; kw++) {
                const int64_t from = row * g->in[2] + place_of(g, 2, at[2], kw);
                take(op, pool->p, x[from], from, &t);
            }
        }
    if (op == AS_OP_AVERAGE_POOL && pool->count_include_pad) t.n = n_padded;
    return t;
}

/* ONNX's index of a place in plane `plane`: as the tensor lies, or the first axis fastest. */
static int64_t index_of(const as_geometry *g, bool is_column_major, size_t plane, int64_t at)
{
    const int64_t w = at % g->in[2], h = at / g->in[2] % g->in[1], d = at / g->in[2] / g->in[1];
    const int64_t before = (int64_t)plane * g->in[0] * g->in[1] * g->in[2];
    return before + (is_column_major ? d + (h + w * g->in[1]) * g->in[0] : at);
}

void as_plain_pool(const as_op_call *call, size_t begin, size_t end)
{
    const as_geometry g = as_geometry_of(call, false);
    const as_pool_attributes *pool = &call->node->attributes.pool;
    const as_array *indices = call->n_out > 1 ? call->out[1] : NULL;
    const size_t channels = (size_t)call->in[0]->shape.dims[1];
    const size_t size = (size_t)(g.in[0] * g.in[1] * g.in[2]);
    for (size_t row = begin; row < end; row++) {
        const as_output_row r = as_output_row_of(&g, channels, row);
        const size_t plane = r.n * channels + r.c, to = row * (size_t)g.out[2];
        const float *x = (const float *)call->in[0]->data + plane * size;
        for (int64_t w = 0; w < g.out[2]; w++) {
            const taken t = pool_window(call, &g, x, (int64_t[]){r.d, r.h, w});
            ((float *)call->out[0]->data)[to + (size_t)w] = result(call->node->op, pool->p, &t);
            if (indices)
                ((int64_t *)indices->data)[to + (size_t)w] =
                    index_of(&g, pool->is_column_major, plane, t.most_at);
        }
    }
}

assay_code as_accepts_pool(const as_op_call *call, assay_error *err)
{
    const as_pool_attributes *pool = &call->node->attributes.pool;
    if (pool->p < 1 && as_op_info(call->node->op)->attributes == AS_ATTRIBUTES_pool)
        return as_fail(err, ASSAY_E_UNSUPPORTED, "its p is %d, it must be above 0", pool->p);
    return as_accepts_f32(call, err);
}

/* An item is one plane. */
size_t as_items_global_pool(const as_op_call *call) { return as_array_elements(call->out[0]); }

void as_plain_global_pool(const as_op_call *call, size_t begin, size_t end)
{
    const as_array *x = call->in[0];
    const int p = call->node->attributes.pool.p;
    const size_t size = as_array_product(x, 2, x->shape.rank);
    for (size_t plane = begin; plane < end; plane++) {
        taken t = {.most_at = -1};
        for (size_t i = 0; i < size; i++)
            take(call->node->op, p, ((const float *)x->data)[plane * size + i], (int64_t)i, &t);
        ((float *)call->out[0]->data)[plane] = result(call->node->op, p, &t);
    }
}
