/* SPDX-License-Identifier: Apache-2.0 */
#include "report/against_layers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/size.h"

/* One layer of a trace, or of both. */
typedef struct layer {
    const as_traced_operator *then, *now; /* NULL where it is not there */
    int64_t then_ns, now_ns;              /* self, in the first thread */
    size_t order;
} layer;

/* Self time of each operator of a trace in its first thread. */
static int64_t *self_ns(const as_trace *trace)
{
    int64_t *sum = as_alloc_array(trace->n_operators + 1, sizeof *sum);
    for (size_t i = 0; sum && i < trace->n_spans; i++)
        if (trace->spans[i].thread == 0) sum[trace->spans[i].op] += trace->spans[i].self_ns;
    return sum;
}

static int by_words(const as_traced_operator *a, const as_traced_operator *b)
{
    int c = strcmp(a->op, b->op);
    if (!c) c = strcmp(a->name, b->name);
    return c ? c : strcmp(a->shape, b->shape);
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
static size_t join(const as_trace *then, const as_trace *now, const int64_t *then_ns,
                   const int64_t *now_ns, layer *layers)
{
    const size_t n_now = now->n_operators, n = n_now + then->n_operators;
    for (size_t i = 0; i < n; i++)
        layers[i] = i < n_now
                        ? (layer){.now = &now->operators[i], .now_ns = now_ns[i], .order = i}
                        : (layer){.then = &then->operators[i - n_now],
                                  .then_ns = then_ns[i - n_now],
                                  .order = i};
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
                both.then_ns = layers[first_then + k].then_ns;
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

static int64_t moved_ns(const layer *l) { return llabs(l->now_ns - l->then_ns); }

/* Changed routes first, in order; then those that moved most. */
static int by_interest(const void *a, const void *b)
{
    const layer *x = a, *y = b;
    const bool p = has_moved_route(x), q = has_moved_route(y);
    if (p != q) return p ? -1 : 1;
    if (!p && moved_ns(x) != moved_ns(y)) return moved_ns(x) > moved_ns(y) ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Route and time of one side, NULL where the layer is not there. @return false without memory. */
static bool side_text(as_arena *arena, const as_traced_operator *op, int64_t ns,
                      const char **out)
{
    *out = NULL;
    if (!op) return true;
    char *text = as_format("%s%s%.3f ms", op->route, *op->route ? ", " : "", (double)ns / 1e6);
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
    return out->what && side_text(arena, l->then, l->then_ns, &out->then) &&
           side_text(arena, l->now, l->now_ns, &out->now);
}

static bool fill(as_arena *arena, layer *layers, size_t n, as_layer_change *changes,
                 size_t *n_out)
{
    size_t n_moved = 0;
    qsort(layers, n, sizeof *layers, by_interest);
    for (size_t i = 0; i < n; i++) {
        if (!has_moved_route(&layers[i]) &&
            (moved_ns(&layers[i]) == 0 || n_moved++ >= AS_LAYERS_MOVED_MOST))
            break;
        if (!describe(arena, &layers[i], &changes[(*n_out)++])) return false;
    }
    return true;
}

assay_code as_layers_compare(const as_trace *then, const as_trace *now, as_arena *arena,
                             as_layer_change **changes, size_t *n, assay_error *err)
{
    *changes = NULL;
    *n = 0;
    if (!then->tells_operators || !now->tells_operators) return ASSAY_OK;
    const size_t room = then->n_operators + now->n_operators + 1;
    layer *layers = as_alloc_array(room, sizeof *layers);
    int64_t *then_ns = self_ns(then), *now_ns = self_ns(now);
    *changes = as_alloc_array(room, sizeof **changes);
    const bool is_done =
        layers && then_ns && now_ns && *changes &&
        fill(arena, layers, join(then, now, then_ns, now_ns, layers), *changes, n);
    as_free(layers);
    as_free(then_ns);
    as_free(now_ns);
    if (is_done) return ASSAY_OK;
    as_free(*changes);
    *changes = NULL;
    return as_fail(err, ASSAY_E_MEMORY, "no memory to compare the layers of two runs");
}
