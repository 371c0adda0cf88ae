/* SPDX-License-Identifier: Apache-2.0 */
#include "report/against_layers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/size.h"
#include "verdict/statistics.h"

/* One run's traces: the operators of the first, and what each took in all of them. */
typedef struct side {
    const as_trace *first;
    double *seconds; /* [n_operators][n]; self, in the first thread; owns */
    size_t n;        /* traces that have these operators */
} side;

/* One layer of a side, or of both. */
typedef struct layer {
    const as_traced_operator *then, *now; /* NULL where it is not there */
    double then_s, now_s;                 /* medians */
    size_t order;
} layer;

static int by_words(const as_traced_operator *a, const as_traced_operator *b)
{
    int c = strcmp(a->op, b->op);
    if (!c) c = strcmp(a->name, b->name);
    return c ? c : strcmp(a->shape, b->shape);
}

static bool has_operators_of(const as_trace *trace, const as_trace *first)
{
    if (trace->n_operators != first->n_operators) return false;
    for (size_t i = 0; i < first->n_operators; i++)
        if (by_words(&trace->operators[i], &first->operators[i]) != 0 ||
            strcmp(trace->operators[i].route, first->operators[i].route) != 0)
            return false;
    return true;
}

static bool read_side(const as_layer_traces *traces, side *out)
{
    const as_trace *first = traces->traces[0];
    *out = (side){.first = first};
    out->seconds = as_alloc_array(first->n_operators + 1, traces->n * sizeof *out->seconds);
    if (!out->seconds) return false;
    for (size_t k = 0; k < traces->n; k++)
        out->n += has_operators_of(traces->traces[k], first);
    for (size_t k = 0, at = 0; k < traces->n; k++) {
        const as_trace *trace = traces->traces[k];
        if (!has_operators_of(trace, first)) continue;
        for (size_t i = 0; i < trace->n_spans; i++)
            if (trace->spans[i].thread == 0)
                out->seconds[trace->spans[i].op * out->n + at] +=
                    (double)trace->spans[i].self_ns * 1e-9;
        at++;
    }
    return true;
}

static const double *seconds_of(const side *s, const as_traced_operator *op)
{
    return s->seconds + (size_t)(op - s->first->operators) * s->n;
}

/* Then and now beside each other where words agree; of several with the same words the n-th with the n-th. */
static int by_layer(const void *a, const void *b)
{
    const layer *x = a, *y = b;
    const int c = by_words(x->now ? x->now : x->then, y->now ? y->now : y->then);
    if (c) return c;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Layers of both in one list, sorted by words, the same ones joined. @return how many. */
static size_t join(const side *then, const side *now, layer *layers)
{
    const size_t n_now = now->first->n_operators, n = n_now + then->first->n_operators;
    for (size_t i = 0; i < n; i++)
        layers[i] = i < n_now ? (layer){.now = &now->first->operators[i], .order = i}
                              : (layer){.then = &then->first->operators[i - n_now], .order = i};
    qsort(layers, n, sizeof *layers, by_layer);
    size_t n_joined = 0;
    for (size_t i = 0; i < n;) {
        size_t first_then = i;
        while (first_then < n && layers[first_then].now &&
               by_words(layers[first_then].now,
                        layers[i].now ? layers[i].now : layers[i].then) == 0)
            first_then++;
        size_t end = first_then;
        const as_traced_operator *key = layers[i].now ? layers[i].now : layers[i].then;
        while (end < n && !layers[end].now && by_words(layers[end].then, key) == 0)
            end++;
        for (size_t k = 0; k < as_max(first_then - i, end - first_then); k++) {
            layer both = {0};
            if (i + k < first_then) both = layers[i + k];
            if (first_then + k < end) {
                both.then = layers[first_then + k].then;
                if (!both.now) both.order = layers[first_then + k].order;
            }
            layers[n_joined++] = both; /* never before i + k: a pair takes two places */
        }
        i = end;
    }
    return n_joined;
}

static bool has_moved_route(const layer *l)
{
    return !l->then || !l->now || strcmp(l->then->route, l->now->route) != 0;
}

static double moved_s(const layer *l) { return fabs(l->now_s - l->then_s); }

/* Changed routes first, in order; then those that moved most. */
static int by_interest(const void *a, const void *b)
{
    const layer *x = a, *y = b;
    const bool p = has_moved_route(x), q = has_moved_route(y);
    if (p != q) return p ? -1 : 1;
    if (!p && moved_s(x) != moved_s(y)) return moved_s(x) > moved_s(y) ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Route and time of one side, NULL where the layer is not there. @return false without memory. */
static bool side_text(as_arena *arena, const as_traced_operator *op, double seconds,
                      const char **out)
{
    *out = NULL;
    if (!op) return true;
    char *text = as_format("%s%s%.3f ms", op->route, *op->route ? ", " : "", seconds * 1e3);
    *out = text ? as_arena_strdup(arena, text) : NULL;
    as_free(text);
    return *out != NULL;
}

static bool describe(as_arena *arena, const layer *l, as_layer_change *out)
{
    const as_traced_operator *op = l->now ? l->now : l->then;
    char *what = as_format("%s%s%s%s%s", op->op, *op->name ? " " : "", op->name,
                           *op->shape ? " " : "", op->shape);
    out->what = what ? as_arena_strdup(arena, what) : NULL;
    as_free(what);
    return out->what && side_text(arena, l->then, l->then_s, &out->then) &&
           side_text(arena, l->now, l->now_s, &out->now);
}

static assay_code find_median(const side *s, const as_traced_operator *op, double *out,
                              assay_error *err)
{
    as_summary found;
    assay_code code = as_summary_of(seconds_of(s, op), s->n, &found, err);
    *out = found.median;
    return code;
}

static assay_code find_medians(const side *then, const side *now, layer *layers, size_t n,
                               assay_error *err)
{
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < n && !code; i++) {
        layer *l = &layers[i];
        if (l->then) code = find_median(then, l->then, &l->then_s, err);
        if (l->now && !code) code = find_median(now, l->now, &l->now_s, err);
    }
    return code;
}

/* Together with those of all n_both layers that both sides have. */
static assay_code estimate(const side *then, const side *now, const layer *l, size_t n_both,
                           as_estimate *out, assay_error *err)
{
    *out = (as_estimate){0};
    if (!l->then || !l->now) return ASSAY_OK;
    const double *before = seconds_of(then, l->then), *after = seconds_of(now, l->now);
    for (size_t k = 0; k < then->n; k++)
        if (!(before[k] > 0)) return ASSAY_OK;
    for (size_t k = 0; k < now->n; k++)
        if (!(after[k] > 0)) return ASSAY_OK;
    return as_estimate_two_samples(after, now->n, before, then->n, n_both, out, err);
}

static assay_code fill(as_arena *arena, const side *then, const side *now, layer *layers,
                       size_t n, as_layer_change *changes, size_t *n_out, assay_error *err)
{
    size_t n_moved = 0, n_both = 0;
    assay_code code = find_medians(then, now, layers, n, err);
    for (size_t i = 0; i < n; i++)
        n_both += layers[i].then && layers[i].now;
    if (!code) qsort(layers, n, sizeof *layers, by_interest);
    for (size_t i = 0; i < n && !code; i++) {
        const bool is_still = moved_s(&layers[i]) == 0;
        if (!has_moved_route(&layers[i]) && (is_still || n_moved++ >= AS_LAYERS_MOVED_MOST))
            break;
        as_layer_change *out = &changes[(*n_out)++];
        code = describe(arena, &layers[i], out)
                   ? estimate(then, now, &layers[i], n_both, &out->estimate, err)
                   : as_fail(err, ASSAY_E_MEMORY, "no memory to describe layers");
    }
    return code;
}

assay_code as_layers_compare(const as_layer_traces *then, const as_layer_traces *now,
                             as_arena *arena, as_layer_change **changes, size_t *n,
                             assay_error *err)
{
    side before = {0}, after = {0};
    *changes = NULL;
    *n = 0;
    if (!then->traces[0]->tells_operators || !now->traces[0]->tells_operators) return ASSAY_OK;
    const size_t room = then->traces[0]->n_operators + now->traces[0]->n_operators + 1;
    layer *layers = as_alloc_array(room, sizeof *layers);
    *changes = as_alloc_array(room, sizeof **changes);
    assay_code code =
        layers && *changes && read_side(then, &before) && read_side(now, &after)
            ? ASSAY_OK
            : as_fail(err, ASSAY_E_MEMORY, "no memory to compare the layers of two runs");
    if (!code)
        code = fill(arena, &before, &after, layers, join(&before, &after, layers), *changes, n,
                    err);
    as_free(layers);
    as_free(before.seconds);
    as_free(after.seconds);
    if (!code) return ASSAY_OK;
    as_free(*changes);
    *changes = NULL;
    *n = 0;
    return code;
}
