/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_WORKER_H
#define ASSAY_TRIAL_WORKER_H
/*
 * A slot's process from inside: load the model once, go through the documents' calls, clean up
 * after each document, tell everything (protocol.h).
 *
 * Timed are loading, the four stages of each call (by the detector) and cleaning up; reading
 * regions, sampling memory and telling are outside.
 */
#include <stdio.h>

#include "base/error.h"

/** Where a worker finds things and talks; borrows. */
typedef struct as_worker_place {
    const char *model_path;
    const char *corpus_path; /**< Inputs' files stand in it. */
    const char
        *outputs_path; /**< Outputs are put into this folder, and told in the place of boxes;
                                   NULL: boxes are told. */
    const char
        *maps_path; /**< Each call's maps of the first cycle go into this folder; or NULL. */
    FILE *in;       /**< The job (job.h). */
    FILE *out;      /**< Told to the experiment (protocol.h). */
    FILE *log;      /**< Notes for people. */
} as_worker_place;

/**
 * Do the job that stands on `in` and tell of it on `out`; a failure is told there too.
 * @return ASSAY_OK, or what went wrong.
 */
assay_code as_worker_run(const as_worker_place *place, assay_error *err);

#endif
