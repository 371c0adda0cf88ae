/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_ONNX_GUESS_H
#define ASSAY_ONNX_GUESS_H
/* What a file is that is no ONNX message, so that the refusal can help. */
#include "base/file.h"

/** A noun phrase as in "a web page", a static string; NULL where the bytes look like nothing known. */
const char *as_onnx_guess(const as_bytes *bytes);

#endif
