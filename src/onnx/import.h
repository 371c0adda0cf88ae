/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_ONNX_IMPORT_H
#define ASSAY_ONNX_IMPORT_H
/* An unpacked ModelProto -> graph. */
#include <protobuf-c/protobuf-c.h>

#include "graph/graph.h"
#include "onnx/external.h"

/* Of onnx.pb-c.h, which the build makes. */
typedef struct Onnx__ModelProto Onnx__ModelProto;

/**
 * Put the model's graph into `graph`, which is empty and whose arena holds the message.
 * @param memory  the allocator by which `model` was unpacked.
 * @param external  the files beside it.
 * @param name    the file, for messages.
 */
assay_code as_onnx_import(const Onnx__ModelProto *model, ProtobufCAllocator *memory,
                          as_external *external, const char *name, as_graph *graph,
                          assay_error *err);

#endif
