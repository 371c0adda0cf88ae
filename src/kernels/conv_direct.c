/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Direct convolution: the micro-kernel walks the taps through pointers into the input; a tap in the
 * padding points at zeros.  Nothing is copied but at the borders of merged taps:
 *
 * Where pixels lie tight (pixel_stride == ic, one group, no dilation) the kw taps of a kernel row
 * are one run of kw * ic floats, so they are one segment; a run that leaves the image on the left or
 * right is copied to scratch with zeros in place of what is outside.
 *
 * Exact; any kernel, stride, dilation and group.
 */
#include <string.h>

#include "kernels/conv_tile.h"
#include "kernels/prototypes.h"

#define ROUTE(function) KERNEL(conv_direct_##function)

bool ROUTE(proposes)(const as_conv_shape *shape)
{
    (void)shape;
    return true;
}

static bool is_tight(const as_conv_args *args)
{
    const as_conv_shape *s = &args->shape;
    return args->in.pixel_stride == s->ic && s->group == 1 && s->dw == 1;
}

/* scratch: zeros[max(ic, kw * ic)] | copies[kh][TILE_BLOCK][kw * ic] */
static size_t zeros_floats(const as_conv_shape *s) { return (s->kw * s->ic + 15) / 16 * 16; }

static void fill_taps(const conv_tile_block *block)
{
    const as_conv_shape *s = &block->args->shape;
    const size_t stride = block->args->in.pixel_stride;
    conv_place place = conv_place_of(s, block->pixel);
    for (size_t i = 0; i < block->n_pixels; i++, conv_place_next(s, &place)) {
        const float **rows = block->rows + i;
        for (size_t kh = 0; kh < s->kh; kh++) {
            const float *row = conv_input_row(block->args, &place, kh);
            for (size_t kw = 0; kw < s->kw; kw++, rows += TILE_BLOCK) {
                size_t ix = place.x * s->sw + kw * s->dw - s->pad_left;
                *rows = row && ix < s->iw ? row + ix * stride : block->scratch;
            }
        }
    }
}

/* A run of kw tight pixels from column x0 (may be negative, as wrapped) with zeros outside the row. */
static void copy_run(const as_conv_shape *s, const float *row, size_t x0, float *to)
{
    for (size_t kw = 0; kw < s->kw; kw++, to += s->ic) {
        size_t ix = x0 + kw;
        if (ix < s->iw)
            memcpy(to, row + ix * s->ic, s->ic * sizeof *to);
        else
            memset(to, 0, s->ic * sizeof *to);
    }
}

static void fill_runs(const conv_tile_block *block)
{
    const as_conv_shape *s = &block->args->shape;
    const size_t run_floats = s->kw * s->ic;
    float *copies = block->scratch + zeros_floats(s);
    conv_place place = conv_place_of(s, block->pixel);
    for (size_t i = 0; i < block->n_pixels; i++, conv_place_next(s, &place)) {
        const size_t x0 = place.x * s->sw - s->pad_left;
        const bool is_whole = x0 < s->iw && s->kw <= s->iw - x0;
        for (size_t kh = 0; kh < s->kh; kh++) {
            const float **to = &block->rows[kh * TILE_BLOCK + i];
            const float *row = conv_input_row(block->args, &place, kh);
            if (!row) {
                *to = block->scratch;
            } else if (is_whole) {
                *to = row + x0 * s->ic;
            } else {
                float *copy = copies + (kh * TILE_BLOCK + i) * run_floats;
                copy_run(s, row, x0, copy);
                *to = copy;
            }
        }
    }
}

size_t ROUTE(scratch_floats)(const as_conv_shape *shape)
{
    return KERNEL(conv_tile_rows_floats)(shape->kh * shape->kw) + zeros_floats(shape) +
           shape->kh * TILE_BLOCK * shape->kw * shape->ic;
}

void ROUTE(run)(const as_conv_args *args, size_t item_begin, size_t item_end, float *scratch)
{
    const as_conv_shape *s = &args->shape;
    const size_t icg = s->ic / s->group;
    const bool tight = is_tight(args);
    conv_tile_plan plan = {.n_segments = tight ? s->kh : s->kh * s->kw,
                           .segment_floats = tight ? s->kw * s->ic : icg,
                           .group_offset = icg,
                           .fill = tight ? fill_runs : fill_taps,
                           .scratch = scratch + KERNEL(conv_tile_rows_floats)(s->kh * s->kw)};
    if (KERNEL(conv_tile_is_pointwise)(s)) {
        plan = KERNEL(conv_tile_pointwise)(s);
        KERNEL(conv_tile_run)(args, &plan, item_begin, item_end, scratch);
        return;
    }
    memset(plan.scratch, 0, zeros_floats(s) * sizeof *plan.scratch);
    KERNEL(conv_tile_run)(args, &plan, item_begin, item_end, scratch);
}

size_t ROUTE(packed_floats)(const as_conv_shape *shape)
{
    return KERNEL(conv_tile_packed_floats)(shape);
}

void ROUTE(pack)(const as_conv_shape *shape, const float *weights, const float *bias,
                 float *packed)
{
    KERNEL(conv_tile_pack)(shape, weights, bias, packed);
}

size_t ROUTE(n_items)(const as_conv_shape *shape) { return KERNEL(conv_tile_n_items)(shape); }
