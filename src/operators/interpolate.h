/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_OPERATORS_INTERPOLATE_H
#define ASSAY_OPERATORS_INTERPOLATE_H
/* Linear and cubic resizes; for resize.c alone. */
#include "operators/operators.h"
#include "operators/resize.h"

/** ASSAY_E_UNSUPPORTED when it shrinks so much that a window has too many elements. */
assay_code as_accepts_interpolation(const as_op_call *call, assay_error *err);

/** Do rows [begin, end) of output 0: a row is all of the last axis. */
void as_interpolate_rows(const as_op_call *call, const as_resize_axis axes[AS_MAX_RANK],
                         size_t begin, size_t end);

/** The four weights of Keys' cubic for a place `t` (0..1) behind the second element. */
void as_cubic_weights(double t, double a, double weights[4]);

#endif
