/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a group pays.  It saves the round trip of the maps that it keeps inside; it costs the rows
 * above each thread's first, which are computed twice, and the second-level cache that its
 * windows and weights fill.  The constants stand on a plateau each: bench/results/2026-11-30-groups.txt.
 */
#include "base/size.h"
#include "plan/grouping.h"

/* Maps that it keeps inside, of all images: smaller ones stay in the cache by themselves. */
#define LEAST_INSIDE_BYTES ((size_t)1 << 20)
/* Windows of a thread, which share its second-level cache with weights and what streams by. */
#define MOST_WINDOW_BYTES  ((size_t)768 << 10)
/* Weights of a group: each band reads them all. */
#define MOST_WEIGHT_BYTES  ((size_t)768 << 10)
/* Share of the work that may be done twice. */
#define MOST_TWICE_PERCENT 8

static size_t inside_bytes(const as_draft *d)
{
    size_t sum = 0;
    for (size_t i = 0; i < d->group.n_layers; i++) {
        const as_band_buffer *buffer = &d->buffers[d->layers[i].out.buffer];
        if (!buffer->is_outside)
            sum += d->group.n_images * d->layers[i].height * buffer->row_floats * sizeof(float);
    }
    return sum;
}

static size_t weight_bytes(const as_draft *d, const as_layer *layers)
{
    size_t sum = 0;
    for (size_t i = d->group.first; i < d->group.first + d->group.n_layers; i++)
        if (layers[i].route)
            sum += layers[i].route->packed_floats(&layers[i].args.conv.shape) * sizeof(float);
    return sum;
}

/* A layer's work for one row, in multiply-adds; what has none counts its floats. */
static double row_work(const as_draft *d, const as_layer *layers, size_t i)
{
    const as_layer *layer = &layers[d->group.first + i];
    const as_band_layer *band = &d->layers[i];
    const double rows = (double)(d->group.n_images * band->height);
    const double floats = (double)d->buffers[band->out.buffer].row_floats;
    return (double)layer->macs / rows + 4 * floats;
}

/* Whether the rows that a thread in the middle of an image computes besides its share are few. */
static bool is_little_twice(const as_draft *d, const as_layer *layers, size_t threads)
{
    const size_t shares = as_div_up(threads, d->group.n_images);
    if (shares < 2) return true;
    as_band_walk start, end;
    const size_t middle = d->group.height / 2 / d->group.row_step * d->group.row_step;
    as_band_start(&d->group, layers, middle, &start);
    as_band_resume(&d->group, layers, middle, &end);
    double twice = 0, once = 0;
    for (size_t i = 0; i < d->group.n_layers; i++) {
        const double work = row_work(d, layers, i);
        twice += work * (double)(end.rows[i].end - start.rows[i].end);
        once += work * (double)d->layers[i].height / (double)shares;
    }
    return twice * 100 <= once * MOST_TWICE_PERCENT;
}

/* Bands as high as the windows allow.  @return false when even the lowest is too much. */
static bool choose_band(as_draft *d, const as_layer *layers)
{
    as_group *group = &d->group;
    bool fits = false;
    size_t best = group->row_step;
    for (size_t rows = group->row_step; rows < 2 * group->height; rows *= 2) {
        group->band_rows = rows;
        if (!as_draft_check(d, layers, 16)) break;
        if (d->window_floats * sizeof(float) > MOST_WINDOW_BYTES) break;
        fits = true;
        best = rows;
    }
    group->band_rows = best;
    return fits;
}

/* A share that begins at any row may cut a pixel of a smaller map in two; so try steps. */
static bool choose_step(as_draft *d, const as_layer *layers)
{
    const size_t least = d->group.row_step;
    for (size_t step = least; step <= 8 * least && step <= d->group.height; step *= 2) {
        d->group.row_step = d->group.band_rows = step;
        if (as_draft_check(d, layers, 16)) return true;
    }
    return false;
}

static bool is_forced(as_draft *d, const as_layer *layers, size_t rows)
{
    d->group.band_rows = as_round_up(rows, d->group.row_step);
    return as_draft_check(d, layers, 8) && as_draft_check(d, layers, 0);
}

static bool pays(as_draft *d, const as_layer *layers, const as_plan_options *options)
{
    /* What takes no walk over the rows comes first: most drafts end here. */
    if (!options->band_rows &&
        (inside_bytes(d) < LEAST_INSIDE_BYTES || weight_bytes(d, layers) > MOST_WEIGHT_BYTES))
        return false;
    if (!choose_step(d, layers)) return false;
    if (options->band_rows) return is_forced(d, layers, options->band_rows);
    if (!is_little_twice(d, layers, options->threads)) return false;
    return choose_band(d, layers) && as_draft_check(d, layers, 0);
}

bool as_draft_longest(const as_grouping *g, size_t first, size_t most, as_draft *draft)
{
    const as_plan *plan = g->planner->plan;
    for (size_t n = most; n >= 2; n--)
        if (as_draft_make(g, first, n, draft) && pays(draft, plan->layers, g->planner->options))
            return true;
    return false;
}
