/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_RUN_RUN_H
#define ASSAY_RUN_RUN_H
/*
 * What the rooms behind run/ may know of a model and a session beyond the public headers: the
 * graph for `inspect`, the plan and the time of each layer for `bench --layers`.
 *
 *     assay_session_run(session, &x, 1, &map, 1, err);
 *     as_session_trace(session, true);
 *     assay_session_run(session, &x, 1, &map, 1, err);
 *     const as_plan *plan = as_session_plan(session);
 *     const int64_t *layer_ns = as_session_layer_ns(session);   int64 layer_ns[plan->n_layers]
 */
#include "assay/session.h"
#include "base/threads.h"
#include "base/trace.h"
#include "passes/passes.h"
#include "plan/plan.h"
#include "plan/plan_file.h"
#include "run/spans.h"

/** The graph after the passes; borrowed. */
const as_graph *as_model_graph(const assay_model *model);
const as_kernels *as_model_kernels(const assay_model *model);
const as_plan_options *as_model_options(const assay_model *model);

/**
 * Let plans made from now on go by these choices (borrowed, until the next call); NULL: the default.
 * Sessions are cleared by the caller, since their plans stay as they are.
 */
void as_model_choose(assay_model *model, const as_choices *choices);

/** The plan file that the model was loaded with, or NULL; borrowed. */
const as_plan_file *as_model_plan_file(const assay_model *model);

/** What the passes did at load; *n receives how many. */
const as_pass_record *as_model_passes(const assay_model *model, int *n);

/** Bytes of the graph, and of the weights packed so far. */
size_t as_model_graph_bytes(const assay_model *model);
size_t as_model_weight_bytes(const assay_model *model);

/** Cache of packed weights; plans made outside a session use it too. */
as_weights *as_model_weights(assay_model *model);

/** Threads that compute. */
size_t as_session_threads(const assay_session *session);

/** Bytes of the cached plans, and of the arena. */
size_t as_session_plan_bytes(const assay_session *session);
size_t as_session_arena_bytes(const assay_session *session);

/** Nanoseconds that making the last run's plan took, its weights' packing with it; 0 when the
 * plan was there. */
int64_t as_session_plan_ns(const assay_session *session);

/** Plan of the last run, NULL before the first. */
const as_plan *as_session_plan(const assay_session *session);

/** Take the time of each layer in the runs from now on, or stop. */
void as_session_trace(assay_session *session, bool is_on);

/** Times of the last traced run, one a layer of its plan; NULL when it was not traced. */
const int64_t *as_session_layer_ns(const assay_session *session);

/**
 * Run one group of the last run's plan by itself, again and again, on what that run left in memory: what
 * its layers take when their input is near.
 * @param group  below as_session_plan()->n_groups; the inputs that the last run read still stand.
 * @param elapsed_ns  of all n runs together.
 */
assay_code as_session_repeat_group(assay_session *session, size_t group, size_t n,
                                   int64_t *elapsed_ns, assay_error *err);

/** Note what each thread does in the runs from now on, or stop. */
void as_session_take_spans(assay_session *session, bool is_on);

/** Of the last run, NULL when they were not taken; valid until the next one. */
const as_spans *as_session_spans(const assay_session *session);

/** Room for as_layer_shape_text. */
#define AS_LAYER_SHAPE_ROOM 200

/** "1x24x80x80 -> 1x48x80x80, 3x3 stride 2x2", whatever order the floats lie in, into `out`. */
void as_layer_shape_text(as_layer *layer, char *out);

/** Append the last run, whose spans were taken, to `trace`.  @return ASSAY_E_MEMORY. */
assay_code as_session_tell(const assay_session *session, as_trace *trace, assay_error *err);

#endif
