/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transposed convolution whose kernel equals its stride: no two inputs meet in an output, so each
 * kernel row is a matrix product with kw * oc columns, whose rows lie side by side in the output:
 *
 *     in[y][x][ic] * panels[kh]  ->  out[y * kh + row][x * kw .. x * kw + kw - 1][oc]
 *
 * The micro-kernel stores there itself where the output's pixels lie tight.  Exact.  An item is
 * TILE_ITEM input pixels.  Packed weights: the panels of kernel row 0, of row 1, ...
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

/* Columns of one kernel row, and how many vectors they take. */
static size_t n_columns(const as_conv_shape *s) { return s->kw * s->oc; }
static size_t n_vectors(const as_conv_shape *s)
{
    return (n_columns(s) + VF_LANES - 1) / VF_LANES;
}

size_t ROUTE(packed_floats)(const as_conv_shape *s)
{
    return s->kh * tile_panels_floats(n_columns(s), s->ic, 1);
}

/* The panel whose first column is `first` of kernel row kh; column j is (kw, oc). */
static void pack_panel(const as_conv_shape *s, const float *weights, const float *bias,
                       size_t kh, size_t first, size_t width, float *panel)
{
    const size_t n_taps = s->kh * s->kw;
    for (size_t j = 0; j < width && first + j < n_columns(s); j++) {
        const size_t tap = kh * s->kw + (first + j) / s->oc, oc = (first + j) % s->oc;
        if (bias) panel[j] = bias[oc];
        for (size_t i = 0; i < s->ic; i++)
            panel[(1 + i) * width + j] = weights[(i * s->oc + oc) * n_taps + tap];
    }
}

void ROUTE(pack)(const as_conv_shape *s, const float *weights, const float *bias, float *packed)
{
    memset(packed, 0, ROUTE(packed_floats)(s) * sizeof *packed);
    for (size_t kh = 0; kh < s->kh; kh++)
        for (size_t at = 0, vecs; at < n_vectors(s); at += vecs) {
            vecs = tile_panel_vecs(at, n_vectors(s), 1);
            pack_panel(s, weights, bias, kh, at * VF_LANES, vecs * VF_LANES, packed);
            packed += vecs * VF_LANES * (s->ic + 1);
        }
}

size_t ROUTE(scratch_floats)(const as_conv_shape *s) { return TILE_BLOCK * n_columns(s); }

size_t ROUTE(n_items)(const as_conv_shape *s)
{
    return (s->n * s->ih * s->iw + TILE_ITEM - 1) / TILE_ITEM;
}

/* The job's rows times the panels of one kernel row. @return the panel behind them. */
static const float *multiply(const as_conv_shape *s, tile_job *job)
{
    for (size_t at = 0; at < n_vectors(s); at += job->vecs) {
        job->vecs = tile_panel_vecs(at, n_vectors(s), 1);
        job->out_offset = at * VF_LANES;
        const size_t width = job->vecs * VF_LANES, left = n_columns(s) - job->out_offset;
        job->n_columns = left < width ? left : width;
        KERNEL(tile_run)(job);
        job->panel += width * (s->ic + 1);
    }
    return job->panel;
}

/* Pixels that lie tight to where they lie `stride` floats apart. */
static void spread(const float *from, size_t n_pixels, size_t c, float *to, size_t stride)
{
    for (size_t i = 0; i < n_pixels; i++, from += c, to += stride)
        memcpy(to, from, c * sizeof *to);
}

/* Input pixels [pixel, pixel + n_pixels) of one row; the outputs of a kernel row are one run. */
static void run_block(const as_conv_args *args, const tile_steps *steps, size_t pixel,
                      size_t n_pixels, float *scratch)
{
    const as_conv_shape *s = &args->shape;
    const as_view *out = &args->out;
    const bool is_tight = out->pixel_stride == s->oc;
    const float *rows[TILE_BLOCK];
    float *to[TILE_BLOCK];
    tile_job job = {.rows = rows,
                    .rows_stride = TILE_BLOCK,
                    .n_segments = 1,
                    .segment_floats = s->ic,
                    .spread = 1,
                    .panel = args->packed,
                    .out = to,
                    .n_rows = n_pixels,
                    .steps = steps->steps,
                    .n_steps = steps->n_steps};
    for (size_t i = 0; i < n_pixels; i++)
        rows[i] = args->in.data + (pixel + i) * args->in.pixel_stride;
    for (size_t kh = 0; kh < s->kh; kh++) {
        /* Rows of all images in one count. */
        const size_t first = (pixel / s->iw * s->kh + kh) * s->ow + pixel % s->iw * s->kw;
        float *run = out->data + first * out->pixel_stride, *tight = is_tight ? run : scratch;
        for (size_t i = 0; i < n_pixels; i++)
            to[i] = tight + i * n_columns(s);
        job.panel = multiply(s, &job);
        if (!is_tight) spread(scratch, n_pixels * s->kw, s->oc, run, out->pixel_stride);
        KERNEL(epilogue_in_place)
        (args->epilogue, steps->n_steps, out, first, n_pixels * s->kw, 0, s->oc);
    }
}

void ROUTE(run)(const as_conv_args *args, size_t item_begin, size_t item_end, float *scratch)
{
    const as_conv_shape *s = &args->shape;
    const size_t all = s->n * s->ih * s->iw;
    const size_t end = item_end * TILE_ITEM < all ? item_end * TILE_ITEM : all;
    tile_steps steps;
    KERNEL(tile_steps_choose)(&steps, args->epilogue, true);
    for (size_t pixel = item_begin * TILE_ITEM, n; pixel < end; pixel += n) {
        n = s->iw - pixel % s->iw;
        if (n > TILE_BLOCK) n = TILE_BLOCK;
        if (n > end - pixel) n = end - pixel;
        run_block(args, &steps, pixel, n, scratch);
    }
}
