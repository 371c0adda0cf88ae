/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_GRAPH_SHAPE_H
#define ASSAY_GRAPH_SHAPE_H
/*
 * Shapes of every tensor for given shapes of the inputs.  The graph is only read, so that plans of
 * different shapes share it.
 *
 *     as_shape input = {.rank = 4, .dims = {1, 3, 640, 640}};
 *     as_shapes shapes;
 *     if (as_shape_infer(graph, &input, 1, &shapes, err)) return err->code;
 *     int64_t oh = shapes.of[output].dims[2];
 *     as_shapes_free(&shapes);
 */
#include "graph/graph.h"

/** A shape a tensor id; rank -1 where no node of the graph writes the tensor. */
typedef struct as_shapes {
    as_shape *of; /**< of[tensor id]; owns. */
    int n;        /**< Tensors. */
    as_array
        *values; /**< values[tensor id].data NULL = not known; NULL = constants alone are. */
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

/**
 * Shapes of all tensors.
 * @param inputs   one shape for each input of the graph, in its order; n_inputs of them.  NULL: as
 *                 the graph declares them, so that dynamic dims are -1 in `out` and what depends
 *                 on computed shapes has rank -1.  This is what the passes look at.
 * @param out      owned by the caller on success (as_shapes_free), empty on failure.
 * @return ASSAY_E_ARGUMENT when the inputs are not what the graph takes (count, rank, fixed dims),
 *         or their size does not suit a node (where = the node); with `inputs` NULL
 *         ASSAY_E_FORMAT, since the graph then contradicts itself whatever the input;
 *         ASSAY_E_UNSUPPORTED for shapes that are computed; ASSAY_E_MEMORY.
 */
assay_code as_shape_infer(const as_graph *graph, const as_shape *inputs, int n_inputs,
                          as_shapes *out, assay_error *err);

/**
 * The pads that a window really has: its own, or those that auto_pad gives for ih, iw.
 * @param pads  receives top, left, bottom, right.
 */
void as_window_pads(const as_window *window, int64_t ih, int64_t iw, int64_t pads[4]);

/** The same for a ConvTranspose, whose pads follow from the output's size too. */
void as_window_transpose_pads(const as_conv_attributes *conv, int64_t ih, int64_t iw,
                              int64_t pads[4]);

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
