/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A group in the making: its layers, what they read, and buffers of which each holds a window of rows
 * where nobody outside wants all of them.  Whether that is sound is seen by walking its bands.
 */
#include "base/size.h"
#include "plan/grouping.h"

/* ---- a layer of it ---- */

size_t as_layer_row_step(const as_layer *layer)
{
    if (layer->kind == AS_LAYER_CONV) return layer->route->row_step;
    if (layer->kind == AS_LAYER_DECONV) return layer->args.conv.shape.sh;
    return 1;
}

bool as_layer_has_row_maps(const as_layer *layer)
{
    if (layer->kind == AS_LAYER_MAP && layer->args.map.row_map) return true;
    for (size_t i = 0; i < layer->epilogue.n_steps; i++)
        if (layer->epilogue.steps[i].row_map) return true;
    return false;
}

size_t as_layer_images(as_layer *layer)
{
    const as_view *out = as_layer_out(layer);
    return out ? out->n : layer->args.layout.view.n;
}

/* ---- layers and buffers ---- */

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
    *band = (as_band_layer){.in = place_of(d, as_touch_of(g, at, AS_SLOT_IN)),
                            .out = place_of(d, as_touch_of(g, at, AS_SLOT_OUT)),
                            .first_read = d->group.n_reads,
                            .height = as_layer_height(layer),
                            .row_step = as_layer_row_step(layer),
                            .is_row_by_row = as_layer_has_row_maps(layer)};
    add_read(d, band, layer, AS_MAIN_INPUT, &band->in);
    for (int s = 0; s < AS_EPILOGUE_STEPS; s++)
        band->steps[s] = place_of(d, as_touch_of(g, at, AS_SLOT_STEP + s));
    for (int s = 0; s < (int)layer->epilogue.n_steps; s++)
        add_read(d, band, layer, s, &band->steps[s]);
}

bool as_draft_make(const as_grouping *g, size_t first, size_t n, as_draft *d)
{
    as_layer *layers = g->planner->plan->layers;
    as_layer *last = &layers[first + n - 1];
    d->group = (as_group){.first = first,
                          .n_layers = n,
                          .n_images = as_layer_images(last),
                          .height = as_layer_height(last),
                          .row_step = as_layer_row_step(last),
                          .layers = d->layers,
                          .reads = d->reads,
                          .buffers = d->buffers};
    for (size_t i = first; i < first + n; i++) {
        const int root = as_touch_of(g, i, AS_SLOT_OUT)->root;
        if (buffer_of(d, root) < 0) add_buffer(g, d, root);
        if (as_layer_images(&layers[i]) != d->group.n_images) return false;
    }
    for (size_t i = 0; i < n; i++) {
        add_layer(g, d, i);
        if (!as_layer_out(&layers[first + i]) &&
            !d->buffers[d->layers[i].out.buffer].is_outside)
            return false;
    }
    return true;
}

/* ---- bands ---- */

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
