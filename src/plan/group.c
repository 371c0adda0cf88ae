/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forming groups.  Each run of layers that can go by bands (the checks here) is cut into groups that
 * are sound (draft.c) and pay (group_rule.c); a layer that finds no companions stands alone.
 */
#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "base/size.h"
#include "plan/grouping.h"

/* ---- what the layers touch ---- */

static int slot_of(as_layer *layer, const as_fixup *fixup)
{
    if (!fixup->view || fixup->view == as_layer_out(layer)) return AS_SLOT_OUT;
    if (fixup->view == as_layer_in(layer)) return AS_SLOT_IN;
    for (int i = 0; i < AS_EPILOGUE_STEPS; i++)
        if (fixup->view == &layer->epilogue.steps[i].view) return AS_SLOT_STEP + i;
    return AS_SLOT_OUT; /* not reached: a layer's views are these */
}

static void find_touches(as_grouping *g)
{
    const as_planner *p = g->planner;
    for (size_t i = 0; i < p->n_values; i++)
        g->uses[i] = (as_use){INT_MAX, -1};
    for (size_t i = 0; i < p->plan->n_layers * AS_SLOTS; i++)
        g->touches[i].root = -1;
    for (size_t i = 0; i < p->n_fixups; i++) {
        const as_fixup *fixup = &p->fixups[i];
        as_touch touch;
        touch.root = as_planner_root(p, fixup->value, &touch.channel);
        as_use *use = &g->uses[touch.root];
        if (fixup->layer < use->first) use->first = fixup->layer;
        if (fixup->layer > use->last) use->last = fixup->layer;
        if (fixup->layer == INT_MAX) continue; /* the network's outputs */
        as_layer *layer = &p->plan->layers[fixup->layer];
        g->touches[(size_t)fixup->layer * AS_SLOTS + (size_t)slot_of(layer, fixup)] = touch;
    }
}

/* ---- which layers can go by bands at all ---- */

static bool grows(const uint32_t *map, size_t n)
{
    for (size_t i = 1; map && i < n; i++)
        if (map[i] < map[i - 1]) return false;
    return true;
}

/* Every window reads at least one row of the image. */
static bool is_window_inside(size_t k, size_t stride, size_t dilation, size_t pad, size_t ih,
                             size_t oh)
{
    return (k - 1) * dilation >= pad && (oh - 1) * stride < ih + pad;
}

static bool is_conv_bandable(const as_layer *layer)
{
    const as_conv_shape *s = &layer->args.conv.shape;
    if (layer->kind == AS_LAYER_DECONV)
        return s->kh == s->sh && s->dh == 1 && s->pad_top == 0 && s->oh == s->ih * s->sh;
    return is_window_inside(s->kh, s->sh, s->dh, s->pad_top, s->ih, s->oh);
}

static bool is_pool_bandable(const as_pool_args *a)
{
    /* An average that counts padding divides by what lies outside the band. */
    if (a->kind == AS_POOL_AVERAGE && a->counts_pad) return false;
    return is_window_inside(a->kh, a->sh, a->dh, a->pad_top, a->in.h, a->out.h);
}

static bool are_steps_bandable(const as_layer *layer, size_t height)
{
    for (size_t i = 0; i < layer->epilogue.n_steps; i++) {
        const as_step *step = &layer->epilogue.steps[i];
        if (!as_step_has_rows(step)) continue;
        if (step->row_map ? !grows(step->row_map, height) : step->view.h != height)
            return false;
    }
    return true;
}

static bool is_bandable(as_layer *layer)
{
    if (layer->is_alone) return false;
    const size_t height = as_layer_height(layer);
    const as_view *in = as_layer_in(layer);
    if (height < 2 || (in && in->h < 2)) return false;
    if (!are_steps_bandable(layer, height)) return false;
    if (as_layer_has_row_maps(layer) && as_layer_row_step(layer) > 1) return false;
    switch (layer->kind) {
    case AS_LAYER_CONV:
    case AS_LAYER_DECONV:
        return is_conv_bandable(layer);
    case AS_LAYER_MAP:
        return grows(layer->args.map.row_map, height);
    case AS_LAYER_POOL:
        return is_pool_bandable(&layer->args.pool);
    case AS_LAYER_MEAN:
        return false;
    default:
        return true;
    }
}

/* ---- all layers ---- */

static void *keep(as_planner *p, const void *from, size_t n, size_t bytes)
{
    void *to = as_planner_alloc(p, n, bytes);
    if (to) memcpy(to, from, n * bytes);
    return to;
}

static size_t route_scratch(const as_plan *plan, const as_group *group)
{
    size_t most = 0;
    for (size_t i = group->first; i < group->first + group->n_layers; i++) {
        const as_layer *layer = &plan->layers[i];
        if (layer->route)
            most = as_max(most, layer->route->scratch_floats(&layer->args.conv.shape));
    }
    return as_round_up(most, 16);
}

/* The draft moves into the plan. */
static assay_code accept(as_planner *p, as_draft *d, as_group *out, assay_error *err)
{
    *out = d->group;
    out->layers = keep(p, d->layers, out->n_layers, sizeof *d->layers);
    out->reads = keep(p, d->reads, out->n_reads, sizeof *d->reads);
    out->buffers = keep(p, d->buffers, out->n_buffers, sizeof *d->buffers);
    if (!out->layers || !out->reads || !out->buffers)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
    for (size_t b = 0; b < out->n_buffers; b++)
        if (!out->buffers[b].is_outside) p->values[d->roots[b]].is_inside = true;
    p->plan->scratch_floats =
        as_max(p->plan->scratch_floats, route_scratch(p->plan, out) + out->scratch_floats);
    return ASSAY_OK;
}

/* Layers from `first` on that could go by bands. */
static size_t run_length(const as_planner *p, size_t first)
{
    size_t n = 0;
    if (!p->options->groups || !p->options->fuse) return 0;
    while (first + n < p->plan->n_layers && is_bandable(&p->plan->layers[first + n]))
        n++;
    return n;
}

size_t as_group_scaled(const as_group *group, as_bands bands)
{
    const size_t rows =
        bands == AS_BANDS_HALF ? as_max(group->band_rows / 2, 1) : 2 * group->band_rows;
    return as_round_up(rows, group->row_step);
}

/* The bands that were chosen for the draft.  @return false when its layers are to stand alone. */
static bool take_choice(const as_planner *p, as_draft *d)
{
    const as_layer *layers = p->plan->layers;
    as_group *group = &d->group;
    const size_t by_rule = group->band_rows;
    const as_bands bands = as_bands_of(&p->options->choices, layers[group->first].node,
                                       layers[group->first + group->n_layers - 1].node);
    if (bands == AS_BANDS_RULE || bands == AS_BANDS_ALONE) return bands == AS_BANDS_RULE;
    group->band_rows = as_group_scaled(group, bands);
    if (as_draft_check(d)) return true;
    group->band_rows = by_rule;
    return as_draft_check(d);
}

/* Layers `first` .. first + n - 1 as a group when they can be one and are to be, else the first alone. */
static assay_code form_group(as_grouping *g, size_t first, size_t n, as_draft *draft,
                             assay_error *err)
{
    as_planner *p = g->planner;
    as_group *group = &p->plan->groups[p->plan->n_groups++];
    *group = (as_group){.first = first, .n_layers = 1};
    assay_code code = ASSAY_OK;
    if (n > 1 && as_draft_form(g, first, n, draft) && take_choice(p, draft))
        code = accept(p, draft, group, err);
    for (size_t i = 0; i < group->n_layers; i++)
        p->group_of[first + i] = (int)(group - p->plan->groups);
    return code;
}

/* A run of layers that can go by bands, as as_partition cuts it. */
static assay_code form_run(as_grouping *g, size_t first, size_t n, as_draft *draft,
                           assay_error *err)
{
    double *saved = as_alloc_array(n + 1, sizeof *saved);
    size_t *lengths = as_alloc_array(n, sizeof *lengths);
    assay_code code = ASSAY_OK;
    if (saved && lengths)
        as_partition(g, first, n, draft, saved, lengths);
    else
        code = as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
    for (size_t i = 0, end = 0; !code && i < n;) {
        const size_t length = i >= end ? lengths[i] : 1;
        if (i >= end) end = i + length; /* a group that is not to be: its layers stand alone */
        code = form_group(g, first + i, length, draft, err);
        i += g->planner->plan->groups[g->planner->plan->n_groups - 1].n_layers;
    }
    as_free(lengths);
    as_free(saved);
    return code;
}

static assay_code form_groups(as_grouping *g, as_draft *draft, assay_error *err)
{
    const size_t n_layers = g->planner->plan->n_layers;
    assay_code code = ASSAY_OK;
    for (size_t first = 0, n; !code && first < n_layers; first += n) {
        n = as_max(run_length(g->planner, first), 1);
        code = n > 1 ? form_run(g, first, n, draft, err) : form_group(g, first, 1, draft, err);
    }
    return code;
}

assay_code as_planner_group(as_planner *p, assay_error *err)
{
    const size_t n = p->plan->n_layers;
    as_grouping g = {.planner = p};
    as_draft *draft = as_alloc(sizeof *draft);
    g.touches = as_alloc_array(n * AS_SLOTS, sizeof *g.touches);
    g.uses = as_alloc_array(p->n_values, sizeof *g.uses);
    p->plan->groups = as_planner_alloc(p, n, sizeof *p->plan->groups);
    p->group_of = as_planner_alloc(p, n, sizeof *p->group_of);
    assay_code code = ASSAY_OK;
    if (!draft || !g.touches || !g.uses || !p->plan->groups || !p->group_of) {
        code = as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
        goto done;
    }
    find_touches(&g);
    code = form_groups(&g, draft, err);
done:
    as_free(g.uses);
    as_free(g.touches);
    as_free(draft);
    return code;
}
