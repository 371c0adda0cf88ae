/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_KERNELS_PEAK_H
#define ASSAY_KERNELS_PEAK_H
/*
 * What a core can do at most: the yardstick of `assay bench --layers` and `--operators` and of bench/kernels.
 *
 *     double share = 2e-9 * macs / seconds / as_peak_gflops(isa);
 *     double bytes_share = bytes / seconds / as_stream_bytes_s(isa, bytes);
 */
#include "base/cpu.h"

/**
 * Fused multiply-adds in registers alone, one thread: 2e-9 flops a second, best of several
 * tries.
 */
double as_peak_gflops(as_isa isa);

/**
 * Bytes a second that one thread reads and writes when it scales floats from one array into another, again
 * and again, `bytes` of both together (a few hundred at least): what the caches that hold so many
 * bytes give.  Best of several tries; 0 without memory.
 */
double as_stream_bytes_s(as_isa isa, size_t bytes);

#endif
