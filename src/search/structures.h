/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_SEARCH_STRUCTURES_H
#define ASSAY_SEARCH_STRUCTURES_H
/*
 * `assay search`: train every structure of a space, time each, choose, and only then test.
 *
 *     as_search_options o = as_search_defaults();
 *     o.space = "data/digits.json";
 *     o.folder = "run";
 *     code = as_search_create(&o, err);            RUN/evidence.db with the plan in it
 *     code = as_search_run(&o, err);               everything that is not in it yet
 *
 *     trainings ── models ── latencies ── operators ── selection.json ── test scores ── slots ── files
 *         each phase reads from the evidence what is done, so a killed search goes on where it was
 *
 * A training that diverges ends with its row; the others go on.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "trial/model_slot.h"

struct as_search;

/** How far a search is, for whoever shows it. */
typedef struct as_search_watch {
    void *context;
    void (*begin)(void *context, const char *what, size_t n_steps); /**< May be NULL. */
    /** @param detail  what is under way; may be NULL. */
    void (*step)(void *context, size_t n_done, const char *detail); /**< May be NULL. */
    void (*end)(void *context);                                     /**< May be NULL. */
    void (*tell)(void *context, const char *sentence); /**< May be NULL: a training diverged. */
} as_search_watch;

/** What as_search_defaults() gives stands in brackets. */
typedef struct as_search_options {
    const char *space;            /**< File; not read by as_search_run. */
    const char *split;            /**< [NULL] A manifest whose ids are used again. */
    const char *folder;           /**< The run's. */
    const char *command;          /**< [""] For "how to reproduce". */
    size_t n_seeds;               /**< [0] 0: as the space says. */
    size_t n_threads;             /**< [1] Of a training; its bits do not depend on it. */
    bool exclusive_hardware;      /**< [false] */
    bool force;                   /**< [false] Replace a run that is in the folder. */
    as_latency_protocol protocol; /**< [30 + 3 x 200] */
    size_t n_slots;               /**< [6] Fresh processes of each structure and policy. */
    const char *const *policies;  /**< [NULL] "NAME=ENGINE,..", besides our own engine. */
    size_t n_policies;
    bool (*stop)(void *context); /**< [NULL] */
    void *stop_context;
    as_search_watch watch;
    /** [NULL] Trains all jobs that are not done; NULL: one after the other, here. */
    assay_code (*train)(void *context, struct as_search *search, assay_error *err);
    void *train_context;
} as_search_options;

as_search_options as_search_defaults(void);

/**
 * Read the space and its data, split, and begin the evidence in options->folder, which is made.
 * @return as as_space_load, as_dataset_load, as_split_stratified, as_split_read, as_place_begin.
 */
assay_code as_search_create(const as_search_options *options, assay_error *err);

/**
 * Do what options->folder's evidence lacks and write all files.  Of the options only folder, threads,
 * stop and watch are looked at: the evidence knows the rest.
 * @return ASSAY_E_INTERRUPTED, with all that ended kept; ASSAY_E_CHANGED where data or selection.json
 *         are no longer what the evidence holds; ASSAY_E_MEMORY, ASSAY_E_IO.
 */
assay_code as_search_run(const as_search_options *options, assay_error *err);

/** Write NAME.onnx of each structure that is trained again, from the report's evidence alone. */
struct as_search_report;
assay_code as_search_derive_models(const struct as_search_report *report, assay_error *err);

#endif
