/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TESTS_KERNELS_CLOSE_CONV_H
#define ASSAY_TESTS_KERNELS_CLOSE_CONV_H
/*
 * How far a close route may be from the right answer: the bounds that conv_winograd.inc and
 * conv_direct.c (of `chains`) derive.
 */
#include "kernels/kernels.h"

/**
 * Compare out[n][oh][ow][oc], a close route's answer without epilogue, with double precision.
 * @param route  "winograd2", "winograd4" or "chains".
 * @return the largest error in parts of its bound; above 1 is a failure.  Outputs that NaN or inf
 *         reach are left out.
 */
double close_conv_error(const as_conv_args *args, const char *route, const float *weights,
                        const float *bias);

#endif
