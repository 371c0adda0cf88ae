/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of one thread down an image. */
#include <string.h>

#include "base/size.h"
#include "plan/group.h"

static size_t round_down(size_t x, size_t step) { return x / step * step; }

/* The rows of a layer's output that belong to row `row` of the group's last layer. */
static size_t share_of(const as_group *group, const as_band_layer *layer, size_t row)
{
    return (size_t)((uint64_t)row * layer->height / group->height);
}

static const as_place *place_of(const as_band_layer *layer, int operand)
{
    return operand == AS_MAIN_INPUT ? &layer->in : &layer->steps[operand];
}

/* From the last layer back: the first row of each that is needed when the group begins at `row`,
 * also where only an overlapping window of a later layer asks for it. */
static void find_starts(const as_group *group, const as_layer *layers, size_t row,
                        size_t starts[AS_GROUP_LAYERS])
{
    size_t need[AS_GROUP_LAYERS];
    for (size_t b = 0; b < group->n_buffers; b++)
        need[b] = SIZE_MAX;
    for (size_t i = group->n_layers; i-- > 0;) {
        const as_band_layer *band = &group->layers[i];
        const as_layer *layer = &layers[group->first + i];
        const bool is_outside = group->buffers[band->out.buffer].is_outside;
        size_t at = need[band->out.buffer];
        if (is_outside) at = as_min(at, share_of(group, band, row));
        starts[i] = round_down(as_min(at, band->height), band->row_step);
        for (int op = AS_MAIN_INPUT; op < (int)layer->epilogue.n_steps; op++) {
            const int b = place_of(band, op)->buffer;
            if (b >= 0) need[b] = as_min(need[b], as_rows_first(layer, op, starts[i]));
        }
    }
}

/* Likewise the row behind the last one that is needed before row `row`. */
static void find_ends(const as_group *group, const as_layer *layers, size_t row,
                      size_t ends[AS_GROUP_LAYERS])
{
    size_t need[AS_GROUP_LAYERS] = {0};
    for (size_t i = group->n_layers; i-- > 0;) {
        const as_band_layer *band = &group->layers[i];
        const as_layer *layer = &layers[group->first + i];
        const bool is_outside = group->buffers[band->out.buffer].is_outside;
        size_t at = need[band->out.buffer];
        if (is_outside) at = as_max(at, share_of(group, band, row));
        ends[i] = as_min(as_round_up(at, band->row_step), band->height);
        for (int op = AS_MAIN_INPUT; op < (int)layer->epilogue.n_steps; op++) {
            const int b = place_of(band, op)->buffer;
            if (b >= 0) need[b] = as_max(need[b], as_rows_end(layer, op, ends[i]));
        }
    }
}

void as_band_start(const as_group *group, const as_layer *layers, size_t row,
                   as_band_walk *walk)
{
    memset(walk, 0, sizeof *walk);
    size_t starts[AS_GROUP_LAYERS];
    find_starts(group, layers, row, starts);
    for (size_t i = 0; i < group->n_layers; i++)
        walk->rows[i] = (as_rows){starts[i], starts[i]};
}

void as_band_resume(const as_group *group, const as_layer *layers, size_t row,
                    as_band_walk *walk)
{
    memset(walk, 0, sizeof *walk);
    size_t ends[AS_GROUP_LAYERS];
    find_ends(group, layers, row, ends);
    for (size_t i = 0; i < group->n_layers; i++)
        walk->rows[i] = (as_rows){ends[i], ends[i]};
}

size_t as_band_share(const as_group *group, size_t i, size_t row)
{
    return share_of(group, &group->layers[i], row);
}

/* Where the windows lie: as they lay, or at the top again where the buffer's end is reached. */
static void find_tops(const as_group *group, as_band_walk *walk)
{
    memcpy(walk->top_before, walk->top, sizeof walk->top_before);
    for (size_t b = 0; b < group->n_buffers; b++) {
        const as_rows *window = &walk->window[b];
        const bool is_new = walk->before[b].end <= window->begin;
        if (is_new || window->end > walk->top[b] + group->buffers[b].n_rows)
            walk->top[b] = window->begin;
    }
}

/* A window reaches from the first row that anybody still reads or writes to the last one made. */
static void find_windows(const as_group *group, const as_layer *layers, as_band_walk *walk)
{
    memcpy(walk->before, walk->window, sizeof walk->before);
    for (size_t b = 0; b < group->n_buffers; b++)
        walk->window[b] = (as_rows){SIZE_MAX, 0};
    for (size_t i = 0; i < group->n_layers; i++) {
        const as_band_layer *band = &group->layers[i];
        const as_layer *layer = &layers[group->first + i];
        as_rows *out = &walk->window[band->out.buffer];
        out->begin = as_min(out->begin, walk->rows[i].begin);
        out->end = as_max(out->end, walk->rows[i].end);
        for (int op = AS_MAIN_INPUT; op < (int)layer->epilogue.n_steps; op++) {
            const int b = place_of(band, op)->buffer;
            if (b < 0) continue;
            as_rows *in = &walk->window[b];
            in->begin = as_min(in->begin, as_rows_first(layer, op, walk->rows[i].begin));
        }
    }
}

void as_band_next(const as_group *group, const as_layer *layers, size_t end, as_band_walk *walk)
{
    size_t ends[AS_GROUP_LAYERS];
    find_ends(group, layers, end, ends);
    for (size_t i = 0; i < group->n_layers; i++) {
        const size_t begin = walk->rows[i].end;
        walk->rows[i] = (as_rows){begin, as_max(begin, ends[i])};
    }
    find_windows(group, layers, walk);
    find_tops(group, walk);
}

size_t as_group_items(const as_group *group)
{
    return group->n_images * ((group->height + group->row_step - 1) / group->row_step);
}
