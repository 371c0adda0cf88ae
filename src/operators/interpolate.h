/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_OPERATORS_INTERPOLATE_H
#define ASSAY_OPERATORS_INTERPOLATE_H
/* Linear and cubic resizes; for resize.c, and for the planner, which makes tables of weights. */
#include "operators/operators.h"
#include "operators/resize.h"

/** ASSAY_E_UNSUPPORTED when it shrinks so much that a window has too many elements. */
assay_code as_accepts_interpolation(const as_op_call *call, assay_error *err);

/** Do rows [begin, end) of output 0: a row is all of the last axis. */
void as_interpolate_rows(const as_op_call *call, const as_resize_axis axes[AS_MAX_RANK],
                         size_t begin, size_t end);

/** Elements of the window of each output along an axis; 0 where they are too many. */
size_t as_interpolation_taps(const as_resize_attributes *r, const as_resize_axis *axis);

/**
 * The window of output `i`: elements *first .. *first + n - 1, those outside the input being its border's.
 * @param n        as_interpolation_taps(r, axis)
 * @param weights  float[n]; add up to 1 but for an output that is_outside (it crops).
 */
void as_interpolation_weights(const as_resize_attributes *r, const as_resize_axis *axis,
                              int64_t i, int64_t n, int64_t *first, bool *is_outside,
                              float *weights);

/** The four weights of Keys' cubic for a place `t` (0..1) behind the second element. */
void as_cubic_weights(double t, double a, double weights[4]);

#endif
