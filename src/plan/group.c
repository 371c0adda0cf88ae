/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forming groups.  From each layer on the longest run of layers is taken that is sound (the
 * checks here) and that pays (group_rule.c); a layer that finds no companions stands alone.
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

static const as_touch *touch_of(const as_grouping *g, size_t layer, int slot)
{
    return &g->touches[layer * AS_SLOTS + (size_t)slot];
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

size_t as_layer_row_step(const as_layer *layer)
{
    if (layer->kind == AS_LAYER_CONV) return layer->route->row_step;
    if (layer->kind == AS_LAYER_DECONV) return layer->args.conv.shape.sh;
    return 1;
}

static bool has_row_maps(const as_layer *layer)
{
    if (layer->kind == AS_LAYER_MAP && layer->args.map.row_map) return true;
    for (size_t i = 0; i < layer->epilogue.n_steps; i++)
        if (layer->epilogue.steps[i].row_map) return true;
    return false;
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
    if (has_row_maps(layer) && as_layer_row_step(layer) > 1) return false;
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

/* ---- a group in the making ---- */

static int buffer_of(const as_draft *d, int root)
{
    for (size_t b = 0; b < d->group.n_buffers; b++)
        if (d->roots[b] == root) return (int)b;
    return -1;
}

static as_place place_of(const as_draft *d, const as_touch *touch)
{
    if (touch->root < 0) return (as_place){.buffer = -1};
    return (as_place){.buffer = buffer_of(d, touch->root), .channel = touch->channel};
}

static size_t images_of(as_layer *layer)
{
    const as_view *out = as_layer_out(layer);
    return out ? out->n : layer->args.layout.view.n;
}

static void add_buffer(const as_grouping *g, as_draft *d, int root)
{
    const as_value *value = &g->planner->values[root];
    const as_use *use = &g->uses[root];
    const size_t end = d->group.first + d->group.n_layers;
    d->roots[d->group.n_buffers] = root;
    d->buffers[d->group.n_buffers++] =
        (as_band_buffer){.is_outside = use->first < (int)d->group.first ||
                                       use->last == INT_MAX || (size_t)use->last >= end,
                         .row_floats = value->w * value->c};
}

/* The layer reads by operand `operand`, at `place`. */
static void add_read(as_draft *d, as_band_layer *band, const as_layer *layer, int operand,
                     const as_place *place)
{
    if (place->buffer < 0) return;
    d->reads[d->group.n_reads++] =
        (as_read){.buffer = place->buffer, .reach = as_rows_reach(layer, operand)};
    band->n_reads++;
}

static void add_layer(const as_grouping *g, as_draft *d, size_t i)
{
    const size_t at = d->group.first + i;
    as_layer *layer = &g->planner->plan->layers[at];
    as_band_layer *band = &d->layers[i];
    *band = (as_band_layer){.in = place_of(d, touch_of(g, at, AS_SLOT_IN)),
                            .out = place_of(d, touch_of(g, at, AS_SLOT_OUT)),
                            .first_read = d->group.n_reads,
                            .height = as_layer_height(layer),
                            .row_step = as_layer_row_step(layer),
                            .is_row_by_row = has_row_maps(layer)};
    add_read(d, band, layer, AS_MAIN_INPUT, &band->in);
    for (int s = 0; s < AS_EPILOGUE_STEPS; s++)
        band->steps[s] = place_of(d, touch_of(g, at, AS_SLOT_STEP + s));
    for (int s = 0; s < (int)layer->epilogue.n_steps; s++)
        add_read(d, band, layer, s, &band->steps[s]);
}

bool as_draft_make(const as_grouping *g, size_t first, size_t n, as_draft *d)
{
    as_layer *layers = g->planner->plan->layers;
    as_layer *last = &layers[first + n - 1];
    d->group = (as_group){.first = first,
                          .n_layers = n,
                          .n_images = images_of(last),
                          .height = as_layer_height(last),
                          .row_step = as_layer_row_step(last),
                          .layers = d->layers,
                          .reads = d->reads,
                          .buffers = d->buffers};
    for (size_t i = first; i < first + n; i++) {
        const int root = touch_of(g, i, AS_SLOT_OUT)->root;
        if (buffer_of(d, root) < 0) add_buffer(g, d, root);
        if (images_of(&layers[i]) != d->group.n_images) return false;
    }
    for (size_t i = 0; i < n; i++) {
        add_layer(g, d, i);
        if (!as_layer_out(&layers[first + i]) &&
            !d->buffers[d->layers[i].out.buffer].is_outside)
            return false;
    }
    return true;
}

/*
 * Whether the rows that go to the arena are a thread's own where one thread's share ends and the next
 * one's begins at row `row`: what a layer must have made there is no more than its share.
 */
static bool is_shared_out(const as_draft *d, size_t row, const size_t *starts,
                          const size_t *ends)
{
    for (size_t i = 0; i < d->group.n_layers; i++) {
        if (!d->buffers[d->layers[i].out.buffer].is_outside) continue;
        const size_t share = as_band_share(&d->group, i, row);
        if (starts[i] != share || ends[i] != share) return false;
    }
    return true;
}

/* Look at the draft where a share or a band begins at row `row`.  @return false when it is unsound. */
static bool look_at(const as_draft *d, size_t row, as_look *look)
{
    const as_group *group = &d->group;
    size_t *starts = look->begins[0], *made = look->begins[1];
    as_band_starts(group, row, starts);
    as_band_ends(group, row, made);
    if (!is_shared_out(d, row, starts, made)) return false;
    look->row = row;
    as_band_tops(group, starts, look->tops[0]);
    as_band_tops(group, made, look->tops[1]);
    return true;
}

/* Room for the windows of the band that begins there. */
static void widen(as_draft *d, const as_look *look)
{
    const as_group *group = &d->group;
    size_t ends[AS_GROUP_LAYERS];
    as_band_ends(group, as_min(look->row + group->band_rows, group->height), ends);
    for (size_t i = 0; i < group->n_layers; i++) {
        const int b = d->layers[i].out.buffer;
        size_t *n_rows = &d->buffers[b].n_rows;
        for (int k = 0; k < 2; k++)
            *n_rows = as_max(*n_rows, as_max(look->begins[k][i], ends[i]) - look->tops[k][b]);
    }
}

/*
 * Room for a window of `most` rows of which a band makes `made`.  Where it keeps more rows than it
 * makes, as before a 7x7 in low bands, there is room for so many bands that no more rows are moved
 * than made.
 */
static size_t room(size_t most, size_t made)
{
    const size_t kept = most > made ? most - made : 0;
    return kept > made ? most + (as_div_up(kept, made) - 1) * made : most;
}

/* Rows of buffer b that a band makes. */
static size_t rows_made(const as_draft *d, size_t b)
{
    const as_group *group = &d->group;
    size_t most = 1;
    for (size_t i = 0; i < group->n_layers; i++)
        if (d->layers[i].out.buffer == (int)b)
            most =
                as_max(most, as_div_up(group->band_rows * d->layers[i].height, group->height));
    return most;
}

static void empty_buffers(as_draft *d)
{
    for (size_t b = 0; b < d->group.n_buffers; b++)
        d->buffers[b].n_rows = 0;
}

/* From the rows of windows to buffers: a window's room, and its place. */
static void place_buffers(as_draft *d)
{
    as_group *group = &d->group;
    group->scratch_floats = d->window_floats = 0;
    for (size_t b = 0; b < group->n_buffers; b++) {
        if (d->buffers[b].is_outside) continue;
        const size_t most = d->buffers[b].n_rows, made = rows_made(d, b);
        d->window_floats += most * d->buffers[b].row_floats;
        d->kept_rows[b] = most > made ? most - made : 0;
        d->buffers[b].n_rows = room(most, made);
        d->buffers[b].offset = group->scratch_floats;
        group->scratch_floats +=
            as_round_up(d->buffers[b].n_rows * d->buffers[b].row_floats, 16);
    }
}

static size_t n_steps_of(const as_group *group)
{
    return as_div_up(group->height, group->row_step);
}

bool as_draft_look(as_draft *d, size_t n)
{
    const size_t n_steps = n_steps_of(&d->group), stride = as_max(n_steps / n, 1);
    d->n_looks = 0;
    for (size_t at = 0; at < n_steps; at += stride)
        if (!look_at(d, at * d->group.row_step, &d->looks[d->n_looks++])) return false;
    return true;
}

void as_draft_estimate(as_draft *d)
{
    empty_buffers(d);
    for (size_t i = 0; i < d->n_looks; i++)
        widen(d, &d->looks[i]);
    place_buffers(d);
}

bool as_draft_check(as_draft *d)
{
    as_look look;
    empty_buffers(d);
    for (size_t at = 0; at < n_steps_of(&d->group); at++) {
        if (!look_at(d, at * d->group.row_step, &look)) return false;
        widen(d, &look);
    }
    place_buffers(d);
    return true;
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
