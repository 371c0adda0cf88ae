/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elementwise operators of one input.  Source: the ONNX operator specification.  What is composed of
 * several functions is computed in double and rounded once.  NaN goes through all
 * but ThresholdedRelu, which takes what is above its threshold.
 */
#include <math.h>

#include "operators/operators.h"

/* An operator on floats: `expression` of x, with the node's attributes as `a`. */
#define UNARY(name, expression)                                                                \
    void as_plain_##name(const as_op_call *call, size_t begin, size_t end)                     \
    {                                                                                          \
        const as_attributes *a = &call->node->attributes;                                      \
        const float *in = call->in[0]->data;                                                   \
        float *out = call->out[0]->data;                                                       \
        (void)a;                                                                               \
        for (size_t i = begin; i < end; i++) {                                                 \
            const float x = in[i];                                                             \
            out[i] = (expression);                                                             \
        }                                                                                      \
    }

/* A float between 0 and 1; NaN stays. */
static float unit(float x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

static float elu(float x, double alpha) { return (float)(alpha * expm1((double)x)); }

static double softplus(double x) { return fmax(x, 0) + log1p(exp(-fabs(x))); }

static float gelu(double x, bool is_tanh)
{
    const double root = 0.79788456080286535588; /* sqrt(2 / pi) */
    if (is_tanh) return (float)(0.5 * x * (1 + tanh(root * (x + 0.044715 * x * x * x))));
    return (float)(0.5 * x * (1 + erf(x * 0.70710678118654752440)));
}

UNARY(leaky_relu, x < 0 ? a->activation.alpha * x : x)
UNARY(elu, x < 0 ? elu(x, (double)a->activation.alpha) : x)
UNARY(selu, a->activation.beta *(x > 0 ? x : elu(x, (double)a->activation.alpha)))
UNARY(celu, x < 0 ? elu(x / a->activation.alpha, (double)a->activation.alpha) : x)
UNARY(thresholded_relu, x > a->activation.alpha ? x : 0)
UNARY(sigmoid, (float)(1 / (1 + exp(-(double)x))))
UNARY(hard_sigmoid, unit(a->activation.alpha *x + a->activation.beta))
UNARY(hard_swish, x *unit(x *(1.0f / 6) + 0.5f))
UNARY(mish, (float)((double)x *tanh(softplus((double)x))))
UNARY(softplus, (float)softplus((double)x))
UNARY(softsign, x / (1 + fabsf(x)))
UNARY(gelu, gelu((double)x, a->gelu.is_tanh))
UNARY(tanh, tanhf(x))
UNARY(erf, erff(x))
UNARY(exp, expf(x))
UNARY(log, logf(x))
UNARY(sqrt, sqrtf(x))
UNARY(reciprocal, 1 / x)
UNARY(floor, floorf(x))
UNARY(ceil, ceilf(x))
UNARY(round, rintf(x)) /* halves to even: the mode that every thread has */

/* An operator on numbers of type T; U is an unsigned one of the same size, which may wrap. */
#define TYPED(name, type, T, U, expression)                                                    \
    static void name##_##type(const as_op_call *call, size_t begin, size_t end)                \
    {                                                                                          \
        const T *in = call->in[0]->data;                                                       \
        T *out = call->out[0]->data;                                                           \
        for (size_t i = begin; i < end; i++) {                                                 \
            const T x = in[i];                                                                 \
            out[i] = (T)(expression);                                                          \
        }                                                                                      \
    }
#define NUMBERS(name, of_float, of_integer)                                                    \
    TYPED(name, f32, float, float, of_float)                                                   \
    TYPED(name, i64, int64_t, uint64_t, of_integer(uint64_t))                                  \
    TYPED(name, i32, int32_t, uint32_t, of_integer(uint32_t))                                  \
    void as_plain_##name(const as_op_call *call, size_t begin, size_t end)                     \
    {                                                                                          \
        static as_op_run *const runs[] = {                                                     \
            [AS_F32] = name##_f32, [AS_I64] = name##_i64, [AS_I32] = name##_i32};              \
        runs[call->in[0]->dtype](call, begin, end);                                            \
    }

#define RELU(U)     x > 0 ? x : 0
#define NEGATED(U)  0 - (U)x
#define ABSOLUTE(U) x < 0 ? 0 - (U)x : (U)x
NUMBERS(relu, x < 0 ? 0 : x, RELU)
NUMBERS(neg, -x, NEGATED)
NUMBERS(abs, fabsf(x), ABSOLUTE)

void as_plain_not(const as_op_call *call, size_t begin, size_t end)
{
    const unsigned char *in = call->in[0]->data;
    unsigned char *out = call->out[0]->data;
    for (size_t i = begin; i < end; i++)
        out[i] = !in[i];
}
