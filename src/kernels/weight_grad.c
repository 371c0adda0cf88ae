/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gradient of a convolution's weights: for each weight the products of what it was multiplied with
 * and of the gradient of what that went into, one chain of fused multiply-adds over images, rows and
 * pixels in order.  Padding is left out of the chain.  Exact.
 *
 *     G[oc][ic][kh][kw] = sum over n, y, x of  in[n][y sh + kh dh - top][x sw + kw dw - left][ic] * d[n][y][x][oc]
 *
 * For one tap that is a product of two matrices whose sum runs over the pixels: a tile of channels stays
 * in registers all the way.  An item is one tap for BLOCK_IC input channels of a group, or, where every
 * channel is a group of its own, one tap.
 */
#include "kernels/prototypes.h"

#define BLOCK_IC 4
#define VECS     2

/* The output pixels [begin, end) along one axis that a tap finds inside the input. */
typedef struct inside {
    size_t begin, end;
} inside;

static inside outputs_inside(size_t tap_at, size_t pad, size_t stride, size_t in_extent,
                             size_t out_extent)
{
    inside r = {tap_at < pad ? (pad - tap_at + stride - 1) / stride : 0, 0};
    if (in_extent + pad > tap_at) r.end = (in_extent + pad - tap_at - 1) / stride + 1;
    if (r.end > out_extent) r.end = out_extent;
    if (r.begin > r.end) r.begin = r.end;
    return r;
}

/* One tap, and the channels of both sides that are at work. */
typedef struct tap {
    const as_weight_grad_args *args;
    size_t kh, kw;
    inside rows, cols;
    size_t ic, oc; /* first channels */
} tap;

static tap tap_of(const as_weight_grad_args *args, size_t i)
{
    const as_conv_shape *s = &args->shape;
    tap t = {.args = args, .kh = i / s->kw, .kw = i % s->kw};
    t.rows = outputs_inside(t.kh * s->dh, s->pad_top, s->sh, s->ih, s->oh);
    t.cols = outputs_inside(t.kw * s->dw, s->pad_left, s->sw, s->iw, s->ow);
    return t;
}

/* The tap's input and gradient of the first pixel of a row that counts. */
AS_INLINE const float *input_row(const tap *t, size_t image, size_t oy)
{
    const as_conv_shape *s = &t->args->shape;
    const as_view *in = &t->args->in;
    const size_t y = oy * s->sh + t->kh * s->dh - s->pad_top,
                 x = t->cols.begin * s->sw + t->kw * s->dw - s->pad_left;
    return in->data + ((image * s->ih + y) * s->iw + x) * in->pixel_stride + t->ic;
}

AS_INLINE const float *gradient_row(const tap *t, size_t image, size_t oy)
{
    const as_conv_shape *s = &t->args->shape;
    const as_view *d = &t->args->out_gradient;
    return d->data + ((image * s->oh + oy) * s->ow + t->cols.begin) * d->pixel_stride + t->oc;
}

AS_INLINE vf load(const float *p, size_t tail)
{
    return tail ? vf_load_tail(p, tail) : vf_load(p);
}

/* The lanes, `tail` of them if not 0, `stride` floats apart. */
AS_INLINE void scatter(vf x, size_t tail, float *out, size_t stride)
{
    float lanes[VF_LANES];
    vf_store(lanes, x);
    for (size_t i = 0; i < (tail ? tail : VF_LANES); i++)
        out[i * stride] = lanes[i];
}

/* `n_ic` input channels by `vecs` vectors of output channels, `tail` lanes of the last if not 0. */
AS_INLINE void dense_tile(const tap *t, size_t tail, const size_t n_ic, const size_t vecs)
{
    const as_weight_grad_args *args = t->args;
    const as_conv_shape *s = &args->shape;
    const size_t x_stride = s->sw * args->in.pixel_stride,
                 d_stride = args->out_gradient.pixel_stride;
    vf acc[BLOCK_IC][VECS];
    unrolled_for (i, n_ic)
        unrolled_for (j, vecs)
            acc[i][j] = vf_zero();
    for (size_t image = 0; image < s->n; image++)
        for (size_t oy = t->rows.begin; oy < t->rows.end; oy++) {
            const float *x = input_row(t, image, oy), *d = gradient_row(t, image, oy);
            for (size_t ox = t->cols.begin; ox < t->cols.end;
                 ox++, x += x_stride, d += d_stride) {
                vf dv[VECS];
                unrolled_for (j, vecs)
                    dv[j] = load(d + j * VF_LANES, j + 1 == vecs ? tail : 0);
                unrolled_for (i, n_ic) {
                    const vf xi = vf_splat(x[i]);
                    unrolled_for (j, vecs)
                        acc[i][j] = vf_fma(xi, dv[j], acc[i][j]);
                }
            }
        }
    const size_t icg = s->ic / s->group, n_taps = s->kh * s->kw;
    float *out = args->weights + (t->oc * icg + t->ic % icg) * n_taps + t->kh * s->kw + t->kw;
    unrolled_for (j, vecs)
        unrolled_for (i, n_ic)
            scatter(acc[i][j], j + 1 == vecs ? tail : 0,
                    out + (j * VF_LANES * icg + i) * n_taps, icg * n_taps);
}

/* All output channels of the group for n_ic input channels. */
AS_INLINE void dense_channels(tap *t, const size_t n_ic)
{
    const size_t ocg = t->args->shape.oc / t->args->shape.group, first = t->oc;
    size_t done = 0;
    for (; done + VECS * VF_LANES <= ocg; done += VECS * VF_LANES) {
        t->oc = first + done;
        dense_tile(t, 0, n_ic, VECS);
    }
    for (; done + VF_LANES <= ocg; done += VF_LANES) {
        t->oc = first + done;
        dense_tile(t, 0, n_ic, 1);
    }
    t->oc = first + done;
    if (done < ocg) dense_tile(t, ocg - done, n_ic, 1);
}

/* One vector of channels that are each a group. */
AS_INLINE void depthwise_vector(const tap *t, size_t tail)
{
    const as_weight_grad_args *args = t->args;
    const as_conv_shape *s = &args->shape;
    const size_t x_stride = s->sw * args->in.pixel_stride,
                 d_stride = args->out_gradient.pixel_stride;
    vf acc = vf_zero();
    for (size_t image = 0; image < s->n; image++)
        for (size_t oy = t->rows.begin; oy < t->rows.end; oy++) {
            const float *x = input_row(t, image, oy), *d = gradient_row(t, image, oy);
            for (size_t ox = t->cols.begin; ox < t->cols.end;
                 ox++, x += x_stride, d += d_stride)
                acc = vf_fma(load(x, tail), load(d, tail), acc);
        }
    scatter(acc, tail, args->weights + (t->oc * s->kh + t->kh) * s->kw + t->kw, s->kh * s->kw);
}

static bool is_depthwise(const as_conv_shape *s) { return s->group == s->ic && s->ic == s->oc; }

static size_t blocks(const as_conv_shape *s)
{
    return (s->ic / s->group + BLOCK_IC - 1) / BLOCK_IC;
}

size_t KERNEL(weight_grad_items)(const as_weight_grad_args *args)
{
    const as_conv_shape *s = &args->shape;
    return s->kh * s->kw * (is_depthwise(s) ? 1 : s->group * blocks(s));
}

static void depthwise_item(const as_weight_grad_args *args, size_t item)
{
    tap t = tap_of(args, item);
    const size_t n = args->shape.oc;
    for (; t.oc + VF_LANES <= n; t.oc += VF_LANES, t.ic += VF_LANES)
        depthwise_vector(&t, 0);
    if (t.oc < n) depthwise_vector(&t, n - t.oc);
}

static void dense_item(const as_weight_grad_args *args, size_t item)
{
    const as_conv_shape *s = &args->shape;
    const size_t icg = s->ic / s->group, ocg = s->oc / s->group, each = s->group * blocks(s);
    const size_t group = item % each / blocks(s), block = item % blocks(s);
    tap t = tap_of(args, item / each);
    t.ic = group * icg + block * BLOCK_IC;
    t.oc = group * ocg;
    switch (icg - block * BLOCK_IC) {
    case 1:
        dense_channels(&t, 1);
        break;
    case 2:
        dense_channels(&t, 2);
        break;
    case 3:
        dense_channels(&t, 3);
        break;
    default:
        dense_channels(&t, BLOCK_IC);
        break;
    }
}

void KERNEL(weight_grad)(const as_weight_grad_args *args, size_t item_begin, size_t item_end)
{
    for (size_t item = item_begin; item < item_end; item++) {
        if (is_depthwise(&args->shape))
            depthwise_item(args, item);
        else
            dense_item(args, item);
    }
}
