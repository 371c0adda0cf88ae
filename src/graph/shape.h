/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_GRAPH_SHAPE_H
#define ASSAY_GRAPH_SHAPE_H
/*
 * Shapes of a graph's tensors, and what is known of their values.  operators/infer.h fills them
 * node by node; shape_rules.h has the rules.
 */
#include "base/arena.h"
#include "graph/graph.h"

/**
 * A value that is known before the network runs, wholly or in part.  A number that is not known has a
 * symbol: which dim of which tensor it is, so that Reshape knows its own dims again.
 */
typedef struct as_known {
    as_array array;
    const int32_t *symbols; /**< One an element, 0 = it is known; NULL = all are known. */
} as_known;

/** The symbol of a dim that is not known; of any other number. */
#define AS_SYMBOL(tensor, dim) ((int32_t)((tensor)*AS_MAX_RANK + (dim) + 1))
#define AS_SYMBOL_ANY          (-1)

/** A shape a tensor id; rank -1 where no node of the graph writes the tensor. */
typedef struct as_shapes {
    as_shape *of; /**< of[tensor id]; owns. */
    int n;        /**< Tensors. */
    as_known *
        *values; /**< values[tensor id] NULL = not known, or a constant; owns the table. */
    bool *is_defining; /**< is_defining[i]: a shape depends on the value of input i; owns. */
    as_arena *memory;  /**< Values lie in there; owns. */
} as_shapes;

/**
 * The value of `tensor` (-1: none) where it is known before the network runs: a constant, or what
 * `shapes` (NULL: nothing) holds.
 */
bool as_known_value(const as_graph *graph, const as_shapes *shapes, int tensor, as_array *out);

/**
 * Integers of an i64 or i32 array, a list or one number.
 * @return false when it is something else or has more than `room`.
 */
bool as_array_integers(const as_array *array, int64_t *out, int room, int *n);

/**
 * Put the inputs of `node`, a copy of one of the graph's or that itself, whose values are known into
 * its attributes, so that shape rules, kernels and plain operators find them there whether a
 * file has them as attributes, constants, or computed from shapes.
 * @return ASSAY_E_FORMAT when a value does not fit its operator.
 */
assay_code as_node_resolve(const as_graph *graph, const as_shapes *shapes, as_node *node,
                           assay_error *err);

/** Free; takes an empty value. */
void as_shapes_free(as_shapes *shapes);

/** Where a rule failed because a value is not known. */
typedef struct as_missing {
    bool is_missing;
    int tensor; /**< The tensor whose value it asked for, -1 = some input of the node. */
} as_missing;

/**
 * Shapes of the outputs of one node into `shapes`.
 * @param node        with all that is known in its attributes (as_node_resolve).
 * @param is_partial  dims may be -1, and what is computed has rank -1.
 * @param outs        room for the outputs of the node with the most.
 * @param missing     filled on failure.
 * @return as as_infer.
 */
assay_code as_shape_node(const as_graph *graph, const as_node *node, bool is_partial,
                         as_shapes *shapes, as_shape *outs, as_missing *missing,
                         assay_error *err);

/** Which entry of a window's lists the spatial axis `axis` (0 = the first) of `n_axes` has. */
int as_window_entry(int n_axes, int axis);

/** Take a kernel that the node does not say from its weights' shape (NULL: it has none); n_axes is
 * set.  What the shape does not say stays 0. */
void as_window_fill(as_window *window, const as_shape *weights);

/** Elements that a window covers along an entry. */
int64_t as_window_reach(const as_window *window, int entry);

/** The pads that a window really has along an entry: its own, or what auto_pad gives for `in`. */
void as_window_pad(const as_window *window, int entry, int64_t in, int64_t *before,
                   int64_t *behind);

/** The same for a ConvTranspose, whose pads follow from the output's size too. */
void as_window_transpose_pad(const as_conv_attributes *conv, int entry, int64_t in,
                             int64_t *before, int64_t *behind);

/**
 * Height's and width's together: a window's own pads, or those that auto_pad gives for ih, iw.
 * @param pads  receives top, left, bottom, right.
 */
void as_window_pads(const as_window *window, int64_t ih, int64_t iw, int64_t pads[4]);

/** The same for a ConvTranspose, whose pads follow from the output's size too. */
void as_window_transpose_pads(const as_conv_attributes *conv, int64_t ih, int64_t iw,
                              int64_t pads[4]);

/**
 * The one scale, size / *of, that a policy of Resize makes of the sizes.
 * @return the size; 0 when a dim of `x` that counts is not known or 0.
 */
int64_t as_resize_ratio(const as_resize_attributes *r, const as_shape *x, int64_t *of);

/**
 * Which of `n` elements start, end and step (not 0, not INT64_MIN) of a Slice take, as ONNX says.
 * @param first  receives the first one's place, when there is one.
 * @return how many.
 */
int64_t as_slice_range(int64_t n, int64_t start, int64_t end, int64_t step, int64_t *first);

/** Integers of a constant i64 or i32, a list or one number, of at most AS_MAX_RANK.
 * @return false when it is none. */
bool as_tensor_integers(const as_tensor *tensor, int64_t out[AS_MAX_RANK], int *n);

/** What a node costs for given shapes. */
typedef struct as_cost {
    uint64_t macs; /**< Multiply-adds of Conv, ConvTranspose, Gemm and MatMul; else 0. */
    uint64_t n_parameters; /**< Constant float elements among its inputs. */
} as_cost;

as_cost as_node_cost(const as_graph *graph, const as_node *node, const as_shapes *shapes);

#endif
