/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TESTS_KERNELS_CLOSE_CONV_H
#define ASSAY_TESTS_KERNELS_CLOSE_CONV_H
/* How far a close route may be from the right answer: the bound that conv_winograd.inc derives. */
#include "kernels/kernels.h"

/**
 * Compare out[n][oh][ow][oc], a close route's answer without epilogue, with double precision.
 * @param tile  of the route's transforms: 4 for F(2x2), 6 for F(4x4).
 * @return the largest error in parts of its bound; above 1 is a failure.  Outputs that NaN or inf
 *         reach are left out.
 */
double close_conv_error(const as_conv_args *args, size_t tile, const float *weights,
                        const float *bias);

#endif
