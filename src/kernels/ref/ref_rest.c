/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "kernels/ref/ref.h"

void as_ref_map(const as_map_args *args)
{
    const as_view *out = &args->out;
    for (size_t image = 0; image < out->n; image++)
        for (size_t y = 0; y < out->h; y++)
            for (size_t x = 0; x < out->w; x++)
                for (size_t c = 0; c < out->c; c++) {
                    const size_t iy = args->row_map ? args->row_map[y] : y;
                    const size_t ix = args->col_map ? args->col_map[x] : x;
                    const float value = *as_ref_at(&args->in, image, iy, ix, c);
                    *as_ref_at(out, image, y, x, c) =
                        as_ref_steps(args->epilogue, value, image, y, x, c);
                }
}

void as_ref_mean(const as_mean_args *args)
{
    const as_view *in = &args->in;
    for (size_t image = 0; image < in->n; image++)
        for (size_t c = 0; c < in->c; c++) {
            float total = 0.0f;
            for (size_t y = 0; y < in->h; y++) {
                float row = *as_ref_at(in, image, y, 0, c);
                for (size_t x = 1; x < in->w; x++)
                    row += *as_ref_at(in, image, y, x, c);
                total += row;
            }
            *as_ref_at(&args->out, image, 0, 0, c) =
                as_ref_steps(args->epilogue, total / (float)(in->h * in->w), image, 0, 0, c);
        }
}

/* Maxima return denormals as zeros of their sign. */
static float flushed(float a) { return fabsf(a) < 0x1p-126f ? copysignf(0.0f, a) : a; }

/* One window's maximum, or its sum, and how many taps count. */
static float pool_element(const as_pool_args *a, size_t image, size_t oy, size_t ox, size_t c)
{
    float top = -INFINITY, sum = 0.0f;
    size_t n_inside = 0, n_padded = 0;
    for (size_t kh = 0; kh < a->kh; kh++)
        for (size_t kw = 0; kw < a->kw; kw++) {
            const size_t y = oy * a->sh + kh * a->dh, x = ox * a->sw + kw * a->dw;
            if (y < a->pad_top + a->in.h + a->pad_bottom &&
                x < a->pad_left + a->in.w + a->pad_right)
                n_padded++;
            if (y < a->pad_top || y - a->pad_top >= a->in.h) continue;
            if (x < a->pad_left || x - a->pad_left >= a->in.w) continue;
            const float value = *as_ref_at(&a->in, image, y - a->pad_top, x - a->pad_left, c);
            top = flushed(top > value ? top : value);
            sum += value;
            n_inside++;
        }
    if (a->kind == AS_POOL_MAX) return top;
    return sum / (float)(a->counts_pad ? n_padded : n_inside);
}

void as_ref_pool(const as_pool_args *args)
{
    const as_view *out = &args->out;
    for (size_t image = 0; image < out->n; image++)
        for (size_t y = 0; y < out->h; y++)
            for (size_t x = 0; x < out->w; x++)
                for (size_t c = 0; c < out->c; c++)
                    *as_ref_at(out, image, y, x, c) = as_ref_steps(
                        args->epilogue, pool_element(args, image, y, x, c), image, y, x, c);
}

static float interpolated(const as_interpolate_args *a, size_t image, size_t y, size_t x,
                          size_t c)
{
    float acc = 0.0f;
    for (size_t i = 0; i < a->row_taps; i++) {
        float sum = 0.0f;
        for (size_t j = 0; j < a->col_taps; j++)
            sum = fmaf(a->col_weights[x * a->col_taps + j],
                       *as_ref_at(&a->in, image, a->rows[y * a->row_taps + i],
                                  a->cols[x * a->col_taps + j], c),
                       sum);
        acc = fmaf(a->row_weights[y * a->row_taps + i], sum, acc);
    }
    return acc;
}

void as_ref_interpolate(const as_interpolate_args *args)
{
    const as_view *out = &args->out;
    for (size_t image = 0; image < out->n; image++)
        for (size_t y = 0; y < out->h; y++)
            for (size_t x = 0; x < out->w; x++)
                for (size_t c = 0; c < out->c; c++)
                    *as_ref_at(out, image, y, x, c) = as_ref_steps(
                        args->epilogue, interpolated(args, image, y, x, c), image, y, x, c);
}

void as_ref_softmax(const as_softmax_args *args)
{
    const as_view *in = &args->in;
    for (size_t image = 0; image < in->n; image++)
        for (size_t y = 0; y < in->h; y++)
            for (size_t x = 0; x < in->w; x++) {
                const float *from = as_ref_at(in, image, y, x, 0);
                float *to = as_ref_at(&args->out, image, y, x, 0);
                float top = -INFINITY, sum = 0.0f;
                for (size_t c = 0; c < in->c; c++)
                    if (from[c] > top) top = from[c];
                for (size_t c = 0; c < in->c; c++) {
                    to[c] = as_ref_exp(from[c] - top);
                    sum += to[c];
                }
                for (size_t c = 0; c < in->c; c++)
                    to[c] /= sum;
            }
}

void as_ref_nchw_to_view(const as_layout_args *args)
{
    const as_view *v = &args->view;
    for (size_t image = 0; image < v->n; image++)
        for (size_t c = 0; c < v->c; c++)
            for (size_t y = 0; y < v->h; y++)
                for (size_t x = 0; x < v->w; x++)
                    *as_ref_at(v, image, y, x, c) =
                        args->nchw[((image * v->c + c) * v->h + y) * v->w + x];
}

void as_ref_view_to_nchw(const as_layout_args *args)
{
    const as_view *v = &args->view;
    for (size_t image = 0; image < v->n; image++)
        for (size_t c = 0; c < v->c; c++)
            for (size_t y = 0; y < v->h; y++)
                for (size_t x = 0; x < v->w; x++)
                    args->nchw[((image * v->c + c) * v->h + y) * v->w + x] =
                        *as_ref_at(v, image, y, x, c);
}
