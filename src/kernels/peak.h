/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_KERNELS_PEAK_H
#define ASSAY_KERNELS_PEAK_H
/*
 * What a core can do at most: the yardstick of `assay bench --layers` and of bench/kernels.
 *
 *     double share = 2e-9 * macs / seconds / as_peak_gflops(isa);
 */
#include "base/cpu.h"

/**
 * Fused multiply-adds in registers alone, one thread: 2e-9 flops a second, best of several
 * tries.
 */
double as_peak_gflops(as_isa isa);

#endif
