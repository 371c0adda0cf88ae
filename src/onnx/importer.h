/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_ONNX_IMPORTER_H
#define ASSAY_ONNX_IMPORTER_H
/*
 * The state of one import; for import.c (opset, nodes, the whole) and import_tensors.c (weights, inputs
 * and outputs).  All return ASSAY_E_FORMAT for what no ONNX file may say, ASSAY_E_UNSUPPORTED for what
 * assay does not run, ASSAY_E_MEMORY.
 */
#include "graph/graph.h"
#include "onnx.pb-c.h"
#include "onnx/external.h"

typedef struct as_importer {
    const Onnx__GraphProto *proto;
    ProtobufCAllocator *memory;
    as_external *external;
    as_graph *graph;
    int opset;
    int *ids; /**< Owns; room for the inputs or outputs of the node with the most. */
    assay_error *err;
} as_importer;

/** A text that a message may lack. */
static inline const char *as_onnx_text(const char *string) { return string ? string : ""; }

assay_code as_import_no_memory(const as_importer *im);

/** ASSAY_E_FORMAT of a name that is there already: who gave it first. */
assay_code as_import_twice(const as_importer *im, const char *name);

/** A tensor that nothing has defined yet; -1 in *out stands for an empty name. */
assay_code as_import_tensor(as_importer *im, const char *name, as_dtype dtype,
                            const as_shape *shape, int *out);

/** The same with its elements. */
assay_code as_import_weight(as_importer *im, const Onnx__TensorProto *proto, const char *name,
                            int *out);

/** All initializers. */
assay_code as_import_weights(as_importer *im);

/** The names of the graph's inputs; those with an initializer are none. */
assay_code as_import_inputs(as_importer *im);

/** Their types and shapes, told after what nodes are: a node that cannot run is the better reason. */
assay_code as_import_input_types(as_importer *im);

assay_code as_import_outputs(as_importer *im);

#endif
