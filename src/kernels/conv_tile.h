/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_KERNELS_CONV_TILE_H
#define ASSAY_KERNELS_CONV_TILE_H
/*
 * What the routes over the micro-kernel (gemm, direct) share: packed weights, units of work and
 * the loop over blocks of output pixels, groups and panels.
 *
 * Packed weights, for each group:   panel | panel | ...     (tile.h), k counting (kh, kw, ic)
 *
 * An item is TILE_ITEM output pixels, counted through all rows and images.
 */
#include "kernels/epilogue.h"
#include "kernels/kernels.h"
#include "kernels/tile.h"
#include "kernels/tile_steps.h"

/**
 * Output pixels of an item: small maps still split evenly, whole tiles of each MR but 8 fit.
 */
#define TILE_ITEM 12

/** @param chains  lanes of a column (tile.h): 1, 2 or 4; above 1 it divides the group's channels. */
size_t KERNEL(conv_tile_packed_floats)(const as_conv_shape *shape, size_t chains);
void KERNEL(conv_tile_pack)(const as_conv_shape *shape, size_t chains, const float *weights,
                            const float *bias, float *packed);
size_t KERNEL(conv_tile_n_items)(const as_conv_shape *shape);

/** Prepares the inputs of one block. */
typedef struct conv_tile_block {
    const as_conv_args *args;
    size_t pixel;       /**< first output pixel of the block */
    size_t n_pixels;    /**< at most rows_stride */
    size_t group;       /**< im2col looks at it; pointers do not depend on it */
    const float **rows; /**< [n_segments][rows_stride] to fill */
    size_t rows_stride;
    float *scratch; /**< the route's own part of its scratch */
} conv_tile_block;

/** How a route feeds the micro-kernel. */
typedef struct conv_tile_plan {
    size_t block;  /**< pixels of a block */
    bool is_heavy; /**< weights come from beyond the second-level cache: fetch them ahead */
    size_t n_segments, segment_floats;
    size_t chains;       /**< as the weights were packed */
    size_t group_offset; /**< floats between two groups behind a row pointer */
    bool fills_each_group;
    void (*fill)(const conv_tile_block *block);
    float *scratch; /**< behind the row pointers */
} conv_tile_plan;

/** Whether the weights leave the second-level cache. */
bool KERNEL(conv_tile_is_heavy)(const as_conv_shape *shape);

/**
 * Pixels of a block: TILE_BLOCK, so that what a block reads and writes stays in the first caches; but
 * as many as there are, up to TILE_BLOCK_MOST, where the weights are heavy: each block reads them
 * all.  Grows with the number of pixels.
 */
size_t KERNEL(conv_tile_block_pixels)(const as_conv_shape *shape);

/** Whether output pixel p reads input pixel p alone. */
bool KERNEL(conv_tile_is_pointwise)(const as_conv_shape *shape);

/**
 * A plan for such a layer: one segment straight from the input, no scratch but the pointers.
 */
conv_tile_plan KERNEL(conv_tile_pointwise)(const as_conv_shape *shape, size_t chains);

/** Floats of scratch that `n_segments` row pointers of each of `block` pixels take. */
size_t KERNEL(conv_tile_rows_floats)(size_t n_segments, size_t block);

/** Compute pixels of items [item_begin, item_end). */
void KERNEL(conv_tile_run)(const as_conv_args *args, const conv_tile_plan *plan,
                           size_t item_begin, size_t item_end, float *scratch);

/** Row, column and image of an output pixel. */
typedef struct conv_place {
    size_t image, y, x;
} conv_place;

static inline conv_place conv_place_of(const as_conv_shape *s, size_t pixel)
{
    size_t row = pixel / s->ow;
    return (conv_place){row / s->oh, row % s->oh, pixel % s->ow};
}

static inline void conv_place_next(const as_conv_shape *s, conv_place *place)
{
    if (++place->x < s->ow) return;
    place->x = 0;
    if (++place->y < s->oh) return;
    place->y = 0;
    place->image++;
}

/** Input row that tap row kh of a place reads, or NULL where that is padding. */
static inline const float *conv_input_row(const as_conv_args *args, const conv_place *place,
                                          size_t kh)
{
    const as_conv_shape *s = &args->shape;
    size_t iy = place->y * s->sh + kh * s->dh - s->pad_top; /* wraps above the image */
    if (iy >= s->ih) return NULL;
    return args->in.data + (place->image * s->ih + iy) * s->iw * args->in.pixel_stride;
}

#endif
