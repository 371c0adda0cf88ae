/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_PLAN_ROWS_H
#define ASSAY_PLAN_ROWS_H
/*
 * Which rows of its inputs a layer reads for some rows of its output, within one image.
 *
 *     3x3, stride 2, pad 1        output rows [2, 4)  ->  input rows [3, 8)
 *     nearest resize by 2         output rows [2, 5)  ->  input rows [1, 3)
 *
 * Both functions grow with the row they are asked for, so a reader that walks down an image
 * never needs a row above those it needed before.
 */
#include "plan/plan.h"

/** The layer's own input, in place of an epilogue step's number. */
#define AS_MAIN_INPUT (-1)

/** First input row that output rows `row`, row + 1 ... read; the input's height where none. */
size_t as_rows_first(const as_layer *layer, int operand, size_t row);

/** One behind the last input row that output rows ... `end` - 1 read. */
size_t as_rows_end(const as_layer *layer, int operand, size_t end);

/** The view that a layer reads, or NULL: a network input in C order is no view. */
as_view *as_layer_in(as_layer *layer);

/** The view that a layer writes, or NULL for AS_LAYER_TO_NCHW. */
as_view *as_layer_out(as_layer *layer);

/** Rows of an image of its output. */
size_t as_layer_height(const as_layer *layer);

/** Whether a step reads a view with rows of the output's images. */
bool as_step_has_rows(const as_step *step);

#endif
