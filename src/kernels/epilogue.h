/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_KERNELS_EPILOGUE_H
#define ASSAY_KERNELS_EPILOGUE_H
/*
 * Applying an epilogue's steps to outputs that were just stored and are still in the
 * first-level cache.  The same code serves fused epilogues and elementwise layers, so both give
 * the same bits.
 *
 * Pixels are counted through: pixel p of a view with extents n, h, w is row p / w and column p
 * % w of all its n * h rows.
 */
#include "kernels/kernels.h"
#include "kernels/simd/f32.h"

/**
 * A run of pixels, all channels c0 .. c0 + n_channels - 1 of each, as one call handles them.
 */
typedef struct epilogue_job {
    const as_epilogue *epilogue;
    size_t first_step; /**< steps before it were done by the kernel itself */
    const float
        *src; /**< value before the first step, channel c0 of the first pixel; may be dst */
    size_t src_stride;
    float *dst;
    size_t dst_stride;
    size_t h, w;     /**< extents of the output, to find a pixel's place */
    size_t pixel;    /**< the first one */
    size_t n_pixels; /**< any number, across rows and images */
    size_t c0, n_channels;
} epilogue_job;

/** Run the steps; without any it does nothing, not even copy. */
void KERNEL(epilogue_run)(const epilogue_job *job);

/** In place on channels c0.. of pixels [pixel, pixel + n_pixels) of a kernel's output. */
void KERNEL(epilogue_in_place)(const as_epilogue *epilogue, size_t first_step,
                               const as_view *out, size_t pixel, size_t n_pixels, size_t c0,
                               size_t n_channels);

/** A clamp that a kernel can do in registers before its store. */
typedef struct epilogue_clamp {
    bool clamps;
    float low, high;
    size_t n_steps; /**< leading steps that it stands for: 0 or 1 */
} epilogue_clamp;

epilogue_clamp KERNEL(epilogue_leading_clamp)(const as_epilogue *epilogue);

/** Steps of an epilogue that may be NULL. */
static inline size_t epilogue_n_steps(const as_epilogue *epilogue)
{
    return epilogue ? epilogue->n_steps : 0;
}

#endif
