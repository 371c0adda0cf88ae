/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of four floats: AArch64's Advanced SIMD. */
#include <arm_neon.h>

typedef float32x4_t vf;
#define VF_LANES 4

AS_INLINE vf vf_zero(void) { return vdupq_n_f32(0.0f); }
AS_INLINE vf vf_splat(float x) { return vdupq_n_f32(x); }
AS_INLINE vf vf_load(const float *p) { return vld1q_f32(p); }
AS_INLINE void vf_store(float *p, vf x) { vst1q_f32(p, x); }
/* There are no masked loads: a pair, then a single float. */
AS_INLINE vf vf_load_tail(const float *p, size_t n)
{
    float32x2_t pair = vdup_n_f32(0.0f), single = vdup_n_f32(0.0f);
    if (n & 4) return vld1q_f32(p);
    if (n & 2) pair = vld1_f32(p);
    if (n & 1) single = vld1_lane_f32(p + (n & 2), single, 0);
    return n & 2 ? vcombine_f32(pair, single) : vcombine_f32(single, pair);
}
AS_INLINE void vf_store_tail(float *p, vf x, size_t n)
{
    float32x2_t rest = vget_low_f32(x);
    if (n & 4) {
        vst1q_f32(p, x);
        return;
    }
    if (n & 2) {
        vst1_f32(p, rest);
        p += 2;
        rest = vget_high_f32(x);
    }
    if (n & 1) vst1_lane_f32(p, rest, 0);
}
AS_INLINE vf vf_splat2(const float *p)
{
    const float32x2_t pair = vld1_f32(p);
    return vcombine_f32(pair, pair);
}
AS_INLINE vf vf_splat4(const float *p) { return vld1q_f32(p); }
AS_INLINE vf vf_add_neighbours(vf a, vf b) { return vpaddq_f32(a, b); }
AS_INLINE void vf_zip(vf a, vf b, vf *low, vf *high)
{
    *low = vzip1q_f32(a, b);
    *high = vzip2q_f32(a, b);
}
AS_INLINE void vf_store_unzip(float *even, float *odd, vf x, size_t n)
{
    vf_store_tail(even, vuzp1q_f32(x, x), n);
    vf_store_tail(odd, vuzp2q_f32(x, x), n);
}
AS_INLINE vf vf_add(vf a, vf b) { return vaddq_f32(a, b); }
AS_INLINE vf vf_sub(vf a, vf b) { return vsubq_f32(a, b); }
AS_INLINE vf vf_mul(vf a, vf b) { return vmulq_f32(a, b); }
AS_INLINE vf vf_div(vf a, vf b) { return vdivq_f32(a, b); }
AS_INLINE vf vf_fma(vf a, vf b, vf c) { return vfmaq_f32(c, a, b); }
/*
 * FMAX and FMIN pass NaNs on and know that -0 < 0, so a comparison selects, as the contract in
 * f32.h has it.  The maximum of a value and itself is the value, a denormal as a zero of its sign.
 */
AS_INLINE vf vf_select_(uint32x4_t mask, vf yes, vf no)
{
    vf x = vbslq_f32(mask, yes, no);
    return vmaxq_f32(x, x);
}
AS_INLINE vf vf_max(vf a, vf b) { return vf_select_(vcgtq_f32(a, b), a, b); }
AS_INLINE vf vf_min(vf a, vf b) { return vf_select_(vcltq_f32(a, b), a, b); }
AS_INLINE vf vf_sqrt(vf a) { return vsqrtq_f32(a); }
AS_INLINE vf vf_abs(vf a) { return vabsq_f32(a); }
AS_INLINE vf vf_neg(vf a) { return vnegq_f32(a); }
AS_INLINE vf vf_copysign(vf size, vf sign)
{
    return vbslq_f32(vdupq_n_u32(0x80000000U), sign, size);
}
AS_INLINE vf vf_select_lt(vf a, vf b, vf yes, vf no)
{
    return vbslq_f32(vcltq_f32(a, b), yes, no);
}
AS_INLINE void vf_load_quads(const float *p, size_t stride, vf x[4])
{
    float32x4x2_t a = vtrnq_f32(vld1q_f32(p), vld1q_f32(p + stride)),
                  b = vtrnq_f32(vld1q_f32(p + 2 * stride), vld1q_f32(p + 3 * stride));
    x[0] = vcombine_f32(vget_low_f32(a.val[0]), vget_low_f32(b.val[0]));
    x[1] = vcombine_f32(vget_low_f32(a.val[1]), vget_low_f32(b.val[1]));
    x[2] = vcombine_f32(vget_high_f32(a.val[0]), vget_high_f32(b.val[0]));
    x[3] = vcombine_f32(vget_high_f32(a.val[1]), vget_high_f32(b.val[1]));
}
AS_INLINE vf vf_pow2_magic(vf t)
{
    uint32x4_t biased = vaddq_u32(vreinterpretq_u32_f32(t), vdupq_n_u32(127));
    return vreinterpretq_f32_u32(vshlq_n_u32(biased, 23));
}
