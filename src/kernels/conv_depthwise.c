/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Depthwise convolution: vectors run over channels, several output pixels of a row at a time.
 *
 * Packed weights, for each vector of channels:   bias[LANES] | tap 0: w[LANES] | tap 1: w[LANES] | ...
 *
 * An output row falls into three parts:
 *
 *     |  left border  |      interior: every kw tap is inside      |  right border  |
 *
 * The interior reads rows of the input through a pointer and a step a kernel row; a kernel row above
 * or below the image has step 0 and points at zeros.  Border pixels look their taps up one by one.
 *
 * Exact.  An item is one output row.
 */
#include <string.h>

#include "kernels/epilogue.h"
#include "kernels/prototypes.h"

#define ROUTE(function) KERNEL(conv_depthwise_##function)

#define WIDE                                                                                   \
    8 /* interior pixels at a time: enough accumulators to hide the latency of an FMA */
#define MAX_TAPS    256
#define BORDER_VECS 4 /* vectors of channels at a time in a border pixel */

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

/* Channels c .. of the `wide` interior pixels from ox on.  tail = 0 means a whole vector. */
AS_INLINE void interior_vector(const dw_row *r, const float *w, size_t ox, size_t c,
                               size_t tail, const size_t wide, const size_t kh, const size_t kw,
                               const size_t sw)
{
    const as_conv_shape *s = &r->args->shape;
    const size_t ix = ox * sw - s->pad_left;
    vf acc[WIDE];
    unrolled_for (p, wide)
        acc[p] = vf_load(w);
    w += VF_LANES;
    for (size_t i = 0; i < kh; i++) {
        const size_t step = r->steps[i], pixel_step = sw * step, tap_step = s->dw * step;
        const float *in = r->rows[i] + ix * step + c;
        for (size_t j = 0; j < kw; j++, w += VF_LANES, in += tap_step) {
            const vf wv = vf_load(w);
            unrolled_for (p, wide) {
                const float *x = in + p * pixel_step;
                acc[p] = vf_fma(tail ? vf_load_tail(x, tail) : vf_load(x), wv, acc[p]);
            }
        }
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

AS_INLINE void interior_pixels(const dw_row *r, size_t ox, const size_t wide, const size_t kh,
                               const size_t kw, const size_t sw)
{
    const as_conv_shape *s = &r->args->shape;
    const size_t tail = s->ic % VF_LANES, full = s->ic - tail, stride = block_floats(s);
    const float *w = r->args->packed;
    size_t c = 0;
    for (; c < full; c += VF_LANES, w += stride)
        interior_vector(r, w, ox, c, 0, wide, kh, kw, sw);
    if (tail) interior_vector(r, w, ox, c, tail, wide, kh, kw, sw);
}

static void epilogue_part(const dw_row *r, size_t ox, size_t n_pixels)
{
    KERNEL(epilogue_in_place)
    (r->args->epilogue, r->clamp.n_steps, &r->args->out, r->first_pixel + ox, n_pixels, 0,
     r->args->shape.oc);
}

/* Interior pixels [x0, x1). */
AS_INLINE void interior(const dw_row *r, size_t x0, size_t x1, const size_t kh, const size_t kw,
                        const size_t sw)
{
    size_t ox = x0;
    for (; ox + WIDE <= x1; ox += WIDE) {
        interior_pixels(r, ox, WIDE, kh, kw, sw);
        epilogue_part(r, ox, WIDE);
    }
    for (; ox + 4 <= x1; ox += 4) {
        interior_pixels(r, ox, 4, kh, kw, sw);
        epilogue_part(r, ox, 4);
    }
    for (; ox < x1; ox++) {
        interior_pixels(r, ox, 1, kh, kw, sw);
        epilogue_part(r, ox, 1);
    }
}

static void interior_any(const dw_row *r, size_t x0, size_t x1)
{
    const as_conv_shape *s = &r->args->shape;
    const bool is_dense = s->dw == 1 && s->kh == s->kw;
    if (is_dense && s->kw == 3 && s->sw == 1)
        interior(r, x0, x1, 3, 3, 1);
    else if (is_dense && s->kw == 3 && s->sw == 2)
        interior(r, x0, x1, 3, 3, 2);
    else if (is_dense && s->kw == 5 && s->sw == 1)
        interior(r, x0, x1, 5, 5, 1);
    else if (is_dense && s->kw == 5 && s->sw == 2)
        interior(r, x0, x1, 5, 5, 2);
    else if (is_dense && s->kw == 7 && s->sw == 1)
        interior(r, x0, x1, 7, 7, 1);
    else
        interior(r, x0, x1, s->kh, s->kw, s->sw);
}

/* `vecs` vectors of channels from c on at one border pixel; the last one has `tail` lanes if not 0. */
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
    for (; c < full; c += VF_LANES)
        border_vectors(r, taps, out, c, 0, 1);
    if (tail) border_vectors(r, taps, out, c, tail, 1);
    epilogue_part(r, ox, 1);
}

/* First output column whose taps all begin inside, and one behind the last whose taps all end inside. */
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
    dw_row r = {.args = args,
                .zeros = scratch,
                .clamp = KERNEL(epilogue_leading_clamp)(args->epilogue)};
    size_t x0, x1;
    find_interior(s, &x0, &x1);
    for (size_t row = item_begin; row < item_end; row++) {
        prepare_row(&r, row);
        for (size_t ox = 0; ox < x0; ox++)
            border_pixel(&r, ox);
        interior_any(&r, x0, x1);
        for (size_t ox = x1; ox < s->ow; ox++)
            border_pixel(&r, ox);
    }
}
