/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_SEARCH_STRUCTURE_SEARCH_H
#define ASSAY_SEARCH_STRUCTURE_SEARCH_H
/*
 * The state of a structure search; inside search/ and the programs that spread it over processes.
 *
 *   structures.c        a space -> the evidence's plan
 *   structure_search.c  the evidence -> this state, and the phases in order
 *   structure_jobs.c    one training at a time: a job
 *   structure_models.c  NAME.onnx
 *   structure_latency.c what is timed
 *   structure_choice.c  selection.json, then the test
 */
#include "base/file.h"
#include "evidence/writer.h"
#include "report/search_files.h"
#include "search/space.h"
#include "search/structures.h"
#include "search/test_part.h"

/** Our own engine, always timed. */
#define AS_SEARCH_OWN_POLICY "ours=native,threads=1"

/** One training: structure and seed. */
typedef struct as_search_job {
    size_t structure, seed_index;
    int training; /**< Its row, -1 until it is done. */
} as_search_job;

/** What a job gave; as_search_outcome_free frees it. */
typedef struct as_search_outcome {
    as_training_row row;
    as_bytes weights; /**< What row.weights points at. */
    as_epoch_row *epochs;
    size_t n_epochs;
} as_search_outcome;

typedef struct as_search {
    const as_search_options *options;
    as_space *space;
    as_dataset *data;
    as_split split; /**< Without test ids. */
    as_test_part *test;
    as_search_job *jobs; /**< By structure, then seed. */
    size_t n_jobs, n_done;
    as_latency_protocol protocol;
    char **policies; /**< [n_policies]; owned; the first is AS_SEARCH_OWN_POLICY. */
    size_t n_policies, n_slots;
    as_evidence_writer *writer; /**< NULL behind as_search_join. */
} as_search;

/**
 * What the evidence in options->folder says, with the data read again; this process adds to it.
 * @param out  the caller's (as_search_close).
 */
assay_code as_search_open(const as_search_options *options, as_search **out, assay_error *err);
/** @return `code` where it is a failure, else what closing the evidence says.  Takes NULL. */
assay_code as_search_close(as_search *search, assay_code code, assay_error *err);

/**
 * A search whose evidence another process has: what trains, by its row alone.  It has no jobs.
 * @param options  threads and stop are looked at; `folder` names the split in messages.
 */
assay_code as_search_join(const as_search_options *options, const as_search_row *row,
                          as_search **out, assay_error *err);

/**
 * Train; the evidence is not touched.
 * @param stop  asked before every batch; true: ASSAY_E_INTERRUPTED.  May be NULL.
 */
assay_code as_search_train(const as_search *search, const as_search_job *job,
                           bool (*stop)(void *context), void *stop_context,
                           as_search_outcome *out, assay_error *err);
void as_search_outcome_free(as_search_outcome *outcome);

/** Keep what a job gave. */
assay_code as_search_keep(as_search *search, as_search_job *job,
                          const as_search_outcome *outcome, assay_error *err);

/** A network of structure `i` with the weights of a training. */
assay_code as_search_network(const as_search *search, size_t i, as_evidence *evidence,
                             int training, as_network **out, assay_error *err);

/** Train all jobs that are not done, one after the other. */
assay_code as_search_train_all(as_search *search, assay_error *err);

/** The structures that were trained: places and paths; as_search_models_free frees it. */
typedef struct as_search_models {
    as_latency_models latency; /**< Borrows `paths`; by AS_SEARCH_OWN_POLICY. */
    char **paths;
    size_t *places; /**< Of the space's structures. */
    size_t n;
} as_search_models;

assay_code as_search_models_list(const as_search *search, const as_search_report *report,
                                 as_search_models *out, assay_error *err);
void as_search_models_free(as_search_models *models);

/* The phases; each does what the evidence lacks of it. */

/** Write NAME.onnx of every structure that has a training. */
assay_code as_search_save_models(as_search *search, assay_error *err);
/** Calls in this process. */
assay_code as_search_measure(as_search *search, assay_error *err);
/** A standard convolution against depthwise + pointwise, at the bundled shapes. */
assay_code as_search_study_operators(as_search *search, assay_error *err);
/** Write and sync selection.json, then note it. */
assay_code as_search_choose(as_search *search, assay_error *err);
/** Score all trainings on the test samples. */
assay_code as_search_test(as_search *search, assay_error *err);
/** Calls in fresh processes, of every policy. */
assay_code as_search_run_slots(as_search *search, assay_error *err);

/** Everything behind the trainings: all phases and the files. */
assay_code as_search_finish(as_search *search, assay_error *err);

#endif
