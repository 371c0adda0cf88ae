/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_KERNELS_SIMD_MATH_H
#define ASSAY_KERNELS_SIMD_MATH_H
/*
 * exp, erf and what follows from them, on vectors.  Straight-line code out of vf_ functions,
 * hence the same bits on every ISA.  Polynomials and the rational are our own least-maximum
 * fits (Lawson's weights on Chebyshev nodes, in float64); errors against float64 stand at each.
 */
#include "kernels/simd/f32.h"

/* c[0] + c[1] t + ... + c[n - 1] t^(n - 1) by Horner's rule. */
AS_INLINE vf vf_polynomial(vf t, const float *c, const size_t n)
{
    vf sum = vf_splat(c[n - 1]);
    unrolled_for (i, n - 1)
        sum = vf_fma(sum, t, vf_splat(c[n - 2 - i]));
    return sum;
}

/**
 * exp(x): relative error below 2e-7; 0 for x < -86.99, where e^x is about to leave the normal
 * range; inf above the float range.  x = n ln 2 + r with |r| <= ln 2 / 2; exp(r) = 1 + r + r^2
 * q(r). ln 2 in two parts, the first of few bits, as Cody and Waite do; the parts as in Cephes'
 * expf.c.
 */
AS_INLINE vf vf_exp(vf x)
{
    static const float q[] = {0.499999934f, 0.166665201f, 0.0416683942f, 0.00836878042f,
                              0.00138144668f};
    const vf magic =
        vf_splat(0x1.8p23f); /* adding it rounds to a whole number, in the low bits */
    x = vf_max(vf_splat(-87.5f), vf_min(vf_splat(89.0f), x));
    vf t = vf_fma(x, vf_splat(1.44269504f), magic);
    vf n = vf_sub(t, magic);
    vf r = vf_fma(n, vf_splat(-0.693359375f), x);
    r = vf_fma(n, vf_splat(2.12194440e-4f), r);
    vf p = vf_fma(vf_mul(r, r), vf_polynomial(r, q, 5), vf_add(r, vf_splat(1.0f)));
    /* 2^n as 2 * 2^(n - 1), since n reaches 128. */
    return vf_mul(vf_add(p, p), vf_pow2_magic(vf_sub(t, vf_splat(1.0f))));
}

/**
 * erf(x): absolute and relative error below 4e-7; exactly +-1 from |x| = 4 on.
 * x P(x^2) / Q(x^2), both of degree 5, fitted on |x| <= 3.925.
 */
AS_INLINE vf vf_erf(vf x)
{
    static const float p[] = {1.12837911f,    0.190594882f,    0.0527694523f,
                              0.00377259962f, 0.000284844893f, 2.04602179e-06f};
    static const float q[] = {1.0f,          0.502243042f,   0.114183187f,
                              0.0149832964f, 0.00116387021f, 3.80477868e-05f};
    x = vf_max(vf_splat(-4.0f), vf_min(vf_splat(4.0f), x));
    vf t = vf_mul(x, x);
    vf y = vf_div(vf_mul(x, vf_polynomial(t, p, 6)), vf_polynomial(t, q, 6));
    return vf_max(vf_splat(-1.0f), vf_min(vf_splat(1.0f), y));
}

/** 1 / (1 + exp(-x)): relative error below 4e-7. */
AS_INLINE vf vf_sigmoid(vf x)
{
    const vf one = vf_splat(1.0f);
    return vf_div(one, vf_add(one, vf_exp(vf_neg(x))));
}

/**
 * x Phi(x) = 0.5 x (1 + erf(x / sqrt 2)): absolute error below 2e-7 max(1, |x|); exactly 0 or x from
 * |x| = 5.6 on.  It is max(x, 0) - |x| Phi(-|x|), and the fourth root of Phi is smooth: without a
 * division, (5.6 - |x|) q(-|x|) with q of degree 7 is within 4.5e-8 once it is raised again.  Fitted by
 * bench/kernels/gelu_fit.py.
 */
AS_INLINE vf vf_gelu(vf x)
{
    static const float q[] = {0.150160071f,     0.00313806399f,  -0.00952509721f,
                              0.000868498406f,  0.000520056432f, -8.83813181e-05f,
                              -3.97846322e-05f, -3.45409968e-06f};
    vf n = vf_max(vf_splat(-5.6f), vf_neg(vf_abs(x)));
    vf p = vf_mul(vf_add(n, vf_splat(5.6f)), vf_polynomial(n, q, 8));
    p = vf_mul(p, p);
    return vf_fma(n, vf_mul(p, p), vf_max(vf_zero(), x));
}

/**
 * tanh(x): relative error below 5e-7.  An odd polynomial up to 0.625, 1 - 2 / (exp(2|x|) + 1)
 * beyond.
 */
AS_INLINE vf vf_tanh(vf x)
{
    static const float c[] = {-0.333332819f, 0.133314422f, -0.053739715f, 0.020639087f,
                              -0.00570498676f};
    const vf one = vf_splat(1.0f);
    vf size = vf_abs(x), t = vf_mul(x, x);
    vf near = vf_fma(vf_mul(x, t), vf_polynomial(t, c, 5), x);
    vf far = vf_sub(one, vf_div(vf_splat(2.0f), vf_add(vf_exp(vf_add(size, size)), one)));
    return vf_select_lt(size, vf_splat(0.625f), near, vf_copysign(far, x));
}

#endif
