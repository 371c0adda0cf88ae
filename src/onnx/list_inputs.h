/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_ONNX_LIST_INPUTS_H
#define ASSAY_ONNX_LIST_INPUTS_H
/*
 * Lists that early opsets have as attributes and later ones as inputs: Slice's starts, Pad's pads,
 * Split's sizes.  Those attributes become constant inputs here, so that a graph knows the later
 * form alone.
 */
#include "graph/graph.h"

/* Of onnx.pb-c.h, which the build makes. */
typedef struct Onnx__NodeProto Onnx__NodeProto;

/** Most inputs that one node gets. */
#define AS_ONNX_MOST_ADDED 4

/** Whether attribute `name` of an operator of this opset becomes an input. */
bool as_onnx_is_input(as_op op, int opset, const char *name);

/**
 * Add a node's attributes that are inputs as constants of the graph.
 * @param ids   the node's inputs, *n of them, with room for AS_ONNX_MOST_ADDED more; ids before an
 *              added one that nobody gives become -1.
 * @return ASSAY_E_FORMAT for an attribute of a wrong type, ASSAY_E_MEMORY.
 */
assay_code as_onnx_add_inputs(as_graph *graph, const Onnx__NodeProto *proto, as_op op,
                              int opset, int *ids, size_t *n, assay_error *err);

#endif
