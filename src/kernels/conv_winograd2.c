/* SPDX-License-Identifier: Apache-2.0 */
/* F(2 x 2, 3 x 3): 16 products for 4 outputs, 2.25 times fewer than direct.  The points 0, 1, -1
 * and infinity; transforms of additions only, exact for small whole numbers. */
#include "kernels/simd/f32.h"

#define OUT             2
#define TILE            4
#define ROUTE(function) KERNEL(conv_winograd2_##function)

static const double kernel_matrix[TILE][3] = {
    {1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};

AS_INLINE void input_1d(const vf d[TILE], vf v[TILE])
{
    v[0] = vf_sub(d[0], d[2]);
    v[1] = vf_add(d[2], d[1]);
    v[2] = vf_sub(d[2], d[1]);
    v[3] = vf_sub(d[3], d[1]);
}

AS_INLINE void output_1d(const vf m[TILE], vf y[OUT])
{
    y[0] = vf_add(vf_add(m[1], m[2]), m[0]);
    y[1] = vf_add(vf_sub(m[1], m[2]), m[3]);
}

#include "kernels/conv_winograd.inc"
