/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_SEARCH_TUNER_H
#define ASSAY_SEARCH_TUNER_H
/*
 * The state of a tuning; inside search/ only.
 *
 *   calls.c     which calls are measured
 *   meter.c     choices -> a session by them -> the seconds of each layer
 *   compare.c   choices -> every box of the corpus, against the exact routes'
 *   isolated.c  each layer alone
 *   tune.c      all of it in order, into a plan file
 */
#include "base/arena.h"
#include "detect/detect.h"
#include "run/run.h"
#include "search/calls.h"
#include "search/routes.h"
#include "search/tune.h"

/** A measured call with its input, ready for the network. */
typedef struct as_tuner_call {
    as_search_call what;
    assay_tensor input;
    float *data; /**< Owns. */
} as_tuner_call;

typedef struct as_tuner {
    const as_tune_options *options;
    const as_trial_control *control;
    assay_model *model;         /**< Owns. */
    assay_session *session;     /**< Owns. */
    as_corpus *corpus;          /**< Owns. */
    as_detect_scratch *scratch; /**< Owns. */
    as_arena *arena;            /**< Owns layers and choices. */
    as_search_layer *layers;
    as_layer_choice *choices; /**< [n_layers]: what the session runs by now. */
    size_t n_layers;
    as_tuner_call calls[AS_SEARCH_CALLS];
    size_t n_calls;
    double calls_share;
    as_boxes *truth; /**< Owns; [n_regions]. */
    bool has_truth;
    size_t
        last_differing; /**< Call of the corpus at which boxes differed last: looked at first. */
    size_t n_inputs, n_boxes; /**< Of the last comparison that went through. */
} as_tuner;

/** ASSAY_E_INTERRUPTED when the user asked to stop. */
assay_code as_tuner_check_stop(const as_tuner *t, assay_error *err);

/** Let the session run by these options from now on; NULL: by the default plan. */
void as_tuner_use(as_tuner *t, const size_t *option);

/** Preprocess a call of the corpus into fresh floats (as_free). */
assay_code as_tuner_input(as_tuner *t, size_t call, assay_tensor *tensor, float **data,
                          assay_error *err);

/** One traced run of a call. */
assay_code as_tuner_run(as_tuner *t, const as_tuner_call *call, assay_error *err);

/** The meter's three functions; `context` is the tuner. */
assay_code as_tuner_measure(void *context, const size_t *option, double *layer_s,
                            assay_error *err);
assay_code as_tuner_compare(void *context, const size_t *option, bool *is_equal,
                            assay_error *err);
double as_tuner_now_s(void *context);

/** Seconds of one pass over the measured calls, weighted; after one that warms up. */
assay_code as_tuner_pass(as_tuner *t, const size_t *option, double *seconds, assay_error *err);

/** Fill the isolated costs of every candidate: file->layers are those of the tuner. */
assay_code as_tuner_isolate(as_tuner *t, as_plan_file *file, assay_error *err);

#endif
