/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TESTS_PASSES_EVALUATE_H
#define ASSAY_TESTS_PASSES_EVALUATE_H
/*
 * The plainest way to run a small graph, in double: what passes must not change.  One loop nest an
 * operator, straight from ONNX's definitions.
 */
#include <math.h>

#include "../graph/build.h"
#include "operators/infer.h"
#include "passes/passes.h"

/* The values of all tensors. */
typedef struct values {
    const as_graph *g;
    as_shapes shapes;
    double **of; /* of[tensor id], malloc'ed */
} values;

static inline size_t count(const values *v, int id)
{
    size_t n = 0;
    assert_true(as_shape_elements(&v->shapes.of[id], &n));
    return n;
}

static inline double at4(const double *x, const as_shape *s, int64_t n, int64_t c, int64_t h,
                         int64_t w)
{
    if (h < 0 || w < 0 || h >= s->dims[2] || w >= s->dims[3]) return 0;
    return x[((n * s->dims[1] + c) * s->dims[2] + h) * s->dims[3] + w];
}

static inline void run_conv(values *v, const as_node *node, double *y)
{
    const as_conv_attributes *conv = &node->attributes.conv;
    const as_shape *xs = &v->shapes.of[node->inputs[0]], *ws = &v->shapes.of[node->inputs[1]];
    const as_shape *ys = &v->shapes.of[node->outputs[0]];
    const double *x = v->of[node->inputs[0]], *w = v->of[node->inputs[1]];
    const double *b = node->n_inputs > 2 ? v->of[node->inputs[2]] : NULL;
    int64_t pads[4], per_group = ys->dims[1] / conv->group;
    as_window_pads(&conv->window, xs->dims[2], xs->dims[3], pads);
    for (int64_t n = 0; n < ys->dims[0]; n++)
        for (int64_t o = 0; o < ys->dims[1]; o++)
            for (int64_t h = 0; h < ys->dims[2]; h++)
                for (int64_t c = 0; c < ys->dims[3]; c++) {
                    double sum = b ? b[o] : 0;
                    for (int64_t i = 0; i < ws->dims[1]; i++)
                        for (int64_t kh = 0; kh < ws->dims[2]; kh++)
                            for (int64_t kw = 0; kw < ws->dims[3]; kw++)
                                sum += at4(w, ws, o, i, kh, kw) *
                                       at4(x, xs, n, o / per_group * ws->dims[1] + i,
                                           h * conv->window.strides[0] - pads[0] + kh,
                                           c * conv->window.strides[1] - pads[1] + kw);
                    *y++ = sum;
                }
}

/* Each input spread over the outputs that it touches; no pads, no dilation. */
static inline void run_conv_transpose(values *v, const as_node *node, double *y)
{
    const as_conv_attributes *conv = &node->attributes.conv;
    const as_shape *xs = &v->shapes.of[node->inputs[0]], *ws = &v->shapes.of[node->inputs[1]];
    const as_shape *ys = &v->shapes.of[node->outputs[0]];
    const double *x = v->of[node->inputs[0]], *w = v->of[node->inputs[1]];
    int64_t area = ys->dims[2] * ys->dims[3], ic_group = xs->dims[1] / conv->group;
    for (int64_t i = 0; i < ys->dims[0] * ys->dims[1] * area; i++)
        y[i] = node->n_inputs > 2 ? v->of[node->inputs[2]][i / area % ys->dims[1]] : 0;
    for (int64_t n = 0; n < xs->dims[0]; n++)
        for (int64_t i = 0; i < xs->dims[1]; i++)
            for (int64_t h = 0; h < xs->dims[2]; h++)
                for (int64_t c = 0; c < xs->dims[3]; c++)
                    for (int64_t o = 0; o < ws->dims[1]; o++)
                        for (int64_t kh = 0; kh < ws->dims[2]; kh++)
                            for (int64_t kw = 0; kw < ws->dims[3]; kw++) {
                                int64_t oc = i / ic_group * ws->dims[1] + o;
                                int64_t oh = h * conv->window.strides[0] + kh;
                                int64_t ow = c * conv->window.strides[1] + kw;
                                y[((n * ys->dims[1] + oc) * ys->dims[2] + oh) * ys->dims[3] +
                                  ow] += at4(x, xs, n, i, h, c) * at4(w, ws, i, o, kh, kw);
                            }
}

/* Element `at` of an input that is broadcast to shape `out`. */
static inline double spread(const values *v, int id, const as_shape *out, size_t at)
{
    const as_shape *s = &v->shapes.of[id];
    size_t index = 0, stride = 1;
    for (int i = 1; i <= s->rank; i++) {
        size_t extent = (size_t)out->dims[out->rank - i], own = (size_t)s->dims[s->rank - i];
        index += own == 1 ? 0 : at % extent * stride;
        stride *= own;
        at /= extent;
    }
    return v->of[id][index];
}

static inline double clipped(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static inline double run_element(values *v, const as_node *node, size_t at)
{
    const as_shape *out = &v->shapes.of[node->outputs[0]];
    const as_attributes *a = &node->attributes;
    double x = spread(v, node->inputs[0], out, at);
    double b = node->n_inputs == 2 ? spread(v, node->inputs[1], out, at) : 0;
    int64_t area = out->rank == 4 ? out->dims[2] * out->dims[3] : 1;
    size_t c = out->rank > 1 ? at / (size_t)area % (size_t)out->dims[1] : 0;
    switch (node->op) {
    case AS_OP_IDENTITY:
    case AS_OP_DROPOUT:
        return x;
    case AS_OP_ADD:
        return x + b;
    case AS_OP_SUM:
        for (int i = 1; i < node->n_inputs; i++)
            x += spread(v, node->inputs[i], out, at);
        return x;
    case AS_OP_NEG:
        return -x;
    case AS_OP_SUB:
        return x - b;
    case AS_OP_MUL:
        return x * b;
    case AS_OP_DIV:
        return x / b;
    case AS_OP_RELU:
        return x > 0 ? x : 0;
    case AS_OP_SIGMOID:
        return 1 / (1 + exp(-x));
    case AS_OP_SQRT:
        return sqrt(x);
    case AS_OP_ERF:
        return erf(x);
    case AS_OP_GELU:
        return x / 2 * (1 + erf(x / sqrt(2)));
    case AS_OP_CLIP:
        return clipped(x, (double)a->clip.min, (double)a->clip.max);
    case AS_OP_HARD_SIGMOID:
        return clipped(x * (double)a->activation.alpha + (double)a->activation.beta, 0, 1);
    case AS_OP_HARD_SWISH:
        return x * clipped(x / 6 + 0.5, 0, 1);
    case AS_OP_AFFINE:
        return x * v->of[node->inputs[1]][c] + v->of[node->inputs[2]][c];
    case AS_OP_BATCH_NORM:
        return (x - v->of[node->inputs[3]][c]) /
                   sqrt(v->of[node->inputs[4]][c] + (double)a->batch_norm.epsilon) *
                   v->of[node->inputs[1]][c] +
               v->of[node->inputs[2]][c];
    default:
        fail_msg("%s is not evaluated", node->op_type);
        return 0;
    }
}

static inline void run_node(values *v, const as_node *node)
{
    int id = node->outputs[0];
    size_t n = count(v, id);
    double *y = v->of[id] = malloc(n * sizeof *y);
    if (node->op == AS_OP_CONV) {
        run_conv(v, node, y);
    } else if (node->op == AS_OP_CONV_TRANSPOSE) {
        run_conv_transpose(v, node, y);
    } else if (node->op == AS_OP_GLOBAL_AVERAGE_POOL || node->op == AS_OP_REDUCE_MEAN) {
        size_t area = count(v, node->inputs[0]) / n;
        for (size_t i = 0; i < n; i++) {
            y[i] = 0;
            for (size_t k = 0; k < area; k++)
                y[i] += v->of[node->inputs[0]][i * area + k] / (double)area;
        }
    } else {
        for (size_t i = 0; i < n; i++)
            y[i] = run_element(v, node, i);
    }
}

/* Output 0 of the graph for its one input of `shape`, filled with seeded numbers in -4 .. 4. */
static inline double *evaluate(const as_graph *g, as_shape shape, size_t *n)
{
    values v = {.g = g, .of = calloc((size_t)as_graph_n_tensors(g), sizeof *v.of)};
    assay_error err = {0};
    if (as_shape_infer(g, &shape, 1, &v.shapes, &err))
        fail_msg("%s: %s", err.where, err.message);
    for (int i = 0; i < as_graph_n_tensors(g); i++) {
        const as_tensor *tensor = as_graph_tensor(g, i);
        if (!tensor->data || tensor->dtype != AS_F32) continue;
        v.of[i] = malloc((tensor->n_elements + 1) * sizeof **v.of);
        for (size_t k = 0; k < tensor->n_elements; k++)
            v.of[i][k] = (double)((const float *)tensor->data)[k];
    }
    int x = as_graph_inputs(g)[0], y = as_graph_outputs(g)[0];
    uint32_t seed = 99;
    v.of[x] = malloc(count(&v, x) * sizeof **v.of);
    for (size_t k = 0; k < count(&v, x); k++) {
        seed = seed * 1664525u + 1013904223u;
        v.of[x][k] = (double)(seed >> 8) * 0x1p-21 - 4;
    }
    for (int i = 0; i < as_graph_n_nodes(g); i++)
        run_node(&v, as_graph_node(g, i));
    *n = count(&v, y);
    double *result = v.of[y];
    v.of[y] = NULL;
    for (int i = 0; i < as_graph_n_tensors(g); i++)
        free(v.of[i]);
    free(v.of);
    as_shapes_free(&v.shapes);
    return result;
}

/* Run `pass`, sort, and demand the same answers (to float rounding); returns its changes. */
static inline int run_pass(as_graph *g, as_pass_fn *pass, as_shape shape)
{
    size_t n = 0, n_after = 0;
    double *before = evaluate(g, shape, &n);
    as_pass_stats stats = {0};
    assay_error err = {0};
    assert_int_equal(pass(g, &stats, &err), ASSAY_OK);
    assert_int_equal(as_graph_sort(g, &err), ASSAY_OK);
    assert_int_equal(as_graph_resolve(g, &err), ASSAY_OK);
    double *after = evaluate(g, shape, &n_after);
    assert_int_equal(n, n_after);
    for (size_t i = 0; i < n; i++)
        if (!(fabs(before[i] - after[i]) <= 1e-5 * (1 + fabs(before[i]))))
            fail_msg("element %zu of %zu was %.9g and is %.9g", i, n, before[i], after[i]);
    free(before);
    free(after);
    return stats.n_changes;
}

/* The same for a pattern that must stay as it is. */
static inline void assert_untouched(as_graph *g, as_pass_fn *pass, as_shape shape)
{
    int n = as_graph_n_nodes(g);
    assert_int_equal(run_pass(g, pass, shape), 0);
    assert_int_equal(as_graph_n_nodes(g), n);
    as_graph_free(g);
}

#endif
