/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_ONNX_ATTRIBUTES_H
#define ASSAY_ONNX_ATTRIBUTES_H
/* A NodeProto's attributes -> the typed ones of the graph, one reader a family. */
#include "graph/graph.h"

/* Of onnx.pb-c.h, which the build makes. */
typedef struct Onnx__NodeProto Onnx__NodeProto;

/**
 * Fill `node->attributes`, which have their defaults, from `proto`.
 * @param opset  of the default domain; some defaults depend on it.
 * @return ASSAY_E_FORMAT for an attribute of a wrong type or value, ASSAY_E_UNSUPPORTED for one
 *         that is not known or asks for what assay does not do.
 */
assay_code as_onnx_read_attributes(const Onnx__NodeProto *proto, int opset, as_node *node,
                                   assay_error *err);

#endif
