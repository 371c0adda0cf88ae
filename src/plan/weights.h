/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_PLAN_WEIGHTS_H
#define ASSAY_PLAN_WEIGHTS_H
/*
 * Packed weights of a graph, once per node and route: every plan of every input shape shares them.
 *
 *     as_weights *weights = as_weights_new();
 *     code = as_weights_get(weights, node->id, route, &shape, oihw, bias, &packed, err);
 *     as_weights_pack(weights, pool);
 *     as_weights_free(weights);
 *
 * Any number of threads may ask at the same time.
 */
#include "base/error.h"
#include "base/threads.h"
#include "kernels/kernels.h"

typedef struct as_weights as_weights;

/** An empty cache; NULL without memory. */
as_weights *as_weights_new(void) AS_CHECKED;

/** Free it with all packed weights; takes NULL. */
void as_weights_free(as_weights *weights);

/**
 * Where the packed weights of `node` for `route` lie, or will lie after as_weights_pack.
 * @param weights_oihw  as route->pack takes them; only read, and borrowed until as_weights_pack.
 * @param bias          float[oc], or NULL; likewise.
 * @param packed        borrowed from the cache.
 */
assay_code as_weights_get(as_weights *weights, int node, const as_route *route,
                          const as_conv_shape *shape, const float *weights_oihw,
                          const float *bias, const float **packed, assay_error *err);

/**
 * Pack, by all threads of `pool`, whatever was asked for since the last time.  Who has asked calls it
 * before running, and before what it lent goes away.
 */
void as_weights_pack(as_weights *weights, as_threads *pool);

/** Bytes of all packed weights. */
size_t as_weights_bytes(as_weights *weights);

#endif
