/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_OPERATORS_RESIZE_H
#define ASSAY_OPERATORS_RESIZE_H
/*
 * Where the elements of a Resize or Upsample come from, axis by axis, as ONNX says.  Scales that
 * sizes make stay fractions, so that what lies in the middle of two pixels is found there:
 *
 *     20 columns to 6, half_pixel:  ((2 i + 1) * 20) / (2 * 6) - 0.5  =  4.5 for i = 1
 *
 *     as_resize_axis axes[AS_MAX_RANK];
 *     as_resize_axes(&node->attributes.resize, &x, &y, NULL, axes);
 *     int64_t column = as_resize_index(&node->attributes.resize, &axes[3], 17);
 */
#include "graph/graph.h"

/** One axis of a resize. */
typedef struct as_resize_axis {
    as_resize_coordinate coordinate;
    int64_t in, out;    /**< Extents. */
    double size, of;    /**< The scale is size / of. */
    double length;      /**< in * scale: not always a whole number. */
    double first, last; /**< tf_crop_and_resize: the region, as parts of the input. */
    bool is_identity;   /**< Every element is copied to its own place. */
} as_resize_axis;

/** All axes; `roi` has two numbers an axis, starts first, or is NULL where none is needed. */
void as_resize_axes(const as_resize_attributes *r, const as_shape *x, const as_shape *y,
                    const float *roi, as_resize_axis axes[AS_MAX_RANK]);

/** The input's place of output `i`, between two elements or outside. */
double as_resize_source(const as_resize_axis *axis, int64_t i);

/** Whether that place has the extrapolation value: tf_crop_and_resize outside the input. */
bool as_resize_is_outside(const as_resize_axis *axis, double source);

/** The element of the input that is nearest to output `i`; inside it. */
int64_t as_resize_index(const as_resize_attributes *r, const as_resize_axis *axis, int64_t i);

#endif
