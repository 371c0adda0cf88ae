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
#include "base/size.h"
#include "plan/plan.h"

/** The layer's own input, in place of an epilogue step's number. */
#define AS_MAIN_INPUT (-1)

/** What a layer reads of an operand for one row of its output: the rows of a window, or a mapped row. */
typedef struct as_reach {
    const uint32_t *map;       /**< The row for each output row, or NULL: the window. */
    size_t stride, divisor;    /**< It begins at row * stride / divisor - pad, */
    size_t pad;                /**< or at 0 where that is above the image, */
    size_t span;               /**< and has so many rows. */
    size_t out_height, height; /**< Rows of the output and of the operand. */
} as_reach;

as_reach as_rows_reach(const as_layer *layer, int operand);

/** First row of the window of output row `row`, and `more` rows behind it. */
static inline size_t as_reach_row(const as_reach *reach, size_t row, size_t more)
{
    size_t at = row * reach->stride;
    if (reach->divisor != 1) at /= reach->divisor;
    at += more;
    return as_min(at > reach->pad ? at - reach->pad : 0, reach->height);
}

/** First row that output rows `row`, row + 1 ... read; the operand's height where none. */
static inline size_t as_reach_first(const as_reach *reach, size_t row)
{
    if (row >= reach->out_height) return reach->height;
    return reach->map ? reach->map[row] : as_reach_row(reach, row, 0);
}

/** One behind the last row that output rows ... `end` - 1 read. */
static inline size_t as_reach_end(const as_reach *reach, size_t end)
{
    if (end == 0) return 0;
    return reach->map ? (size_t)reach->map[end - 1] + 1
                      : as_reach_row(reach, end - 1, reach->span);
}

/** The view that a layer reads, or NULL: a network input in C order is no view. */
as_view *as_layer_in(as_layer *layer);

/** The view that a layer writes, or NULL for AS_LAYER_TO_NCHW and AS_LAYER_PLAIN. */
as_view *as_layer_out(as_layer *layer);

/** Rows of an image of its output. */
size_t as_layer_height(const as_layer *layer);

/** Whether a step reads a view with rows of the output's images. */
bool as_step_has_rows(const as_step *step);

#endif
