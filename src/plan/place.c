/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where values lie.  A value lies in its parent's memory when it has one (a part of a Concat, a
 * reshaped value), else in a buffer of its own; buffers live from the first group that touches
 * them, or one of their children, to the last.  A buffer inside one group has no place here.
 */
#include <limits.h>

#include "base/memory.h"
#include "base/size.h"
#include "plan/memory.h"
#include "plan/planner.h"

int as_planner_root(const as_planner *p, int value, size_t *channel)
{
    *channel = 0;
    while (p->values[value].parent >= 0) {
        *channel += p->values[value].channel;
        value = p->values[value].parent;
    }
    return value;
}

/* Floats of room for a value's buffer; false when that does not fit. */
static bool size_of(const as_value *v, size_t *out)
{
    if (!as_mul(v->n, v->h, out) || !as_mul(*out, v->w, out) || !as_mul(*out, v->c, out) ||
        !as_mul(*out, as_dtype_bytes(v->dtype), out))
        return false;
    *out = as_div_up(*out, sizeof(float));
    return true;
}

/* When a layer runs: layers of one group are at work at the same time. */
static int group_of(const as_planner *p, int layer)
{
    return layer == INT_MAX ? INT_MAX : p->group_of[layer];
}

/* Who sees a value. */
typedef struct views {
    int last;      /* the group that sees it last, -1 = none */
    size_t n_last; /* views of that group */
    bool has_parts;
} views;

/* What an elementwise layer reads and makes, -1 = it is none. */
typedef struct ends {
    int in, out;
} ends;

static void see_values(const as_planner *p, views *seen)
{
    for (size_t i = 0; i < p->n_values; i++)
        seen[i] = (views){.last = -1};
    for (size_t i = 0; i < p->n_values; i++)
        if (p->values[i].parent >= 0) seen[p->values[i].parent].has_parts = true;
    for (size_t i = 0; i < p->n_fixups; i++) {
        views *v = &seen[p->fixups[i].value];
        const int group = group_of(p, p->fixups[i].layer);
        if (group > v->last) *v = (views){.last = group, .has_parts = v->has_parts};
        v->n_last += group == v->last;
    }
}

static void see_ends(const as_planner *p, ends *of)
{
    for (size_t at = 0; at < p->plan->n_layers; at++)
        of[at] = (ends){-1, -1};
    for (size_t i = 0; i < p->n_fixups; i++) {
        const as_fixup *fixup = &p->fixups[i];
        if (fixup->layer == INT_MAX) continue;
        const as_layer *layer = &p->plan->layers[fixup->layer];
        const as_map_args *args = &layer->args.map;
        if (layer->kind != AS_LAYER_MAP || args->row_map || args->col_map) continue;
        if (fixup->view == &args->in) of[fixup->layer].in = fixup->value;
        if (fixup->view == &args->out) of[fixup->layer].out = fixup->value;
    }
}

static bool have_equal_extents(const as_value *a, const as_value *b)
{
    return a->n == b->n && a->h == b->h && a->w == b->w && a->c == b->c;
}

/*
 * An elementwise layer whose input nobody needs afterwards writes over it: fewer bytes to move.
 * Only whole buffers are reused, and only where input and output have the same extents; not in a
 * group whose other layers touch the input, too, since they are at work at the same time.
 */
static bool is_reused(const as_planner *p, const views *seen, size_t layer, ends of)
{
    if (of.in < 0 || of.out < 0) return false;
    const as_value *in = &p->values[of.in];
    const views *v = &seen[of.in];
    if (in->parent >= 0 || in->is_tight || in->is_inside || v->has_parts) return false;
    if (v->last != p->group_of[layer] || v->n_last != 1) return false;
    size_t channel;
    return have_equal_extents(in, &p->values[of.out]) &&
           !p->values[as_planner_root(p, of.out, &channel)].is_inside;
}

static assay_code reuse_inputs(as_planner *p, assay_error *err)
{
    views *seen = as_alloc_array(p->n_values + 1, sizeof *seen);
    ends *of = as_alloc_array(p->plan->n_layers + 1, sizeof *of);
    assay_code code =
        seen && of ? ASSAY_OK : as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
    if (!code) {
        see_values(p, seen);
        see_ends(p, of);
    }
    for (size_t at = 0; !code && at < p->plan->n_layers; at++) {
        if (!is_reused(p, seen, at, of[at])) continue;
        p->values[of[at].in].parent = of[at].out; /* also where that is a part of a Concat */
        seen[of[at].out].has_parts = true;
    }
    as_free(of);
    as_free(seen);
    return code;
}

static assay_code find_ranges(const as_planner *p, as_live_range *ranges, assay_error *err)
{
    for (size_t i = 0; i < p->n_values; i++)
        ranges[i] = (as_live_range){.first = INT_MAX, .last = -1};
    for (size_t i = 0; i < p->n_fixups; i++) {
        size_t channel = 0;
        as_live_range *range = &ranges[as_planner_root(p, p->fixups[i].value, &channel)];
        int layer = group_of(p, p->fixups[i].layer);
        if (layer < range->first) range->first = layer;
        if (layer > range->last) range->last = layer;
    }
    for (size_t i = 0; i < p->n_values; i++) {
        if (ranges[i].last < 0 || p->values[i].is_inside) continue; /* a part, or nobody's */
        if (!size_of(&p->values[i], &ranges[i].n_floats))
            return as_fail(err, ASSAY_E_MEMORY, "a tensor of the plan exceeds all memory");
    }
    return ASSAY_OK;
}

assay_code as_planner_place(as_planner *p, assay_error *err)
{
    assay_code code = p->options->fuse ? reuse_inputs(p, err) : ASSAY_OK;
    if (code) return code;
    as_live_range *ranges = as_alloc_array(p->n_values, sizeof *ranges);
    if (!ranges) return as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
    code = find_ranges(p, ranges, err);
    if (!code) code = as_memory_layout(ranges, p->n_values, &p->plan->arena_floats, err);
    for (size_t i = 0; !code && i < p->n_fixups; i++) {
        size_t channel = 0;
        int root = as_planner_root(p, p->fixups[i].value, &channel);
        p->fixups[i].offset =
            p->values[root].is_inside ? AS_NO_PLACE : ranges[root].offset + channel;
        if (p->fixups[i].view) p->fixups[i].view->pixel_stride = p->values[root].c;
    }
    as_free(ranges);
    return code;
}
