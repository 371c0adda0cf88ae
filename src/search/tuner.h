/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_SEARCH_TUNER_H
#define ASSAY_SEARCH_TUNER_H
/*
 * The state of a tuning; inside search/ only.
 *
 *   calls.c     which calls are measured
 *   meter.c     choices -> a session by them -> the seconds of each layer
 *   groups.c    the groups that the chosen routes give -> the seconds of each by other bands
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

/** Where a group lies in the plan of one call; n_layers 0: that call's plan has it not. */
typedef struct as_tuner_span {
    size_t first, n_layers;
    size_t rows[AS_BANDS_N]; /**< Of a band; 0 = alone. */
} as_tuner_span;

/** A group of some calls' plans. */
typedef struct as_tuner_group {
    int first, last;                    /**< Nodes of its outer layers. */
    const char *first_name, *last_name; /**< Borrow the model. */
    as_tuner_span spans[AS_SEARCH_CALLS];
} as_tuner_group;

typedef struct as_tuner {
    const as_tune_options *options;
    const as_trial_control *control;
    assay_model *model;         /**< Owns. */
    assay_session *session;     /**< Owns. */
    as_corpus *corpus;          /**< Owns. */
    as_detect_scratch *scratch; /**< Owns. */
    as_arena *arena;            /**< Owns layers and choices. */
    as_search_layer *layers;    /**< By node. */
    as_layer_choice *choices;   /**< [n_layers]: what the session runs by now. */
    size_t n_layers;
    size_t *routes;         /**< [n_layers]: options chosen, once that is done. */
    as_tuner_group *groups; /**< Found with these routes. */
    as_search_layer *ways;  /**< [n_groups]: each group as the search sees it. */
    as_group_choice *bands; /**< [n_groups]: what the session runs by now. */
    size_t n_groups;
    const char *what; /**< Is timed, for the watch. */
    as_tuner_call calls[AS_SEARCH_CALLS];
    size_t n_calls;
    double calls_share;
    as_boxes *truth; /**< Owns; [n_regions]. */
    bool has_truth;
    size_t
        last_differing; /**< Call of the corpus at which boxes differed last: looked at first. */
    size_t n_inputs, n_boxes; /**< Of the last comparison that went through. */
} as_tuner;

/** Place in `layers` of the one that begins with `node`; n_layers when there is none.  A plan has
 * its layers in an order of its own. */
size_t as_tuner_find(const as_tuner *t, int node);

/** ASSAY_E_INTERRUPTED when the user asked to stop. */
assay_code as_tuner_check_stop(const as_tuner *t, assay_error *err);

/**
 * Let the session run by these options of layers and of groups from now on.
 * @param routes  NULL: the default plan.
 * @param bands   NULL: by the rule.
 */
void as_tuner_use(as_tuner *t, const size_t *routes, const size_t *bands);

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
/** As as_tuner_use says.  @param is_equal  whether every box is the exact routes'. */
assay_code as_tuner_compare_by(as_tuner *t, const size_t *routes, const size_t *bands,
                               bool *is_equal, assay_error *err);
double as_tuner_now_s(void *context);

/** Runs of a call in a slot, whose median is the slot's sample: one run that another process
 * interrupted does not reach the estimate. */
#define AS_TUNER_RUNS 3

/** Put the times of the last run of call `call` into runs[item][run]. */
typedef void (*as_tuner_take)(const as_tuner *t, size_t call, size_t run,
                              double (*runs)[AS_TUNER_RUNS]);

/** Seconds of n items in a pass over the measured calls, weighted; items that `take` leaves out of
 * a call cost nothing there. */
assay_code as_tuner_time(as_tuner *t, size_t n, as_tuner_take take, double *seconds,
                         assay_error *err);

/** Seconds of one pass over the measured calls, weighted; after one that warms up. */
assay_code as_tuner_pass(as_tuner *t, const size_t *routes, const size_t *bands,
                         double *seconds, assay_error *err);

/**
 * Find the groups that the chosen routes give and choose their bands.
 * @param search  filled; the caller frees it (as_routes_free).
 */
assay_code as_tuner_choose_bands(as_tuner *t, as_route_search *search, assay_error *err);

/** The chosen bands and what they cost, into the file. */
assay_code as_tuner_fill_groups(const as_tuner *t, const as_route_search *search,
                                as_plan_file *file, assay_error *err);

/** Seconds of a summary as the file has them. */
as_plan_cost as_tuner_cost(const as_summary *seconds);

/** Tell the watch of a slot. */
void as_tuner_slot(void *context, size_t n_slots, size_t at_most);

/** Fill the isolated costs of every candidate: file->layers are those of the tuner. */
assay_code as_tuner_isolate(as_tuner *t, as_plan_file *file, assay_error *err);

#endif
