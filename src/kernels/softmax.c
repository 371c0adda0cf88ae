/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Softmax over the channels of each pixel.  The sum is one chain in channel order, so it is
 * made from single floats.  Exact.  An item is one row.
 */
#include <math.h>

#include "kernels/prototypes.h"
#include "kernels/simd/math.h"

size_t KERNEL(softmax_items)(const as_softmax_args *args) { return args->out.n * args->out.h; }

static void softmax_pixel(const float *in, float *out, size_t n)
{
    float top = -INFINITY, sum = 0.0f;
    for (size_t c = 0; c < n; c++)
        if (in[c] > top) top = in[c];
    for (size_t c = 0; c < n; c += VF_LANES) {
        const size_t lanes = n - c < VF_LANES ? n - c : VF_LANES;
        vf_store_tail(out + c, vf_exp(vf_sub(vf_load_tail(in + c, lanes), vf_splat(top))),
                      lanes);
    }
    for (size_t c = 0; c < n; c++)
        sum += out[c];
    for (size_t c = 0; c < n; c += VF_LANES) {
        const size_t lanes = n - c < VF_LANES ? n - c : VF_LANES;
        vf_store_tail(out + c, vf_div(vf_load_tail(out + c, lanes), vf_splat(sum)), lanes);
    }
}

void KERNEL(softmax)(const as_softmax_args *args, size_t item_begin, size_t item_end)
{
    const as_view *in = &args->in, *out = &args->out;
    for (size_t pixel = item_begin * out->w; pixel < item_end * out->w; pixel++)
        softmax_pixel(in->data + pixel * in->pixel_stride,
                      out->data + pixel * out->pixel_stride, out->c);
}
