/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_ONNX_CUT_H
#define ASSAY_ONNX_CUT_H
/*
 * A model cut off behind one of its tensors: the same file with that tensor as its only output, without the
 * nodes and weights that it does not need.  Any engine can then be asked for a value inside the network.
 *
 *     code = as_onnx_cut(model.data, model.size, "conv_17", &cut, err);
 *     code = as_file_write("cut.onnx", cut.data, cut.size, err);
 */
#include "base/file.h"

/**
 * Cut a model's bytes.
 * @param tensor  name of a node's output.
 * @param out     owned by the caller (as_bytes_free).
 * @return ASSAY_E_FORMAT for bytes that are no model or lack the tensor, ASSAY_E_UNSUPPORTED for weights
 *         in files of their own, ASSAY_E_MEMORY.
 */
assay_code as_onnx_cut(const void *bytes, size_t size, const char *tensor, as_bytes *out,
                       assay_error *err);

#endif
