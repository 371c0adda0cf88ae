/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators along one axis: Softmax, LogSoftmax, ArgMax, ArgMin.  Source: the ONNX operator
 * specification.
 *
 *     x [outer][n][inner]       an item is one of outer * inner lines of n
 */
#include <math.h>

#include "operators/operators.h"

/* How the lines lie. */
typedef struct lines {
    size_t outer, n, inner;
} lines;

static lines lines_of(const as_array *x, int axis, bool is_flattened)
{
    const int rank = x->shape.rank;
    if (axis < 0) axis += rank;
    if (is_flattened)
        return (lines){as_array_product(x, 0, axis), as_array_product(x, axis, rank), 1};
    return (lines){as_array_product(x, 0, axis), (size_t)x->shape.dims[axis],
                   as_array_product(x, axis + 1, rank)};
}

/* Where line `i` begins. */
static size_t line_start(const lines *l, size_t i)
{
    return i / l->inner * l->n * l->inner + i % l->inner;
}

static lines softmax_lines(const as_op_call *call)
{
    const as_attributes *a = &call->node->attributes;
    return lines_of(call->in[0], a->softmax.axis, a->softmax.is_flattened);
}

size_t as_items_softmax(const as_op_call *call)
{
    const lines l = softmax_lines(call);
    return l.n ? l.outer * l.inner : 0;
}

/* The greatest of a line, so that no exponential overflows. */
static float greatest(const float *x, const lines *l)
{
    float most = x[0];
    for (size_t k = 1; k < l->n; k++)
        most = x[k * l->inner] > most ? x[k * l->inner] : most;
    return most;
}

void as_plain_softmax(const as_op_call *call, size_t begin, size_t end)
{
    const lines l = softmax_lines(call);
    for (size_t i = begin; i < end; i++) {
        const float *x = (const float *)call->in[0]->data + line_start(&l, i);
        float *y = (float *)call->out[0]->data + line_start(&l, i);
        const float most = greatest(x, &l);
        double sum = 0;
        for (size_t k = 0; k < l.n; k++) {
            y[k * l.inner] = expf(x[k * l.inner] - most);
            sum += (double)y[k * l.inner];
        }
        for (size_t k = 0; k < l.n; k++)
            y[k * l.inner] = (float)((double)y[k * l.inner] / sum);
    }
}

void as_plain_log_softmax(const as_op_call *call, size_t begin, size_t end)
{
    const lines l = softmax_lines(call);
    for (size_t i = begin; i < end; i++) {
        const float *x = (const float *)call->in[0]->data + line_start(&l, i);
        float *y = (float *)call->out[0]->data + line_start(&l, i);
        const float most = greatest(x, &l);
        double sum = 0;
        for (size_t k = 0; k < l.n; k++)
            sum += exp((double)x[k * l.inner] - (double)most);
        for (size_t k = 0; k < l.n; k++)
            y[k * l.inner] = (float)((double)x[k * l.inner] - (double)most - log(sum));
    }
}

/* ---- ArgMax and ArgMin: a NaN is beyond all numbers, the first one wins ---- */

/* Whether `x` takes the place of `best`. */
#define BEATS(x, best)                                                                         \
    (is_nan ? false : (is_min ? (x) < (best) : (x) > (best)) || (is_last && (x) == (best)))

#define FIND(type, T)                                                                          \
    static int64_t find_##type(const void *line, const lines *l, bool is_min, bool is_last)    \
    {                                                                                          \
        const T *x = line;                                                                     \
        size_t best = 0;                                                                       \
        for (size_t k = 1; k < l->n; k++) {                                                    \
            const T value = x[k * l->inner], held = x[best * l->inner];                        \
            const bool is_nan = held != held;                                                  \
            if (value != value ? !is_nan : BEATS(value, held)) best = k;                       \
        }                                                                                      \
        return (int64_t)best;                                                                  \
    }
FIND(f32, float)
FIND(i64, int64_t)
FIND(i32, int32_t)

void as_plain_arg(const as_op_call *call, size_t begin, size_t end)
{
    typedef int64_t find(const void *line, const lines *l, bool is_min, bool is_last);
    static find *const finds[] = {
        [AS_F32] = find_f32, [AS_I64] = find_i64, [AS_I32] = find_i32};
    const as_attributes *a = &call->node->attributes;
    const as_array *x = call->in[0];
    const lines l = lines_of(x, a->arg.axis, false);
    for (size_t i = begin; i < end; i++) {
        const char *line = (const char *)x->data + line_start(&l, i) * as_dtype_bytes(x->dtype);
        ((int64_t *)call->out[0]->data)[i] =
            finds[x->dtype](line, &l, call->node->op == AS_OP_ARG_MIN, a->arg.is_last);
    }
}
