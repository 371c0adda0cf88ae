/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_OPERATORS_WINDOW_H
#define ASSAY_OPERATORS_WINDOW_H
/*
 * The geometry of convolutions and pools over one to three axes, always written as three: depth,
 * height, width, with an extent of 1 where the tensor has no such axis.  For conv.c and pool.c.
 *
 *     input row = output row * stride - before + kernel row * dilation
 */
#include "operators/operators.h"

typedef struct as_geometry {
    int64_t in[3], out[3]; /**< Extents: depth, height, width. */
    int64_t kernel[3], stride[3], dilation[3];
    int64_t before[3], behind[3]; /**< The pads that it really has. */
} as_geometry;

/** Of a Conv, ConvTranspose (is_transposed: pads follow from the output) or pool. */
as_geometry as_geometry_of(const as_op_call *call, bool is_transposed);

/** A row of the output: float y[n][c][depth][height][width] as lines of `width`. */
typedef struct as_output_row {
    size_t n, c;
    int64_t d, h;
} as_output_row;

/** Row `row` of an output of `channels` channels. */
as_output_row as_output_row_of(const as_geometry *g, size_t channels, size_t row);

/** Output places [*begin, *end) whose kernel place `k` lies inside the input, along an axis. */
void as_inside(const as_geometry *g, int axis, int64_t k, int64_t *begin, int64_t *end);

#endif
