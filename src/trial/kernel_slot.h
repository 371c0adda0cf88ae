/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_KERNEL_SLOT_H
#define ASSAY_TRIAL_KERNEL_SLOT_H
/*
 * Real slots of which the truth is known: a fresh process does one and the same kernel so many times,
 * so 103 repetitions against 100 are 3 % more work, whatever the machine makes of it.
 *
 *     as_kernel_sides sides = {.argv = (const char *[]){"/proc/self/exe", "worker", NULL},
 *                              .repetitions = {100, 103}};
 *     code = as_duel_run(&rules, as_kernel_slot, &sides, &result, err);
 */
#include <stdio.h>

#include "trial/duel.h"

/** Two sides; borrows. */
typedef struct as_kernel_sides {
    const char *const *argv; /**< Program and verb; "--kernel", N are put behind. */
    size_t repetitions[2];
} as_kernel_sides;

/** An as_duel_source; `context` is the sides.  @return ASSAY_E_CHILD for a process that breaks. */
assay_code as_kernel_slot(void *context, int side, as_duel_slot *out, assay_error *err);

/**
 * Inside the process: the kernel until it is warm, then `repetitions` of it timed, and one line of
 * JSON on `out` with seconds, noise and the product's checksum.
 */
assay_code as_kernel_slot_main(size_t repetitions, FILE *out, assay_error *err);

#endif
