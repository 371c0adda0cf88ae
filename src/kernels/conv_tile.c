/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/conv_tile.h"

#include <string.h>

static size_t taps_floats(const as_conv_shape *s) { return s->kh * s->kw * (s->ic / s->group); }

static size_t group_floats(const as_conv_shape *s, size_t chains)
{
    return tile_panels_floats(s->oc / s->group, taps_floats(s), chains);
}

size_t KERNEL(conv_tile_packed_floats)(const as_conv_shape *shape, size_t chains)
{
    return shape->group * group_floats(shape, chains);
}

/* Input channels of a column's weights that go into a panel before the next column's: their lines of
 * the panel stay in the first-level cache. */
#define PACK_CHANNELS 16

/* n input channels of one tap of one column: `chains` of them in a row of the panel. */
AS_INLINE void pack_channels(const float *w, size_t n_taps, size_t n, size_t width,
                             const size_t chains, float *to)
{
    for (size_t i = 0; i < n; i++)
        to[i / chains * width + i % chains] = w[i * n_taps];
}

/* One panel: channels oc0 .. oc0 + n_columns - 1 of a group, padded with zeros to `width` lanes. */
AS_INLINE void pack_panel(const as_conv_shape *s, const float *weights, const float *bias,
                          size_t oc0, size_t n_columns, size_t width, const size_t chains,
                          float *panel)
{
    const size_t icg = s->ic / s->group, n_taps = s->kh * s->kw;
    if (n_columns * chains < width || chains > 1 || !bias)
        memset(panel, 0, width * (n_taps * icg / chains + 1) * sizeof *panel);
    for (size_t j = 0; bias && j < n_columns; j++)
        panel[j * chains] = bias[oc0 + j];
    for (size_t i0 = 0; i0 < icg; i0 += PACK_CHANNELS) {
        const size_t n = icg - i0 < PACK_CHANNELS ? icg - i0 : PACK_CHANNELS;
        for (size_t j = 0; j < n_columns; j++) {
            const float *w = weights + ((oc0 + j) * icg + i0) * n_taps;
            for (size_t tap = 0; tap < n_taps; tap++)
                pack_channels(w + tap, n_taps, n, width, chains,
                              panel + (1 + (tap * icg + i0) / chains) * width + j * chains);
        }
    }
}

void KERNEL(conv_tile_pack)(const as_conv_shape *shape, size_t chains, const float *weights,
                            const float *bias, float *packed)
{
    const size_t ocg = shape->oc / shape->group, n_vecs = tile_n_vecs(ocg, chains);
    for (size_t g = 0; g < shape->group; g++) {
        for (size_t at = 0, vecs; at < n_vecs; at += vecs) {
            vecs = tile_panel_vecs(at, n_vecs, chains);
            const size_t c0 = at * VF_LANES / chains, width = vecs * VF_LANES;
            const size_t room = width / chains, n_columns = ocg - c0 < room ? ocg - c0 : room;
            const size_t oc0 = g * ocg + c0;
            if (chains == 1) /* known where it is inlined, nothing is divided by it */
                pack_panel(shape, weights, bias, oc0, n_columns, width, 1, packed);
            else if (chains == 2)
                pack_panel(shape, weights, bias, oc0, n_columns, width, 2, packed);
            else
                pack_panel(shape, weights, bias, oc0, n_columns, width, 4, packed);
            packed += width * (taps_floats(shape) / chains + 1);
        }
    }
}

size_t KERNEL(conv_tile_n_items)(const as_conv_shape *shape)
{
    return (shape->n * shape->oh * shape->ow + TILE_ITEM - 1) / TILE_ITEM;
}

/* Packed weights that do not stay in a second-level cache of 2 MiB beside the maps; trial
 * bench/results/small-maps.txt. */
#define HEAVY_BYTES ((size_t)1 << 20)

bool KERNEL(conv_tile_is_heavy)(const as_conv_shape *shape)
{
    return KERNEL(conv_tile_packed_floats)(shape, 1) * sizeof(float) > HEAVY_BYTES;
}

size_t KERNEL(conv_tile_block_pixels)(const as_conv_shape *shape)
{
    const size_t n = KERNEL(conv_tile_n_items)(shape) * TILE_ITEM;
    if (n <= TILE_BLOCK || !KERNEL(conv_tile_is_heavy)(shape)) return TILE_BLOCK;
    return n < TILE_BLOCK_MOST ? n : TILE_BLOCK_MOST;
}

size_t KERNEL(conv_tile_rows_floats)(size_t n_segments, size_t block)
{
    const size_t floats = (n_segments + 1) * block * sizeof(float *) / sizeof(float);
    return (floats + 15) / 16 * 16;
}

bool KERNEL(conv_tile_is_pointwise)(const as_conv_shape *s)
{
    return s->kh == 1 && s->kw == 1 && s->sh == 1 && s->sw == 1 && s->oh == s->ih &&
           s->ow == s->iw && s->pad_top == 0 && s->pad_left == 0;
}

static void fill_pointwise(const conv_tile_block *block)
{
    const as_view *in = &block->args->in;
    for (size_t i = 0; i < block->n_pixels; i++)
        block->rows[i] = in->data + (block->pixel + i) * in->pixel_stride;
}

conv_tile_plan KERNEL(conv_tile_pointwise)(const as_conv_shape *s, size_t chains)
{
    const size_t icg = s->ic / s->group;
    return (conv_tile_plan){.block = KERNEL(conv_tile_block_pixels)(s),
                            .is_heavy = KERNEL(conv_tile_is_heavy)(s),
                            .n_segments = 1,
                            .segment_floats = icg,
                            .chains = chains,
                            .group_offset = icg,
                            .fill = fill_pointwise};
}

/* All panels of one group over one block. */
static void run_group(const conv_tile_block *block, const conv_tile_plan *plan, tile_job *job)
{
    const as_conv_args *args = block->args;
    const size_t ocg = args->shape.oc / args->shape.group;
    const size_t n_vecs = tile_n_vecs(ocg, plan->chains);
    const size_t n_rows = plan->n_segments * plan->segment_floats / plan->chains + 1;
    job->panel = args->packed + block->group * group_floats(&args->shape, plan->chains);
    job->row_offset = block->group * plan->group_offset;
    for (size_t at = 0; at < n_vecs; at += job->vecs) {
        job->vecs = tile_panel_vecs(at, n_vecs, plan->chains);
        const size_t c0 = at * VF_LANES / plan->chains, width = job->vecs * VF_LANES;
        const size_t room = width / plan->chains;
        job->n_columns = ocg - c0 < room ? ocg - c0 : room;
        job->out_offset = block->group * ocg + c0;
        const bool fetches = plan->is_heavy && plan->chains == 1 && at + job->vecs < n_vecs &&
                             job->n_rows >= TILE_FETCH_ROWS;
        job->next = fetches ? job->panel + width * n_rows : NULL;
        KERNEL(tile_run)(job);
        job->panel += width * n_rows;
        KERNEL(epilogue_in_place)
        (args->epilogue, job->n_steps, &args->out, block->pixel, block->n_pixels,
         job->out_offset, job->n_columns);
    }
}

void KERNEL(conv_tile_run)(const as_conv_args *args, const conv_tile_plan *plan,
                           size_t item_begin, size_t item_end, float *scratch)
{
    const as_conv_shape *s = &args->shape;
    const size_t n_pixels = s->n * s->oh * s->ow;
    const size_t end = item_end * TILE_ITEM < n_pixels ? item_end * TILE_ITEM : n_pixels;
    tile_steps steps;
    KERNEL(tile_steps_choose)(&steps, args->epilogue, false);
    const float **rows = (const float **)(void *)scratch;
    float *out[TILE_BLOCK_MOST];
    conv_tile_block block = {
        .args = args, .rows = rows, .rows_stride = plan->block, .scratch = plan->scratch};
    tile_job job = {.rows = rows,
                    .rows_stride = plan->block,
                    .n_segments = plan->n_segments,
                    .segment_floats = plan->segment_floats,
                    .spread = plan->chains,
                    .adds_chains = true,
                    .out = out,
                    .steps = steps.steps,
                    .n_steps = steps.n_steps};
    for (block.pixel = item_begin * TILE_ITEM; block.pixel < end; block.pixel += plan->block) {
        block.n_pixels = end - block.pixel < plan->block ? end - block.pixel : plan->block;
        job.n_rows = block.n_pixels;
        for (size_t i = 0; i < block.n_pixels; i++)
            out[i] = args->out.data + (block.pixel + i) * args->out.pixel_stride;
        KERNEL(tile_steps_find)(&steps, &args->out, block.pixel, block.n_pixels);
        for (block.group = 0; block.group < s->group; block.group++) {
            if (block.group == 0 || plan->fills_each_group) plan->fill(&block);
            run_group(&block, plan, &job);
        }
    }
}
