/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which groups are formed.  A group saves the round trip of the maps that it keeps inside; it costs
 * the rows that its windows move, a call of each layer for each band, the rows above each thread's
 * first, which are computed twice, and the second-level cache that its windows and weights fill.
 * A run of layers is cut into groups so that the sum of what they save is the largest: dynamic
 * programming from the last layer back.  Figures and trials: bench/results/2026-11-30-groups.txt.
 */
#include "base/size.h"
#include "plan/grouping.h"

/* Nanoseconds: of a byte to or from memory or the third-level cache, of one that is moved inside the
 * second-level cache, of a call of a layer for a band. */
#define MEMORY_NS          0.05
#define MOVE_NS            0.027
#define CALL_NS            500.0
/* Maps, all images, that stay in the cache by themselves. */
#define CACHED_BYTES       ((size_t)512 << 10)
/* Windows of a thread, which share its second-level cache with weights and what streams by. */
#define MOST_WINDOW_BYTES  ((size_t)768 << 10)
/* Weights of a group: each band reads them all. */
#define MOST_WEIGHT_BYTES  ((size_t)768 << 10)
/* Share of the work that may be done twice. */
#define MOST_TWICE_PERCENT 8

/* Rows of all images of what lies in buffer b. */
static double rows_of(const as_draft *d, size_t b)
{
    size_t most = 0;
    for (size_t i = 0; i < d->group.n_layers; i++)
        if (d->layers[i].out.buffer == (int)b) most = as_max(most, d->layers[i].height);
    return (double)(most * d->group.n_images);
}

static double row_bytes(const as_draft *d, size_t b)
{
    return (double)(d->buffers[b].row_floats * sizeof(float));
}

/* How many operands of the group's layers buffer b is. */
static double reads_of(const as_draft *d, size_t b)
{
    double n = 0;
    for (size_t i = 0; i < d->group.n_reads; i++)
        n += d->reads[i].buffer == (int)b;
    return n;
}

/* Nanoseconds of the round trips that the group saves, at most what it is worth. */
static double saved_trips(const as_draft *d)
{
    double saved = 0;
    for (size_t b = 0; b < d->group.n_buffers; b++) {
        const double bytes = rows_of(d, b) * row_bytes(d, b);
        if (bytes > (double)CACHED_BYTES)
            saved += MEMORY_NS * bytes * (reads_of(d, b) + (d->buffers[b].is_outside ? 0 : 1));
    }
    return saved;
}

/* Nanoseconds that the bands of the group cost. */
static double cost_of_bands(const as_draft *d)
{
    const as_group *group = &d->group;
    const size_t n_bands = group->n_images * as_div_up(group->height, group->band_rows);
    double cost = CALL_NS * (double)(n_bands * group->n_layers);
    for (size_t b = 0; b < group->n_buffers; b++)
        if (!d->buffers[b].is_outside)
            cost += MOVE_NS * rows_of(d, b) * row_bytes(d, b) * (double)d->kept_rows[b] /
                    (double)(d->buffers[b].n_rows - d->kept_rows[b]);
    return cost;
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
    size_t starts[AS_GROUP_LAYERS], ends[AS_GROUP_LAYERS];
    const size_t middle = d->group.height / 2 / d->group.row_step * d->group.row_step;
    as_band_starts(&d->group, middle, starts);
    as_band_ends(&d->group, middle, ends);
    double twice = 0, once = 0;
    for (size_t i = 0; i < d->group.n_layers; i++) {
        const double work = row_work(d, layers, i);
        twice += work * (double)(ends[i] - starts[i]);
        once += work * (double)d->layers[i].height / (double)shares;
    }
    return twice * 100 <= once * MOST_TWICE_PERCENT;
}

/* Bands as high as the windows allow.  @return false when even the lowest is too much. */
static bool choose_band(as_draft *d)
{
    as_group *group = &d->group;
    size_t best = 0;
    for (size_t rows = group->row_step; rows < 2 * group->height; rows *= 2) {
        group->band_rows = rows;
        as_draft_estimate(d);
        if (d->window_floats * sizeof(float) > MOST_WINDOW_BYTES) break;
        best = rows;
    }
    if (best && best != group->band_rows) {
        group->band_rows = best;
        as_draft_estimate(d);
    }
    return best > 0;
}

/* A share that begins at any row may cut a pixel of a smaller map in two; so try steps. */
static bool choose_step(as_draft *d, size_t n_looks)
{
    const size_t least = d->group.row_step;
    for (size_t step = least; step <= 8 * least && step <= d->group.height; step *= 2) {
        d->group.row_step = step;
        if (as_draft_look(d, n_looks)) return true;
    }
    return false;
}

static bool is_forced(as_draft *d, size_t rows)
{
    d->group.band_rows = as_round_up(rows, d->group.row_step);
    return as_draft_check(d);
}

/* Rows where a look at a draft is taken, and where its forming does before it looks at all. */
#define LOOKS      4
#define FORM_LOOKS AS_MOST_LOOKS

/* Bands of the draft.  *fits is false when its windows or weights are too much for any. */
static bool pays(as_draft *d, const as_layer *layers, const as_plan_options *options,
                 size_t n_looks, bool *fits)
{
    *fits = options->band_rows || weight_bytes(d, layers) <= MOST_WEIGHT_BYTES;
    if (!*fits || !choose_step(d, n_looks)) return false;
    if (options->band_rows) return is_forced(d, options->band_rows);
    if (!is_little_twice(d, layers, options->threads)) return false;
    *fits = choose_band(d);
    return *fits;
}

bool as_draft_form(const as_grouping *g, size_t first, size_t n, as_draft *draft)
{
    bool fits = false;
    const as_planner *p = g->planner;
    const as_layer *layers = p->plan->layers;
    return as_draft_make(g, first, n, draft) &&
           pays(draft, layers, p->options, FORM_LOOKS, &fits) && as_draft_check(draft);
}

/* Whether a group may save a round trip of what the layer makes. */
static bool is_large(const as_grouping *g, size_t at)
{
    as_layer *layer = &g->planner->plan->layers[at];
    const as_value *root = &g->planner->values[as_touch_of(g, at, AS_SLOT_OUT)->root];
    const double rows = (double)as_layer_images(layer) * (double)as_layer_height(layer);
    return rows * (double)(root->w * root->c * sizeof(float)) > (double)CACHED_BYTES;
}

void as_partition(const as_grouping *g, size_t first, size_t n, as_draft *draft, double *saved,
                  size_t *lengths)
{
    const as_plan_options *options = g->planner->options;
    const as_layer *layers = g->planner->plan->layers;
    saved[n] = 0;
    for (size_t i = n; i-- > 0;) {
        bool fits = true, may_save = options->band_rows || is_large(g, first + i);
        saved[i] = saved[i + 1];
        lengths[i] = 1;
        for (size_t k = 2; fits && k <= as_min(n - i, AS_GROUP_LAYERS); k++) {
            may_save = may_save || is_large(g, first + i + k - 1);
            if (!may_save || !as_draft_make(g, first + i, k, draft)) continue;
            /* All that can be formed, or what pays. */
            double sum =
                saved[i + k] + (options->band_rows ? (double)(k * k) : saved_trips(draft));
            if (sum <= saved[i]) continue; /* most drafts end here, before any walk */
            if (!pays(draft, layers, options, LOOKS, &fits)) continue;
            if (!options->band_rows) sum -= cost_of_bands(draft);
            if (sum <= saved[i]) continue;
            saved[i] = sum;
            lengths[i] = k;
        }
    }
}
