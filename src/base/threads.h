/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_BASE_THREADS_H
#define ASSAY_BASE_THREADS_H
/*
 * How many threads this process may really use, and a pool of them.
 *
 *     as_threads *pool = NULL;
 *     code = as_threads_new(as_threads_default(), &pool, err);
 *     as_threads_run(pool, n_items, run_part, &context);
 *     as_threads_free(pool);
 *
 * Work is split statically: of n items thread i takes [i * n / T, (i + 1) * n / T).  Scratch is
 * owned by that index: should thread i be late, another one that is done does its part as `i`.
 */
#include <stddef.h>

#include "base/error.h"

/** What limits the number of threads. */
typedef struct as_thread_limits {
    size_t n_affinity; /**< CPUs in the affinity mask */
    double quota_cpus; /**< least cgroup quota over all ancestors, 0 = none */
    size_t n_threads;  /**< max(1, min(n_affinity, ceil(quota_cpus))) */
    char warning[256]; /**< a quota file that was not understood and so ignored; "" mostly */
} as_thread_limits;

/**
 * Read the limits of this process from `root`/proc/self/cgroup and `root`/sys/fs/cgroup.
 * @param root        "" for the real machine, else a folder with saved files.
 * @param n_affinity  CPUs in the mask, 0 = ask the kernel.
 * Never fails: what is missing does not limit.
 */
void as_thread_limits_read(const char *root, size_t n_affinity, as_thread_limits *out);

/** n_threads of the real machine. */
size_t as_threads_default(void);

typedef struct as_threads as_threads;

/**
 * One part of a job: items [begin, end), the part of thread `thread` (0 = the caller).
 */
typedef void (*as_thread_fn)(void *context, size_t begin, size_t end, size_t thread);

/**
 * A pool of `n` threads, of which the caller of as_threads_run is one.
 * When the process may use at least n CPUs, worker i is pinned to the i-th CPU of the affinity
 * mask; the caller's thread is pinned between as_threads_enter and as_threads_leave alone.
 * @return ASSAY_E_ARGUMENT when n is 0 or above 1024, ASSAY_E_MEMORY, ASSAY_E_ENVIRONMENT.
 */
assay_code as_threads_new(size_t n, as_threads **out, assay_error *err);
void as_threads_free(as_threads *pool); /**< takes NULL */

/** Threads in the pool; 1 for NULL. */
size_t as_threads_count(const as_threads *pool);

/**
 * Around a series of as_threads_run: pins the caller, when the workers are pinned, to the first CPU
 * of the mask that `pool` was made under, so that it does not land on a worker's; leave puts back
 * the mask that it had.
 */
void as_threads_enter(as_threads *pool);
void as_threads_leave(as_threads *pool);

/**
 * Run fn over n_items and wait.  Same result as fn(context, 0, n_items, 0) for work whose items
 * are independent; parts without items are not called.  With one thread, or a NULL pool, runs
 * inline.  Denormals are flushed (base/denormals.h) in every thread meanwhile; the caller's
 * mode is restored.  Not for nested use; one caller at a time.
 */
void as_threads_run(as_threads *pool, size_t n_items, as_thread_fn fn, void *context);

#endif
