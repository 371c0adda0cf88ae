/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/peak_loop.h"
#include "kernels/simd/f32.h"

#define CHAINS 12

double KERNEL(peak_loop)(unsigned long n)
{
    vf acc[CHAINS];
    const vf x = vf_splat(0.999f), y = vf_splat(0.001f);
    unrolled_for (i, CHAINS)
        acc[i] = vf_splat((float)i);
    for (unsigned long k = 0; k < n; k++)
        unrolled_for (i, CHAINS)
            acc[i] = vf_fma(acc[i], x, y);
    float out[CHAINS * VF_LANES], sum = 0;
    unrolled_for (i, CHAINS)
        vf_store(out + i * VF_LANES, acc[i]);
    for (int i = 0; i < CHAINS * VF_LANES; i++)
        sum += out[i];
    /* The sum is a positive number, which the compiler does not know. */
    return sum > 0 ? (double)n * CHAINS * VF_LANES : 0;
}

#define STREAM_VECS 4

void KERNEL(stream_loop)(size_t n, const float *restrict in, float scale, float *restrict out)
{
    const vf s = vf_splat(scale);
    for (; n >= STREAM_VECS * VF_LANES; n -= STREAM_VECS * VF_LANES) {
        unrolled_for (i, STREAM_VECS)
            vf_store(out + i * VF_LANES, vf_mul(vf_load(in + i * VF_LANES), s));
        in += STREAM_VECS * VF_LANES;
        out += STREAM_VECS * VF_LANES;
    }
    for (size_t i = 0; i < n; i++)
        out[i] = in[i] * scale;
}
