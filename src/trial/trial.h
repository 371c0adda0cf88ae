/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_TRIAL_H
#define ASSAY_TRIAL_TRIAL_H
/*
 * A whole experiment: policies measured in fresh processes in a balanced order, everything kept in
 * RUN/evidence.db.
 *
 *     as_trial_options options = as_trial_options_defaults();
 *     options.model_path = "det.onnx"; ...
 *     code = as_trial_create(&options, &control, err);          // new, or
 *     code = as_trial_check("run", &control, err);              // one that was killed
 *     if (!code) code = as_trial_go("run", &control, &result, err);
 *
 * as_trial_go does whatever the evidence does not hold yet, so a killed run goes on where it was.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "evidence/rows.h"
#include "trial/order.h"

/** Who watches; any function may be NULL. */
typedef struct as_trial_watch {
    void *context;
    /** A sentence for people. */
    void (*note)(void *context, const char *sentence);
    /** Work of n_steps steps begins; `what` names it. */
    void (*begin)(void *context, const char *what, size_t n_steps);
    void (*step)(void *context, size_t n_done);
    void (*end)(void *context);
} as_trial_watch;

/** How a trial is driven; borrows. */
typedef struct as_trial_control {
    const char *const *worker_argv; /**< NULL = this program's verb `worker`.  "--model", MODEL,
                                         "--corpus", CORPUS are put behind. */
    bool (*stop)(void *context);    /**< Asked now and then; true: stop.  May be NULL. */
    void *stop_context;
    double snapshot_s; /**< Window of each snapshot; 0 = 0.5. */
    /** Asked after all planned rounds of a run with a budget: whether some policy is undecided by
     *  what the run's evidence holds now.  NULL: nothing ever is. */
    assay_code (*undecided)(void *context, const char *run_folder, bool *out, assay_error *err);
    void *undecided_context;
    as_trial_watch watch;
} as_trial_control;

/** A new run; borrows. */
typedef struct as_trial_options {
    const char *run_folder;
    const char *model_path;
    const char *corpus_path;
    const char *const *policies; /**< Texts NAME=ENGINE[,key=value...]. */
    size_t n_policies;
    const char *baseline;  /**< A policy's name; NULL = the first. */
    const char *reference; /**< File of boxes that are the truth; NULL = the baseline's. */
    const char *const *documents; /**< Only these, by name or id; none = all. */
    size_t n_documents;
    const char *const *calls; /**< Only these ids; none = all. */
    size_t n_calls;
    size_t limit_calls;         /**< The first so many of what is left; 0 = all. */
    const as_order_kind *order; /**< NULL = williams, or latin where n_rounds is no multiple of
                                     williams' design. */
    size_t n_rounds; /**< 0 = the least multiple of the design that can give an interval. */
    const as_noise_rule *noise; /**< NULL = rerun, or report on a virtual machine. */
    double budget_s; /**< Measuring may take so long while something is undecided; 0 = none. */
    size_t n_cycles; /**< Passes over the calls in each slot. */
    int64_t seed;
    as_on_difference on_difference;
    double slot_timeout_s; /**< 0 = none. */
    const char
        *compare; /**< "boxes", "tensor", "top1"; NULL = boxes of pictures, else tensor. */
    double bound_absolute, bound_relative; /**< Of tensor; each suffices for an element. */
    int64_t bound_ulp;
    bool exclusive_hardware;
    size_t n_traces;     /**< Traced calls of each policy, a process each. */
    bool saves_maps;     /**< Keep the first round's maps as arrays. */
    bool force;          /**< Replace a run that is in run_folder. */
    const char *command; /**< Shell line that does it again. */
} as_trial_options;

/** 1 cycle, 1 traced call, seed 1, stop, no time limit, no budget; the rest as the fields say. */
as_trial_options as_trial_options_defaults(void);

/** Calls of the smoke phase. */
#define AS_SMOKE_CALLS 12

/** What came of it. */
typedef struct as_trial_result {
    as_run_state state;
    size_t n_failed;    /**< Policies of which a worker crashed, hung or told an error. */
    size_t n_different; /**< Policies whose boxes are not the baseline's somewhere. */
    bool is_unfit;      /**< Some failed, and all that failed broke an environment assertion. */
    bool is_machine_unfit; /**< Too many rounds were dirty, or the clock is broken. */
    bool is_undecided;     /**< The budget is spent, and something is undecided. */
} as_trial_result;

/**
 * Check everything and make the run's folder: policies, model, every byte of the corpus.
 * @return ASSAY_E_ARGUMENT (a policy, baseline, document or call that does not exist, a run that is
 *         in the way), ASSAY_E_ENVIRONMENT (an engine is missing), ASSAY_E_NOT_FOUND, _FORMAT,
 *         _CHANGED (model, corpus), ASSAY_E_IO, ASSAY_E_MEMORY, ASSAY_E_INTERRUPTED.
 */
assay_code as_trial_create(const as_trial_options *options, const as_trial_control *control,
                           assay_error *err);

/**
 * Check that model, corpus and program are those which the run began with.
 * @return ASSAY_E_CHANGED with what changed, and as as_trial_create.
 */
assay_code as_trial_check(const char *run_folder, const as_trial_control *control,
                          assay_error *err);

/**
 * Run every slot that the evidence does not hold.
 * @return ASSAY_OK also when policies failed or differ (see `result`); ASSAY_E_INTERRUPTED with all
 *         finished slots kept; ASSAY_E_IO, ASSAY_E_FORMAT, ASSAY_E_MEMORY.
 */
assay_code as_trial_go(const char *run_folder, const as_trial_control *control,
                       as_trial_result *result, assay_error *err);

#endif
