/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mean of each channel of each image.  A row is one chain of adds from its first pixel,
 * rows are added in order to a total that begins with 0, and the total is divided by h * w
 * once.  Exact.
 *
 * An item is MEAN_CHANNELS channels of one image, the same on every ISA; items of one image
 * that come together are read together.  An item of row_sum is one row.
 */
#include "kernels/epilogue.h"
#include "kernels/prototypes.h"

#define MEAN_CHANNELS 16
#define VECS          6 /* vectors at a time: their chains of adds hide the latency */

static size_t items_an_image(const as_mean_args *args)
{
    return (args->out.c + MEAN_CHANNELS - 1) / MEAN_CHANNELS;
}

size_t KERNEL(mean_items)(const as_mean_args *args)
{
    return args->out.n * items_an_image(args);
}

size_t KERNEL(row_sum_items)(const as_mean_args *args) { return args->in.n * args->in.h; }

/* The chains of one row for `vecs` vectors of channels. */
AS_INLINE void sum_row(const as_view *in, const float *x, size_t tail, vf row[VECS],
                       const size_t vecs)
{
    unrolled_for (j, vecs)
        row[j] = tail ? vf_load_tail(x + j * VF_LANES, tail) : vf_load(x + j * VF_LANES);
    for (size_t i = 1; i < in->w; i++) {
        x += in->pixel_stride;
        unrolled_for (j, vecs)
            row[j] = vf_add(row[j], tail ? vf_load_tail(x + j * VF_LANES, tail)
                                         : vf_load(x + j * VF_LANES));
    }
}

AS_INLINE void store_vectors(float *out, const vf *x, size_t tail, const size_t vecs)
{
    unrolled_for (j, vecs) {
        if (tail)
            vf_store_tail(out + j * VF_LANES, x[j], tail);
        else
            vf_store(out + j * VF_LANES, x[j]);
    }
}

AS_INLINE void row_sum_vectors(const as_view *in, const float *data, size_t tail, float *out,
                               const size_t vecs)
{
    vf row[VECS];
    sum_row(in, data, tail, row, vecs);
    store_vectors(out, row, tail, vecs);
}

void KERNEL(row_sum)(const as_mean_args *args, size_t item_begin, size_t item_end)
{
    const as_view *in = &args->in;
    const size_t n_channels = args->out.c;
    for (size_t y = item_begin; y < item_end; y++) {
        const float *data = in->data + y * in->w * in->pixel_stride;
        float *out = args->out.data + y * args->out.pixel_stride;
        size_t c = 0;
        for (; c + VECS * VF_LANES <= n_channels; c += VECS * VF_LANES)
            row_sum_vectors(in, data + c, 0, out + c, VECS);
        for (; c + 3 * VF_LANES <= n_channels; c += 3 * VF_LANES)
            row_sum_vectors(in, data + c, 0, out + c, 3);
        for (; c + VF_LANES <= n_channels; c += VF_LANES)
            row_sum_vectors(in, data + c, 0, out + c, 1);
        if (c < n_channels) row_sum_vectors(in, data + c, n_channels - c, out + c, 1);
    }
}

/* `vecs` vectors of channels of one image; `tail` lanes of the last vector if not 0. */
AS_INLINE void mean_vectors(const as_view *in, const float *data, size_t n_pixels, size_t tail,
                            float *out, const size_t vecs)
{
    vf total[VECS];
    unrolled_for (j, vecs)
        total[j] = vf_zero();
    for (size_t y = 0; y < in->h; y++) {
        vf row[VECS];
        sum_row(in, data + y * in->w * in->pixel_stride, tail, row, vecs);
        unrolled_for (j, vecs)
            total[j] = vf_add(total[j], row[j]);
    }
    const vf count = vf_splat((float)n_pixels);
    unrolled_for (j, vecs)
        total[j] = vf_div(total[j], count);
    store_vectors(out, total, tail, vecs);
}

/* Channels [c0, c1) of one image. */
static void mean_channels(const as_mean_args *args, size_t image, size_t c0, size_t c1)
{
    const as_view *in = &args->in;
    const float *data = in->data + image * in->h * in->w * in->pixel_stride;
    const size_t n_pixels = args->n_pixels ? args->n_pixels : in->h * in->w;
    float *out = args->out.data + image * args->out.pixel_stride;
    size_t c = c0;
    for (; c + VECS * VF_LANES <= c1; c += VECS * VF_LANES)
        mean_vectors(in, data + c, n_pixels, 0, out + c, VECS);
    for (; c + 3 * VF_LANES <= c1; c += 3 * VF_LANES)
        mean_vectors(in, data + c, n_pixels, 0, out + c, 3);
    for (; c + VF_LANES <= c1; c += VF_LANES)
        mean_vectors(in, data + c, n_pixels, 0, out + c, 1);
    if (c < c1) mean_vectors(in, data + c, n_pixels, c1 - c, out + c, 1);
    KERNEL(epilogue_in_place)(args->epilogue, 0, &args->out, image, 1, c0, c1 - c0);
}

void KERNEL(mean)(const as_mean_args *args, size_t item_begin, size_t item_end)
{
    const size_t each = items_an_image(args);
    while (item_begin < item_end) {
        const size_t image = item_begin / each, first = item_begin % each;
        const size_t left = item_end - item_begin,
                     n = left < each - first ? left : each - first;
        const size_t c1 = (first + n) * MEAN_CHANNELS;
        mean_channels(args, image, first * MEAN_CHANNELS, c1 < args->out.c ? c1 : args->out.c);
        item_begin += n;
    }
}
