/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_ONNX_SAVER_H
#define ASSAY_ONNX_SAVER_H
/* What save.c and save_attributes.c have in common. */
#include "base/arena.h"
#include "graph/graph.h"
#include "onnx.pb-c.h"

/** A model that is being put together; all its messages lie in `memory`. */
typedef struct as_saver {
    const as_graph *graph; /**< Borrows; names and weights are read where they lie. */
    as_arena *memory;      /**< Borrows. */
    bool is_out_of_memory; /**< Once set, what was put together is not whole. */
    assay_error *err;
} as_saver;

/** `n` zeroed elements; NULL, and noted, without memory. */
void *as_saver_array(as_saver *saver, size_t n, size_t element_bytes);

/**
 * Put the node's attributes into `out`.
 * @return ASSAY_E_UNSUPPORTED for what the saved opset cannot say.
 */
assay_code as_onnx_write_attributes(as_saver *saver, const as_node *node, Onnx__NodeProto *out);

#endif
