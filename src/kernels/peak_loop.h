/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_KERNELS_PEAK_LOOP_H
#define ASSAY_KERNELS_PEAK_LOOP_H
/* as_peak_loop_<isa> of every ISA that this build has; CMake's AS_BUILT_ISAS names them. */

/** One ISA's loop: `n` steps of 12 independent FMAs. @return FMAs done, lanes counted. */
#define AS_BUILT(name, id) double as_peak_loop_##name(unsigned long n);
AS_BUILT_ISAS
#undef AS_BUILT

#endif
