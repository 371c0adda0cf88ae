/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_YIELD_H
#define ASSAY_TRIAL_YIELD_H
/*
 * What a worker has told so far: protocol.h's lines gathered into a slot's record.  Nothing is
 * believed unseen: calls come in the job's order, each once, with its own shape, an answer for
 * every input and times that can be.
 *
 *     as_yield *yield = as_yield_new(&job);
 *     while (lines come)
 *         code = as_yield_take(yield, line, err);
 *     if (as_yield_is_whole(yield)) as_yield_record(yield, &record);
 *     as_yield_free(yield);
 */
#include "base/error.h"
#include "evidence/writer.h"
#include "trial/job.h"

typedef struct as_yield as_yield;

/** An empty yield of `job` (borrowed); NULL without memory. */
as_yield *as_yield_new(const as_job *job);

/** Free it with all rows of its record; takes NULL. */
void as_yield_free(as_yield *yield);

/**
 * Take one line.
 * @return ASSAY_E_CHILD for a line that the protocol does not allow here, ASSAY_E_MEMORY; or the
 *         worker's own error, whose code and sentence it tells.
 */
assay_code as_yield_take(as_yield *yield, const char *line, assay_error *err);

/** Calls told so far, over all cycles. */
size_t as_yield_calls(const as_yield *yield);

/** What the machine did besides, where the worker told it. */
bool as_yield_noise(const as_yield *yield, as_noise *out);

/** Calls told so far whose clock is broken. */
int64_t as_yield_bad_clocks(const as_yield *yield);

/** Whether the worker told an error of its own. */
bool as_yield_has_error(const as_yield *yield);

/** Whether every call of every cycle and the end have been told. */
bool as_yield_is_whole(const as_yield *yield);

/** Rows that it holds. */
size_t as_yield_rows(const as_yield *yield);

/** Let the rows go that it holds; what it has counted stays. */
void as_yield_forget(as_yield *yield);

/** Put rows and counts into `record`, which borrows them; phase, round and the like stay. */
void as_yield_record(const as_yield *yield, as_slot_record *record);

#endif
