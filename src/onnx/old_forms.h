/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_ONNX_OLD_FORMS_H
#define ASSAY_ONNX_OLD_FORMS_H
/* Operators of before opset 7 as today's, so that nobody behind the importer knows of them. */
#include "graph/graph.h"

/**
 * Let second operands that lie at an axis of the first (as_attributes.broadcast) have dims of 1
 * behind, as broadcasting wants them now.  The graph is sorted and resolved, before and after.
 * @return ASSAY_E_UNSUPPORTED where a rank is not known, ASSAY_E_FORMAT for an axis out of range,
 *         ASSAY_E_MEMORY.
 */
assay_code as_onnx_renew_broadcasts(as_graph *graph, assay_error *err);

#endif
