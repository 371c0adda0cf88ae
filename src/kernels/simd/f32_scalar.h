/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of one float in plain C: the ISA that every machine has. */
#include <math.h>
#include <string.h>

typedef float vf;
#define VF_LANES 1

AS_INLINE vf vf_zero(void) { return 0.0f; }
AS_INLINE vf vf_splat(float x) { return x; }
AS_INLINE vf vf_load(const float *p) { return *p; }
AS_INLINE void vf_store(float *p, vf x) { *p = x; }
AS_INLINE vf vf_load_tail(const float *p, size_t n) { return n ? *p : 0.0f; }
AS_INLINE void vf_store_tail(float *p, vf x, size_t n)
{
    if (n) *p = x;
}
AS_INLINE vf vf_splat2(const float *p) { return *p; }
AS_INLINE vf vf_splat4(const float *p) { return *p; }
AS_INLINE vf vf_add_neighbours(vf a, vf b) { return a + b; }
AS_INLINE void vf_zip(vf a, vf b, vf *low, vf *high)
{
    *low = a;
    *high = b;
}
AS_INLINE void vf_store_unzip(float *even, float *odd, vf x, size_t n)
{
    (void)odd;
    if (n) *even = x;
}
AS_INLINE vf vf_add(vf a, vf b) { return a + b; }
AS_INLINE vf vf_sub(vf a, vf b) { return a - b; }
AS_INLINE vf vf_mul(vf a, vf b) { return a * b; }
AS_INLINE vf vf_div(vf a, vf b) { return a / b; }
AS_INLINE vf vf_fma(vf a, vf b, vf c) { return fmaf(a, b, c); }
/* The vector instructions for maxima take denormals as zeros and return them so. */
AS_INLINE vf vf_flushed_(vf a) { return fabsf(a) < 0x1p-126f ? copysignf(0.0f, a) : a; }
AS_INLINE vf vf_max(vf a, vf b) { return vf_flushed_(a > b ? a : b); }
AS_INLINE vf vf_min(vf a, vf b) { return vf_flushed_(a < b ? a : b); }
AS_INLINE vf vf_sqrt(vf a) { return sqrtf(a); }
AS_INLINE vf vf_abs(vf a) { return fabsf(a); }
AS_INLINE vf vf_neg(vf a) { return -a; }
AS_INLINE vf vf_copysign(vf size, vf sign) { return copysignf(size, sign); }
AS_INLINE vf vf_select_lt(vf a, vf b, vf yes, vf no) { return a < b ? yes : no; }
AS_INLINE void vf_load_quads(const float *p, size_t stride, vf x[4])
{
    (void)stride;
    unrolled_for (c, 4)
        x[c] = p[c];
}
AS_INLINE vf vf_pow2_magic(vf t)
{
    uint32_t bits;
    float power;
    memcpy(&bits, &t, sizeof bits);
    bits = (bits + 127) << 23;
    memcpy(&power, &bits, sizeof power);
    return power;
}
