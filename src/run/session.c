/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session keeps the plans of the shapes that it has seen, newest use first, and one arena that
 * all of them share: only one runs at a time, so the largest need is the whole need.
 *
 *     arena  [ activations of the plan ........ | scratch thread 0 | scratch thread 1 | ... ]
 */
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/size.h"
#include "plan/group.h"
#include "run/execute.h"
#include "run/model.h"
#include "run/plan_cache.h"

/* Pages of a new arena that a thread fetches at a time. */
#define TOUCH_BYTES ((size_t)64 << 10)

struct assay_session {
    assay_model *model; /* borrows */
    as_threads *pool;   /* owns */
    as_plan_cache plans;
    int64_t plan_ns;   /* what making the last run's plan took; 0 when it was there */
    float *arena;      /* owns */
    size_t arena_room; /* floats */
    bool is_traced;
    int64_t *layer_ns; /* owns */
    size_t layer_ns_room;
    bool has_trace; /* layer_ns is of the last run */
    bool takes_spans;
    as_spans spans;
    bool has_spans; /* so are spans */
};

assay_code assay_session_new(assay_model *model, size_t threads, assay_session **out,
                             assay_error *err)
{
    *out = NULL;
    assay_session *s = as_alloc(sizeof *s);
    if (!s) return as_fail(err, ASSAY_E_MEMORY, "no memory for a session");
    s->model = model;
    s->plans.bound_bytes = ASSAY_PLAN_CACHE_BYTES;
    assay_code code = as_threads_new(threads ? threads : as_threads_default(), &s->pool, err);
    if (code)
        assay_session_free(s);
    else
        *out = s;
    return code;
}

static void free_arena(assay_session *s)
{
    as_free_pages(s->arena, s->arena_room * sizeof *s->arena);
    s->arena = NULL;
    s->arena_room = 0;
}

void assay_session_clear(assay_session *session)
{
    as_plan_cache_clear(&session->plans);
    free_arena(session);
    as_free(session->layer_ns);
    session->layer_ns = NULL;
    session->layer_ns_room = 0;
    as_spans_release(&session->spans);
    session->has_trace = session->has_spans = false;
}

void assay_session_free(assay_session *session)
{
    if (!session) return;
    assay_session_clear(session);
    as_threads_free(session->pool);
    as_free(session);
}

void assay_session_bound_plans(assay_session *session, size_t bytes)
{
    as_plan_cache_bound(&session->plans, bytes);
}

static assay_code make_plan(assay_session *s, const assay_tensor *inputs, as_plan **out,
                            assay_error *err)
{
    int n = as_graph_n_inputs(s->model->graph);
    as_plan *plan = NULL;
    as_array *arrays = as_alloc_array((size_t)n, sizeof *arrays);
    if (!arrays) return as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
    for (int i = 0; i < n; i++) {
        arrays[i].dtype = (as_dtype)inputs[i].dtype;
        arrays[i].shape.rank = inputs[i].rank;
        memcpy(arrays[i].shape.dims, inputs[i].dims, sizeof inputs[i].dims);
        arrays[i].data = (void *)(uintptr_t)inputs[i].data; /* only read */
    }
    as_plan_options options = s->model->options;
    options.threads = as_threads_count(s->pool);
    options.pool = s->pool;
    assay_code code = as_plan_new_for(s->model->graph, arrays, n, s->model->kernels, &options,
                                      s->model->weights, &plan, err);
    if (!code && !as_plan_cache_add(&s->plans, plan)) {
        as_plan_free(plan);
        code = as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
    }
    if (!code) *out = plan;
    as_free(arrays);
    return code;
}

/* The plan for these inputs: the one that is there, or a new one, timed. */
static assay_code get_plan(assay_session *s, const assay_tensor *inputs, as_plan **out,
                           assay_error *err)
{
    s->plan_ns = 0;
    *out = as_plan_cache_find(&s->plans, inputs);
    if (*out) return ASSAY_OK;
    int64_t start_ns = as_clock_ns();
    assay_code code = make_plan(s, inputs, out, err);
    s->plan_ns = as_clock_ns() - start_ns;
    return code;
}

/* A thread's part of a new arena's pages. */
static void touch_pages(void *context, size_t begin, size_t end, size_t thread)
{
    (void)thread;
    as_touch_pages((char *)context + begin * TOUCH_BYTES, (end - begin) * TOUCH_BYTES);
}

static assay_code make_room(assay_session *s, const as_plan *plan, assay_error *err)
{
    size_t wanted = 0;
    assay_code code = as_execute_scratch(plan, as_threads_count(s->pool), &wanted, err);
    if (code) return code;
    if (!as_add(wanted, plan->arena_floats, &wanted))
        return as_fail(err, ASSAY_E_MEMORY, "the plan's arena exceeds all memory");
    if (wanted > s->arena_room) {
        size_t bytes = 0;
        free_arena(s);
        if (!as_mul(wanted, sizeof *s->arena, &bytes) || bytes > as_memory_physical())
            return as_fail(err, ASSAY_E_MEMORY,
                           "a run on inputs of this size is too large: it needs %zu MiB, the "
                           "machine has %zu MiB",
                           wanted >> 18, as_memory_physical() >> 20);
        s->arena = as_alloc_pages(bytes);
        if (!s->arena)
            return as_fail(err, ASSAY_E_MEMORY, "no memory for an arena of %zu floats", wanted);
        s->arena_room = wanted;
        as_threads_run(s->pool, wanted * sizeof *s->arena / TOUCH_BYTES, touch_pages, s->arena);
    }
    if (s->is_traced && plan->n_layers > s->layer_ns_room) {
        as_free(s->layer_ns);
        s->layer_ns = as_alloc_array(plan->n_layers, sizeof *s->layer_ns);
        s->layer_ns_room = s->layer_ns ? plan->n_layers : 0;
        if (!s->layer_ns) return as_fail(err, ASSAY_E_MEMORY, "no memory for a trace");
    }
    return s->takes_spans ? as_spans_prepare(&s->spans, plan, as_threads_count(s->pool), err)
                          : ASSAY_OK;
}

static bool is_empty(const assay_tensor *t)
{
    for (int d = 0; d < t->rank; d++)
        if (t->dims[d] == 0) return true;
    return false;
}

static assay_code check_input(const assay_session *s, int i, const assay_tensor *t,
                              assay_error *err)
{
    const as_graph *graph = s->model->graph;
    const as_tensor *wanted = as_graph_tensor(graph, as_graph_inputs(graph)[i]);
    if (t->rank < 0 || t->rank > ASSAY_MAX_RANK || (!t->data && !is_empty(t)))
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "input %d has rank %d and %s data, a rank of 0 to %d and data are "
                       "needed",
                       i, t->rank, t->data ? "has" : "no", ASSAY_MAX_RANK);
    if ((int)t->dtype != (int)wanted->dtype)
        return as_fail(err, ASSAY_E_ARGUMENT, "input '%.60s' is %s, the network takes %s",
                       wanted->name, as_dtype_name((as_dtype)t->dtype),
                       as_dtype_name(wanted->dtype));
    return ASSAY_OK;
}

static assay_code check_inputs(const assay_session *s, const assay_tensor *inputs, int n_inputs,
                               int n_outputs, assay_error *err)
{
    int wanted = as_graph_n_inputs(s->model->graph);
    int given = as_graph_n_outputs(s->model->graph);
    assay_code code = ASSAY_OK;
    if (n_inputs != wanted || n_outputs != given)
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "%d inputs and %d outputs were passed, the model has %d and %d",
                       n_inputs, n_outputs, wanted, given);
    for (int i = 0; !code && i < n_inputs; i++)
        code = check_input(s, i, &inputs[i], err);
    return code;
}

static void give_outputs(const as_plan *plan, assay_tensor *outputs)
{
    for (int i = 0; i < plan->n_outputs; i++) {
        const as_array *array = &plan->outputs[i].array;
        outputs[i] = (assay_tensor){
            .rank = array->shape.rank, .data = array->data, .dtype = (assay_dtype)array->dtype};
        memcpy(outputs[i].dims, array->shape.dims, sizeof outputs[i].dims);
    }
}

static assay_code execute(assay_session *s, as_plan *plan, const assay_tensor *inputs,
                          assay_error *err)
{
    as_plan_bind(plan, s->arena);
    for (int i = 0; i < plan->n_inputs; i++)
        as_plan_bind_input(plan, i, inputs[i].data);
    const as_timing timing = {.layer_ns = s->is_traced ? s->layer_ns : NULL,
                              .spans = s->takes_spans ? &s->spans : NULL};
    return as_execute(plan, s->pool, s->arena ? s->arena + plan->arena_floats : NULL,
                      s->is_traced || s->takes_spans ? &timing : NULL, err);
}

assay_code assay_session_run(assay_session *s, const assay_tensor *inputs, int n_inputs,
                             assay_tensor *outputs, int n_outputs, assay_error *err)
{
    assay_code code = check_inputs(s, inputs, n_inputs, n_outputs, err);
    if (code) return code;
    as_plan *plan = NULL;
    as_threads_enter(s->pool); /* they make the plan, too */
    code = get_plan(s, inputs, &plan, err);
    if (!code) code = make_room(s, plan, err);
    if (!code) code = execute(s, plan, inputs, err);
    as_threads_leave(s->pool);
    if (code) return code;
    s->has_trace = s->is_traced;
    s->has_spans = s->takes_spans;
    give_outputs(plan, outputs);
    return ASSAY_OK;
}

assay_code as_session_repeat_group(assay_session *s, size_t group, size_t n,
                                   int64_t *elapsed_ns, assay_error *err)
{
    const as_plan *plan = as_session_plan(s);
    as_plan alone = *plan; /* borrows all of it */
    assay_code code = ASSAY_OK;
    alone.groups = plan->groups + group;
    alone.n_groups = 1;
    as_threads_enter(s->pool);
    const int64_t begin_ns = as_clock_ns();
    for (size_t i = 0; i < n && !code; i++)
        code = as_execute(&alone, s->pool, s->arena ? s->arena + plan->arena_floats : NULL,
                          NULL, err);
    *elapsed_ns = as_clock_ns() - begin_ns;
    as_threads_leave(s->pool);
    return code;
}

size_t assay_dtype_bytes(assay_dtype dtype) { return as_dtype_bytes((as_dtype)dtype); }

_Static_assert((int)ASSAY_F32 == (int)AS_F32 && (int)ASSAY_I64 == (int)AS_I64 &&
                   (int)ASSAY_I32 == (int)AS_I32 && (int)ASSAY_BOOL == (int)AS_BOOL,
               "the public types are the graph's");

size_t as_session_threads(const assay_session *session)
{
    return as_threads_count(session->pool);
}

size_t as_session_plan_bytes(const assay_session *session)
{
    return as_plan_cache_bytes(&session->plans);
}

int64_t as_session_plan_ns(const assay_session *session) { return session->plan_ns; }

size_t as_session_arena_bytes(const assay_session *session)
{
    return session->arena_room * sizeof *session->arena;
}

const as_plan *as_session_plan(const assay_session *session)
{
    return as_plan_cache_newest(&session->plans);
}

void as_session_trace(assay_session *session, bool is_on) { session->is_traced = is_on; }

const int64_t *as_session_layer_ns(const assay_session *session)
{
    return session->has_trace ? session->layer_ns : NULL;
}

void as_session_take_spans(assay_session *session, bool is_on) { session->takes_spans = is_on; }

const as_spans *as_session_spans(const assay_session *session)
{
    return session->has_spans ? &session->spans : NULL;
}
