/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maximum and average pooling, vectors over channels.  An average is one chain of adds over the
 * window's taps inside the image in (kh, kw) order, then one division.  Exact.  An item is one
 * output row.
 */
#include <math.h>

#include "kernels/epilogue.h"
#include "kernels/prototypes.h"

size_t KERNEL(pool_items)(const as_pool_args *args) { return args->out.n * args->out.h; }

/* The taps [begin, end) of a window that lie inside, along one axis. */
typedef struct tap_range {
    size_t begin, end;
} tap_range;

static tap_range taps_inside(size_t o, size_t stride, size_t pad, size_t k, size_t dilation,
                             size_t extent)
{
    const size_t at = o * stride;
    tap_range r = {0, k};
    if (at < pad) r.begin = (pad - at + dilation - 1) / dilation;
    const size_t room = extent + pad > at ? extent + pad - at : 0; /* positions up to the end */
    const size_t last = (room + dilation - 1) / dilation;
    if (last < r.end) r.end = last;
    if (r.begin > r.end) r.begin = r.end;
    return r;
}

/* Taps inside the image and its padding, along one axis: what counts_pad divides by. */
static size_t taps_padded(size_t o, size_t stride, size_t k, size_t dilation, size_t padded)
{
    tap_range r = taps_inside(o, stride, 0, k, dilation, padded);
    return r.end - r.begin;
}

/* A window over one image. */
typedef struct pool_window {
    const as_pool_args *args;
    const float *data; /* of the image */
    tap_range rows, cols;
    size_t oy, ox;
    float divisor;
} pool_window;

AS_INLINE vf pool_vector(const pool_window *w, size_t c, size_t tail, const as_pool_kind kind)
{
    const as_pool_args *a = w->args;
    const size_t stride = a->in.pixel_stride;
    vf acc = kind == AS_POOL_MAX ? vf_splat(-INFINITY) : vf_zero();
    for (size_t i = w->rows.begin; i < w->rows.end; i++) {
        const size_t iy = w->oy * a->sh + i * a->dh - a->pad_top;
        for (size_t j = w->cols.begin; j < w->cols.end; j++) {
            const size_t ix = w->ox * a->sw + j * a->dw - a->pad_left;
            const float *p = w->data + (iy * a->in.w + ix) * stride + c;
            const vf x = tail ? vf_load_tail(p, tail) : vf_load(p);
            acc = kind == AS_POOL_MAX ? vf_max(acc, x) : vf_add(acc, x);
        }
    }
    return kind == AS_POOL_MAX ? acc : vf_div(acc, vf_splat(w->divisor));
}

AS_INLINE void pool_pixel(const pool_window *w, float *out, const as_pool_kind kind)
{
    const size_t tail = w->args->out.c % VF_LANES, full = w->args->out.c - tail;
    size_t c = 0;
    for (; c < full; c += VF_LANES)
        vf_store(out + c, pool_vector(w, c, 0, kind));
    if (tail) vf_store_tail(out + c, pool_vector(w, c, tail, kind), tail);
}

static float divisor(const pool_window *w)
{
    const as_pool_args *a = w->args;
    size_t rows = w->rows.end - w->rows.begin, cols = w->cols.end - w->cols.begin;
    if (a->counts_pad) {
        rows = taps_padded(w->oy, a->sh, a->kh, a->dh, a->in.h + a->pad_top + a->pad_bottom);
        cols = taps_padded(w->ox, a->sw, a->kw, a->dw, a->in.w + a->pad_left + a->pad_right);
    }
    return (float)(rows * cols);
}

void KERNEL(pool)(const as_pool_args *args, size_t item_begin, size_t item_end)
{
    const as_view *in = &args->in, *out = &args->out;
    for (size_t row = item_begin; row < item_end; row++) {
        const size_t image = row / out->h;
        pool_window w = {.args = args,
                         .data = in->data + image * in->h * in->w * in->pixel_stride,
                         .oy = row % out->h};
        w.rows = taps_inside(w.oy, args->sh, args->pad_top, args->kh, args->dh, in->h);
        float *to = out->data + row * out->w * out->pixel_stride;
        for (w.ox = 0; w.ox < out->w; w.ox++, to += out->pixel_stride) {
            w.cols = taps_inside(w.ox, args->sw, args->pad_left, args->kw, args->dw, in->w);
            w.divisor = divisor(&w);
            if (args->kind == AS_POOL_MAX)
                pool_pixel(&w, to, AS_POOL_MAX);
            else
                pool_pixel(&w, to, AS_POOL_AVERAGE);
        }
        KERNEL(epilogue_in_place)(args->epilogue, 0, out, row * out->w, out->w, 0, out->c);
    }
}
