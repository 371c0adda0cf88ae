/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_BASE_DENORMALS_H
#define ASSAY_BASE_DENORMALS_H
/*
 * Denormal numbers as zeros, in operands and results, signs kept: the mode that kernels run in.
 *
 *     unsigned saved = as_denormals_flush();
 *     ...
 *     as_denormals_restore(saved);
 *
 * MXCSR's FTZ and DAZ on x86-64, FPCR's FZ on AArch64.  They differ in one place: a result that
 * only rounding lifts to the least normal number stays on x86-64 and becomes zero on AArch64
 * (Intel SDM vol. 1, 4.9.1.5; Arm ARM, "Flushing denormalized numbers to zero").
 */

/** Set the mode in this thread.  @return what as_denormals_restore puts back. */
unsigned as_denormals_flush(void);
void as_denormals_restore(unsigned saved);

#endif
