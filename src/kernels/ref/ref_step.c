/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kernels/ref/ref.h"

static float flushed(float a) { return fabsf(a) < 0x1p-126f ? copysignf(0.0f, a) : a; }

/* As the vector functions define them: b where one is a NaN, and denormals come back as zeros. */
static float max_of(float a, float b) { return flushed(a > b ? a : b); }
static float min_of(float a, float b) { return flushed(a < b ? a : b); }

/* 2^n for a whole n in -127 (gives 0) .. 127. */
static float power_of_two(float n)
{
    const uint32_t bits = n >= -127.0f && n <= 127.0f ? (uint32_t)((int)n + 127) << 23 : 0;
    float power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

float as_ref_exp(float x)
{
    x = max_of(-87.5f, min_of(89.0f, x));
    const float t = fmaf(x, 1.44269504f, 0x1.8p23f), n = t - 0x1.8p23f;
    float r = fmaf(n, -0.693359375f, x);
    r = fmaf(n, 2.12194440e-4f, r);
    float q = 0.00138144668f;
    q = fmaf(q, r, 0.00836878042f);
    q = fmaf(q, r, 0.0416683942f);
    q = fmaf(q, r, 0.166665201f);
    q = fmaf(q, r, 0.499999934f);
    const float p = fmaf(r * r, q, r + 1.0f);
    return (p + p) * power_of_two(n - 1.0f);
}

float as_ref_erf(float x)
{
    x = max_of(-4.0f, min_of(4.0f, x));
    const float t = x * x;
    float p = 2.04602179e-06f, q = 3.80477868e-05f;
    p = fmaf(p, t, 0.000284844893f);
    p = fmaf(p, t, 0.00377259962f);
    p = fmaf(p, t, 0.0527694523f);
    p = fmaf(p, t, 0.190594882f);
    p = fmaf(p, t, 1.12837911f);
    q = fmaf(q, t, 0.00116387021f);
    q = fmaf(q, t, 0.0149832964f);
    q = fmaf(q, t, 0.114183187f);
    q = fmaf(q, t, 0.502243042f);
    q = fmaf(q, t, 1.0f);
    return max_of(-1.0f, min_of(1.0f, x * p / q));
}

float as_ref_gelu(float x)
{
    const float n = max_of(-5.6f, -fabsf(x));
    float p = -3.45409968e-06f;
    p = fmaf(p, n, -3.97846322e-05f);
    p = fmaf(p, n, -8.83813181e-05f);
    p = fmaf(p, n, 0.000520056432f);
    p = fmaf(p, n, 0.000868498406f);
    p = fmaf(p, n, -0.00952509721f);
    p = fmaf(p, n, 0.00313806399f);
    p = fmaf(p, n, 0.150160071f);
    p *= n + 5.6f;
    p *= p;
    return fmaf(n, p * p, max_of(0.0f, x));
}

float as_ref_tanh(float x)
{
    const float size = fabsf(x), t = x * x;
    if (size < 0.625f) {
        float c = -0.00570498676f;
        c = fmaf(c, t, 0.020639087f);
        c = fmaf(c, t, -0.053739715f);
        c = fmaf(c, t, 0.133314422f);
        c = fmaf(c, t, -0.333332819f);
        return fmaf(x * t, c, x);
    }
    return copysignf(1.0f - 2.0f / (as_ref_exp(size + size) + 1.0f), x);
}

static float hard_sigmoid(float x, float a, float b)
{
    return min_of(1.0f, max_of(0.0f, fmaf(x, a, b)));
}

/* Element of the operand that meets out[image][y][x][c]. */
static float operand_of(const as_step *step, size_t image, size_t y, size_t x, size_t c)
{
    const size_t row = step->row_map ? step->row_map[y] : y;
    const size_t column = step->col_map ? step->col_map[x] : x;
    switch (step->operand) {
    case AS_OPERAND_SCALAR:
        return step->a;
    case AS_OPERAND_CHANNEL:
        return step->view.data[c];
    case AS_OPERAND_IMAGE:
        return *as_ref_at(&step->view, image, 0, 0, c);
    case AS_OPERAND_PIXEL:
        return *as_ref_at(&step->view, image, row, column, 0);
    case AS_OPERAND_TENSOR:
        return *as_ref_at(&step->view, image, row, column, c);
    }
    return NAN;
}

static float one_step(const as_step *step, float x, float y, size_t c)
{
    switch (step->kind) {
    case AS_STEP_ADD:
        return x + y;
    case AS_STEP_SUB:
        return x - y;
    case AS_STEP_RSUB:
        return y - x;
    case AS_STEP_MUL:
        return x * y;
    case AS_STEP_DIV:
        return x / y;
    case AS_STEP_RDIV:
        return y / x;
    case AS_STEP_MAX:
        return max_of(y, x);
    case AS_STEP_MIN:
        return min_of(y, x);
    case AS_STEP_AFFINE:
        return fmaf(x, step->a, step->b);
    case AS_STEP_SCALE_SHIFT:
        return fmaf(x, step->scale[c], step->shift[c]);
    case AS_STEP_RELU:
        return max_of(0.0f, x);
    case AS_STEP_CLIP:
        return min_of(step->b, max_of(step->a, x));
    case AS_STEP_LEAKY:
        return x < 0.0f ? step->a * x : x;
    case AS_STEP_SIGMOID:
        return 1.0f / (1.0f + as_ref_exp(-x));
    case AS_STEP_HARD_SIGMOID:
        return hard_sigmoid(x, step->a, step->b);
    case AS_STEP_HARD_SWISH:
        return x * hard_sigmoid(x, 1.0f / 6.0f, 0.5f);
    case AS_STEP_GELU:
        return as_ref_gelu(x);
    case AS_STEP_ERF:
        return as_ref_erf(x);
    case AS_STEP_TANH:
        return as_ref_tanh(x);
    case AS_STEP_EXP:
        return as_ref_exp(x);
    case AS_STEP_SQRT:
        return sqrtf(x);
    case AS_STEP_ABS:
        return fabsf(x);
    case AS_STEP_NEG:
        return -x;
    case AS_STEP_N:
        break;
    }
    return NAN;
}

float as_ref_steps(const as_epilogue *epilogue, float x, size_t image, size_t y, size_t column,
                   size_t c)
{
    for (size_t i = 0; epilogue && i < epilogue->n_steps; i++) {
        const as_step *step = &epilogue->steps[i];
        const float operand =
            step->kind <= AS_STEP_MIN ? operand_of(step, image, y, column, c) : 0.0f;
        x = one_step(step, x, operand, c);
    }
    return x;
}
