/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_OPERATORS_BROADCAST_H
#define ASSAY_OPERATORS_BROADCAST_H
/*
 * Operands of several shapes walked along together, row by row of the result:
 *
 *     as_broadcast b = as_broadcast_of(call->out[0], call->in, 2);
 *     for (as_row row = as_row_first(&b, begin, end); row.n; row = as_row_next(&b, &row))
 *         for (size_t i = 0; i < row.n; i++)
 *             y[row.at + i] = p[row.from[0] + i * row.step[0]] + q[row.from[1] + i * row.step[1]];
 *
 * Dims that lie one behind the other in all operands are one dim here, so that rows are long.
 */
#include "operators/operators.h"

/** Most operands that are walked along together. */
#define AS_MOST_OPERANDS 3

/** How the operands lie in the result. */
typedef struct as_broadcast {
    int rank;
    size_t dims[AS_MAX_RANK];                    /**< Of the result, joined. */
    size_t steps[AS_MOST_OPERANDS][AS_MAX_RANK]; /**< Elements; 0 = spread along this dim. */
    int n;                                       /**< Operands. */
} as_broadcast;

/** A part of one row. */
typedef struct as_row {
    size_t at, n;                  /**< Elements [at, at + n) of the result. */
    size_t end;                    /**< Of the whole walk. */
    size_t from[AS_MOST_OPERANDS]; /**< Where the operands begin. */
    size_t step[AS_MOST_OPERANDS]; /**< 1 or 0, or more where an axis was taken out. */
} as_row;

/** The operands in[n], each of which spreads over `out`. */
as_broadcast as_broadcast_of(const as_array *out, const as_array *const *in, int n);

/** The first part of elements [begin, end); n is 0 when there are none. */
as_row as_row_first(const as_broadcast *b, size_t begin, size_t end);

/** The part behind `row`; n is 0 at the end. */
as_row as_row_next(const as_broadcast *b, const as_row *row);

#endif
