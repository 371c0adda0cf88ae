/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/weights.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/size.h"

/* Of pages that take memory once weights lie in them. */
#define CHUNK_BYTES ((size_t)2 << 20)

typedef struct entry {
    int node;
    const as_route *route;
    const float *packed; /* borrows the arena */
} entry;

/* What an entry is still to be packed from. */
typedef struct job {
    const as_route *route;
    as_conv_shape shape;
    const float *oihw, *bias; /* borrowed until as_weights_pack */
    float *packed;
    size_t n_floats;
} job;

struct as_weights {
    pthread_mutex_t lock;
    as_arena *arena; /* owns */
    entry *entries;  /* owns */
    size_t n, room;
    job *jobs; /* owns */
    size_t n_jobs, jobs_room;
    size_t bytes;
};

as_weights *as_weights_new(void)
{
    as_weights *w = as_alloc(sizeof *w);
    as_arena *arena = as_arena_new_of(CHUNK_BYTES);
    if (!w || !arena) {
        as_free(w);
        as_arena_free(arena);
        return NULL;
    }
    w->arena = arena;
    pthread_mutex_init(&w->lock, NULL);
    return w;
}

void as_weights_free(as_weights *weights)
{
    if (!weights) return;
    as_arena_free(weights->arena);
    as_free(weights->entries);
    as_free(weights->jobs);
    pthread_mutex_destroy(&weights->lock);
    as_free(weights);
}

static const float *find(const as_weights *w, int node, const as_route *route)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->entries[i].node == node && w->entries[i].route == route)
            return w->entries[i].packed;
    return NULL;
}

/* Room for one entry and one job more. */
static bool make_room(as_weights *w)
{
    entry *entries = as_grow(w->entries, w->n, &w->room, sizeof *entries);
    if (entries) w->entries = entries;
    job *jobs = as_grow(w->jobs, w->n_jobs, &w->jobs_room, sizeof *jobs);
    if (jobs) w->jobs = jobs;
    return entries && jobs;
}

static const float *add(as_weights *w, int node, const as_route *route,
                        const as_conv_shape *shape, const float *weights_oihw,
                        const float *bias)
{
    if (!make_room(w)) return NULL;
    const size_t n_floats = route->packed_floats(shape);
    float *packed = as_arena_array(w->arena, n_floats, sizeof *packed);
    if (!packed) return NULL;
    w->jobs[w->n_jobs++] = (job){.route = route,
                                 .shape = *shape,
                                 .oihw = weights_oihw,
                                 .bias = bias,
                                 .packed = packed,
                                 .n_floats = n_floats};
    w->entries[w->n++] = (entry){.node = node, .route = route, .packed = packed};
    w->bytes += n_floats * sizeof *packed;
    return packed;
}

assay_code as_weights_get(as_weights *weights, int node, const as_route *route,
                          const as_conv_shape *shape, const float *weights_oihw,
                          const float *bias, const float **packed, assay_error *err)
{
    pthread_mutex_lock(&weights->lock);
    *packed = find(weights, node, route);
    if (!*packed) *packed = add(weights, node, route, shape, weights_oihw, bias);
    pthread_mutex_unlock(&weights->lock);
    if (*packed) return ASSAY_OK;
    return as_fail(err, ASSAY_E_MEMORY, "no memory for packed weights by route %s",
                   route->name);
}

/* Jobs that threads take one by one: layers differ in size by orders of magnitude. */
typedef struct packing {
    const job *jobs;
    size_t n;
    atomic_size_t next;
} packing;

static void pack_jobs(void *context, size_t begin, size_t end, size_t thread)
{
    packing *p = context;
    (void)begin, (void)end, (void)thread;
    for (size_t i; (i = atomic_fetch_add(&p->next, 1)) < p->n;) {
        const job *j = &p->jobs[i];
        as_touch_pages(j->packed, j->n_floats * sizeof *j->packed);
        j->route->pack(&j->shape, j->oihw, j->bias, j->packed);
    }
}

void as_weights_pack(as_weights *weights, as_threads *pool)
{
    pthread_mutex_lock(&weights->lock);
    packing p = {.jobs = weights->jobs, .n = weights->n_jobs};
    if (p.n) as_threads_run(pool, as_min(as_threads_count(pool), p.n), pack_jobs, &p);
    weights->n_jobs = 0;
    pthread_mutex_unlock(&weights->lock);
}

size_t as_weights_bytes(as_weights *weights)
{
    pthread_mutex_lock(&weights->lock);
    size_t bytes = weights->bytes;
    pthread_mutex_unlock(&weights->lock);
    return bytes;
}
