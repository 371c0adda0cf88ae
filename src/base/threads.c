/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread pool.  Thread 0 is the caller; a job has at most as many parts as there are threads, and
 * part i is thread i's.  A part whose thread is late (asleep, or not on a CPU) is taken by whoever
 * is done with its own, so that the caller never waits for a thread that has not begun: on a
 * machine that others use too, that is most of a job's time.
 *
 *     state   generation << 16 | parts      stored last when a job begins
 *     claims  the last generation in which part i was taken
 *
 * A part is taken by raising its claim from an older generation to that of the state.  While one
 * is not taken the job is not over, so whoever takes a part finds the job's fields as they are.
 */
#include "base/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/denormals.h"
#include "base/memory.h"
#include "base/size.h"

#define MAX_THREADS 1024

/*
 * How often a worker looks for the next job before it sleeps, and the caller for the last part
 * before it yields: some 20 us, the best of 0, 400, 4000 and 40000 (bench/results/memory.md).
 */
#define N_SPINS 400

typedef struct worker {
    as_threads *pool; /* borrows */
    pthread_t thread;
    size_t i;
} worker;

struct as_threads {
    size_t n;
    bool is_pinned;        /* workers are, each to a CPU of its own */
    cpu_set_t cpus;        /* the affinity mask that the pool was made under */
    cpu_set_t caller_cpus; /* the caller's between enter and leave */
    bool has_caller_cpus;
    unsigned n_spins;

    /* The job, unchanged until all its parts are done. */
    as_thread_fn fn;
    void *context;
    size_t n_items, n_parts;

    atomic_uint_least64_t state;
    atomic_size_t n_left;          /* parts that are not done */
    atomic_uint_least64_t *claims; /* owns; [n] */

    pthread_mutex_t lock; /* for sleeping alone */
    pthread_cond_t is_changed;
    atomic_size_t n_asleep;
    atomic_bool is_over;
    worker *workers;  /* owns; [n], 0 is unused */
    size_t n_started; /* workers 1 .. n_started - 1 run */
};

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

/* floor(i * n / parts) without overflow. */
static size_t part_begin(const as_threads *pool, size_t i)
{
    size_t each = pool->n_items / pool->n_parts, rest = pool->n_items % pool->n_parts;
    return i * each + i * rest / pool->n_parts;
}

static void run_part(const as_threads *pool, size_t i)
{
    unsigned saved = as_denormals_flush();
    pool->fn(pool->context, part_begin(pool, i), part_begin(pool, i + 1), i);
    as_denormals_restore(saved);
}

/* Take part `i` of the state's job and run it, unless somebody has. */
static void try_part(as_threads *pool, uint64_t state, size_t i)
{
    uint_least64_t claim = atomic_load(&pool->claims[i]);
    if (claim >= state >> 16) return;
    if (!atomic_compare_exchange_strong(&pool->claims[i], &claim, state >> 16)) return;
    run_part(pool, i);
    atomic_fetch_sub(&pool->n_left, 1);
}

/* The thread's own part first, then those of threads that are late. */
static void work(as_threads *pool, uint64_t state, size_t thread)
{
    size_t n_parts = state & 0xffff;
    if (thread < n_parts) try_part(pool, state, thread);
    for (size_t i = 0; i < n_parts; i++)
        try_part(pool, state, i);
}

static bool is_news(as_threads *pool, uint64_t seen)
{
    return atomic_load(&pool->state) != seen || atomic_load(&pool->is_over);
}

static void await_news(as_threads *pool, uint64_t seen)
{
    for (unsigned i = 0; i < pool->n_spins; i++) {
        if (is_news(pool, seen)) return;
        as_relax();
    }
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->n_asleep,
                     1); /* before the look: the caller looks after the change */
    while (!is_news(pool, seen))
        pthread_cond_wait(&pool->is_changed, &pool->lock);
    atomic_fetch_sub(&pool->n_asleep, 1);
    pthread_mutex_unlock(&pool->lock);
}

static void wake(as_threads *pool)
{
    if (atomic_load(&pool->n_asleep) == 0) return;
    pthread_mutex_lock(&pool->lock);
    pthread_cond_broadcast(&pool->is_changed);
    pthread_mutex_unlock(&pool->lock);
}

static void *serve(void *argument)
{
    const worker *self = argument;
    as_threads *pool = self->pool;
    if (pool->is_pinned) pin_self(&pool->cpus, self->i);
    uint64_t seen = 0;
    while (!atomic_load(&pool->is_over)) {
        await_news(pool, seen);
        seen = atomic_load(&pool->state);
        work(pool, seen, self->i);
    }
    return NULL;
}

static assay_code start_workers(as_threads *pool, assay_error *err)
{
    for (size_t i = 1; i < pool->n; i++) {
        worker *w = &pool->workers[i];
        *w = (worker){.pool = pool, .i = i};
        if (pthread_create(&w->thread, NULL, serve, w) != 0)
            return as_fail(err, ASSAY_E_ENVIRONMENT,
                           "the system refuses a pool of %zu threads, it gives %zu", pool->n,
                           i);
        pool->n_started = i + 1;
    }
    return ASSAY_OK;
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
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->is_changed, NULL);
    bool has_mask = sched_getaffinity(0, sizeof pool->cpus, &pool->cpus) == 0;
    pool->is_pinned = n > 1 && has_mask && (size_t)CPU_COUNT(&pool->cpus) >= n;
    /* With more threads than CPUs one that spins keeps one that works from its CPU. */
    pool->n_spins = pool->is_pinned ? N_SPINS : 0;
    pool->workers = as_alloc_array(n, sizeof *pool->workers);
    pool->claims = as_alloc_array(n, sizeof *pool->claims);
    assay_code code = pool->workers && pool->claims
                          ? start_workers(pool, err)
                          : as_fail(err, ASSAY_E_MEMORY, "no memory for %zu threads", n);
    if (code)
        as_threads_free(pool);
    else
        *out = pool;
    return code;
}

void as_threads_free(as_threads *pool)
{
    if (!pool) return;
    atomic_store(&pool->is_over, true);
    wake(pool);
    for (size_t i = 1; i < pool->n_started; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->is_changed);
    pthread_mutex_destroy(&pool->lock);
    as_free(pool->workers);
    as_free(pool->claims);
    as_free(pool);
}

size_t as_threads_count(const as_threads *pool) { return pool ? pool->n : 1; }

void as_threads_enter(as_threads *pool)
{
    if (!pool->is_pinned) return;
    pool->has_caller_cpus =
        sched_getaffinity(0, sizeof pool->caller_cpus, &pool->caller_cpus) == 0;
    if (pool->has_caller_cpus) pin_self(&pool->cpus, 0);
}

void as_threads_leave(as_threads *pool)
{
    if (pool->has_caller_cpus)
        sched_setaffinity(0, sizeof pool->caller_cpus, &pool->caller_cpus);
    pool->has_caller_cpus = false;
}

static void run_alone(size_t n_items, as_thread_fn fn, void *context)
{
    unsigned saved = as_denormals_flush();
    if (n_items) fn(context, 0, n_items, 0);
    as_denormals_restore(saved);
}

void as_threads_run(as_threads *pool, size_t n_items, as_thread_fn fn, void *context)
{
    size_t n_parts = as_min(as_threads_count(pool), n_items);
    if (n_parts <= 1) {
        run_alone(n_items, fn, context);
        return;
    }
    pool->fn = fn;
    pool->context = context;
    pool->n_items = n_items;
    pool->n_parts = n_parts;
    atomic_store(&pool->n_left, n_parts);
    uint64_t state = ((atomic_load(&pool->state) >> 16) + 1) << 16 | n_parts;
    atomic_store(&pool->state, state);
    wake(pool);
    work(pool, state, 0);
    for (unsigned i = 0; atomic_load(&pool->n_left) > 0; i++) {
        if (i < pool->n_spins)
            as_relax();
        else
            sched_yield();
    }
}
