/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_CGROUP_H
#define ASSAY_TRIAL_CGROUP_H
/* How often this process's control groups were stopped for having used up their CPU quota. */
#include <stdint.h>

/** Sums over the process's CPU control group and its ancestors; -1 where none tells. */
typedef struct as_throttling {
    int64_t n_throttled;
    int64_t throttled_us;
} as_throttling;

/** Read `root`/proc/self/cgroup and the cpu.stat files of `root`/sys/fs/cgroup, version 1 or 2. */
as_throttling as_throttling_read(const char *root);

#endif
