/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolution as a matrix product.  A pointwise layer reads its rows straight from the NHWC input;
 * any other kernel copies the taps of a block of output pixels side by side first (im2col):
 *
 *     scratch[pixel of the block][kh][kw][ic of the group]
 *
 * Exact.  Padding is copied as zeros.
 */
#include <string.h>

#include "kernels/conv_tile.h"
#include "kernels/prototypes.h"

#define ROUTE(function) KERNEL(conv_gemm_##function)

static bool is_pointwise(const as_conv_shape *s)
{
    return s->kh == 1 && s->kw == 1 && s->sh == 1 && s->sw == 1 && s->oh == s->ih &&
           s->ow == s->iw && s->pad_top == 0 && s->pad_left == 0;
}

bool ROUTE(proposes)(const as_conv_shape *shape)
{
    /* A matrix product for each single channel would be all overhead: that is depthwise's. */
    return shape->group == 1 || shape->ic / shape->group > 1;
}

static void fill_pointwise(const conv_tile_block *block)
{
    const as_view *in = &block->args->in;
    for (size_t i = 0; i < block->n_pixels; i++)
        block->rows[i] = in->data + (block->pixel + i) * in->pixel_stride;
}

/* The taps of one output pixel's row kh, all kw of them. */
static float *copy_taps(const as_conv_args *args, const conv_place *place, size_t kh, size_t c0,
                        size_t icg, float *to)
{
    const as_conv_shape *s = &args->shape;
    const float *row = conv_input_row(args, place, kh);
    for (size_t kw = 0; kw < s->kw; kw++, to += icg) {
        size_t ix = place->x * s->sw + kw * s->dw - s->pad_left; /* wraps left of the image */
        if (row && ix < s->iw)
            memcpy(to, row + ix * args->in.pixel_stride + c0, icg * sizeof *to);
        else
            memset(to, 0, icg * sizeof *to);
    }
    return to;
}

static void fill_im2col(const conv_tile_block *block)
{
    const as_conv_shape *s = &block->args->shape;
    const size_t icg = s->ic / s->group;
    conv_place place = conv_place_of(s, block->pixel);
    float *to = block->scratch;
    for (size_t i = 0; i < block->n_pixels; i++, conv_place_next(s, &place)) {
        block->rows[i] = to;
        for (size_t kh = 0; kh < s->kh; kh++)
            to = copy_taps(block->args, &place, kh, block->group * icg, icg, to);
    }
}

size_t ROUTE(scratch_floats)(const as_conv_shape *shape)
{
    size_t rows = KERNEL(conv_tile_rows_floats)(1);
    if (is_pointwise(shape)) return rows;
    return rows + TILE_BLOCK * shape->kh * shape->kw * (shape->ic / shape->group);
}

void ROUTE(run)(const as_conv_args *args, size_t item_begin, size_t item_end, float *scratch)
{
    const as_conv_shape *s = &args->shape;
    const size_t icg = s->ic / s->group;
    const bool pointwise = is_pointwise(s);
    conv_tile_plan plan = {.n_segments = 1,
                           .segment_floats = s->kh * s->kw * icg,
                           .group_offset = pointwise ? icg : 0,
                           .fills_each_group = !pointwise,
                           .fill = pointwise ? fill_pointwise : fill_im2col,
                           .scratch = scratch + KERNEL(conv_tile_rows_floats)(1)};
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
