/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_RUN_PLAN_CACHE_H
#define ASSAY_RUN_PLAN_CACHE_H
/*
 * The plans of the shapes that a session has seen, the last one used first.  When they hold more
 * than the bound, those that were not used for longest go; the one in use always stays.
 *
 *     as_plan *plan = as_plan_cache_find(&cache, inputs);
 *     if (!plan) ... make it ... as_plan_cache_add(&cache, plan);
 */
#include "assay/session.h"
#include "base/compiler.h"
#include "plan/plan.h"

typedef struct as_plan_cache {
    struct as_cached_plan *newest; /* owns the list */
    size_t bound_bytes;
} as_plan_cache;

/** The plan for these inputs, now the newest; NULL when there is none. */
as_plan *as_plan_cache_find(as_plan_cache *cache, const assay_tensor *inputs);

/**
 * Take `plan` as the newest and let the oldest go until the rest fits the bound.
 * @return false without memory; `plan` is the caller's then.
 */
bool as_plan_cache_add(as_plan_cache *cache, as_plan *plan) AS_CHECKED;

/** Change the bound and keep to it. */
void as_plan_cache_bound(as_plan_cache *cache, size_t bytes);

/** Plan of the last find or add that gave one; NULL when the cache is empty. */
as_plan *as_plan_cache_newest(const as_plan_cache *cache);

/** Bytes of all plans in it. */
size_t as_plan_cache_bytes(const as_plan_cache *cache);

/** Free all plans; the bound stays. */
void as_plan_cache_clear(as_plan_cache *cache);

#endif
