/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elementwise layers, broadcast arithmetic, copies and nearest resizes: out = steps(in).  An
 * item is one row of the output; rows are worked off in runs that fit the first-level cache.
 * Exact.
 */
#include "kernels/epilogue.h"
#include "kernels/prototypes.h"

#define RUN_FLOATS 4096 /* 16 KiB: a run of input, output and one operand fit 48 KiB together */

size_t KERNEL(map_items)(const as_map_args *args) { return args->out.n * args->out.h; }

AS_INLINE void copy_pixel(float *to, const float *from, size_t n)
{
    const size_t tail = n % VF_LANES;
    size_t c = 0;
    for (; c + VF_LANES <= n; c += VF_LANES)
        vf_store(to + c, vf_load(from + c));
    if (tail) vf_store_tail(to + c, vf_load_tail(from + c, tail), tail);
}

static void copy_run(const as_map_args *args, const float *row, size_t x, size_t n_pixels,
                     float *to)
{
    const size_t stride = args->in.pixel_stride, out_stride = args->out.pixel_stride;
    const size_t c = args->out.c;
    if (!args->col_map && stride == c && out_stride == c) {
        copy_pixel(to, row + x * stride, n_pixels * c);
        return;
    }
    for (size_t i = 0; i < n_pixels; i++, to += out_stride)
        copy_pixel(to, row + (args->col_map ? args->col_map[x + i] : x + i) * stride, c);
}

static void map_row(const as_map_args *args, size_t row)
{
    const as_view *in = &args->in, *out = &args->out;
    const size_t image = row / out->h, y = row % out->h;
    const float *src = in->data + (image * in->h + (args->row_map ? args->row_map[y] : y)) *
                                      in->w * in->pixel_stride;
    const size_t fit = RUN_FLOATS / (out->c ? out->c : 1), n_run = fit ? fit : 1;
    const bool copies = args->col_map || epilogue_n_steps(args->epilogue) == 0;
    epilogue_job job = {.epilogue = args->epilogue,
                        .src_stride = in->pixel_stride,
                        .dst_stride = out->pixel_stride,
                        .h = out->h,
                        .w = out->w,
                        .n_channels = out->c};
    for (size_t x = 0; x < out->w; x += n_run) {
        job.n_pixels = out->w - x < n_run ? out->w - x : n_run;
        job.pixel = row * out->w + x;
        job.dst = out->data + job.pixel * out->pixel_stride;
        job.src = src + x * in->pixel_stride;
        if (copies) {
            if (job.dst != job.src || args->col_map)
                copy_run(args, src, x, job.n_pixels, job.dst);
            job.src = job.dst;
            job.src_stride = out->pixel_stride;
        }
        KERNEL(epilogue_run)(&job);
    }
}

void KERNEL(map)(const as_map_args *args, size_t item_begin, size_t item_end)
{
    for (size_t row = item_begin; row < item_end; row++)
        map_row(args, row);
}
