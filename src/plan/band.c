/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of one thread down an image. */
#include <string.h>

#include "base/size.h"
#include "plan/group.h"

/* Most layers make one row at a time. */
static size_t round_down(size_t x, size_t step) { return step == 1 ? x : x / step * step; }
static size_t round_up(size_t x, size_t step) { return step == 1 ? x : as_round_up(x, step); }

/* The rows of a layer's output that belong to row `row` of the group's last layer. */
static size_t share_of(const as_group *group, const as_band_layer *layer, size_t row)
{
    return (size_t)((uint64_t)row * layer->height / group->height);
}

static const as_read *reads_of(const as_group *group, size_t i)
{
    return group->reads + group->layers[i].first_read;
}

void as_band_starts(const as_group *group, size_t row, size_t starts[AS_GROUP_LAYERS])
{
    size_t need[AS_GROUP_LAYERS];
    for (size_t b = 0; b < group->n_buffers; b++)
        need[b] = SIZE_MAX;
    for (size_t i = group->n_layers; i-- > 0;) {
        const as_band_layer *band = &group->layers[i];
        const as_read *reads = reads_of(group, i);
        const bool is_outside = group->buffers[band->out.buffer].is_outside;
        size_t at = need[band->out.buffer];
        if (is_outside) at = as_min(at, share_of(group, band, row));
        starts[i] = round_down(as_min(at, band->height), band->row_step);
        for (size_t k = 0; k < band->n_reads; k++) {
            size_t *needed = &need[reads[k].buffer];
            *needed = as_min(*needed, as_reach_first(&reads[k].reach, starts[i]));
        }
    }
}

void as_band_ends(const as_group *group, size_t row, size_t ends[AS_GROUP_LAYERS])
{
    size_t need[AS_GROUP_LAYERS] = {0};
    for (size_t i = group->n_layers; i-- > 0;) {
        const as_band_layer *band = &group->layers[i];
        const as_read *reads = reads_of(group, i);
        const bool is_outside = group->buffers[band->out.buffer].is_outside;
        size_t at = need[band->out.buffer];
        if (is_outside) at = as_max(at, share_of(group, band, row));
        ends[i] = as_min(round_up(at, band->row_step), band->height);
        for (size_t k = 0; k < band->n_reads; k++) {
            size_t *needed = &need[reads[k].buffer];
            *needed = as_max(*needed, as_reach_end(&reads[k].reach, ends[i]));
        }
    }
}

void as_band_start(const as_group *group, size_t row, as_band_walk *walk)
{
    memset(walk, 0, sizeof *walk);
    size_t starts[AS_GROUP_LAYERS];
    as_band_starts(group, row, starts);
    for (size_t i = 0; i < group->n_layers; i++)
        walk->rows[i] = (as_rows){starts[i], starts[i]};
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
void as_band_tops(const as_group *group, const size_t *begins, size_t tops[AS_GROUP_LAYERS])
{
    for (size_t b = 0; b < group->n_buffers; b++)
        tops[b] = SIZE_MAX;
    for (size_t i = 0; i < group->n_layers; i++) {
        const as_band_layer *band = &group->layers[i];
        const as_read *reads = reads_of(group, i);
        tops[band->out.buffer] = as_min(tops[band->out.buffer], begins[i]);
        for (size_t k = 0; k < band->n_reads; k++) {
            size_t *top = &tops[reads[k].buffer];
            *top = as_min(*top, as_reach_first(&reads[k].reach, begins[i]));
        }
    }
}

/* Where the windows of the next band begin and end. */
static void find_windows(const as_group *group, as_band_walk *walk)
{
    size_t begins[AS_GROUP_LAYERS], tops[AS_GROUP_LAYERS];
    for (size_t i = 0; i < group->n_layers; i++)
        begins[i] = walk->rows[i].begin;
    as_band_tops(group, begins, tops);
    memcpy(walk->before, walk->window, sizeof walk->before);
    for (size_t b = 0; b < group->n_buffers; b++)
        walk->window[b] = (as_rows){tops[b], 0};
    for (size_t i = 0; i < group->n_layers; i++) {
        size_t *end = &walk->window[group->layers[i].out.buffer].end;
        *end = as_max(*end, walk->rows[i].end);
    }
}

void as_band_next(const as_group *group, size_t end, as_band_walk *walk)
{
    size_t ends[AS_GROUP_LAYERS];
    as_band_ends(group, end, ends);
    for (size_t i = 0; i < group->n_layers; i++) {
        const size_t begin = walk->rows[i].end;
        walk->rows[i] = (as_rows){begin, as_max(begin, ends[i])};
    }
    find_windows(group, walk);
    find_tops(group, walk);
}

size_t as_group_items(const as_group *group)
{
    return group->n_images * ((group->height + group->row_step - 1) / group->row_step);
}
