/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_BASE_NOISE_H
#define ASSAY_BASE_NOISE_H
/*
 * What the machine did besides while something was timed: the covariates of MEASURING, "Noise".
 * trial/noise_meter.h fills one, evidence keeps it, verdict/noise.h judges it; nothing in here is
 * the timing itself, so a rule over it cannot prefer a fast or a slow result.
 */
#include <stdint.h>

/** One watched stretch of work; a plain value.  A double is NaN and a count -1 where unknown. */
typedef struct as_noise {
    double wall_s;        /**< Length of the stretch. */
    double cpu_s;         /**< On a CPU: of the thread of ours that was so longest. */
    double run_delay_s;   /**< Ready, but without a CPU: of the thread that waited longest. */
    double psi_cpu_s;     /**< Some task of the machine waited for a CPU. */
    int64_t steal_ticks;  /**< Of all CPUs, taken by the hypervisor ... */
    int64_t total_ticks;  /**< ... out of so many. */
    int64_t n_throttled;  /**< Times that the control group was stopped for its quota. */
    int64_t major_faults; /**< Pages of ours that came from a disk. */
    int64_t switches_wanted; /**< Context switches of ours. */
    int64_t switches_forced;
    int64_t cycles;       /**< Of our threads in user mode; -1 without a counter ("no PMU"). */
    int64_t instructions; /**< Likewise. */
    double probe_before;  /**< Dependent additions a nanosecond (base/probe.h) ... */
    double probe_after;   /**< ... before and after the stretch. */
} as_noise;

#endif
