/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_ONNX_DECODE_H
#define ASSAY_ONNX_DECODE_H
/*
 * A TensorProto's elements as the graph wants them: float32, int64, int32 or bool, in C order.
 * Elements that are so already are borrowed from the message; others are converted.
 */
#include <protobuf-c/protobuf-c.h>

#include "graph/graph.h"
#include "onnx/external.h"

/** A decoded tensor. */
typedef struct as_decoded {
    as_dtype dtype;
    as_shape shape;
    void *data; /**< Never NULL, borrows the allocator's memory, aligned as that is. */
    size_t n_elements;
} as_decoded;

/**
 * Decode `proto`.
 * @param memory    where the message was unpacked and conversions go.
 * @param external  the files beside it.
 * @param what      "weight tensor" or "tensor", for messages; the name comes behind it.
 * @return ASSAY_E_FORMAT when the elements do not fit the shape, ASSAY_E_UNSUPPORTED for other
 *         element types and more than AS_MAX_RANK dims, ASSAY_E_MEMORY, and as as_external_find.
 */
assay_code as_onnx_decode(const Onnx__TensorProto *proto, ProtobufCAllocator *memory,
                          as_external *external, const char *what, as_decoded *out,
                          assay_error *err);

/**
 * The graph's type for one of ONNX's element types (TensorProto.DataType).
 * @return false when it has none.
 */
bool as_onnx_dtype(int data_type, as_dtype *out);

/** ONNX's name of an element type, as in "FLOAT16". */
const char *as_onnx_dtype_name(int data_type);

#endif
