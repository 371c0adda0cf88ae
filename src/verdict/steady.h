/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_VERDICT_STEADY_H
#define ASSAY_VERDICT_STEADY_H
/*
 * When a repeated call is warm: two medians of five calls, one behind the other, within 1 %.
 * What is run until then is not counted (MEASURING, "Slot").
 *
 *     as_steady steady = {0};
 *     while (as_steady_goes_on(&steady))
 *         as_steady_add(&steady, seconds_of_one_call());
 *     if (!steady.is_steady) puts("no steady state");
 *
 * Why 5 calls and 1 %, and why 20 at most: bench/results/noise.md.
 */
#include <stdbool.h>
#include <stddef.h>

#define AS_STEADY_CALLS 5    /**< Of one median. */
#define AS_STEADY_SHARE 0.01 /**< Two medians may be so far apart. */
#define AS_STEADY_MOST  20   /**< Calls, after which it is given up. */

/** What was seen so far; zeros at first. */
typedef struct as_steady {
    double calls[AS_STEADY_CALLS]; /**< The five of now. */
    double last_median;            /**< Of the five before; 0 at first. */
    size_t n_calls;
    bool is_steady;
} as_steady;

/** Whether another warm-up call is due. */
bool as_steady_goes_on(const as_steady *steady);

/** Take a call's time, in whatever unit. */
void as_steady_add(as_steady *steady, double time);

#endif
