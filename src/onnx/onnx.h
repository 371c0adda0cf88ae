/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_ONNX_ONNX_H
#define ASSAY_ONNX_ONNX_H
/*
 * model.onnx -> graph.  The file's messages are read with protobuf-c by ONNX's own onnx.proto;
 * weights are copied once, from the file's bytes into the graph's arena.
 *
 *     as_graph *graph;
 *     if (as_onnx_load("det.onnx", &graph, &err) != ASSAY_OK) return report(&err);
 *     as_graph_free(graph);
 *
 * Read: the default domain, opsets AS_ONNX_OLDEST_OPSET to AS_ONNX_NEWEST_OPSET, the operators of
 * graph/operators.inc, weights inside the file or in files beneath its folder (onnx/external.h).
 * Bytes are not trusted: nothing is unpacked before onnx/wire.h has bounded it.
 */
#include "graph/graph.h"

/** The opsets whose operators are known.  The newest is that of ONNX 1.23.2, onnx.defs.onnx_opset_version(). */
#define AS_ONNX_OLDEST_OPSET 1
#define AS_ONNX_NEWEST_OPSET 28

/** Largest file that is read: protobuf's own limit for a message. */
#define AS_ONNX_MAX_BYTES (((size_t)1 << 31) - 1)

/**
 * Read a model file into a graph whose nodes are sorted and whose constant inputs are resolved.
 * @param out  owned by the caller on success (as_graph_free), NULL on failure.
 * @return ASSAY_E_NOT_FOUND, ASSAY_E_IO, ASSAY_E_MEMORY; ASSAY_E_FORMAT when it is no ONNX model
 *         or contradicts itself; ASSAY_E_UNSUPPORTED for an operator, opset, element type or
 *         storage that assay does not read (where = the node).
 */
assay_code as_onnx_load(const char *path, as_graph **out, assay_error *err);

/** As as_onnx_load from memory, which has no files beside it; `name` stands for the path in messages. */
assay_code as_onnx_parse(const void *bytes, size_t size, const char *name, as_graph **out,
                         assay_error *err);

/** One tensor out of a file of its own, as ONNX's test data has them. */
typedef struct as_onnx_tensor {
    char *name; /**< Never NULL; owns. */
    as_dtype dtype;
    as_shape shape;
    void *data; /**< C order, 64-byte aligned; owns. */
    size_t n_elements;
} as_onnx_tensor;

/**
 * Read a file that holds one TensorProto.
 * @param out  owned by the caller on success (as_onnx_tensor_free), empty on failure.
 * @return as as_onnx_load.
 */
assay_code as_onnx_tensor_read(const char *path, as_onnx_tensor *out, assay_error *err);

/** Free the tensor's memory and make it empty; takes an empty value. */
void as_onnx_tensor_free(as_onnx_tensor *tensor);

#endif
