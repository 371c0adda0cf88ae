/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/weights.h"

#include <pthread.h>

#include "base/arena.h"
#include "base/memory.h"

/* Of pages that take memory once weights lie in them. */
#define CHUNK_BYTES ((size_t)2 << 20)

typedef struct entry {
    int node;
    const as_route *route;
    const float *packed; /* borrows the arena */
} entry;

struct as_weights {
    pthread_mutex_t lock;
    as_arena *arena; /* owns */
    entry *entries;  /* owns */
    size_t n, room;
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

static const float *add(as_weights *w, int node, const as_route *route,
                        const as_conv_shape *shape, const float *weights_oihw,
                        const float *bias)
{
    entry *entries = as_grow(w->entries, w->n, &w->room, sizeof *entries);
    if (!entries) return NULL;
    w->entries = entries;
    size_t n_floats = route->packed_floats(shape);
    float *packed = as_arena_array(w->arena, n_floats, sizeof *packed);
    if (!packed) return NULL;
    route->pack(shape, weights_oihw, bias, packed);
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

size_t as_weights_bytes(as_weights *weights)
{
    pthread_mutex_lock(&weights->lock);
    size_t bytes = weights->bytes;
    pthread_mutex_unlock(&weights->lock);
    return bytes;
}
