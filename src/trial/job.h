/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_JOB_H
#define ASSAY_TRIAL_JOB_H
/*
 * What a worker has to do, as one JSON object on its stdin: under which policy, on which calls.
 * Indices of inputs, documents and calls are the evidence's.  Model and corpus are named on its
 * command line instead, since paths may hold bytes that no JSON string can.
 *
 *     parent: code = as_job_write(&job, &text, err);  as_process_write(child, text, ...);
 *     worker: code = as_job_read(stdin, arena, &job, err);
 */
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "evidence/rows.h"

/** Borrows everything. */
typedef struct as_job {
    const char *policy_text;
    int n_cycles; /**< Passes over the calls. */
    const as_input_row *inputs;
    size_t n_inputs;
    const as_call_row *calls; /**< In order, those of a document side by side. */
    size_t n_calls;
    bool
        keeps_outputs; /**< Answers are outputs in the place of boxes; told on the command line. */
    int first_call;    /**< The evidence's index of calls[0]; the worker counts from 0. */
    bool
        tells_margins; /**< Tell how far each map's decisions stood from their thresholds ... */
    bool keeps_margins; /**< ... which the experiment keeps of the baseline alone. */
    bool is_traced;     /**< Run each call once unseen, then trace it. */
} as_job;

/** One line in fresh memory (as_free).  @return ASSAY_E_MEMORY. */
assay_code as_job_write(const as_job *job, char **text, assay_error *err);

/** Read until the end of `in`; everything lives in `arena`.  @return ASSAY_E_FORMAT, _MEMORY. */
assay_code as_job_read(FILE *in, as_arena *arena, as_job *out, assay_error *err);

#endif
