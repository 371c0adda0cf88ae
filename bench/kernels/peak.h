/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_BENCH_KERNELS_PEAK_H
#define ASSAY_BENCH_KERNELS_PEAK_H
#include "base/cpu.h"

/** Processor time of this thread. */
double bench_now_s(void);

/**
 * Fused multiply-adds in registers alone, one thread: 2e-9 flops a second, best of several
 * tries.
 */
double peak_gflops(as_isa isa);

/** One ISA's loop: `n` steps of 12 independent FMAs. @return FMAs done, lanes counted. */
double as_peak_loop_scalar(unsigned long n);
double as_peak_loop_avx2(unsigned long n);
double as_peak_loop_avx512(unsigned long n);

#endif
