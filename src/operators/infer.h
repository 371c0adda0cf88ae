/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_OPERATORS_INFER_H
#define ASSAY_OPERATORS_INFER_H
/*
 * Shapes of every tensor for given inputs, with the values that shapes depend on.  The graph is only
 * read, so that plans of different shapes share it.
 *
 *     as_shape input = {.rank = 4, .dims = {1, 3, 640, 640}};
 *     as_shapes shapes;
 *     if (as_shape_infer(graph, &input, 1, &shapes, err)) return err->code;
 *     int64_t oh = shapes.of[output].dims[2];
 *     as_shapes_free(&shapes);
 *
 * A node all of whose inputs are known (constants, shapes of tensors, and what was computed of them)
 * is evaluated with the plain operator, and shape rules see its value:
 *
 *     x [1,8,20,30] --> Shape --> Slice --> Mul 2 --> Concat --> Resize      sizes [1,8,40,60]
 *
 * Where that does not do, a rule needs the value of one of the network's inputs (Reshape with its
 * dims as an input): the value is taken from the caller, and the input marked as defining.
 */
#include "graph/shape.h"

/** Larger values are not computed before the network runs. */
#define AS_MOST_KNOWN ((size_t)1 << 16)

/**
 * Shapes of all tensors.
 * @param inputs   one array for each input of the graph, in its order; `data` NULL = not known.
 *                 `inputs` NULL: shapes as the graph declares them, so that dynamic dims are -1 in
 *                 `out` and what depends on computed shapes has rank -1.  This is what the passes
 *                 look at.
 * @param out      owned by the caller on success (as_shapes_free), empty on failure.
 * @return ASSAY_E_ARGUMENT when the inputs are not what the graph takes (count, rank, fixed dims),
 *         or their size does not suit a node (where = the node); with `inputs` NULL
 *         ASSAY_E_FORMAT, since the graph then contradicts itself whatever the input;
 *         ASSAY_E_UNSUPPORTED for shapes that cannot be known before a run; ASSAY_E_MEMORY.
 */
assay_code as_infer(const as_graph *graph, const as_array *inputs, int n_inputs, as_shapes *out,
                    assay_error *err);

/** The same of shapes alone; `inputs` NULL as there. */
assay_code as_shape_infer(const as_graph *graph, const as_shape *inputs, int n_inputs,
                          as_shapes *out, assay_error *err);

/** What evaluate.c does: the values of `node`'s outputs into `shapes`, when they can be known. */
assay_code as_evaluate(const as_graph *graph, const as_node *node, bool is_partial,
                       as_shapes *shapes, assay_error *err);

#endif
