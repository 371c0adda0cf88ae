/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_SIMULATED_H
#define ASSAY_TRIAL_SIMULATED_H
/*
 * A machine that is not there: slots of two sides with a known ratio, on a clock that is only
 * counted, with what shared machines do to times.
 *
 *     as_simulated machine = as_simulated_new(seed);
 *     machine.ratio = 1;
 *     code = as_duel_run(&rules, as_simulated_slot, &machine, &result, err);
 *
 *     ln(time) = ln(slot_s) + side * ln(ratio) + drift * slots so far + walk + noise (+ disturbance)
 */
#include <stdint.h>

#include "trial/duel.h"

typedef struct as_simulated {
    uint64_t random;
    double ratio;   /**< Side 1 over side 0, the truth. */
    double slot_s;  /**< A slot of side 0. */
    double sd;      /**< Of one slot's noise; a pair's is sqrt(2) times as much. */
    double drift;   /**< Of each slot: the machine grows slower or faster all the time. */
    double walk_sd; /**< Of each slot's step: it wanders. */
    double
        wild_share; /**< Of slots that take up to half as long again for no reason that shows. */
    double dirty_share; /**< Of slots that something disturbs, which their noise tells. */
    double dirty_cost;  /**< What that adds to ln(time). */
    double walk;        /**< Where it has wandered to. */
    size_t n_slots;     /**< So far. */
} as_simulated;

/** A quiet machine: 0.1 s a slot, 1 % noise, nothing else. */
as_simulated as_simulated_new(uint64_t seed);

/** Uniform in 0..1. */
double as_simulated_uniform(as_simulated *machine);

/** An as_duel_source; `context` is the machine. */
assay_code as_simulated_slot(void *context, int side, as_duel_slot *out, assay_error *err);

#endif
