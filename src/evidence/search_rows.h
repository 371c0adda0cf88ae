/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_EVIDENCE_SEARCH_ROWS_H
#define ASSAY_EVIDENCE_SEARCH_ROWS_H
/*
 * What the evidence of a structure search holds besides the run: one type a table of schema.h.
 *
 *     search ─┬─ structures ─┬─ trainings (one a seed, with its weights) ── epochs
 *             │              ├─ structure_samples (round, repeat -> microseconds)
 *             │              └─ structure_slots (policy, repeat -> median of a fresh process)
 *             ├─ selections (at most one) ── test_scores (training -> accuracy)
 *             └─ operator_study (at most one) ── operators ── operator_samples
 *
 * A test score refers to the selection: the database takes none before the choice is in it.
 * Indices and strings are as in rows.h.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "evidence/candidate_rows.h"
#include "evidence/operator_rows.h"

/** The one row of table `search`; none in the evidence of another run. */
typedef struct as_search_row {
    const char *space_name;   /**< "digits" */
    const char *space_path;   /**< Absolute, for resuming. */
    const char *space_sha256; /**< Of its file. */
    const char *space_text;   /**< The file. */
    const char *split_json;   /**< split-manifest.json. */
    int64_t seed;
    int64_t n_seeds;      /**< Trainings of each structure; 0: as the space says. */
    int64_t n_threads;    /**< That a training was given; its bits do not depend on it. */
    int baseline;         /**< Index of a structure. */
    int64_t n_validation; /**< Samples that choose. */
    int64_t c, h, w;      /**< Of one image. */
    int64_t n_warm_up, n_rounds, n_repeats; /**< Of the latencies. */
    int64_t n_slots; /**< Fresh processes of each structure and policy. */
} as_search_row;

/** One network structure. */
typedef struct as_structure_row {
    const char *name;
    bool is_separable;        /**< Its kind is "dw_pw". */
    int64_t params, macs;     /**< Of one image. */
    int64_t activation_bytes; /**< Input, output and all between, of one image. */
    int64_t n_seeds;          /**< Planned trainings. */
} as_structure_row;

/** One training that ended by itself. */
typedef struct as_training_row {
    int structure;
    int seed_index; /**< From 0. */
    int64_t seed;
    int best_epoch;     /**< From 1; 0 where none was finite. */
    int diverged_epoch; /**< From 1: a loss was NaN or infinite; 0: none. */
    double validation_loss,
        validation_accuracy; /**< Of the best epoch; NaN where it diverged. */
    double seconds;
    const void *weights; /**< as_network_weights; empty where it diverged.  Only written. */
    size_t weights_bytes;
} as_training_row;

/** One epoch of training `training`. */
typedef struct as_epoch_row {
    int training;
    int epoch; /**< From 1. */
    double train_loss, validation_loss, validation_accuracy, seconds;
} as_epoch_row;

/** One fresh process that timed a structure. */
typedef struct as_structure_slot_row {
    int structure;
    const char *policy, *engine, *version; /**< As the engine calls itself. */
    int repeat;                            /**< From 0. */
    double median_us, least_us;            /**< NaN where it failed. */
    const char *error;                     /**< Why; "" when it did not. */
} as_structure_slot_row;

/** selection.json as it was when it was synced. */
typedef struct as_selection_row {
    const char *written; /**< Label. */
    const char *sha256;  /**< Of selection.json. */
} as_selection_row;

/** What a training's network says of the test part. */
typedef struct as_test_score_row {
    int training;
    int selection; /**< Index: 0. */
    double loss, accuracy;
} as_test_score_row;

#endif
