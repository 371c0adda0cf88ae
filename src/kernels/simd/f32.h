/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_KERNELS_SIMD_F32_H
#define ASSAY_KERNELS_SIMD_F32_H
/*
 * The vector functions that kernels are written in.  A kernel's file is compiled once an ISA
 * with -DISA=avx2 -DISA_AVX2 and that ISA's flags; one header of simd/ then defines, for a
 * vector `vf` of VF_LANES floats:
 *
 *     vf_zero()  vf_splat(x)          every lane 0, x
 *     vf_load(p)  vf_store(p, x)      any alignment
 *     vf_load_tail(p, n)              lanes 0..n-1 from memory, the others 0; n <= VF_LANES; reads
 *     vf_store_tail(p, x, n)          and writes nothing behind p[n - 1]
 *     vf_add sub mul div (a, b)       IEEE, correctly rounded
 *     vf_splat2(p)  vf_splat4(p)      lane i is p[i % 2], p[i % 4]
 *     vf_add_neighbours(a, b)                   a[0] + a[1], a[2] + a[3] .. b[0] + b[1] ..; of one lane a + b
 *     vf_zip(a, b, &low, &high)       a[0] b[0] a[1] b[1] .., the first half in low, the rest in high
 *     vf_store_unzip(even, odd, x, n) the first n of lanes 0, 2, 4 .. and of lanes 1, 3, 5 ..; writes
 *                                     nothing behind them
 *     vf_fma(a, b, c)                 a * b + c rounded once
 *     vf_max(a, b)  vf_min(a, b)      a > b ? a : b  and  a < b ? a : b, so b where one is a NaN;
 *                                     a denormal comes back as a zero of its sign
 *     vf_sqrt abs neg (a)  vf_copysign(size, sign)
 *     vf_select_lt(a, b, yes, no)     a < b ? yes : no
 *     vf_pow2_magic(t)                2^n for t = 0x1.8p23 + n, n in -127 (gives 0) .. 127
 *     vf_load_quads(p, stride, x)     lane i of x[c] is p[i * stride + c], c = 0..3: four channels of
 *                                     VF_LANES pixels
 *
 * All of them return the same bits on every ISA, NaNs' payloads aside.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* A loop over 0..n-1 that the compiler unrolls wholly; n is a constant there. */
#define unrolled_for(i, n) AS_UNROLL for (size_t i = 0; i < (n); i++)

#if defined(ISA_AVX512)
#include "kernels/simd/f32_avx512.h"
#elif defined(ISA_AVX2)
#include "kernels/simd/f32_avx2.h"
#elif defined(ISA_NEON)
#include "kernels/simd/f32_neon.h"
#elif defined(ISA_SCALAR)
#include "kernels/simd/f32_scalar.h"
#else
#error "compile with -DISA_SCALAR, -DISA_AVX2, -DISA_AVX512 or -DISA_NEON"
#endif

/* KERNEL(conv_gemm) -> as_conv_gemm_avx2 */
#define KERNEL_JOIN_(name, isa)   as_##name##_##isa
#define KERNEL_EXPAND_(name, isa) KERNEL_JOIN_(name, isa)
#define KERNEL(name)              KERNEL_EXPAND_(name, ISA)

#endif
