/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread pool: libpthreadpool underneath.  It has no thread index, pins nothing and steals
 * work, so a job is as many pool items as threads: item i is the i-th part, and scratch belongs
 * to the part.  Its workers spin for a while before they sleep, which suits a network's hundred
 * short jobs in a row.
 */
#include "base/threads.h"

#include <pthread.h>
#include <pthreadpool.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "base/memory.h"
#include "base/size.h"

#define MAX_THREADS 1024

struct as_threads {
    size_t n;
    pthreadpool_t pool; /* owns; NULL when n is 1 */
    bool is_pinned;     /* workers are, each to a CPU of its own */
    cpu_set_t cpus;     /* the affinity mask that the pool was made under */
};

#define MXCSR_DAZ (1U << 6)  /* Intel SDM vol. 1, 10.2.3.4 */
#define MXCSR_FTZ (1U << 15) /* Intel SDM vol. 1, 10.2.3.3 */

unsigned as_denormals_flush(void)
{
#if defined(__x86_64__)
    unsigned saved = _mm_getcsr();
    _mm_setcsr(saved | MXCSR_DAZ | MXCSR_FTZ);
    return saved;
#else
    return 0;
#endif
}

void as_denormals_restore(unsigned saved)
{
#if defined(__x86_64__)
    /* Only the two bits: exceptions that were raised meanwhile stay raised. */
    unsigned modes = MXCSR_DAZ | MXCSR_FTZ;
    _mm_setcsr((_mm_getcsr() & ~modes) | (saved & modes));
#else
    (void)saved;
#endif
}

/* The i-th CPU of the mask, or -1. */
static int cpu_at(const cpu_set_t *cpus, size_t i)
{
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, cpus) && i-- == 0) return cpu;
    return -1;
}

static void pin_self(const cpu_set_t *cpus, size_t i)
{
    int cpu = cpu_at(cpus, i);
    cpu_set_t one;
    CPU_ZERO(&one);
    if (cpu < 0) return;
    CPU_SET(cpu, &one);
    /* A failure leaves the thread where it was, which costs speed alone. */
    pthread_setaffinity_np(pthread_self(), sizeof one, &one);
}

/* n items of the pool, one a thread.  The sanitizer does not see the pool's own ordering. */
static void run_items(as_threads *pool, pthreadpool_task_1d_t item, void *job, size_t n)
{
    AS_HAPPENS_BEFORE(job);
    pthreadpool_parallelize_1d(pool->pool, item, job, n, 0);
    AS_HAPPENS_AFTER(job);
}

typedef struct pin_job {
    const as_threads *pool;
    pthread_t caller;
    atomic_size_t n_started;
} pin_job;

/* Each item waits until all have started, so that no thread can take two. */
static void pin_item(void *context, size_t i)
{
    AS_HAPPENS_AFTER(context);
    pin_job *job = context;
    if (!pthread_equal(pthread_self(), job->caller)) pin_self(&job->pool->cpus, i);
    atomic_fetch_add(&job->n_started, 1);
    while (atomic_load(&job->n_started) < job->pool->n)
        sched_yield();
    AS_HAPPENS_BEFORE(context);
}

assay_code as_threads_new(size_t n, as_threads **out, assay_error *err)
{
    *out = NULL;
    if (n == 0 || n > MAX_THREADS)
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "%zu threads were asked for, 1 to %d are possible", n, MAX_THREADS);
    as_threads *pool = as_alloc(sizeof *pool);
    if (!pool) return as_fail(err, ASSAY_E_MEMORY, "no memory for a pool of %zu threads", n);
    pool->n = n;
    bool has_mask = sched_getaffinity(0, sizeof pool->cpus, &pool->cpus) == 0;
    if (n > 1) {
        pool->pool = pthreadpool_create(n);
        if (!pool->pool) {
            as_free(pool);
            return as_fail(err, ASSAY_E_ENVIRONMENT, "the system refuses a pool of %zu threads",
                           n);
        }
        pool->is_pinned = has_mask && (size_t)CPU_COUNT(&pool->cpus) >= n;
    }
    if (pool->is_pinned) {
        pin_job job = {.pool = pool, .caller = pthread_self()};
        run_items(pool, pin_item, &job, n);
    }
    *out = pool;
    return ASSAY_OK;
}

void as_threads_free(as_threads *pool)
{
    if (!pool) return;
    if (pool->pool) pthreadpool_destroy(pool->pool);
    as_free(pool);
}

size_t as_threads_count(const as_threads *pool) { return pool ? pool->n : 1; }

void as_threads_pin_caller(const as_threads *pool) { pin_self(&pool->cpus, 0); }

typedef struct run_job {
    as_thread_fn fn;
    void *context;
    size_t n_items, n_parts;
} run_job;

/* floor(i * n / parts) without overflow. */
static size_t part_begin(const run_job *job, size_t i)
{
    size_t each = job->n_items / job->n_parts, rest = job->n_items % job->n_parts;
    return i * each + i * rest / job->n_parts;
}

static void run_part(void *context, size_t i)
{
    AS_HAPPENS_AFTER(context);
    const run_job *job = context;
    size_t begin = part_begin(job, i), end = part_begin(job, i + 1);
    if (begin == end) return;
    unsigned saved = as_denormals_flush();
    job->fn(job->context, begin, end, i);
    as_denormals_restore(saved);
    AS_HAPPENS_BEFORE(context);
}

void as_threads_run(as_threads *pool, size_t n_items, as_thread_fn fn, void *context)
{
    size_t n_parts = as_min(as_threads_count(pool), n_items);
    run_job job = {
        .fn = fn, .context = context, .n_items = n_items, .n_parts = as_max(n_parts, 1)};
    if (n_parts <= 1)
        run_part(&job, 0);
    else
        run_items(pool, run_part, &job, n_parts);
}
