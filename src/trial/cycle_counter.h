/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_CYCLE_COUNTER_H
#define ASSAY_TRIAL_CYCLE_COUNTER_H
/*
 * Cycles and instructions of this process, its threads and its children in user mode, from the CPU's
 * own counters where kernel and hypervisor offer them (perf_event_open(2)).
 */
#include <stdint.h>

typedef struct as_cycle_counter as_cycle_counter;

/** What was counted since opening; -1 without a counter. */
typedef struct as_cycles {
    int64_t cycles, instructions;
} as_cycles;

/** Start counting, also in threads and children made later; NULL where there is no counter. */
as_cycle_counter *as_cycle_counter_open(void);

/** Read; takes NULL. */
as_cycles as_cycle_counter_read(const as_cycle_counter *counter);

/** Stop and free; takes NULL. */
void as_cycle_counter_close(as_cycle_counter *counter);

#endif
