/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_MACHINE_COUNTS_H
#define ASSAY_TRIAL_MACHINE_COUNTS_H
/* Counters of the whole machine that only grow: waiting for a CPU, and CPUs taken away. */
#include <stdint.h>

typedef struct as_machine_counts {
    double psi_cpu_avg10; /**< Per cent of the last 10 s; NaN where not known. */
    int64_t
        psi_cpu_total_us; /**< Some task waited for a CPU; -1 where not known, as the next. */
    int64_t steal_ticks;  /**< Of all CPUs since the machine started ... */
    int64_t total_ticks;  /**< ... out of so many. */
} as_machine_counts;

/** Read /proc/pressure/cpu and /proc/stat below `root`. */
as_machine_counts as_machine_counts_read(const char *root);

#endif
