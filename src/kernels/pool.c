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

AS_INLINE vf pooled(vf acc, vf x, const as_pool_kind kind)
{
    return kind == AS_POOL_MAX ? vf_max(acc, x) : vf_add(acc, x);
}

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
            acc = pooled(acc, x, kind);
        }
    }
    return kind == AS_POOL_MAX ? acc : vf_div(acc, vf_splat(w->divisor));
}

/* As pool_vector, for a window of k x k taps that all lie inside; p is the first. */
AS_INLINE vf pool_whole_window(const float *p, size_t row, size_t stride, size_t tail,
                               const as_pool_kind kind, const size_t k)
{
    vf acc = kind == AS_POOL_MAX ? vf_splat(-INFINITY) : vf_zero();
    unrolled_for (i, k) {
        const float *tap = p;
        unrolled_for (j, k) {
            acc = pooled(acc, tail ? vf_load_tail(tap, tail) : vf_load(tap), kind);
            tap += stride;
        }
        p += row;
    }
    if (kind == AS_POOL_MAX) return acc;
    /* 1 / 4 is exact, so the product is the quotient. */
    return k == 2 ? vf_mul(acc, vf_splat(0.25f)) : vf_div(acc, vf_splat((float)(k * k)));
}

AS_INLINE void pool_pixel(const pool_window *w, float *out, const as_pool_kind kind)
{
    const size_t tail = w->args->out.c % VF_LANES, full = w->args->out.c - tail;
    size_t c = 0;
    for (; c < full; c += VF_LANES)
        vf_store(out + c, pool_vector(w, c, 0, kind));
    if (tail) vf_store_tail(out + c, pool_vector(w, c, tail, kind), tail);
}

/* The columns [x0, x1) whose windows lie inside the row. */
static void find_inside(const as_pool_args *a, size_t *x0, size_t *x1)
{
    const size_t span = (a->kw - 1) * a->dw;
    *x0 = (a->pad_left + a->sw - 1) / a->sw;
    *x1 = a->in.w + a->pad_left > span ? (a->in.w + a->pad_left - span - 1) / a->sw + 1 : 0;
    if (*x1 > a->out.w) *x1 = a->out.w;
    if (*x0 > *x1) *x0 = *x1;
}

/* Output columns [x0, x1) of a row whose windows of k x k taps all lie inside.  Locals, since a
 * store might change what a pointer shows. */
AS_INLINE void pool_inside(const pool_window *w, float *out, size_t x0, size_t x1,
                           const as_pool_kind kind, const size_t k)
{
    const as_pool_args *a = w->args;
    const size_t n_channels = a->out.c, tail = n_channels % VF_LANES;
    const size_t stride = a->in.pixel_stride, row = a->in.w * stride, step = a->sw * stride;
    const size_t out_step = a->out.pixel_stride;
    const float *p =
        w->data + ((w->oy * a->sh - a->pad_top) * a->in.w + x0 * a->sw - a->pad_left) * stride;
    for (size_t x = x0; x < x1; x++, p += step, out += out_step) {
        size_t c = 0;
        for (; c < n_channels - tail; c += VF_LANES)
            vf_store(out + c, pool_whole_window(p + c, row, stride, 0, kind, k));
        if (tail)
            vf_store_tail(out + c, pool_whole_window(p + c, row, stride, tail, kind, k), tail);
    }
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

/* Output columns [x0, x1), each window looked at by itself. */
static void pool_any(pool_window *w, float *row, size_t x0, size_t x1)
{
    const as_pool_args *a = w->args;
    for (w->ox = x0; w->ox < x1; w->ox++) {
        w->cols = taps_inside(w->ox, a->sw, a->pad_left, a->kw, a->dw, a->in.w);
        w->divisor = divisor(w);
        if (a->kind == AS_POOL_MAX)
            pool_pixel(w, row + w->ox * a->out.pixel_stride, AS_POOL_MAX);
        else
            pool_pixel(w, row + w->ox * a->out.pixel_stride, AS_POOL_AVERAGE);
    }
}

/* Columns whose windows lie inside, for the usual windows. @return false for any other. */
static bool pool_known(pool_window *w, float *row, size_t x0, size_t x1)
{
    const as_pool_args *a = w->args;
    if (a->kh != a->kw || a->dh != 1 || a->dw != 1 || w->rows.end - w->rows.begin != a->kh)
        return false;
    float *out = row + x0 * a->out.pixel_stride;
    if (a->kh == 2 && a->kind == AS_POOL_MAX)
        pool_inside(w, out, x0, x1, AS_POOL_MAX, 2);
    else if (a->kh == 2)
        pool_inside(w, out, x0, x1, AS_POOL_AVERAGE, 2);
    else if (a->kh == 3 && a->kind == AS_POOL_MAX)
        pool_inside(w, out, x0, x1, AS_POOL_MAX, 3);
    else if (a->kh == 3)
        pool_inside(w, out, x0, x1, AS_POOL_AVERAGE, 3);
    else
        return false;
    return true;
}

void KERNEL(pool)(const as_pool_args *args, size_t item_begin, size_t item_end)
{
    const as_view *in = &args->in, *out = &args->out;
    size_t x0, x1;
    find_inside(args, &x0, &x1);
    for (size_t row = item_begin; row < item_end; row++) {
        const size_t image = row / out->h;
        pool_window w = {.args = args,
                         .data = in->data + image * in->h * in->w * in->pixel_stride,
                         .oy = row % out->h};
        w.rows = taps_inside(w.oy, args->sh, args->pad_top, args->kh, args->dh, in->h);
        float *to = out->data + row * out->w * out->pixel_stride;
        if (pool_known(&w, to, x0, x1)) {
            pool_any(&w, to, 0, x0);
            pool_any(&w, to, x1, out->w);
        } else {
            pool_any(&w, to, 0, out->w);
        }
        KERNEL(epilogue_in_place)(args->epilogue, 0, out, row * out->w, out->w, 0, out->c);
    }
}
