/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_SEARCH_TUNE_H
#define ASSAY_SEARCH_TUNE_H
/*
 * `assay tune`: the cheapest routes and bands for one model on this CPU under equal boxes on a
 * corpus.
 *
 *     as_tune_options options = as_tune_options_defaults();
 *     options.model_path = "det.onnx";
 *     options.corpus_path = "corpus";
 *     code = as_tune(&options, &control, &file, err);
 *     if (!code) code = as_plan_file_write(file, "plan.json", err);
 *     as_plan_file_free(file);
 *
 * Everything runs in this process: sessions with other routes take turns on the same tensors.
 */
#include "plan/plan_file.h"
#include "trial/trial.h"

typedef struct as_tune_options {
    const char *model_path, *corpus_path;
    size_t threads;                   /**< [0] 0 = what the process may use. */
    int64_t seed;                     /**< [1] */
    size_t least_rounds, most_rounds; /**< [8, 24] Of timing routes. */
    size_t ratio_rounds;              /**< [12] Pairs of tuned and default. */
    double
        budget_s; /**< [0 = none] No new round of timing after so long: half of it for routes,
                        half for bands. */
} as_tune_options;

as_tune_options as_tune_options_defaults(void);

/**
 * Tune.
 * @param control  its stop and watch are used.
 * @param out      owned by the caller (as_plan_file_free); NULL on failure.
 * @return ASSAY_E_INTERRUPTED, ASSAY_E_DIFFERENT, or what loading the model or the corpus says.
 */
assay_code as_tune(const as_tune_options *options, const as_trial_control *control,
                   as_plan_file **out, assay_error *err);

#endif
