/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_OPERATORS_MOVE_H
#define ASSAY_OPERATORS_MOVE_H
/*
 * Operators that put elements elsewhere and change none; for the files of this folder alone.
 *
 * An output element at (i0, i1, ...) is the input's element at offset(0, i0) + offset(1, i1) + ...:
 * an operator says what one axis adds, as_move_rows does the rest.
 *
 *     Transpose  i * (the stride of the input's axis perm[axis])
 *     Slice      (first + i * step) * stride
 *     Expand     i * stride, or 0 where the input has one element
 *     Pad        the place that the mode gives, or AS_OUTSIDE: then the fill value
 */
#include "operators/operators.h"

/** An offset of what lies in no input. */
#define AS_OUTSIDE INT64_MIN

/** One such operation.  Borrows everything. */
typedef struct as_move {
    as_array *to;
    const as_array *from;
    int rank; /**< Of the walk, whose elements are the output's in C order. */
    size_t dims[AS_MAX_RANK];
    /** What index `i` of `axis` adds, or AS_OUTSIDE. */
    int64_t (*offset)(const struct as_move *move, int axis, int64_t i);
    const void *fill; /**< An element for what is outside; NULL where nothing is. */
    /* What offset functions of this folder work with, by axis. */
    int64_t first[AS_MAX_RANK], step[AS_MAX_RANK], n[AS_MAX_RANK];
    const void *more; /**< The operator's own. */
} as_move;

/** A move whose walk is over the output's own dims, with the input's strides as `step`. */
as_move as_move_of(const as_op_call *call);

/** first[axis] + i * step[axis]. */
int64_t as_offset_linear(const as_move *move, int axis, int64_t i);

/** Do rows [begin, end): a row is all of the last axis. */
void as_move_rows(const as_move *move, size_t begin, size_t end);

#endif
