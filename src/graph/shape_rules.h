/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_GRAPH_SHAPE_RULES_H
#define ASSAY_GRAPH_SHAPE_RULES_H
/*
 * Shape inference family by family, for the files of this folder alone.  A rule fills the shape of
 * a node's output 0 out of its inputs' shapes.  A dim may be -1: not known; then what depends on
 * it is -1 too and checks on it are left out.
 */
#include "graph/shape.h"

/** Largest extent of a dim: products of two such numbers fit an int64. */
#define AS_MAX_DIM INT32_MAX

/** One call of a rule. */
typedef struct as_shape_call {
    const as_graph *graph;
    const as_node *node;
    const as_shapes *shapes; /**< Known so far: of all inputs. */
    bool is_partial;         /**< Dims may be -1, and what is computed has an unknown shape. */
    as_shape *out;
    assay_error *err;
} as_shape_call;

/** A rule. */
typedef assay_code as_shape_rule(const as_shape_call *call);

/** Shape of input `i`; NULL when it is left out. */
const as_shape *as_shape_in(const as_shape_call *call, int i);

/** The code for "these inputs do not suit this node". */
assay_code as_shape_mismatch_code(const as_shape_call *call);

/** Leave the output unknown when partial; else fail: `what` is computed, a constant is needed. */
assay_code as_shape_unknown(const as_shape_call *call, const char *what);

/**
 * `axis` as written (perhaps negative) counted from 0.
 * @return a failure when it is not in -rank .. rank - 1.
 */
assay_code as_shape_axis(const as_shape_call *call, int axis, int rank, int *out);

/** Fail unless input `i` has `rank` dims. */
assay_code as_shape_need_rank(const as_shape_call *call, int i, int rank);

/** The rules, in shape_window.c, shape_layout.c, shape_math.c and shape_select.c. */
as_shape_rule as_shape_same, as_shape_broadcast, as_shape_softmax, as_shape_gemm,
    as_shape_matmul, as_shape_constant;
as_shape_rule as_shape_conv, as_shape_conv_transpose, as_shape_pool, as_shape_global_pool;
as_shape_rule as_shape_reduce, as_shape_resize, as_shape_concat, as_shape_flatten,
    as_shape_reshape, as_shape_transpose;
as_shape_rule as_shape_shape, as_shape_slice, as_shape_gather, as_shape_squeeze,
    as_shape_unsqueeze;

#endif
