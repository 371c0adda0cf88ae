/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_VERDICT_NOISE_H
#define ASSAY_VERDICT_NOISE_H
/*
 * Whether a round was disturbed by something outside, judged by what the machine did besides and
 * never by the times themselves.
 *
 *     as_dirt dirt = as_dirt_none();
 *     for each slot of the round
 *         as_dirt_add(&dirt, &noise_of_slot);
 *     if (as_dirt_is_dirty(&dirt)) as_dirt_describe(&dirt, text, sizeof text);
 *
 * Off-CPU time, context switches and the probe are recorded and never looked at here: on a machine
 * that is shared they move all the time without the timing moving (bench/results/noise.md).
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/noise.h"

/** What makes a round dirty. */
typedef enum as_dirt_kind {
    AS_DIRT_THROTTLED, /**< Times, any is too many. */
    AS_DIRT_FAULTS,    /**< Major faults, any is too many. */
    AS_DIRT_STEAL,     /**< Per cent of all ticks. */
    AS_DIRT_DELAY,     /**< Run delay, per cent of the wall time. */
    AS_DIRT_PRESSURE,  /**< PSI cpu, per cent of the wall time. */
    AS_N_DIRT
} as_dirt_kind;

/** The gates: a level above is dirty.  Trial: bench/results/noise.md. */
#define AS_STEAL_PERCENT    2
#define AS_DELAY_PERCENT    5
#define AS_PRESSURE_PERCENT 5

/** Levels of each kind over some slots: counts add up, of shares the greatest stays. */
typedef struct as_dirt {
    double level[AS_N_DIRT]; /**< NaN where nothing is known. */
} as_dirt;

/** Nothing known yet. */
as_dirt as_dirt_none(void);

/** Take a slot's noise in. */
void as_dirt_add(as_dirt *dirt, const as_noise *noise);

/** Take in what is known of other slots. */
void as_dirt_join(as_dirt *dirt, const as_dirt *other);

/** Whether any level is above its gate. */
bool as_dirt_is_dirty(const as_dirt *dirt);

/** Whether this one is. */
bool as_dirt_exceeds(const as_dirt *dirt, as_dirt_kind kind);

/** "steal %.1f %%": the printf format that says such a level, a double. */
const char *as_dirt_format(as_dirt_kind kind);

/** "steal 3.1 %, 2 major faults": what is above its gate, into text[room]; "" when nothing is. */
void as_dirt_describe(const as_dirt *dirt, char *text, size_t room);

/** Share of the stretch in which the busiest thread was on no CPU, in per cent; NaN unknown. */
double as_noise_off_cpu_percent(const as_noise *noise);

/** Of the rounds so many per cent may be run again; when more are dirty the machine is unfit. */
#define AS_REDONE_PERCENT 25

#endif
