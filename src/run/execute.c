/* SPDX-License-Identifier: Apache-2.0 */
#include "run/execute.h"

#include <string.h>

#include "base/clock.h"
#include "base/denormals.h"
#include "base/memory.h"
#include "base/size.h"
#include "run/band_call.h"

/* A group as the pool's threads see it. */
typedef struct group_job {
    const as_plan *plan;
    const as_group *group;
    float *scratch; /* of thread 0 */
    size_t scratch_stride;
    const as_timing *timing; /* or NULL */
} group_job;

/* Floats of scratch of one thread, so rounded that each begins on a cache line. */
static size_t scratch_stride(const as_plan *plan)
{
    return as_round_up(plan->scratch_floats, AS_ALIGNMENT / sizeof(float));
}

assay_code as_execute_scratch(const as_plan *plan, size_t n_threads, size_t *out,
                              assay_error *err)
{
    if (as_mul(scratch_stride(plan), n_threads, out)) return ASSAY_OK;
    return as_fail(err, ASSAY_E_MEMORY, "the plan's scratch exceeds all memory");
}

/* ---- one layer alone ---- */

static void run_items(const group_job *job, size_t begin, size_t end, size_t thread)
{
    const as_layer *layer = &job->plan->layers[job->group->first];
    const as_kernels *k = job->plan->kernels;
    switch (layer->kind) {
    case AS_LAYER_CONV:
    case AS_LAYER_DECONV:
        layer->route->run(&layer->args.conv, begin, end,
                          job->scratch + thread * job->scratch_stride);
        break;
    case AS_LAYER_MAP:
        k->map(&layer->args.map, begin, end);
        break;
    case AS_LAYER_MEAN:
        k->mean(&layer->args.mean, begin, end);
        break;
    case AS_LAYER_ROW_SUM:
        k->row_sum(&layer->args.mean, begin, end);
        break;
    case AS_LAYER_POOL:
        k->pool(&layer->args.pool, begin, end);
        break;
    case AS_LAYER_INTERPOLATE:
        k->interpolate(&layer->args.interpolate, begin, end);
        break;
    case AS_LAYER_SOFTMAX:
        k->softmax(&layer->args.softmax, begin, end);
        break;
    case AS_LAYER_FROM_NCHW:
        k->nchw_to_view(&layer->args.layout, begin, end);
        break;
    case AS_LAYER_TO_NCHW:
        k->view_to_nchw(&layer->args.layout, begin, end);
        break;
    case AS_LAYER_PLAIN:
        layer->args.plain.plain->run(&layer->args.plain.call, begin, end);
        break;
    }
}

static as_spans *spans_of(const group_job *job)
{
    return job->timing ? job->timing->spans : NULL;
}

static void run_whole(void *context, size_t begin, size_t end, size_t thread)
{
    const group_job *job = context;
    as_spans *spans = spans_of(job);
    const int64_t before = spans ? as_clock_ns() : 0;
    run_items(job, begin, end, thread);
    if (spans) as_spans_add(spans, thread, job->group->first, before, as_clock_ns());
}

/* ---- bands ---- */

/* What a full buffer keeps of the band before moves to its top. */
static void slide(const as_group *group, const as_band_walk *walk, float *buffers)
{
    for (size_t b = 0; b < group->n_buffers; b++) {
        const as_band_buffer *buffer = &group->buffers[b];
        const as_rows *now = &walk->window[b], *before = &walk->before[b];
        if (buffer->is_outside || walk->top[b] == walk->top_before[b] ||
            now->begin >= before->end)
            continue;
        float *to = buffers + buffer->offset;
        memmove(to, to + (now->begin - walk->top_before[b]) * buffer->row_floats,
                (before->end - now->begin) * buffer->row_floats * sizeof *to);
    }
}

/* `thread` was in a layer from *before until now. */
static void note_time(const group_job *job, size_t layer, size_t thread, int64_t *before)
{
    const int64_t now = as_clock_ns();
    if (thread == 0 && job->timing->layer_ns) job->timing->layer_ns[layer] += now - *before;
    if (job->timing->spans) as_spans_add(job->timing->spans, thread, layer, *before, now);
    *before = now;
}

/* Rows [begin, end) of the last layer, in one image. */
static void run_rows(const group_job *job, const as_band_place *image, size_t begin, size_t end,
                     size_t thread)
{
    const as_group *group = job->group;
    const as_layer *layers = job->plan->layers;
    as_band_walk walk;
    as_band_place at = *image;
    at.walk = &walk;
    as_band_start(group, begin, &walk);
    const bool is_timed = job->timing && (thread == 0 || job->timing->spans);
    int64_t before = is_timed ? as_clock_ns() : 0;
    for (size_t row = begin; row < end; row += group->band_rows) {
        as_band_next(group, as_min(row + group->band_rows, end), &walk);
        slide(group, &walk, at.buffers);
        for (size_t i = 0; i < group->n_layers; i++) {
            as_band_call(job->plan->kernels, &layers[group->first + i], i, &at, walk.rows[i]);
            if (is_timed) note_time(job, group->first + i, thread, &before);
        }
    }
}

static void run_bands(void *context, size_t begin, size_t end, size_t thread)
{
    const group_job *job = context;
    const as_group *group = job->group;
    float *scratch = job->scratch + thread * job->scratch_stride;
    as_band_place at = {.group = group,
                        .buffers = scratch,
                        .scratch = scratch + as_round_up(group->scratch_floats, 16)};
    const size_t each = as_group_items(group) / group->n_images;
    while (begin < end) {
        const size_t first = begin % each, n = as_min(each - first, end - begin);
        at.image = begin / each;
        run_rows(job, &at, first * group->row_step,
                 as_min((first + n) * group->row_step, group->height), thread);
        begin += n;
    }
}

static void run_group(const group_job *job, as_threads *pool)
{
    const as_group *group = job->group;
    if (group->n_layers == 1)
        as_threads_run(pool, job->plan->layers[group->first].n_items, run_whole, (void *)job);
    else
        as_threads_run(pool, as_group_items(group), run_bands, (void *)job);
}

/* The last layer of a group gets what the others have not: waiting and, alone, all of it. */
static void settle(const as_group *group, int64_t elapsed, int64_t *layer_ns)
{
    const size_t last = group->first + group->n_layers - 1;
    for (size_t i = group->first; i < last; i++)
        elapsed -= layer_ns[i];
    layer_ns[last] = elapsed;
}

/* Whether the values that a plain operator reads suit it. */
static assay_code check_values(const as_plan *plan, const as_group *group, assay_error *err)
{
    const as_layer *layer = &plan->layers[group->first];
    if (layer->kind != AS_LAYER_PLAIN) return ASSAY_OK;
    assay_code code = layer->args.plain.plain->check(&layer->args.plain.call, err);
    if (code)
        as_error_where(err, "node %d '%s' (%s)", layer->node, layer->name, layer->op_type);
    return code;
}

assay_code as_execute(const as_plan *plan, as_threads *pool, float *scratch,
                      const as_timing *timing, assay_error *err)
{
    int64_t *layer_ns = timing ? timing->layer_ns : NULL;
    assay_code code = ASSAY_OK;
    group_job job = {.plan = plan,
                     .scratch = scratch,
                     .scratch_stride = scratch_stride(plan),
                     .timing = timing};
    const unsigned saved = as_denormals_flush(); /* once: each group asks for the same */
    if (layer_ns) memset(layer_ns, 0, plan->n_layers * sizeof *layer_ns);
    int64_t before = layer_ns ? as_clock_ns() : 0;
    for (size_t i = 0; !code && i < plan->n_groups; i++) {
        job.group = &plan->groups[i];
        code = check_values(plan, job.group, err);
        if (!code) run_group(&job, pool);
        if (!layer_ns) continue;
        const int64_t now = as_clock_ns();
        settle(job.group, now - before, layer_ns);
        before = now;
    }
    as_denormals_restore(saved);
    return code;
}
