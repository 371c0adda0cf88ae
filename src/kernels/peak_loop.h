/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_KERNELS_PEAK_LOOP_H
#define ASSAY_KERNELS_PEAK_LOOP_H
/* as_peak_loop_<isa> and as_stream_loop_<isa> of every ISA that this build has; CMake's AS_BUILT_ISAS
 * names them. */
#include <stddef.h>

/**
 * One ISA's loops.
 * peak    `n` steps of 12 independent FMAs.  @return FMAs done, lanes counted.
 * stream  out[i] = in[i] * scale for n floats, which do not overlap.
 */
#define AS_BUILT(name, id)                                                                     \
    double as_peak_loop_##name(unsigned long n);                                               \
    void as_stream_loop_##name(size_t n, const float *restrict in, float scale,                \
                               float *restrict out);
AS_BUILT_ISAS
#undef AS_BUILT

#endif
