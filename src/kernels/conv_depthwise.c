/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Depthwise convolution: vectors run over channels, several output pixels of a row at a time.
 *
 * Packed weights, for each vector of channels:
 *
 *     bias[LANES] | tap 0: w[LANES] | tap 1: w[LANES] | ...
 *
 * An output row falls into three parts:
 *
 *     |  left border  |      interior: every kw tap is inside      |  right border  |
 *
 * The interior reads rows of the input through a pointer and a step a kernel row; a kernel row
 * above or below the image has step 0 and points at zeros.  Border pixels look their taps up
 * one by one.
 *
 * Where registers suffice, 5x5 and 7x7 of stride 1 do two output rows at once: each input vector
 * then meets the taps of both, so kh + 1 rows are read instead of 2 kh, and there are twice as
 * many chains to hide the latency of an FMA behind.  (bench/results/depthwise-rows.txt: they take
 * 0.7 to 0.8 of the time; 3x3 gained nothing.)
 *
 * Exact.  An item is one output row.
 */
#include <string.h>

#include "kernels/epilogue.h"
#include "kernels/prototypes.h"

#define ROUTE(function) KERNEL(conv_depthwise_##function)

/* Interior pixels of a row at a time. */
#define WIDE 8
#if defined(ISA_AVX512) || defined(ISA_NEON) /* 32 registers */
#define ROWS_AT_ONCE 2
#else
#define ROWS_AT_ONCE 1
#endif
#define MAX_TAPS     256
#define MAX_KNOWN_KW 7
/* Vectors of channels at a time in a border pixel. */
#define BORDER_VECS  6

bool ROUTE(proposes)(const as_conv_shape *s)
{
    return s->group == s->ic && s->oc == s->ic && s->kh * s->kw <= MAX_TAPS;
}

static size_t block_floats(const as_conv_shape *s) { return (s->kh * s->kw + 1) * VF_LANES; }

static size_t n_channel_vecs(const as_conv_shape *s)
{
    return (s->ic + VF_LANES - 1) / VF_LANES;
}

size_t ROUTE(packed_floats)(const as_conv_shape *s)
{
    return n_channel_vecs(s) * block_floats(s);
}

void ROUTE(pack)(const as_conv_shape *s, const float *weights, const float *bias, float *packed)
{
    const size_t n_taps = s->kh * s->kw;
    memset(packed, 0, ROUTE(packed_floats)(s) * sizeof *packed);
    for (size_t c = 0; c < s->ic; c++) {
        float *block = packed + c / VF_LANES * block_floats(s) + c % VF_LANES;
        if (bias) block[0] = bias[c];
        for (size_t tap = 0; tap < n_taps; tap++)
            block[(1 + tap) * VF_LANES] = weights[c * n_taps + tap];
    }
}

size_t ROUTE(scratch_floats)(const as_conv_shape *s) { return n_channel_vecs(s) * VF_LANES; }

size_t ROUTE(n_items)(const as_conv_shape *s) { return s->n * s->oh; }

/* What the loops of one output row need. */
typedef struct dw_row {
    const as_conv_args *args;
    const float *rows[MAX_TAPS]; /* of each kernel row: the input row's pixel 0, or zeros */
    size_t steps[MAX_TAPS];      /* floats from pixel to pixel there: the stride, or 0 */
    const float *zeros;
    float *out; /* pixel 0 of the output row */
    size_t first_pixel;
    epilogue_clamp clamp;
} dw_row;

AS_INLINE vf clamped(const dw_row *r, vf x)
{
    return vf_min(vf_splat(r->clamp.high), vf_max(vf_splat(r->clamp.low), x));
}

AS_INLINE vf load_channels(const float *x, size_t tail)
{
    return tail ? vf_load_tail(x, tail) : vf_load(x);
}

/* One kernel row of a size known here: each input vector is loaded once and meets its taps. */
AS_INLINE const float *row_by_inputs(const float *in, size_t step, const float *w, size_t tail,
                                     vf acc[WIDE], const size_t wide, const size_t kw,
                                     const size_t sw)
{
    vf taps[MAX_KNOWN_KW];
    unrolled_for (j, kw)
        taps[j] = vf_load(w + j * VF_LANES);
    unrolled_for (i, (wide - 1) * sw + kw) {
        const vf x = load_channels(in, tail);
        in += step;
        unrolled_for (j, kw) /* pixel p takes column i as tap j = i - p * sw: j grows with i */
            if (j <= i && (i - j) % sw == 0 && (i - j) / sw < wide)
                acc[(i - j) / sw] = vf_fma(x, taps[j], acc[(i - j) / sw]);
    }
    return w + kw * VF_LANES;
}

/* One kernel row of any size and dilation. */
AS_INLINE const float *row_by_taps(const dw_row *r, const float *in, size_t step,
                                   const float *w, size_t tail, vf acc[WIDE], const size_t wide)
{
    const as_conv_shape *s = &r->args->shape;
    const size_t pixel_step = s->sw * step;
    for (size_t j = 0; j < s->kw; j++, w += VF_LANES, in += s->dw * step) {
        const vf tap = vf_load(w);
        unrolled_for (p, wide)
            acc[p] = vf_fma(load_channels(in + p * pixel_step, tail), tap, acc[p]);
    }
    return w;
}

/* Channels c .. of the `wide` interior pixels from ox on.  tail = 0 means a whole vector,
 * kw = 0 a kernel whose size is not known here. */
AS_INLINE void interior_vector(const dw_row *r, const float *w, size_t ox, size_t c,
                               size_t tail, const size_t wide, const size_t kh, const size_t kw,
                               const size_t sw)
{
    const as_conv_shape *s = &r->args->shape;
    const size_t ix = ox * s->sw - s->pad_left, n_rows = kw ? kh : s->kh;
    vf acc[WIDE];
    unrolled_for (p, wide)
        acc[p] = vf_load(w);
    w += VF_LANES;
    for (size_t i = 0; i < n_rows; i++) {
        const size_t step = r->steps[i];
        const float *in = r->rows[i] + ix * step + c;
        if (kw)
            w = row_by_inputs(in, step, w, tail, acc, wide, kw, sw);
        else
            w = row_by_taps(r, in, step, w, tail, acc, wide);
    }
    float *out = r->out + ox * r->args->out.pixel_stride + c;
    unrolled_for (p, wide) {
        vf x = r->clamp.clamps ? clamped(r, acc[p]) : acc[p];
        float *to = out + p * r->args->out.pixel_stride;
        if (tail)
            vf_store_tail(to, x, tail);
        else
            vf_store(to, x);
    }
}

/* Input row i of two output rows: kernel row i of the upper one, i - 1 of the lower. */
AS_INLINE void pair_input_row(const float *in, size_t step, const float *w, size_t tail,
                              vf acc[2][WIDE], const size_t k, const bool is_first,
                              const bool is_last)
{
    vf upper[MAX_KNOWN_KW], lower[MAX_KNOWN_KW];
    unrolled_for (j, k) {
        if (!is_last) upper[j] = vf_load(w + j * VF_LANES);
        if (!is_first) lower[j] = vf_load(w + j * VF_LANES - k * VF_LANES);
    }
    unrolled_for (i, WIDE - 1 + k) {
        const vf x = load_channels(in, tail);
        in += step;
        unrolled_for (j, k) {
            if (j > i || i - j >= WIDE) continue;
            if (!is_last) acc[0][i - j] = vf_fma(x, upper[j], acc[0][i - j]);
            if (!is_first) acc[1][i - j] = vf_fma(x, lower[j], acc[1][i - j]);
        }
    }
}

/* As interior_vector, for r[0] and the row below it, r[1]; a k x k kernel of stride 1. */
AS_INLINE void pair_vector(const dw_row *r, const float *w, size_t ox, size_t c, size_t tail,
                           const size_t k)
{
    const size_t ix = ox - r->args->shape.pad_left;
    vf acc[2][WIDE];
    unrolled_for (p, WIDE)
        acc[0][p] = acc[1][p] = vf_load(w);
    w += VF_LANES;
    const float *in = r->rows[0] + ix * r->steps[0] + c;
    pair_input_row(in, r->steps[0], w, tail, acc, k, true, false);
    for (size_t i = 1; i < k; i++) {
        w += k * VF_LANES;
        in = r->rows[i] + ix * r->steps[i] + c;
        pair_input_row(in, r->steps[i], w, tail, acc, k, false, false);
    }
    w += k * VF_LANES;
    in = r[1].rows[k - 1] + ix * r[1].steps[k - 1] + c;
    pair_input_row(in, r[1].steps[k - 1], w, tail, acc, k, false, true);
    unrolled_for (row, 2) {
        float *out = r[row].out + ox * r->args->out.pixel_stride + c;
        unrolled_for (p, WIDE) {
            const vf x = r->clamp.clamps ? clamped(r, acc[row][p]) : acc[row][p];
            if (tail)
                vf_store_tail(out + p * r->args->out.pixel_stride, x, tail);
            else
                vf_store(out + p * r->args->out.pixel_stride, x);
        }
    }
}

AS_INLINE void interior_pixels(const dw_row *r, size_t ox, const size_t n_rows,
                               const size_t wide, const size_t kh, const size_t kw,
                               const size_t sw)
{
    const as_conv_shape *s = &r->args->shape;
    const size_t tail = s->ic % VF_LANES, full = s->ic - tail, stride = block_floats(s);
    const float *w = r->args->packed;
    size_t c = 0;
    for (; c < full; c += VF_LANES, w += stride)
        if (n_rows == 2)
            pair_vector(r, w, ox, c, 0, kw);
        else
            interior_vector(r, w, ox, c, 0, wide, kh, kw, sw);
    if (tail && n_rows == 2)
        pair_vector(r, w, ox, c, tail, kw);
    else if (tail)
        interior_vector(r, w, ox, c, tail, wide, kh, kw, sw);
}

static void epilogue_part(const dw_row *r, size_t ox, size_t n_pixels)
{
    KERNEL(epilogue_in_place)
    (r->args->epilogue, r->clamp.n_steps, &r->args->out, r->first_pixel + ox, n_pixels, 0,
     r->args->shape.oc);
}

/* Interior pixels [x0, x1) of n_rows rows, at least WIDE.  The last group may begin inside the one
 * before and compute some pixels twice; the epilogue runs over pixels that no later group touches. */
AS_INLINE void interior(const dw_row *r, size_t x0, size_t x1, const size_t n_rows,
                        const size_t kh, const size_t kw, const size_t sw)
{
    size_t done = x0;
    for (size_t ox = x0; done < x1; ox = done) {
        if (ox > x1 - WIDE) ox = x1 - WIDE;
        interior_pixels(r, ox, n_rows, WIDE, kh, kw, sw);
        const size_t end = ox + WIDE, left = x1 - end;
        const size_t next = left == 0 || left >= WIDE ? end : x1 - WIDE;
        for (size_t row = 0; row < n_rows; row++)
            epilogue_part(r + row, done, next - done);
        done = next;
    }
}

/* A few interior pixels, one by one. */
static void interior_narrow(const dw_row *r, size_t x0, size_t x1)
{
    for (size_t ox = x0; ox < x1; ox++)
        interior_pixels(r, ox, 1, 1, 0, 0, 0);
    epilogue_part(r, x0, x1 - x0);
}

/* Whether the kernel is one that `interior` knows: square, undilated. */
static bool is_known(const as_conv_shape *s)
{
    if (s->dh != 1 || s->dw != 1 || s->kh != s->kw) return false;
    if (s->kw == 7) return s->sw == 1;
    return (s->kw == 3 || s->kw == 5) && s->sw <= 2;
}

static void interior_any(const dw_row *r, size_t x0, size_t x1)
{
    const as_conv_shape *s = &r->args->shape;
    if (x1 - x0 < WIDE)
        interior_narrow(r, x0, x1);
    else if (!is_known(s))
        interior(r, x0, x1, 1, 0, 0, 0);
    else if (s->kw == 3 && s->sw == 1)
        interior(r, x0, x1, 1, 3, 3, 1);
    else if (s->kw == 3)
        interior(r, x0, x1, 1, 3, 3, 2);
    else if (s->kw == 5 && s->sw == 1)
        interior(r, x0, x1, 1, 5, 5, 1);
    else if (s->kw == 5)
        interior(r, x0, x1, 1, 5, 5, 2);
    else
        interior(r, x0, x1, 1, 7, 7, 1);
}

/* Rows from `row` on, before `end`, to do at once. */
static size_t rows_at_once(const as_conv_shape *s, size_t row, size_t end, size_t n_interior)
{
    if (ROWS_AT_ONCE == 1 || !is_known(s) || s->kw == 3 || s->sw != 1 || s->sh != 1) return 1;
    return n_interior >= WIDE && row + 1 < end && row % s->oh + 1 < s->oh ? 2 : 1;
}

static void interior_pair(const dw_row r[2], size_t x0, size_t x1)
{
#if ROWS_AT_ONCE == 2
    const size_t kw = r->args->shape.kw;
    if (kw == 5)
        interior(r, x0, x1, 2, 5, 5, 1);
    else
        interior(r, x0, x1, 2, 7, 7, 1);
#else
    (void)r, (void)x0, (void)x1;
#endif
}

/* `vecs` vectors of channels from c on at one border pixel; the last one has `tail` lanes if
 * not 0. */
AS_INLINE void border_vectors(const dw_row *r, const float *const *taps, float *out, size_t c,
                              size_t tail, const size_t vecs)
{
    const as_conv_shape *s = &r->args->shape;
    const size_t n_taps = s->kh * s->kw, stride = block_floats(s);
    const float *w = r->args->packed + c / VF_LANES * stride;
    vf acc[BORDER_VECS];
    unrolled_for (j, vecs)
        acc[j] = vf_load(w + j * stride);
    for (size_t t = 0; t < n_taps; t++) {
        w += VF_LANES;
        unrolled_for (j, vecs) {
            const float *x = taps[t] + c + j * VF_LANES;
            acc[j] = vf_fma(tail ? vf_load_tail(x, tail) : vf_load(x), vf_load(w + j * stride),
                            acc[j]);
        }
    }
    unrolled_for (j, vecs) {
        vf x = r->clamp.clamps ? clamped(r, acc[j]) : acc[j];
        if (tail)
            vf_store_tail(out + c + j * VF_LANES, x, tail);
        else
            vf_store(out + c + j * VF_LANES, x);
    }
}

static void border_pixel(const dw_row *r, size_t ox)
{
    const as_conv_shape *s = &r->args->shape;
    const float *taps[MAX_TAPS];
    for (size_t i = 0, t = 0; i < s->kh; i++)
        for (size_t j = 0; j < s->kw; j++, t++) {
            size_t ix = ox * s->sw + j * s->dw - s->pad_left; /* wraps left of the image */
            taps[t] = ix < s->iw ? r->rows[i] + ix * r->steps[i] : r->zeros;
        }
    const size_t tail = s->ic % VF_LANES, full = s->ic - tail;
    float *out = r->out + ox * r->args->out.pixel_stride;
    size_t c = 0;
    for (; c + BORDER_VECS * VF_LANES <= full; c += BORDER_VECS * VF_LANES)
        border_vectors(r, taps, out, c, 0, BORDER_VECS);
    for (; c + 3 * VF_LANES <= full; c += 3 * VF_LANES)
        border_vectors(r, taps, out, c, 0, 3);
    for (; c < full; c += VF_LANES)
        border_vectors(r, taps, out, c, 0, 1);
    if (tail) border_vectors(r, taps, out, c, tail, 1);
    epilogue_part(r, ox, 1);
}

/* First output column whose taps all begin inside, and one behind the last whose taps all end
 * inside. */
static void find_interior(const as_conv_shape *s, size_t *x0, size_t *x1)
{
    const size_t span = (s->kw - 1) * s->dw;
    *x0 = (s->pad_left + s->sw - 1) / s->sw;
    *x1 = s->iw + s->pad_left > span ? (s->iw + s->pad_left - span - 1) / s->sw + 1 : 0;
    if (*x0 > s->ow) *x0 = s->ow;
    if (*x1 > s->ow) *x1 = s->ow;
    if (*x1 < *x0) *x1 = *x0;
}

static void prepare_row(dw_row *r, size_t row)
{
    const as_conv_shape *s = &r->args->shape;
    const as_view *in = &r->args->in;
    const size_t image = row / s->oh, oy = row % s->oh;
    for (size_t i = 0; i < s->kh; i++) {
        size_t iy = oy * s->sh + i * s->dh - s->pad_top; /* wraps above the image */
        bool is_inside = iy < s->ih;
        r->rows[i] =
            is_inside ? in->data + (image * s->ih + iy) * s->iw * in->pixel_stride : r->zeros;
        r->steps[i] = is_inside ? in->pixel_stride : 0;
    }
    r->first_pixel = row * s->ow;
    r->out = r->args->out.data + r->first_pixel * r->args->out.pixel_stride;
}

void ROUTE(run)(const as_conv_args *args, size_t item_begin, size_t item_end, float *scratch)
{
    const as_conv_shape *s = &args->shape;
    memset(scratch, 0, ROUTE(scratch_floats)(s) * sizeof *scratch);
    const dw_row first = {.args = args,
                          .zeros = scratch,
                          .clamp = KERNEL(epilogue_leading_clamp)(args->epilogue)};
    dw_row r[2] = {first, first};
    size_t x0, x1;
    find_interior(s, &x0, &x1);
    for (size_t row = item_begin, n; row < item_end; row += n) {
        n = rows_at_once(s, row, item_end, x1 - x0);
        for (size_t i = 0; i < n; i++) {
            prepare_row(&r[i], row + i);
            for (size_t ox = 0; ox < x0; ox++)
                border_pixel(&r[i], ox);
            for (size_t ox = x1; ox < s->ow; ox++)
                border_pixel(&r[i], ox);
        }
        if (n == 2)
            interior_pair(r, x0, x1);
        else
            interior_any(r, x0, x1);
    }
}
