/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_PROFILE_H
#define ASSAY_TRIAL_PROFILE_H
/*
 * One call looked at from inside, outside every formal time: a worker runs it once, then traced.
 *
 *     as_profile *profile;
 *     code = as_profile_run(&options, &control, &profile, err);
 *     if (as_route_check_broken(&profile->routes)) ...
 *     as_profile_free(profile);
 *
 * An experiment does the same to one call of every policy before its rounds (phases.c).
 */
#include "engine/engine.h"
#include "trial/route_check.h"
#include "trial/trial.h"

/** What to look at; borrows. */
typedef struct as_profile_options {
    const char *model_path, *corpus_path;
    const char *policy; /**< NAME=ENGINE[,key=value...] */
    const char *call;   /**< Its id; NULL = as_profile_call. */
    const char *folder; /**< logs/ in it gets the worker's output; made where it lacks. */
    double timeout_s;   /**< For the worker; 0 = none. */
} as_profile_options;

/** What was seen; owns all. */
typedef struct as_profile {
    as_policy policy;
    char *call; /**< Its id. */
    as_evidence_shape shape;
    as_trace *trace;
    as_route_check routes;
} as_profile;

/** Which call an experiment looks at: the first of 16 inputs, else the first of the most. */
size_t as_profile_call(const as_call_row *calls, size_t n);

/**
 * Look at one call.
 * @return ASSAY_OK also where a route is not as the policy says (see `routes`); ASSAY_E_ARGUMENT for
 *         a policy or call that does not exist; and whatever made the worker fail.
 */
assay_code as_profile_run(const as_profile_options *options, const as_trial_control *control,
                          as_profile **out, assay_error *err);

/** Free it; takes NULL. */
void as_profile_free(as_profile *profile);

#endif
