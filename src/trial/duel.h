/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_DUEL_H
#define ASSAY_TRIAL_DUEL_H
/*
 * The trial's rules on two sides whose slots come from anywhere: order, noise, interval, verdict and
 * budget as an experiment has them, so that they can be proved on sides of which the truth is known.
 *
 *     as_duel_rules rules = {.n_rounds = 12, .seed = 1};
 *     code = as_duel_run(&rules, slot, context, &result, err);
 *     if (result.end == AS_DUEL_VERDICT && result.verdict == AS_VERDICT_FASTER) ...
 *
 * Side 0 is the baseline.
 */
#include <stdbool.h>

#include "base/error.h"
#include "base/noise.h"
#include "evidence/rows.h"
#include "verdict/verdict.h"

/** One slot's outcome. */
typedef struct as_duel_slot {
    double seconds; /**< What is compared. */
    double total_s; /**< What the slot took of the budget. */
    as_noise noise;
} as_duel_slot;

/** Run one slot of side 0 or 1. */
typedef assay_code (*as_duel_source)(void *context, int side, as_duel_slot *out,
                                     assay_error *err);

typedef struct as_duel_rules {
    bool is_blocked; /**< First all of side 0, then all of side 1: how it should not be done. */
    size_t n_rounds; /**< Of the first look; 0 = the least that can give an interval. */
    double budget_s; /**< More rounds while undecided until so long was measured; 0 = none. */
    as_noise_rule noise_rule;
    int64_t seed;
} as_duel_rules;

/** How it ended. */
typedef enum as_duel_end { AS_DUEL_VERDICT, AS_DUEL_UNFIT } as_duel_end;

typedef struct as_duel_result {
    as_duel_end end;
    as_verdict verdict; /**< On side 1. */
    as_estimate estimate;
    double spent_s;
    double paired_sd; /**< Standard deviation of ln(side 1 / side 0) over the rounds. */
    size_t n_dirty;   /**< Rounds, those that were run again counted each time. */
} as_duel_result;

/** Run one.  @return what `source` says; ASSAY_E_MEMORY. */
assay_code as_duel_run(const as_duel_rules *rules, as_duel_source source, void *context,
                       as_duel_result *out, assay_error *err);

#endif
