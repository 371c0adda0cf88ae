/* SPDX-License-Identifier: Apache-2.0 */
#include "base/trace.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/memory.h"

static assay_code no_memory(assay_error *err)
{
    return as_fail(err, ASSAY_E_MEMORY, "no memory for a trace");
}

assay_code as_trace_new(as_trace **out, assay_error *err)
{
    *out = NULL;
    as_trace *trace = as_alloc(sizeof *trace);
    if (!trace) return no_memory(err);
    trace->begin_ns = as_clock_ns();
    trace->texts = as_arena_new();
    if (!trace->texts) {
        as_trace_free(trace);
        return no_memory(err);
    }
    *out = trace;
    return ASSAY_OK;
}

void as_trace_free(as_trace *trace)
{
    if (!trace) return;
    as_free(trace->forwards);
    as_free(trace->operators);
    as_free(trace->spans);
    as_arena_free(trace->texts);
    as_free(trace);
}

assay_code as_trace_add_forward(as_trace *trace, const as_traced_forward *forward,
                                assay_error *err)
{
    as_traced_forward *grown =
        as_grow(trace->forwards, trace->n_forwards, &trace->forwards_room, sizeof *grown);
    if (!grown) return no_memory(err);
    trace->forwards = grown;
    grown[trace->n_forwards++] = *forward;
    return ASSAY_OK;
}

assay_code as_trace_add_operator(as_trace *trace, const as_traced_operator *op,
                                 assay_error *err)
{
    as_traced_operator *grown =
        as_grow(trace->operators, trace->n_operators, &trace->operators_room, sizeof *grown);
    if (!grown) return no_memory(err);
    trace->operators = grown;
    as_traced_operator *to = &grown[trace->n_operators];
    *to = *op;
    to->op = as_arena_strdup(trace->texts, op->op);
    to->route = as_arena_strdup(trace->texts, op->route);
    to->name = as_arena_strdup(trace->texts, op->name);
    to->shape = as_arena_strdup(trace->texts, op->shape);
    if (!to->op || !to->route || !to->name || !to->shape) return no_memory(err);
    trace->n_operators++;
    return ASSAY_OK;
}

assay_code as_trace_add_span(as_trace *trace, const as_traced_span *span, assay_error *err)
{
    as_traced_span *grown =
        as_grow(trace->spans, trace->n_spans, &trace->spans_room, sizeof *grown);
    if (!grown) return no_memory(err);
    trace->spans = grown;
    grown[trace->n_spans++] = *span;
    return ASSAY_OK;
}

/* ---- JSON ---- */

static assay_code bad(const char *list, size_t at, assay_error *err)
{
    return as_fail(err, ASSAY_E_FORMAT, "a trace's %s[%zu] is not as docs/formats.md has it",
                   list, at);
}

/* Sums of a few times up to this fit. */
#define MOST_NS (INT64_MAX / 8)

/* The whole numbers of row[first .. first + n), its last, each in 0..most. */
static bool take_numbers(const json_t *row, size_t first, size_t n, int64_t most, int64_t *out)
{
    if (json_array_size(row) != first + n) return false;
    for (size_t i = 0; i < n; i++) {
        const json_t *value = json_array_get(row, first + i);
        out[i] = (int64_t)json_integer_value(value);
        if (!json_is_integer(value) || out[i] < 0 || out[i] > most) return false;
    }
    return true;
}

static assay_code take_operators(as_trace *trace, const json_t *list, assay_error *err)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);
        const char *texts[4];
        int64_t numbers[2];
        bool is_good = take_numbers(row, 4, 2, INT_MAX, numbers);
        for (size_t k = 0; k < 4; k++) {
            texts[k] = json_string_value(json_array_get(row, k));
            is_good = is_good && texts[k];
        }
        if (!is_good) return bad("operators", i, err);
        const as_traced_operator op = {.op = texts[0],
                                       .route = texts[1],
                                       .name = texts[2],
                                       .shape = texts[3],
                                       .n_nodes = (int)numbers[0],
                                       .count = numbers[1]};
        assay_code code = as_trace_add_operator(trace, &op, err);
        if (code) return code;
    }
    return ASSAY_OK;
}

/* Spans whose operators are counted from `first_operator`. */
static assay_code take_spans(as_trace *trace, const json_t *list, size_t first_operator,
                             int64_t offset_ns, assay_error *err)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        int64_t v[5];
        if (!take_numbers(json_array_get(list, i), 0, 5, MOST_NS, v) ||
            (size_t)v[0] >= trace->n_operators - first_operator || v[1] > INT_MAX ||
            v[4] > v[3])
            return bad("spans", i, err);
        const as_traced_span span = {.op = first_operator + (size_t)v[0],
                                     .thread = (int)v[1],
                                     .begin_ns = offset_ns + v[2],
                                     .elapsed_ns = v[3],
                                     .self_ns = v[4]};
        assay_code code = as_trace_add_span(trace, &span, err);
        if (code) return code;
    }
    return ASSAY_OK;
}

assay_code as_trace_add_json(as_trace *trace, const json_t *object, int64_t offset_ns,
                             assay_error *err)
{
    const json_t *operators = json_object_get(object, "operators");
    const json_t *spans = json_object_get(object, "spans");
    const size_t first = trace->n_operators;
    if (!json_is_array(operators) || !json_is_array(spans))
        return as_fail(err, ASSAY_E_FORMAT, "a trace lacks its lists of operators and spans");
    trace->tells_operators = true;
    assay_code code = take_operators(trace, operators, err);
    return code ? code : take_spans(trace, spans, first, offset_ns, err);
}

static assay_code take_forwards(as_trace *trace, const json_t *list, assay_error *err)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        int64_t v[6];
        if (!take_numbers(json_array_get(list, i), 0, 6, MOST_NS, v))
            return bad("forwards", i, err);
        const as_traced_forward forward = {.begin_ns = v[0],
                                           .elapsed_ns = v[1],
                                           .n = (size_t)v[2],
                                           .c = (size_t)v[3],
                                           .h = (size_t)v[4],
                                           .w = (size_t)v[5]};
        assay_code code = as_trace_add_forward(trace, &forward, err);
        if (code) return code;
    }
    return ASSAY_OK;
}

assay_code as_trace_parse(const json_t *object, as_trace **out, assay_error *err)
{
    const json_t *tells = json_object_get(object, "tells_operators");
    as_trace *trace;
    *out = NULL;
    assay_code code = as_trace_new(&trace, err);
    if (code) return code;
    code = as_trace_add_json(trace, object, 0, err);
    if (!code) code = take_forwards(trace, json_object_get(object, "forwards"), err);
    if (!code && (!json_is_boolean(tells) || trace->n_forwards == 0 ||
                  !take_numbers(json_object_get(object, "stages_ns"), 0, AS_TRACE_STAGES,
                                MOST_NS, trace->stages_ns)))
        code = as_fail(err, ASSAY_E_FORMAT, "a trace lacks its stages or forward passes");
    trace->tells_operators = json_is_true(tells);
    if (code)
        as_trace_free(trace);
    else
        *out = trace;
    return code;
}

/* Names of nodes may be any bytes. */
static json_t *text_json(const char *text)
{
    json_t *string = json_string(text);
    if (string) return string;
    char *copy = as_strdup(text);
    for (char *at = copy; at && *at; at++)
        if ((unsigned char)*at >= 0x80) *at = '?';
    string = copy ? json_string(copy) : NULL;
    as_free(copy);
    return string;
}

json_t *as_trace_json(const as_trace *trace)
{
    json_t *forwards = json_array(), *operators = json_array(), *spans = json_array();
    json_t *stages = json_array();
    for (size_t i = 0; i < AS_TRACE_STAGES; i++)
        as_json_append(&stages, json_integer((json_int_t)trace->stages_ns[i]));
    for (size_t i = 0; i < trace->n_forwards; i++) {
        const as_traced_forward *f = &trace->forwards[i];
        as_json_append(&forwards,
                       json_pack("[I, I, I, I, I, I]", (json_int_t)f->begin_ns,
                                 (json_int_t)f->elapsed_ns, (json_int_t)f->n, (json_int_t)f->c,
                                 (json_int_t)f->h, (json_int_t)f->w));
    }
    for (size_t i = 0; i < trace->n_operators; i++) {
        const as_traced_operator *op = &trace->operators[i];
        as_json_append(&operators,
                       json_pack("[o, o, o, o, i, I]", text_json(op->op), text_json(op->route),
                                 text_json(op->name), text_json(op->shape), op->n_nodes,
                                 (json_int_t)op->count));
    }
    for (size_t i = 0; i < trace->n_spans; i++) {
        const as_traced_span *s = &trace->spans[i];
        as_json_append(&spans, json_pack("[I, i, I, I, I]", (json_int_t)s->op, s->thread,
                                         (json_int_t)s->begin_ns, (json_int_t)s->elapsed_ns,
                                         (json_int_t)s->self_ns));
    }
    return json_pack("{s:b, s:o, s:o, s:o, s:o}", "tells_operators", trace->tells_operators,
                     "stages_ns", stages, "forwards", forwards, "operators", operators, "spans",
                     spans);
}

/* ---- costs ---- */

static int by_kind(const void *a, const void *b)
{
    const as_operator_cost *x = a, *y = b;
    int order = strcmp(x->op, y->op);
    if (order == 0) order = strcmp(x->route, y->route);
    return order == 0 ? strcmp(x->shape, y->shape) : order;
}

static int by_cost(const void *a, const void *b)
{
    const as_operator_cost *x = a, *y = b;
    if (x->self_ns != y->self_ns) return x->self_ns < y->self_ns ? 1 : -1;
    return by_kind(a, b);
}

assay_code as_trace_costs(const as_trace *trace, as_operator_cost **out, size_t *n,
                          assay_error *err)
{
    as_operator_cost *costs = as_alloc_array(trace->n_operators + 1, sizeof *costs);
    *out = costs;
    *n = 0;
    if (!costs) return no_memory(err);
    for (size_t i = 0; i < trace->n_operators; i++) {
        const as_traced_operator *op = &trace->operators[i];
        costs[i] = (as_operator_cost){
            .op = op->op, .route = op->route, .shape = op->shape, .count = op->count};
    }
    for (size_t i = 0; i < trace->n_spans; i++)
        if (trace->spans[i].thread == 0)
            costs[trace->spans[i].op].self_ns += trace->spans[i].self_ns;
    qsort(costs, trace->n_operators, sizeof *costs, by_kind);
    for (size_t i = 0; i < trace->n_operators; i++) {
        if (*n == 0 || by_kind(&costs[*n - 1], &costs[i]) != 0) {
            costs[(*n)++] = costs[i];
            continue;
        }
        costs[*n - 1].count += costs[i].count;
        costs[*n - 1].self_ns += costs[i].self_ns;
    }
    qsort(costs, *n, sizeof *costs, by_cost);
    return ASSAY_OK;
}
