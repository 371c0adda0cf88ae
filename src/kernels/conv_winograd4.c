/* SPDX-License-Identifier: Apache-2.0 */
/*
 * F(4 x 4, 3 x 3): 36 products for 16 outputs, 4 times fewer than direct.
 *
 * The points are 0, +-P, +-Q and infinity with P = 3/4 and Q = 3/2.  All constants of the
 * transforms are floats without rounding then, as with the usual points 1 and 2, but sums stay
 * smaller: the error on random data is half of theirs (bench/results/winograd-points.txt).
 */
#include "kernels/simd/f32.h"

#define OUT             4
#define TILE            6
#define ROUTE(function) KERNEL(conv_winograd4_##function)

#define P  0.75
#define Q  1.5
#define PP (P * P)
#define QQ (Q * Q)

/* 1 / product of the differences from a point to the others. */
#define AT_P (1 / (2 * PP * (PP - QQ)))
#define AT_Q (1 / (2 * QQ * (QQ - PP)))

static const double kernel_matrix[TILE][3] = {
    {1 / (PP * QQ), 0, 0},     {AT_P, P *AT_P, PP *AT_P},  {AT_P, -P *AT_P, PP *AT_P},
    {AT_Q, Q *AT_Q, QQ *AT_Q}, {AT_Q, -Q *AT_Q, QQ *AT_Q}, {0, 0, 1}};

AS_INLINE vf times(double constant, vf x) { return vf_mul(vf_splat((float)constant), x); }

/* x * constant + y */
AS_INLINE vf scaled_add(vf x, double constant, vf y)
{
    return vf_fma(x, vf_splat((float)constant), y);
}

AS_INLINE void input_1d(const vf d[TILE], vf v[TILE])
{
    const vf even_p = scaled_add(d[2], -QQ, d[4]), odd_p = scaled_add(d[1], -QQ, d[3]);
    const vf even_q = scaled_add(d[2], -PP, d[4]), odd_q = scaled_add(d[1], -PP, d[3]);
    v[0] = scaled_add(d[0], PP * QQ, scaled_add(d[2], -(PP + QQ), d[4]));
    v[1] = scaled_add(odd_p, P, even_p);
    v[2] = scaled_add(odd_p, -P, even_p);
    v[3] = scaled_add(odd_q, Q, even_q);
    v[4] = scaled_add(odd_q, -Q, even_q);
    v[5] = scaled_add(d[1], PP * QQ, scaled_add(d[3], -(PP + QQ), d[5]));
}

AS_INLINE void output_1d(const vf m[TILE], vf y[OUT])
{
    const vf even_p = vf_add(m[1], m[2]), odd_p = vf_sub(m[1], m[2]);
    const vf even_q = vf_add(m[3], m[4]), odd_q = vf_sub(m[3], m[4]);
    y[0] = vf_add(vf_add(even_p, even_q), m[0]);
    y[1] = scaled_add(odd_q, Q, times(P, odd_p));
    y[2] = scaled_add(even_q, QQ, times(PP, even_p));
    y[3] = scaled_add(odd_q, QQ * Q, scaled_add(odd_p, PP * P, m[5]));
}

#include "kernels/conv_winograd.inc"
