/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of eight floats: AVX2 with FMA3. */
#include <immintrin.h>
#include <string.h>

typedef __m256 vf;
#define VF_LANES 8

AS_INLINE vf vf_zero(void) { return _mm256_setzero_ps(); }
AS_INLINE vf vf_splat(float x) { return _mm256_set1_ps(x); }
AS_INLINE vf vf_load(const float *p) { return _mm256_loadu_ps(p); }
AS_INLINE void vf_store(float *p, vf x) { _mm256_storeu_ps(p, x); }
AS_INLINE vf vf_load_tail(const float *p, size_t n)
{
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_maskload_ps(p, _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), lanes));
}
/* By halves: masked stores take dozens of steps on AMD's cores. */
AS_INLINE void vf_store_tail(float *p, vf x, size_t n)
{
    __m128 rest = _mm256_castps256_ps128(x);
    if (n & 8) {
        _mm256_storeu_ps(p, x);
        return;
    }
    if (n & 4) {
        _mm_storeu_ps(p, rest);
        p += 4;
        rest = _mm256_extractf128_ps(x, 1);
    }
    if (n & 2) {
        _mm_storel_pi((__m64 *)(void *)p, rest);
        p += 2;
        rest = _mm_movehl_ps(rest, rest);
    }
    if (n & 1) _mm_store_ss(p, rest);
}
AS_INLINE vf vf_splat2(const float *p)
{
    double pair;
    memcpy(&pair, p, sizeof pair);
    return _mm256_castpd_ps(_mm256_set1_pd(pair));
}
AS_INLINE vf vf_splat4(const float *p) { return _mm256_broadcast_ps((const __m128 *)p); }
AS_INLINE vf vf_add_neighbours(vf a, vf b)
{
    const __m256d pairs = _mm256_castps_pd(_mm256_hadd_ps(a, b)); /* a b a b by halves */
    return _mm256_castpd_ps(_mm256_permute4x64_pd(pairs, 0xd8));
}
AS_INLINE void vf_zip(vf a, vf b, vf *low, vf *high)
{
    const vf even = _mm256_unpacklo_ps(a, b), odd = _mm256_unpackhi_ps(a, b);
    *low = _mm256_permute2f128_ps(even, odd, 0x20);
    *high = _mm256_permute2f128_ps(even, odd, 0x31);
}
AS_INLINE void vf_store_unzip(float *even, float *odd, vf x, size_t n)
{
    const vf halves = _mm256_permutevar8x32_ps(x, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7));
    const vf other = _mm256_castps128_ps256(_mm256_extractf128_ps(halves, 1));
    vf_store_tail(even, halves, n);
    vf_store_tail(odd, other, n);
}
AS_INLINE vf vf_add(vf a, vf b) { return _mm256_add_ps(a, b); }
AS_INLINE vf vf_sub(vf a, vf b) { return _mm256_sub_ps(a, b); }
AS_INLINE vf vf_mul(vf a, vf b) { return _mm256_mul_ps(a, b); }
AS_INLINE vf vf_div(vf a, vf b) { return _mm256_div_ps(a, b); }
AS_INLINE vf vf_fma(vf a, vf b, vf c) { return _mm256_fmadd_ps(a, b, c); }
AS_INLINE vf vf_max(vf a, vf b) { return _mm256_max_ps(a, b); }
AS_INLINE vf vf_min(vf a, vf b) { return _mm256_min_ps(a, b); }
AS_INLINE vf vf_sqrt(vf a) { return _mm256_sqrt_ps(a); }
AS_INLINE vf vf_abs(vf a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
AS_INLINE vf vf_neg(vf a) { return _mm256_xor_ps(_mm256_set1_ps(-0.0f), a); }
AS_INLINE vf vf_copysign(vf size, vf sign)
{
    return _mm256_or_ps(vf_abs(size), _mm256_and_ps(_mm256_set1_ps(-0.0f), sign));
}
AS_INLINE vf vf_select_lt(vf a, vf b, vf yes, vf no)
{
    return _mm256_blendv_ps(no, yes, _mm256_cmp_ps(a, b, _CMP_LT_OQ));
}
AS_INLINE void vf_load_quads(const float *p, size_t stride, vf x[4])
{
    __m256 q[4];
    unrolled_for (j, 4) /* pixels j and j + 4 */
        q[j] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p + j * stride)),
                                    _mm_loadu_ps(p + (j + 4) * stride), 1);
    __m256d a = _mm256_castps_pd(_mm256_unpacklo_ps(q[0], q[1])),
            b = _mm256_castps_pd(_mm256_unpackhi_ps(q[0], q[1])),
            c = _mm256_castps_pd(_mm256_unpacklo_ps(q[2], q[3])),
            d = _mm256_castps_pd(_mm256_unpackhi_ps(q[2], q[3]));
    x[0] = _mm256_castpd_ps(_mm256_unpacklo_pd(a, c));
    x[1] = _mm256_castpd_ps(_mm256_unpackhi_pd(a, c));
    x[2] = _mm256_castpd_ps(_mm256_unpacklo_pd(b, d));
    x[3] = _mm256_castpd_ps(_mm256_unpackhi_pd(b, d));
}
AS_INLINE vf vf_pow2_magic(vf t)
{
    __m256i biased = _mm256_add_epi32(_mm256_castps_si256(t), _mm256_set1_epi32(127));
    return _mm256_castsi256_ps(_mm256_slli_epi32(biased, 23));
}
