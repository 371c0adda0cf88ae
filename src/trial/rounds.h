/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_ROUNDS_H
#define ASSAY_TRIAL_ROUNDS_H
/*
 * The formal rounds: every planned turn that the evidence lacks; dirty rounds again, where the run
 * says so; more rounds, where a budget may buy them and something is undecided.
 *
 *     as_rounds_end end;
 *     code = as_rounds_run(&course, &end, err);
 */
#include "trial/course.h"

/** How the rounds ended; a plain value. */
typedef struct as_rounds_end {
    bool is_undecided; /**< The budget is spent, and something is undecided. */
    char unfit[400];   /**< Why the machine is unfit, a sentence; else "". */
} as_rounds_end;

/** Of the calls so many per cent may have a broken clock; with more the machine is unfit. */
#define AS_BAD_CLOCK_PERCENT 1

assay_code as_rounds_run(as_course *course, as_rounds_end *end, assay_error *err);

/** Whether the clock of this machine broke too often so far; then why in `unfit`. */
bool as_rounds_clock_is_broken(const as_course *course, char *unfit, size_t room);

#endif
