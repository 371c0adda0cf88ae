/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_RUN_SPANS_H
#define ASSAY_RUN_SPANS_H
/*
 * What each thread did in a traced run: one span for each stretch in which it made rows of a layer.
 *
 *     spans.items   [thread 0: room spans | thread 1: room spans | ...]
 *
 * Room for all is made beforehand, so that a traced run allocates nothing either.
 */
#include "plan/plan.h"

/** A thread in a layer; as_clock_ns(). */
typedef struct as_span {
    size_t layer; /**< Of the plan. */
    int64_t begin_ns, end_ns;
} as_span;

/** Of the last traced run; each thread writes its own part. */
typedef struct as_spans {
    as_span *items; /**< Owns; as_span items[n_threads][room]. */
    size_t *counts; /**< Owns; [n_threads] */
    size_t n_threads, room;
} as_spans;

/** Room for a run of `plan`; the spans are empty then.  @return ASSAY_E_MEMORY. */
assay_code as_spans_prepare(as_spans *spans, const as_plan *plan, size_t n_threads,
                            assay_error *err);

/** Free the parts and make `spans` empty. */
void as_spans_release(as_spans *spans);

/** Note one of `thread`; by that thread alone. */
void as_spans_add(as_spans *spans, size_t thread, size_t layer, int64_t begin_ns,
                  int64_t end_ns);

#endif
