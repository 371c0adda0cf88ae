/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_MEMORY_SAMPLE_H
#define ASSAY_TRIAL_MEMORY_SAMPLE_H
/*
 * How much memory a process holds, as the kernel says it.
 *
 *     as_memory_sample sample;
 *     as_memory_sample_take("", 0, &sample);     // this process, now
 *
 * RSS counts shared pages whole, PSS by the share of their users, USS not at all; they are kinds
 * of their own and are never added up.  Swap is the whole machine's.
 */
#include <stdint.h>
#include <sys/types.h>

/** Bytes; -1 where the kernel does not say. */
typedef struct as_memory_sample {
    int64_t rss_bytes, pss_bytes, uss_bytes;
    int64_t peak_rss_bytes; /**< VmHWM. */
    int64_t swap_used_bytes;
} as_memory_sample;

/**
 * Read `root`/proc/PID/smaps_rollup, `root`/proc/PID/status and `root`/proc/meminfo.
 * @param root     "" for the real machine, else a folder with saved files.
 * @param process  0 = this process ("self").
 */
void as_memory_sample_take(const char *root, pid_t process, as_memory_sample *out);

/** Swap in use on the machine; -1 where it is not known. */
int64_t as_memory_swap_used(const char *root);

#endif
