/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of sixteen floats: AVX-512 F, BW, DQ and VL. */
#include <immintrin.h>
#include <string.h>

typedef __m512 vf;
#define VF_LANES 16

AS_INLINE __mmask16 vf_mask_(size_t n) { return (__mmask16)((1U << n) - 1); }

AS_INLINE vf vf_zero(void) { return _mm512_setzero_ps(); }
AS_INLINE vf vf_splat(float x) { return _mm512_set1_ps(x); }
AS_INLINE vf vf_load(const float *p) { return _mm512_loadu_ps(p); }
AS_INLINE void vf_store(float *p, vf x) { _mm512_storeu_ps(p, x); }
AS_INLINE vf vf_load_tail(const float *p, size_t n)
{
    return _mm512_maskz_loadu_ps(vf_mask_(n), p);
}
AS_INLINE void vf_store_tail(float *p, vf x, size_t n)
{
    _mm512_mask_storeu_ps(p, vf_mask_(n), x);
}
AS_INLINE vf vf_splat2(const float *p)
{
    double pair;
    memcpy(&pair, p, sizeof pair);
    return _mm512_castpd_ps(_mm512_set1_pd(pair));
}
AS_INLINE vf vf_splat4(const float *p) { return _mm512_broadcast_f32x4(_mm_loadu_ps(p)); }
AS_INLINE void vf_zip(vf a, vf b, vf *low, vf *high)
{
    const __m512i first =
        _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(8));
    *low = _mm512_permutex2var_ps(a, first, b);
    *high = _mm512_permutex2var_ps(a, second, b);
}
AS_INLINE void vf_store_unzip(float *even, float *odd, vf x, size_t n)
{
    const __m512i order =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
    const vf halves = _mm512_permutexvar_ps(order, x);
    const __mmask8 valid = (__mmask8)vf_mask_(n);
    _mm256_mask_storeu_ps(even, valid, _mm512_castps512_ps256(halves));
    _mm256_mask_storeu_ps(odd, valid, _mm512_extractf32x8_ps(halves, 1));
}
AS_INLINE vf vf_add_neighbours(vf a, vf b)
{
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    return _mm512_add_ps(_mm512_permutex2var_ps(a, even, b), _mm512_permutex2var_ps(a, odd, b));
}
AS_INLINE vf vf_add(vf a, vf b) { return _mm512_add_ps(a, b); }
AS_INLINE vf vf_sub(vf a, vf b) { return _mm512_sub_ps(a, b); }
AS_INLINE vf vf_mul(vf a, vf b) { return _mm512_mul_ps(a, b); }
AS_INLINE vf vf_div(vf a, vf b) { return _mm512_div_ps(a, b); }
AS_INLINE vf vf_fma(vf a, vf b, vf c) { return _mm512_fmadd_ps(a, b, c); }
AS_INLINE vf vf_max(vf a, vf b) { return _mm512_max_ps(a, b); }
AS_INLINE vf vf_min(vf a, vf b) { return _mm512_min_ps(a, b); }
AS_INLINE vf vf_sqrt(vf a) { return _mm512_sqrt_ps(a); }
AS_INLINE vf vf_abs(vf a) { return _mm512_andnot_ps(_mm512_set1_ps(-0.0f), a); }
AS_INLINE vf vf_neg(vf a) { return _mm512_xor_ps(_mm512_set1_ps(-0.0f), a); }
AS_INLINE vf vf_copysign(vf size, vf sign)
{
    return _mm512_or_ps(vf_abs(size), _mm512_and_ps(_mm512_set1_ps(-0.0f), sign));
}
AS_INLINE vf vf_select_lt(vf a, vf b, vf yes, vf no)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), no, yes);
}
AS_INLINE void vf_load_quads(const float *p, size_t stride, vf x[4])
{
    __m512 q[4];
    unrolled_for (j, 4) { /* pixels j, j + 4, j + 8, j + 12 */
        const float *at = p + j * stride;
        q[j] = _mm512_castps128_ps512(_mm_loadu_ps(at));
        q[j] = _mm512_insertf32x4(q[j], _mm_loadu_ps(at + 4 * stride), 1);
        q[j] = _mm512_insertf32x4(q[j], _mm_loadu_ps(at + 8 * stride), 2);
        q[j] = _mm512_insertf32x4(q[j], _mm_loadu_ps(at + 12 * stride), 3);
    }
    __m512d a = _mm512_castps_pd(_mm512_unpacklo_ps(q[0], q[1])),
            b = _mm512_castps_pd(_mm512_unpackhi_ps(q[0], q[1])),
            c = _mm512_castps_pd(_mm512_unpacklo_ps(q[2], q[3])),
            d = _mm512_castps_pd(_mm512_unpackhi_ps(q[2], q[3]));
    x[0] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, c));
    x[1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, c));
    x[2] = _mm512_castpd_ps(_mm512_unpacklo_pd(b, d));
    x[3] = _mm512_castpd_ps(_mm512_unpackhi_pd(b, d));
}
AS_INLINE vf vf_pow2_magic(vf t)
{
    __m512i biased = _mm512_add_epi32(_mm512_castps_si512(t), _mm512_set1_epi32(127));
    return _mm512_castsi512_ps(_mm512_slli_epi32(biased, 23));
}
