/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_DIFFERENCES_H
#define ASSAY_TRIAL_DIFFERENCES_H
/*
 * Which policies answered something else than the truth, on which inputs.  The truth of an input is
 * what the reference says, or without one the baseline's first answer; every other answer, the
 * baseline's own too, is held to it.
 *
 *     as_differences *found;
 *     code = as_differences_find(evidence, false, &found, err);
 *     if (found->policies[2]) ...
 *     as_differences_free(found);
 */
#include <stdbool.h>

#include "evidence/evidence.h"

typedef struct as_differences {
    bool *policies;   /**< bool policies[n]: whether it differs anywhere. */
    int *first_input; /**< int first_input[n_policies]: where it differs first; -1: nowhere. */
    bool *inputs;     /**< bool inputs[n]: whether any policy differs there. */
    size_t n_policies, n_inputs;
    size_t n_differing_inputs;
    char first[512]; /**< A sentence on the first difference, or "". */
} as_differences;

/** Compare; with `smoke_only` answers of formal slots do not count.  *out is owned. */
assay_code as_differences_find(as_evidence *evidence, bool smoke_only, as_differences **out,
                               assay_error *err);

/** Free; takes NULL. */
void as_differences_free(as_differences *differences);

#endif
