/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_GRAPH_SHAPE_RULES_H
#define ASSAY_GRAPH_SHAPE_RULES_H
/*
 * Shape inference family by family, for the files of this folder alone.  A rule fills the shapes of
 * a node's outputs out of its inputs' shapes and, where the shape depends on them, values.  A dim
 * may be -1: not known; then what depends on it is -1 too and checks on it are left out.
 *
 * What defines the shape (axes, dims, sizes, pads, repeats) is asked for in this order:
 *   1. call->node->attributes, into which as_node_resolve has put what is known (is_resolved);
 *   2. else as_shape_value or as_shape_integers of an input; false: as_shape_unknown(call, "input 'x'").
 * A dim of 0 is allowed: such a tensor has no elements.
 */
#include "graph/shape.h"

/** One call of a rule. */
typedef struct as_shape_call {
    const as_graph *graph;
    const as_node *node;     /**< With all that is known in its attributes. */
    const as_shapes *shapes; /**< Known so far: of all inputs. */
    bool is_partial;         /**< Dims may be -1, and what is computed has an unknown shape. */
    as_shape *out; /**< out[k] of every output.  A rule fills out[0]; what it leaves of the rest
                      (rank AS_SHAPE_UNSET) becomes as out[0]. */
    as_missing *missing;
    assay_error *err;
} as_shape_call;

/** An output's rank before the rule. */
#define AS_SHAPE_UNSET (-2)

/** A rule. */
typedef assay_code as_shape_rule(const as_shape_call *call);

/** Shape of input `i`; NULL when it is left out. */
const as_shape *as_shape_in(const as_shape_call *call, int i);

/** The value of input `i` where it is known.  @return false: it is left out or computed later. */
bool as_shape_value(const as_shape_call *call, int i, as_array *out);

/**
 * Its integers where it is known.
 * @return a failure when it is known and no list of at most `room` integers.
 */
assay_code as_shape_integers(const as_shape_call *call, int i, int64_t *out, int room, int *n,
                             bool *is_known);

/**
 * The same for lists that give dims one by one: symbols[k] is not 0 where a number is not known, and
 * the rule makes -1 of it; only when call->is_partial.
 */
assay_code as_shape_some_integers(const as_shape_call *call, int i, int64_t *out,
                                  int32_t *symbols, int room, int *n, bool *is_known);

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

/** Fail unless input `i`, when it is there, spreads over `a` so that the result is as `a`. */
assay_code as_shape_need_spread(const as_shape_call *call, int i, const as_shape *a);

/** The rules, in shape_window.c, shape_layout.c, shape_math.c, shape_moves.c and shape_select.c. */
as_shape_rule as_shape_same, as_shape_broadcast, as_shape_prelu, as_shape_softmax,
    as_shape_gemm, as_shape_matmul, as_shape_constant;
as_shape_rule as_shape_batch_norm, as_shape_instance_norm, as_shape_layer_norm,
    as_shape_group_norm, as_shape_lrn, as_shape_arg, as_shape_size, as_shape_constant_of_shape,
    as_shape_range;
as_shape_rule as_shape_conv, as_shape_conv_transpose, as_shape_pool, as_shape_global_pool;
as_shape_rule as_shape_reduce, as_shape_resize, as_shape_concat, as_shape_flatten,
    as_shape_reshape, as_shape_transpose;
as_shape_rule as_shape_split, as_shape_expand, as_shape_tile, as_shape_pad,
    as_shape_depth_to_space, as_shape_space_to_depth, as_shape_grid_sample;
as_shape_rule as_shape_shape, as_shape_slice, as_shape_gather, as_shape_squeeze,
    as_shape_unsqueeze;

#endif
