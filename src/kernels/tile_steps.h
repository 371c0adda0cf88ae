/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_KERNELS_TILE_STEPS_H
#define ASSAY_KERNELS_TILE_STEPS_H
/*
 * The leading steps of an epilogue that the micro-kernel does in registers; the rest is for
 * epilogue_in_place.
 *
 *     tile_steps steps;
 *     KERNEL(tile_steps_choose)(&steps, epilogue, false);
 *     tile_job job = {.steps = steps.steps, .n_steps = steps.n_steps, ...};
 *     KERNEL(tile_steps_find)(&steps, &out, pixel, n_pixels);   // before each block
 *     KERNEL(tile_run)(&job);
 */
#include "kernels/tile.h"

#define TILE_STEPS 3 /* at most */

typedef struct tile_steps {
    tile_step steps[TILE_STEPS];
    size_t n_steps;
    const float *rows[TILE_STEPS][TILE_BLOCK_MOST]; /**< operands of the pixels of a block */
} tile_steps;

/** @param unary  columns are no channels: take steps without operands only. */
void KERNEL(tile_steps_choose)(tile_steps *steps, const as_epilogue *epilogue, bool unary);

/** Find the operands of n_pixels <= TILE_BLOCK_MOST pixels of `out`, counted through all rows. */
void KERNEL(tile_steps_find)(tile_steps *steps, const as_view *out, size_t pixel,
                             size_t n_pixels);

#endif
