/* SPDX-License-Identifier: Apache-2.0 */
#include "run/plan_cache.h"

#include <string.h>

#include "base/memory.h"

typedef struct as_cached_plan {
    as_plan *plan; /* owns */
    struct as_cached_plan *older;
} as_cached_plan;

static void free_list(as_cached_plan *list)
{
    while (list) {
        as_cached_plan *older = list->older;
        as_plan_free(list->plan);
        as_free(list);
        list = older;
    }
}

/* The same shape, and the value that the plan was made for where shapes depend on it. */
static bool is_like(const as_array *known, const assay_tensor *input)
{
    if (known->shape.rank != input->rank) return false;
    for (int d = 0; d < input->rank; d++)
        if (known->shape.dims[d] != input->dims[d]) return false;
    const size_t bytes = as_array_elements(known) * as_dtype_bytes(known->dtype);
    return !known->data || bytes == 0 || memcmp(known->data, input->data, bytes) == 0;
}

static bool is_for(const as_plan *plan, const assay_tensor *inputs)
{
    for (int i = 0; i < plan->n_inputs; i++)
        if (!is_like(&plan->inputs[i].array, &inputs[i])) return false;
    return true;
}

as_plan *as_plan_cache_find(as_plan_cache *cache, const assay_tensor *inputs)
{
    for (as_cached_plan **at = &cache->newest; *at; at = &(*at)->older) {
        as_cached_plan *found = *at;
        if (!is_for(found->plan, inputs)) continue;
        *at = found->older;
        found->older = cache->newest;
        cache->newest = found;
        return found->plan;
    }
    return NULL;
}

static void trim(as_plan_cache *cache)
{
    size_t bytes = 0;
    for (as_cached_plan **at = &cache->newest; *at; at = &(*at)->older) {
        bytes += as_plan_bytes((*at)->plan);
        if (bytes <= cache->bound_bytes || *at == cache->newest) continue;
        free_list(*at);
        *at = NULL;
        return;
    }
}

bool as_plan_cache_add(as_plan_cache *cache, as_plan *plan)
{
    as_cached_plan *added = as_alloc(sizeof *added);
    if (!added) return false;
    *added = (as_cached_plan){.plan = plan, .older = cache->newest};
    cache->newest = added;
    trim(cache);
    return true;
}

void as_plan_cache_bound(as_plan_cache *cache, size_t bytes)
{
    cache->bound_bytes = bytes;
    trim(cache);
}

as_plan *as_plan_cache_newest(const as_plan_cache *cache)
{
    return cache->newest ? cache->newest->plan : NULL;
}

size_t as_plan_cache_bytes(const as_plan_cache *cache)
{
    size_t bytes = 0;
    for (const as_cached_plan *at = cache->newest; at; at = at->older)
        bytes += as_plan_bytes(at->plan);
    return bytes;
}

void as_plan_cache_clear(as_plan_cache *cache)
{
    free_list(cache->newest);
    cache->newest = NULL;
}
