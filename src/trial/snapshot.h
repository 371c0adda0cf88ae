/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_SNAPSHOT_H
#define ASSAY_TRIAL_SNAPSHOT_H
/*
 * What the machine is doing: load, pressure, theft, throttling, and the busiest processes over a
 * short window.  Taken around the smoke phase and each round, never while a slot runs.
 *
 *     as_snapshot snapshot;
 *     code = as_snapshot_take("", 0.5, &snapshot, err);
 *     printf("%s %.0f %%\n", snapshot.processes[0].name, snapshot.processes[0].cpu_percent);
 */
#include "base/clock.h"
#include "base/error.h"
#include "evidence/rows.h"

/** The busiest so many processes are kept. */
#define AS_SNAPSHOT_PROCESSES 20

/** A plain value that holds its own strings; copy it only with as_snapshot_row_of. */
typedef struct as_snapshot {
    double load_1, load_5, load_15; /**< NaN where not known, as the next. */
    double psi_cpu_avg10;           /**< Per cent of time that something waited for a CPU. */
    int64_t psi_cpu_total_us;       /**< -1 where not known, as all that follow. */
    int64_t steal_ticks, total_ticks;
    int64_t n_throttled, throttled_us;
    int64_t swap_used_bytes;
    char taken[AS_CLOCK_LABEL];
    struct {
        int pid;
        char name[32];
        double cpu_percent; /**< Of one CPU. */
        int64_t rss_bytes;
    } processes[AS_SNAPSHOT_PROCESSES];
    size_t n_processes; /**< Those that used a CPU in the window at all. */
} as_snapshot;

/**
 * Take one.
 * @param root      "" for the real machine, else a folder with saved /proc and /sys files.
 * @param window_s  how long processes are watched; this process itself is left out.
 * @return ASSAY_E_MEMORY; what the kernel does not say is no failure.
 */
assay_code as_snapshot_take(const char *root, double window_s, as_snapshot *out,
                            assay_error *err);

/** The snapshot's numbers as a row that borrows from it. */
as_snapshot_row as_snapshot_row_of(const as_snapshot *snapshot, as_phase phase, int round,
                                   const char *moment);

/** Its processes as rows[AS_SNAPSHOT_PROCESSES], borrowing; @return how many. */
size_t as_snapshot_process_rows(const as_snapshot *snapshot, as_process_row *rows);

#endif
