/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_AGAINST_LAYERS_H
#define ASSAY_REPORT_AGAINST_LAYERS_H
/*
 * The layers of traced calls of two runs side by side: which of them run by another route, and which
 * moved most.
 *
 *     code = as_layers_compare(&then, &now, arena, &changes, &n, err);
 *
 * Layers are the same when operator, name and shape are.  A trace is one call of one process; of several
 * the median is told, with an interval by two_samples.h where there are enough for all layers that both
 * have together.  Layers are a hint where to look: none of them is a regression.
 */
#include "base/arena.h"
#include "base/error.h"
#include "base/trace.h"
#include "verdict/two_samples.h"

/** Of the layers that kept their route those that moved most are named, so many. */
#define AS_LAYERS_MOVED_MOST 5

/** The traces of one policy in one run, of the same call. */
typedef struct as_layer_traces {
    const as_trace *const *traces;
    size_t n; /**< At least 1. */
} as_layer_traces;

/** One layer; texts lie in the arena. */
typedef struct as_layer_change {
    const char *what;       /**< "Conv conv_17 1x24x80x80 -> 1x48x80x80" */
    const char *then, *now; /**< "winograd4, 0.412 ms"; NULL where it is not there. */
    as_estimate estimate;   /**< now / then; n is 0 where one of them is not there. */
} as_layer_change;

/**
 * Compare the operators; traces whose operators are not those of their side's first are left out.
 * @param changes  changed routes in the order of `now`, what only `then` has, then the layers that moved
 *                 most; the caller's (as_free).
 * @return ASSAY_E_MEMORY.  Nothing where either engine tells no operators.
 */
assay_code as_layers_compare(const as_layer_traces *then, const as_layer_traces *now,
                             as_arena *arena, as_layer_change **changes, size_t *n,
                             assay_error *err);

#endif
