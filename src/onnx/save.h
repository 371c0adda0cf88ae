/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_ONNX_SAVE_H
#define ASSAY_ONNX_SAVE_H
/*
 * graph -> model.onnx, by protobuf-c and ONNX's own onnx.proto: the way back of onnx/onnx.h.
 *
 *     code = as_onnx_save(graph, "standard-16.onnx", err);
 *
 * Equal graphs give equal bytes.  Written are the operators of the families with a writer in
 * onnx/save_attributes.c: windows, pools, normalisation by running statistics, matrices, moves and
 * all operators without attributes.  What is behind AS_ONNX_SAVED_OPSET is refused, never written
 * as something else.
 */
#include "base/file.h"
#include "graph/graph.h"

/**
 * The opset and the IR version of a written file: ONNX 1.8's (onnx/docs/Versioning.md), which every
 * ONNX Runtime from 1.7 on reads (its compatibility table).
 */
#define AS_ONNX_SAVED_OPSET 13
#define AS_ONNX_SAVED_IR    7

/**
 * The bytes of the graph's file; weights are inside it.
 * @param graph  sorted; its tensors that are read have names, each once.
 * @param out    owned by the caller on success (as_bytes_free), empty on failure.
 * @return ASSAY_E_UNSUPPORTED for an operator or an attribute that is not written (where = the
 *         node) and for more than AS_ONNX_MAX_BYTES, ASSAY_E_ARGUMENT for a tensor without a name,
 *         ASSAY_E_MEMORY.
 */
assay_code as_onnx_print(const as_graph *graph, as_bytes *out, assay_error *err);

/** As as_onnx_print, into a file that appears whole or not at all; also ASSAY_E_IO. */
assay_code as_onnx_save(const as_graph *graph, const char *path, assay_error *err);

#endif
