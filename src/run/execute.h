/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_RUN_EXECUTE_H
#define ASSAY_RUN_EXECUTE_H
/* Running a bound plan: its groups one after the other, each on all threads. */
#include "base/threads.h"
#include "run/spans.h"

/** Which times a run is to take. */
typedef struct as_timing {
    int64_t *
        layer_ns; /**< int64 layer_ns[n_layers]: filled with the time of each layer.  Inside a group it
                           is the caller's thread's, and the last layer has the rest.  NULL: none. */
    as_spans *spans; /**< Prepared for the plan; every thread's.  NULL: none. */
} as_timing;

/** Floats of scratch that `n_threads` threads need, 64-byte aligned. */
assay_code as_execute_scratch(const as_plan *plan, size_t n_threads, size_t *out,
                              assay_error *err);

/**
 * Run all layers.
 * @return ASSAY_E_ARGUMENT when values do not suit an operator (where = the node).
 * @param scratch   float scratch[as_execute_scratch()].
 * @param timing    NULL = take no times.
 */
assay_code as_execute(const as_plan *plan, as_threads *pool, float *scratch,
                      const as_timing *timing, assay_error *err);

#endif
