/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "kernels/ref/ref.h"

/* The chain of one output element: bias, then (kh, kw, ic), with zeros for padding. */
static float conv_element(const as_conv_args *args, const float *weights, float sum,
                          size_t image, size_t oy, size_t ox, size_t oc)
{
    const as_conv_shape *s = &args->shape;
    const size_t icg = s->ic / s->group, first = oc / (s->oc / s->group) * icg;
    for (size_t kh = 0; kh < s->kh; kh++)
        for (size_t kw = 0; kw < s->kw; kw++)
            for (size_t i = 0; i < icg; i++) {
                const size_t iy = oy * s->sh + kh * s->dh, ix = ox * s->sw + kw * s->dw;
                const bool is_inside = iy >= s->pad_top && iy - s->pad_top < s->ih &&
                                       ix >= s->pad_left && ix - s->pad_left < s->iw;
                const float x = is_inside ? *as_ref_at(&args->in, image, iy - s->pad_top,
                                                       ix - s->pad_left, first + i)
                                          : 0.0f;
                sum = fmaf(x, weights[((oc * icg + i) * s->kh + kh) * s->kw + kw], sum);
            }
    return sum;
}

void as_ref_conv(const as_conv_args *args, const float *weights, const float *bias)
{
    const as_conv_shape *s = &args->shape;
    for (size_t image = 0; image < s->n; image++)
        for (size_t oy = 0; oy < s->oh; oy++)
            for (size_t ox = 0; ox < s->ow; ox++)
                for (size_t oc = 0; oc < s->oc; oc++) {
                    const float first = bias ? bias[oc] : 0.0f;
                    const float sum = conv_element(args, weights, first, image, oy, ox, oc);
                    *as_ref_at(&args->out, image, oy, ox, oc) =
                        as_ref_steps(args->epilogue, sum, image, oy, ox, oc);
                }
}

/* The chain of one output element of a transposed convolution; taps without an input are left
 * out. */
static float deconv_element(const as_conv_args *args, const float *weights, float sum,
                            size_t image, size_t oy, size_t ox, size_t oc)
{
    const as_conv_shape *s = &args->shape;
    const size_t icg = s->ic / s->group, ocg = s->oc / s->group, first = oc / ocg * icg;
    for (size_t kh = 0; kh < s->kh; kh++)
        for (size_t kw = 0; kw < s->kw; kw++) {
            const size_t y = oy + s->pad_top, x = ox + s->pad_left;
            if (y < kh * s->dh || (y - kh * s->dh) % s->sh != 0) continue;
            if (x < kw * s->dw || (x - kw * s->dw) % s->sw != 0) continue;
            const size_t iy = (y - kh * s->dh) / s->sh, ix = (x - kw * s->dw) / s->sw;
            if (iy >= s->ih || ix >= s->iw) continue;
            for (size_t i = first; i < first + icg; i++)
                sum = fmaf(*as_ref_at(&args->in, image, iy, ix, i),
                           weights[((i * ocg + oc % ocg) * s->kh + kh) * s->kw + kw], sum);
        }
    return sum;
}

void as_ref_deconv(const as_conv_args *args, const float *weights, const float *bias)
{
    const as_conv_shape *s = &args->shape;
    for (size_t image = 0; image < s->n; image++)
        for (size_t oy = 0; oy < s->oh; oy++)
            for (size_t ox = 0; ox < s->ow; ox++)
                for (size_t oc = 0; oc < s->oc; oc++) {
                    const float first = bias ? bias[oc] : 0.0f;
                    const float sum = deconv_element(args, weights, first, image, oy, ox, oc);
                    *as_ref_at(&args->out, image, oy, ox, oc) =
                        as_ref_steps(args->epilogue, sum, image, oy, ox, oc);
                }
}

/* The chain of one weight's gradient; pixels whose tap lies in the padding are left out. */
static float weight_grad_element(const as_weight_grad_args *args, size_t oc, size_t i,
                                 size_t kh, size_t kw)
{
    const as_conv_shape *s = &args->shape;
    const size_t ic = oc / (s->oc / s->group) * (s->ic / s->group) + i;
    float sum = 0.0f;
    for (size_t image = 0; image < s->n; image++)
        for (size_t oy = 0; oy < s->oh; oy++)
            for (size_t ox = 0; ox < s->ow; ox++) {
                const size_t y = oy * s->sh + kh * s->dh, x = ox * s->sw + kw * s->dw;
                if (y < s->pad_top || y - s->pad_top >= s->ih) continue;
                if (x < s->pad_left || x - s->pad_left >= s->iw) continue;
                sum = fmaf(*as_ref_at(&args->in, image, y - s->pad_top, x - s->pad_left, ic),
                           *as_ref_at(&args->out_gradient, image, oy, ox, oc), sum);
            }
    return sum;
}

void as_ref_weight_grad(const as_weight_grad_args *args)
{
    const as_conv_shape *s = &args->shape;
    float *out = args->weights;
    for (size_t oc = 0; oc < s->oc; oc++)
        for (size_t i = 0; i < s->ic / s->group; i++)
            for (size_t kh = 0; kh < s->kh; kh++)
                for (size_t kw = 0; kw < s->kw; kw++)
                    *out++ = weight_grad_element(args, oc, i, kh, kw);
}
