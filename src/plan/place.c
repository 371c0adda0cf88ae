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

/*
 * An elementwise layer whose input nobody needs afterwards writes over it: fewer bytes to move.
 * Only whole buffers are reused, and only where input and output have the same extents; not in a
 * group whose other layers touch the input, too, since they are at work at the same time.
 */
static bool is_root_alone(const as_planner *p, int value, int layer)
{
    if (p->values[value].parent >= 0 || p->values[value].is_tight) return false;
    if (p->values[value].is_inside) return false;
    for (size_t i = 0; i < p->n_values; i++)
        if (p->values[i].parent == value) return false;
    for (size_t i = 0; i < p->n_fixups; i++)
        if (p->fixups[i].value == value && p->fixups[i].layer != layer &&
            group_of(p, p->fixups[i].layer) >= group_of(p, layer))
            return false;
    return true;
}

static bool have_equal_extents(const as_value *a, const as_value *b)
{
    return a->n == b->n && a->h == b->h && a->w == b->w && a->c == b->c;
}

/* How often a layer sees a value. */
static int n_views(const as_planner *p, int value, int layer)
{
    int n = 0;
    for (size_t i = 0; i < p->n_fixups; i++)
        n += p->fixups[i].value == value && p->fixups[i].layer == layer;
    return n;
}

static void reuse_inputs(as_planner *p)
{
    for (size_t at = 0; at < p->plan->n_layers; at++) {
        as_map_args *args = &p->plan->layers[at].args.map;
        if (p->plan->layers[at].kind != AS_LAYER_MAP || args->row_map || args->col_map)
            continue;
        int in = -1, out = -1;
        for (size_t i = 0; i < p->n_fixups; i++) {
            if (p->fixups[i].view == &args->in) in = p->fixups[i].value;
            if (p->fixups[i].view == &args->out) out = p->fixups[i].value;
        }
        if (!is_root_alone(p, in, (int)at) || n_views(p, in, (int)at) != 1) continue;
        if (!have_equal_extents(&p->values[in], &p->values[out])) continue;
        size_t channel;
        if (p->values[as_planner_root(p, out, &channel)].is_inside) continue;
        p->values[in].parent = out; /* also where `out` is itself a part of a Concat */
    }
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
    if (p->options->fuse) reuse_inputs(p);
    as_live_range *ranges = as_alloc_array(p->n_values, sizeof *ranges);
    if (!ranges) return as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
    assay_code code = find_ranges(p, ranges, err);
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
