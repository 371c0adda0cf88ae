/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_TENSOR_CALL_H
#define ASSAY_TRIAL_TENSOR_CALL_H
/*
 * One call of a corpus of tensors: its arrays read and held to their hashes, the network run once.
 *
 *     code = as_tensor_call_run(engine, &job, call, corpus_path, &outputs, &report, err);
 *
 * Forward alone is timed: there is nothing before or behind it.
 */
#include "engine/detector.h"
#include "trial/job.h"

/**
 * Run `call`.
 * @param resolution_ns  of the clock, as as_clock_judge takes it.
 * @param outputs  the engine's, valid until its next call.
 * @param report   shape, pieces and times are filled.
 * @return ASSAY_E_CHANGED for an array that is not the one that was frozen, and as as_engine_run.
 */
assay_code as_tensor_call_run(as_engine *engine, const as_job *job, const as_call_row *call,
                              const char *corpus_path, int64_t resolution_ns,
                              as_engine_tensors *outputs, as_call_report *report,
                              assay_error *err);

#endif
