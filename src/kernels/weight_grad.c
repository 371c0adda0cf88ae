/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gradient of a convolution's weights: for each weight the products of what it was multiplied with
 * and of the gradient of what that went into, one chain of fused multiply-adds over images, rows and
 * pixels in order.  Padding is left out of the chain.  Exact.
 *
 *     G[oc][ic][kh][kw] = sum over n, y, x of  in[n][y sh + kh dh - top][x sw + kw dw - left][ic] * d[n][y][x][oc]
 *
 * A fused multiply-add takes as long as eight can be under way, so a tile is as many chains as registers
 * hold, each a vector of output channels, over the whole batch:
 *
 *     kernel                       taps of a tile      input channels
 *     narrower than 3              1                   8, 4 or 1
 *     others                       1 x 3, 1            4 or 1
 *     sides multiples of 3, and    3 x 3               1
 *     one input channel a group
 *
 * At the border some taps of a tile lie in the padding; the pixels where none does run without a test.
 * An item is a tile's taps for a block of input channels of a group and one vector of its output
 * channels; where every channel is a group of its own, for one vector of channels.
 */
#include "kernels/prototypes.h"

#define MAX_ROWS 3
#define MAX_COLS 3
#define MAX_IC   8

static bool is_depthwise(const as_conv_shape *s) { return s->group == s->ic && s->ic == s->oc; }

/* What is at work: taps from (kh, kw) on, channels from ic and oc on. */
typedef struct grad_tile {
    const as_weight_grad_args *args;
    size_t kh, kw, ic, oc;
    size_t n_oc; /* output channels, at most VF_LANES */
    size_t inside_begin,
        inside_end; /* columns of outputs for which every tap is inside the input */
} grad_tile;

/* Columns of outputs that all of n taps from t->kw on find inside. */
static void find_inside(grad_tile *t, size_t n)
{
    const as_conv_shape *s = &t->args->shape;
    const size_t first = t->kw * s->dw, last = (t->kw + n - 1) * s->dw, left = s->pad_left;
    t->inside_begin = first < left ? (left - first + s->sw - 1) / s->sw : 0;
    t->inside_end = s->iw + left > last ? (s->iw + left - last - 1) / s->sw + 1 : 0;
    if (t->inside_end > s->ow) t->inside_end = s->ow;
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
    for (size_t i = 0; i < VF_LANES && (!tail || i < tail); i++)
        out[i * stride] = lanes[i];
}

/* One tap's products of one pixel: x[n_ic] by the vector d, or by lanes. */
AS_INLINE void add_products(vf *acc, const float *x, vf d, size_t tail, const size_t n_ic,
                            const bool by_lanes)
{
    unrolled_for (i, n_ic)
        acc[i] = vf_fma(by_lanes ? load(x, tail) : vf_splat(x[i]), d, acc[i]);
}

/* Chains of rows x cols taps by n_ic input channels, `tail` lanes of each if not 0. */
AS_INLINE void sum_tile(const grad_tile *t, vf acc[MAX_ROWS * MAX_COLS][MAX_IC], size_t tail,
                        const size_t rows, const size_t cols, const size_t n_ic,
                        const bool by_lanes)
{
    const as_conv_shape s = t->args->shape;
    const size_t pixel = t->args->in.pixel_stride,
                 d_stride = t->args->out_gradient.pixel_stride;
    const size_t row_step = s.dh * s.iw * pixel, col_step = s.dw * pixel;
    const float *in = t->args->in.data + t->ic, *d = t->args->out_gradient.data + t->oc;
    for (size_t image = 0; image < s.n; image++)
        for (size_t oy = 0; oy < s.oh; oy++) {
            const size_t y = oy * s.sh + t->kh * s.dh - s.pad_top; /* wraps above the image */
            size_t x = t->kw * s.dw - s.pad_left;                  /* and left of it */
            size_t at = ((image * s.ih + y) * s.iw + x) * pixel;   /* and so does this */
            const bool is_inside = y < s.ih && y + (rows - 1) * s.dh < s.ih;
            for (size_t ox = 0; ox < s.ow; ox++, x += s.sw, at += s.sw * pixel, d += d_stride) {
                const vf dv = load(d, tail);
                if (is_inside && ox >= t->inside_begin && ox < t->inside_end) {
                    unrolled_for (k, rows * cols)
                        add_products(acc[k],
                                     in + at + k / cols * row_step + k % cols * col_step, dv,
                                     tail, n_ic, by_lanes);
                } else {
                    unrolled_for (k, rows * cols) {
                        if (y + k / cols * s.dh < s.ih && x + k % cols * s.dw < s.iw)
                            add_products(acc[k],
                                         in + (at + k / cols * row_step + k % cols * col_step),
                                         dv, tail, n_ic, by_lanes);
                    }
                }
            }
        }
}

AS_INLINE void run_tile(const grad_tile *t, size_t tail, const size_t rows, const size_t cols,
                        const size_t n_ic, const bool by_lanes)
{
    const as_conv_shape *s = &t->args->shape;
    const size_t icg = s->ic / s->group, n_taps = s->kh * s->kw;
    float *out =
        t->args->weights + (t->oc * icg + t->ic % icg) * n_taps + t->kh * s->kw + t->kw;
    vf acc[MAX_ROWS * MAX_COLS][MAX_IC];
    unrolled_for (k, rows * cols)
        unrolled_for (i, n_ic)
            acc[k][i] = vf_zero();
    sum_tile(t, acc, tail, rows, cols, n_ic, by_lanes);
    unrolled_for (k, rows * cols)
        unrolled_for (i, n_ic)
            scatter(acc[k][i], tail, out + i * n_taps + k / cols * s->kw + k % cols,
                    icg * n_taps);
}

/* A vector of channels, or the last few. */
AS_INLINE void run_channels(const grad_tile *t, const size_t rows, const size_t cols,
                            const size_t n_ic, const bool by_lanes)
{
    if (t->n_oc == VF_LANES)
        run_tile(t, 0, rows, cols, n_ic, by_lanes);
    else
        run_tile(t, t->n_oc, rows, cols, n_ic, by_lanes);
}

/* ---- items ---- */

/* How a kernel is cut, see above. */
typedef struct cut {
    size_t rows, n_rows; /* of taps: of a tile, and how many of those */
    size_t n_wide;       /* tiles of 3 columns, then single ones */
    size_t n_cols;
    size_t block, n_blocks; /* input channels; of a group */
    size_t n_vecs;          /* of output channels of a group, or of all channels by lanes */
    size_t n_groups;        /* 1 by lanes */
} cut;

static cut cut_of(const as_conv_shape *s)
{
    const size_t icg = s->ic / s->group;
    const bool by_lanes = is_depthwise(s);
    cut c = {.rows = icg == 1 && s->kh % 3 == 0 && s->kw % 3 == 0 ? 3 : 1,
             .n_wide = s->kw / 3,
             .n_cols = s->kw / 3 + s->kw % 3,
             .block = s->kw < 3 ? 8 : 4,
             .n_groups = by_lanes ? 1 : s->group};
    c.n_rows = s->kh / c.rows;
    c.n_blocks = (icg + c.block - 1) / c.block;
    c.n_vecs = ((by_lanes ? s->oc : s->oc / s->group) + VF_LANES - 1) / VF_LANES;
    return c;
}

size_t KERNEL(weight_grad_items)(const as_weight_grad_args *args)
{
    const cut c = cut_of(&args->shape);
    return c.n_rows * c.n_cols * c.n_groups * c.n_blocks * c.n_vecs;
}

AS_INLINE void run_depthwise(const grad_tile *t, size_t rows, size_t cols)
{
    if (rows == 3)
        run_channels(t, 3, 3, 1, true);
    else if (cols == 3)
        run_channels(t, 1, 3, 1, true);
    else
        run_channels(t, 1, 1, 1, true);
}

/* n_ic input channels from t->ic on. */
static void run_dense(grad_tile *t, size_t rows, size_t cols, size_t n_ic)
{
    for (size_t n; n_ic > 0; n_ic -= n, t->ic += n) {
        n = n_ic == 8 ? 8 : n_ic >= 4 ? 4 : 1;
        if (rows == 3)
            run_channels(t, 3, 3, 1, false);
        else if (cols == 3 && n == 4)
            run_channels(t, 1, 3, 4, false);
        else if (cols == 3)
            run_channels(t, 1, 3, 1, false);
        else if (n == 8)
            run_channels(t, 1, 1, 8, false);
        else if (n == 4)
            run_channels(t, 1, 1, 4, false);
        else
            run_channels(t, 1, 1, 1, false);
    }
}

static void run_item(const as_weight_grad_args *args, const cut *c, size_t item)
{
    const as_conv_shape *s = &args->shape;
    const bool by_lanes = is_depthwise(s);
    const size_t icg = s->ic / s->group, n_oc = by_lanes ? s->oc : s->oc / s->group;
    const size_t vec = item % c->n_vecs, block = item / c->n_vecs % c->n_blocks;
    const size_t group = item / c->n_vecs / c->n_blocks % c->n_groups;
    const size_t taps = item / c->n_vecs / c->n_blocks / c->n_groups, col = taps % c->n_cols;
    const size_t cols = col < c->n_wide ? 3 : 1, done = vec * VF_LANES, ic = block * c->block;
    grad_tile t = {.args = args,
                   .kh = taps / c->n_cols * c->rows,
                   .kw = col < c->n_wide ? 3 * col : col + 2 * c->n_wide,
                   .ic = by_lanes ? done : group * icg + ic,
                   .oc = group * n_oc + done,
                   .n_oc = n_oc - done < VF_LANES ? n_oc - done : VF_LANES};
    find_inside(&t, cols);
    if (by_lanes)
        run_depthwise(&t, c->rows, cols);
    else
        run_dense(&t, c->rows, cols, icg - ic < c->block ? icg - ic : c->block);
}

void KERNEL(weight_grad)(const as_weight_grad_args *args, size_t item_begin, size_t item_end)
{
    const cut c = cut_of(&args->shape);
    for (size_t item = item_begin; item < item_end; item++)
        run_item(args, &c, item);
}
