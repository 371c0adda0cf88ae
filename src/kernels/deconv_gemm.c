/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transposed convolution whose kernel equals its stride: no two inputs meet in an output, so it
 * is a matrix product with kh * kw * oc columns whose rows are then laid out as small images:
 *
 *     tile[input pixel][kh][kw][oc]  ->  out[kh + y * kh][x * kw .. x * kw + kw - 1][oc]
 *
 * Exact.  An item is TILE_ITEM input pixels.
 */
#include <string.h>

#include "kernels/conv_tile.h"
#include "kernels/prototypes.h"

#define ROUTE(function) KERNEL(deconv_gemm_##function)

bool ROUTE(proposes)(const as_conv_shape *s)
{
    return s->kh == s->sh && s->kw == s->sw && s->dh == 1 && s->dw == 1 && s->pad_top == 0 &&
           s->pad_left == 0 && s->group == 1;
}

static size_t n_columns(const as_conv_shape *s) { return s->kh * s->kw * s->oc; }

size_t ROUTE(packed_floats)(const as_conv_shape *s)
{
    return tile_panels_floats(n_columns(s), s->ic);
}

/* Column j is (kh, kw, oc); weights[ic][oc][kh][kw]. */
void ROUTE(pack)(const as_conv_shape *s, const float *weights, const float *bias, float *packed)
{
    const size_t n_cols = n_columns(s), n_taps = s->kh * s->kw;
    const size_t n_vecs = (n_cols + VF_LANES - 1) / VF_LANES;
    memset(packed, 0, ROUTE(packed_floats)(s) * sizeof *packed);
    for (size_t at = 0, vecs; at < n_vecs; at += vecs) {
        vecs = tile_panel_vecs(at, n_vecs);
        const size_t width = vecs * VF_LANES;
        for (size_t j = 0; j < width && at * VF_LANES + j < n_cols; j++) {
            const size_t tap = (at * VF_LANES + j) / s->oc, oc = (at * VF_LANES + j) % s->oc;
            if (bias) packed[j] = bias[oc];
            for (size_t i = 0; i < s->ic; i++)
                packed[(1 + i) * width + j] = weights[(i * s->oc + oc) * n_taps + tap];
        }
        packed += width * (s->ic + 1);
    }
}

static size_t tile_stride(const as_conv_shape *s) { return (n_columns(s) + 15) / 16 * 16; }

size_t ROUTE(scratch_floats)(const as_conv_shape *s) { return TILE_BLOCK * tile_stride(s); }

size_t ROUTE(n_items)(const as_conv_shape *s)
{
    return (s->n * s->ih * s->iw + TILE_ITEM - 1) / TILE_ITEM;
}

/* The products of one block into `tiles`. */
static void multiply(const as_conv_args *args, size_t pixel, size_t n_pixels,
                     const epilogue_clamp *clamp, float *tiles)
{
    const as_conv_shape *s = &args->shape;
    const size_t n_cols = n_columns(s), n_vecs = (n_cols + VF_LANES - 1) / VF_LANES;
    const float *rows[TILE_BLOCK];
    float *out[TILE_BLOCK];
    for (size_t i = 0; i < n_pixels; i++) {
        rows[i] = args->in.data + (pixel + i) * args->in.pixel_stride;
        out[i] = tiles + i * tile_stride(s);
    }
    tile_job job = {.rows = rows,
                    .rows_stride = TILE_BLOCK,
                    .n_segments = 1,
                    .segment_floats = s->ic,
                    .panel = args->packed,
                    .out = out,
                    .n_rows = n_pixels,
                    .clamps = clamp->clamps,
                    .low = clamp->low,
                    .high = clamp->high};
    for (size_t at = 0; at < n_vecs; at += job.vecs) {
        job.vecs = tile_panel_vecs(at, n_vecs);
        job.out_offset = at * VF_LANES;
        size_t width = job.vecs * VF_LANES;
        job.n_columns = n_cols - job.out_offset < width ? n_cols - job.out_offset : width;
        KERNEL(tile_run)(&job);
        job.panel += width * (s->ic + 1);
    }
}

AS_INLINE void copy_floats(float *to, const float *from, size_t n)
{
    size_t i = 0;
    for (; i + VF_LANES <= n; i += VF_LANES)
        vf_store(to + i, vf_load(from + i));
    for (; i < n; i++)
        to[i] = from[i];
}

/* Lay out the part of a block that lies in one input row, and run the epilogue over it. */
static void scatter_run(const as_conv_args *args, const epilogue_clamp *clamp, size_t row,
                        size_t x, size_t n_pixels, const float *tiles)
{
    const as_conv_shape *s = &args->shape;
    const as_view *out = &args->out;
    const size_t out_floats = s->kw * s->oc, stride = tile_stride(s);
    const bool is_tight = out->pixel_stride == s->oc;
    for (size_t kh = 0; kh < s->kh; kh++) {
        const size_t first =
            (row * s->kh + kh) * s->ow + x * s->kw; /* rows of all images in one count */
        float *to = out->data + first * out->pixel_stride;
        const float *from = tiles + kh * out_floats;
        for (size_t i = 0; i < n_pixels; i++, from += stride) {
            if (is_tight && out_floats == 2) { /* one channel, doubled: the usual head */
                memcpy(to, from, 2 * sizeof *to);
                to += 2;
                continue;
            }
            if (is_tight) {
                copy_floats(to, from, out_floats);
                to += out_floats;
                continue;
            }
            for (size_t kw = 0; kw < s->kw; kw++, to += out->pixel_stride)
                copy_floats(to, from + kw * s->oc, s->oc);
        }
        KERNEL(epilogue_in_place)
        (args->epilogue, clamp->n_steps, out, first, n_pixels * s->kw, 0, s->oc);
    }
}

void ROUTE(run)(const as_conv_args *args, size_t item_begin, size_t item_end, float *scratch)
{
    const as_conv_shape *s = &args->shape;
    const size_t all = s->n * s->ih * s->iw;
    const size_t end = item_end * TILE_ITEM < all ? item_end * TILE_ITEM : all;
    const epilogue_clamp clamp = KERNEL(epilogue_leading_clamp)(args->epilogue);
    for (size_t pixel = item_begin * TILE_ITEM; pixel < end; pixel += TILE_BLOCK) {
        const size_t n_pixels = end - pixel < TILE_BLOCK ? end - pixel : TILE_BLOCK;
        multiply(args, pixel, n_pixels, &clamp, scratch);
        for (size_t i = 0, n_run; i < n_pixels; i += n_run) {
            const size_t x = (pixel + i) % s->iw;
            n_run = n_pixels - i < s->iw - x ? n_pixels - i : s->iw - x;
            scatter_run(args, &clamp, (pixel + i) / s->iw, x, n_run,
                        scratch + i * tile_stride(s));
        }
    }
}
