/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transposed convolution in general: each output pixel gathers the inputs that reach it,
 *
 *     out[oy][ox] = bias + sum over (kh, kw, ic) of in[iy][ix] * w
 *     where iy * sh + kh * dh - pad_top = oy, and likewise ix
 *
 * and taps without such an input are left out.  Exact; simple rather than fast.  An item is one
 * output row.  Packed weights, for each group: bias | taps (kh, kw) | ic | oc padded to
 * vectors.
 */
#include <string.h>

#include "kernels/epilogue.h"
#include "kernels/prototypes.h"

#define ROUTE(function) KERNEL(deconv_gather_##function)

#define VECS 4 /* vectors of output channels at a time */

bool ROUTE(proposes)(const as_conv_shape *shape)
{
    (void)shape;
    return true;
}

static size_t group_width(const as_conv_shape *s)
{
    return (s->oc / s->group + VF_LANES - 1) / VF_LANES * VF_LANES;
}

static size_t group_floats(const as_conv_shape *s)
{
    return group_width(s) * (s->kh * s->kw * (s->ic / s->group) + 1);
}

size_t ROUTE(packed_floats)(const as_conv_shape *s) { return s->group * group_floats(s); }

void ROUTE(pack)(const as_conv_shape *s, const float *weights, const float *bias, float *packed)
{
    const size_t icg = s->ic / s->group, ocg = s->oc / s->group, n_taps = s->kh * s->kw;
    const size_t width = group_width(s);
    memset(packed, 0, ROUTE(packed_floats)(s) * sizeof *packed);
    for (size_t g = 0; g < s->group; g++, packed += group_floats(s))
        for (size_t j = 0; j < ocg; j++) {
            if (bias) packed[j] = bias[g * ocg + j];
            for (size_t tap = 0; tap < n_taps; tap++)
                for (size_t i = 0; i < icg; i++)
                    packed[(1 + tap * icg + i) * width + j] =
                        weights[((g * icg + i) * ocg + j) * n_taps + tap];
        }
}

size_t ROUTE(scratch_floats)(const as_conv_shape *shape)
{
    (void)shape;
    return 0;
}

size_t ROUTE(n_items)(const as_conv_shape *s) { return s->n * s->oh; }

/* Input coordinate that tap k of output coordinate o reads. @return false where there is none. */
static bool tap_source(size_t o, size_t pad, size_t k, size_t dilation, size_t stride,
                       size_t extent, size_t *i)
{
    const size_t at = o + pad;
    if (at < k * dilation || (at - k * dilation) % stride != 0) return false;
    *i = (at - k * dilation) / stride;
    return *i < extent;
}

/* Channels of group g at one output pixel, `vecs` vectors from column c on. */
AS_INLINE void gather(const as_conv_args *args, size_t image, size_t oy, size_t ox, size_t g,
                      size_t c, float *out, const size_t vecs)
{
    const as_conv_shape *s = &args->shape;
    const size_t icg = s->ic / s->group, ocg = s->oc / s->group, width = group_width(s);
    const float *w = args->packed + g * group_floats(s) + c;
    vf acc[VECS];
    unrolled_for (j, vecs)
        acc[j] = vf_load(w + j * VF_LANES);
    for (size_t kh = 0; kh < s->kh; kh++)
        for (size_t kw = 0; kw < s->kw; kw++) {
            size_t iy, ix;
            if (!tap_source(oy, s->pad_top, kh, s->dh, s->sh, s->ih, &iy) ||
                !tap_source(ox, s->pad_left, kw, s->dw, s->sw, s->iw, &ix))
                continue;
            const float *x = args->in.data +
                             ((image * s->ih + iy) * s->iw + ix) * args->in.pixel_stride +
                             g * icg;
            const float *wt = w + (1 + (kh * s->kw + kw) * icg) * width;
            for (size_t i = 0; i < icg; i++, wt += width)
                unrolled_for (j, vecs)
                    acc[j] = vf_fma(vf_splat(x[i]), vf_load(wt + j * VF_LANES), acc[j]);
        }
    unrolled_for (j, vecs) {
        const size_t at = c + j * VF_LANES, left = ocg - at;
        vf_store_tail(out + g * ocg + at, acc[j], left < VF_LANES ? left : VF_LANES);
    }
}

void ROUTE(run)(const as_conv_args *args, size_t item_begin, size_t item_end, float *scratch)
{
    (void)scratch;
    const as_conv_shape *s = &args->shape;
    const size_t n_vecs = group_width(s) / VF_LANES;
    for (size_t row = item_begin; row < item_end; row++) {
        for (size_t ox = 0; ox < s->ow; ox++) {
            float *out = args->out.data + (row * s->ow + ox) * args->out.pixel_stride;
            for (size_t g = 0; g < s->group; g++) {
                size_t at = 0;
                for (; at + VECS <= n_vecs; at += VECS)
                    gather(args, row / s->oh, row % s->oh, ox, g, at * VF_LANES, out, VECS);
                for (; at < n_vecs; at++)
                    gather(args, row / s->oh, row % s->oh, ox, g, at * VF_LANES, out, 1);
            }
        }
        KERNEL(epilogue_in_place)(args->epilogue, 0, &args->out, row * s->ow, s->ow, 0, s->oc);
    }
}
