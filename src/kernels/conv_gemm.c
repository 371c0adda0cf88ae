/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolution as a matrix product.  A pointwise layer reads its rows straight from the NHWC
 * input; any other kernel copies the taps of a block of output pixels side by side first
 * (im2col):
 *
 *     scratch[pixel of the block][kh][kw][ic of the group]
 *
 * Exact.  Padding is copied as zeros.
 */
#include <string.h>

#include "kernels/conv_tile.h"
#include "kernels/prototypes.h"

#define ROUTE(function) KERNEL(conv_gemm_##function)

bool ROUTE(proposes)(const as_conv_shape *shape)
{
    /* A matrix product for each single channel would be all overhead: that is depthwise's. */
    return shape->group == 1 || shape->ic / shape->group > 1;
}

AS_INLINE void copy_floats(float *to, const float *from, size_t n)
{
    const size_t tail = n % VF_LANES;
    size_t i = 0;
    for (; i + VF_LANES <= n; i += VF_LANES)
        vf_store(to + i, vf_load(from + i));
    if (tail) vf_store_tail(to + i, vf_load_tail(from + i, tail), tail);
}

/* The taps of one output pixel's kernel row: kw runs of icg floats, one run where they lie
 * tight. */
static void copy_taps(const as_conv_args *args, const float *row, size_t x0, size_t icg,
                      float *to)
{
    const as_conv_shape *s = &args->shape;
    if (row && x0 < s->iw && (s->kw - 1) * s->dw < s->iw - x0 && s->dw == 1 &&
        args->in.pixel_stride == icg) {
        copy_floats(to, row + x0 * icg, s->kw * icg);
        return;
    }
    for (size_t kw = 0; kw < s->kw; kw++, to += icg) {
        const size_t ix = x0 + kw * s->dw; /* wraps left of the image */
        if (row && ix < s->iw)
            copy_floats(to, row + ix * args->in.pixel_stride, icg);
        else
            memset(to, 0, icg * sizeof *to);
    }
}

static void fill_im2col(const conv_tile_block *block)
{
    const as_conv_shape *s = &block->args->shape;
    const size_t icg = s->ic / s->group;
    conv_place place = conv_place_of(s, block->pixel);
    float *to = block->scratch;
    for (size_t i = 0; i < block->n_pixels; i++, conv_place_next(s, &place)) {
        block->rows[i] = to;
        for (size_t kh = 0; kh < s->kh; kh++, to += s->kw * icg) {
            const float *row = conv_input_row(block->args, &place, kh);
            if (row) row += block->group * icg;
            copy_taps(block->args, row, place.x * s->sw - s->pad_left, icg, to);
        }
    }
}

size_t ROUTE(scratch_floats)(const as_conv_shape *shape)
{
    if (KERNEL(conv_tile_is_pointwise)(shape))
        return KERNEL(conv_tile_rows_floats)(1, KERNEL(conv_tile_block_pixels)(shape));
    return KERNEL(conv_tile_rows_floats)(1, TILE_BLOCK) +
           TILE_BLOCK * shape->kh * shape->kw * (shape->ic / shape->group);
}

void ROUTE(run)(const as_conv_args *args, size_t item_begin, size_t item_end, float *scratch)
{
    const as_conv_shape *s = &args->shape;
    const size_t icg = s->ic / s->group;
    conv_tile_plan plan = {.block = TILE_BLOCK,
                           .is_heavy = KERNEL(conv_tile_is_heavy)(s),
                           .n_segments = 1,
                           .segment_floats = s->kh * s->kw * icg,
                           .chains = 1,
                           .fills_each_group = true,
                           .fill = fill_im2col,
                           .scratch = scratch + KERNEL(conv_tile_rows_floats)(1, TILE_BLOCK)};
    if (KERNEL(conv_tile_is_pointwise)(s)) plan = KERNEL(conv_tile_pointwise)(s, 1);
    KERNEL(conv_tile_run)(args, &plan, item_begin, item_end, scratch);
}

size_t ROUTE(packed_floats)(const as_conv_shape *shape)
{
    return KERNEL(conv_tile_packed_floats)(shape, 1);
}

void ROUTE(pack)(const as_conv_shape *shape, const float *weights, const float *bias,
                 float *packed)
{
    KERNEL(conv_tile_pack)(shape, 1, weights, bias, packed);
}

size_t ROUTE(n_items)(const as_conv_shape *shape) { return KERNEL(conv_tile_n_items)(shape); }
