/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_OUTPUTS_H
#define ASSAY_TRIAL_OUTPUTS_H
/*
 * A network's outputs on their way from a worker into the evidence: files in RUN/outputs/ while a slot
 * lasts, each named by the hash of its content, so that equal ones are one and none is half.
 *
 *     worker: code = as_outputs_keep(folder, &outputs, hex, err);      told in the call's line
 *     parent: code = as_outputs_store(folder, writer, err);            when the slot has ended
 *
 *     content = layout "\n" bytes of each output, one behind the other      (verdict/tensor.h)
 */
#include "base/sha256.h"
#include "engine/engine.h"
#include "evidence/writer.h"

/** The folder of a run's outputs in fresh memory (as_free); NULL without memory. */
char *as_outputs_folder(const char *run_folder) AS_CHECKED;

/**
 * Write the outputs of one input into `folder`.
 * @param hex           receives the hash of their content.
 * @param n_not_finite  grows by the floats among them that are NaN or infinite.
 * @return ASSAY_E_IO, ASSAY_E_MEMORY.
 */
assay_code as_outputs_keep(const char *folder, const as_engine_tensors *outputs,
                           char hex[AS_SHA256_HEX], size_t *n_not_finite, assay_error *err);

/**
 * Store every file of `folder` in the evidence.
 * @return ASSAY_E_CHILD for a file that its name is not the hash of, ASSAY_E_IO, ASSAY_E_MEMORY.
 */
assay_code as_outputs_store(const char *folder, as_evidence_writer *writer, assay_error *err);

#endif
