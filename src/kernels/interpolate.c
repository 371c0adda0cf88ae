/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linear and cubic resizes, vectors over channels.  An output is a chain over the rows of its window,
 * each a chain over its columns.  Exact.  An item is one output row.
 */
#include "kernels/epilogue.h"
#include "kernels/prototypes.h"

size_t KERNEL(interpolate_items)(const as_interpolate_args *args)
{
    return args->out.n * args->out.h;
}

/* An output row of one image. */
typedef struct line {
    const as_interpolate_args *args;
    const float *image;
    const uint32_t *rows; /* [row_taps], as its weights */
    const float *weights;
} line;

/* One vector of the pixel in column x; the numbers of taps are constants where they are usual. */
AS_INLINE vf vector_at(const line *l, size_t x, size_t c, size_t tail, const size_t row_taps,
                       const size_t col_taps)
{
    const as_interpolate_args *a = l->args;
    const size_t stride = a->in.pixel_stride;
    const uint32_t *cols = a->cols + x * col_taps;
    const float *weights = a->col_weights + x * col_taps;
    vf acc = vf_zero();
    for (size_t i = 0; i < row_taps; i++) {
        const float *row = l->image + l->rows[i] * a->in.w * stride + c;
        vf sum = vf_zero();
        for (size_t j = 0; j < col_taps; j++) {
            const float *p = row + cols[j] * stride;
            const vf value = tail ? vf_load_tail(p, tail) : vf_load(p);
            sum = vf_fma(vf_splat(weights[j]), value, sum);
        }
        acc = vf_fma(vf_splat(l->weights[i]), sum, acc);
    }
    return acc;
}

AS_INLINE void run_line(const line *l, float *to, const size_t row_taps, const size_t col_taps)
{
    const as_view *out = &l->args->out;
    const size_t tail = out->c % VF_LANES, full = out->c - tail;
    for (size_t x = 0; x < out->w; x++, to += out->pixel_stride) {
        for (size_t c = 0; c < full; c += VF_LANES)
            vf_store(to + c, vector_at(l, x, c, 0, row_taps, col_taps));
        if (tail)
            vf_store_tail(to + full, vector_at(l, x, full, tail, row_taps, col_taps), tail);
    }
}

void KERNEL(interpolate)(const as_interpolate_args *args, size_t item_begin, size_t item_end)
{
    const as_view *in = &args->in, *out = &args->out;
    for (size_t row = item_begin; row < item_end; row++) {
        const size_t image = row / out->h, y = row % out->h;
        const line l = {.args = args,
                        .image = in->data + image * in->h * in->w * in->pixel_stride,
                        .rows = args->rows + y * args->row_taps,
                        .weights = args->row_weights + y * args->row_taps};
        float *to = out->data + row * out->w * out->pixel_stride;
        if (args->row_taps == 2 && args->col_taps == 2)
            run_line(&l, to, 2, 2);
        else
            run_line(&l, to, args->row_taps, args->col_taps);
        KERNEL(epilogue_in_place)(args->epilogue, 0, out, row * out->w, out->w, 0, out->c);
    }
}
