/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Average and max pooling.  The gradient of an average goes in equal parts to the pixels of its window that
 * lie inside the map; that of a maximum to the first pixel, in rows, that has it.
 */
#include <string.h>

#include "base/size.h"
#include "train/layers.h"

static const char *fit(as_layer *l)
{
    const as_unit *u = &l->unit;
    if (u->kernel == 0 || u->stride == 0) return "a pool needs kernel and stride above 0";
    return as_layer_slide(l, l->in.c);
}

typedef struct pool_job {
    const as_kernels *kernels;
    as_pool_args args;
} pool_job;

static void pool_part(void *context, size_t begin, size_t end, size_t thread)
{
    const pool_job *job = context;
    (void)thread;
    job->kernels->pool(&job->args, begin, end);
}

static void forward(const as_pass *pass, as_layer *l, const float *x)
{
    const as_unit *u = &l->unit;
    pool_job job = {.kernels = pass->network->kernels};
    job.args =
        (as_pool_args){.in = as_view_of((float *)x, pass->n, l->in.h, l->in.w, l->in.c),
                       .out = as_view_of(l->values, pass->n, l->out.h, l->out.w, l->out.c),
                       .kind = u->kind == AS_UNIT_MAX_POOL ? AS_POOL_MAX : AS_POOL_AVERAGE,
                       .kh = u->kernel,
                       .kw = u->kernel,
                       .sh = u->stride,
                       .sw = u->stride,
                       .dh = 1,
                       .dw = 1,
                       .pad_top = u->pad,
                       .pad_left = u->pad,
                       .pad_bottom = u->pad,
                       .pad_right = u->pad};
    as_threads_run(pass->pool, job.kernels->pool_items(&job.args), pool_part, &job);
}

/* A window on one image's map. */
typedef struct window {
    size_t y0, y1, x0, x1; /* pixels [y0, y1) x [x0, x1) that lie inside */
    size_t w, c;
} window;

static window window_at(const as_layer *l, size_t oy, size_t ox)
{
    const as_unit *u = &l->unit;
    const size_t y = oy * u->stride, x = ox * u->stride;
    return (window){.y0 = y > u->pad ? y - u->pad : 0,
                    .y1 = as_min(y + u->kernel - u->pad, l->in.h),
                    .x0 = x > u->pad ? x - u->pad : 0,
                    .x1 = as_min(x + u->kernel - u->pad, l->in.w),
                    .w = l->in.w,
                    .c = l->in.c};
}

static void spread_average(const window *p, const float *restrict dy, float *restrict dx)
{
    const float share = 1.0F / (float)((p->y1 - p->y0) * (p->x1 - p->x0));
    for (size_t y = p->y0; y < p->y1; y++)
        for (size_t x = p->x0; x < p->x1; x++) {
            float *restrict to = dx + (y * p->w + x) * p->c;
            for (size_t c = 0; c < p->c; c++)
                to[c] += dy[c] * share;
        }
}

static void give_to_maximum(const window *p, const float *image, const float *top,
                            const float *dy, float *dx)
{
    for (size_t c = 0; c < p->c; c++) {
        size_t at = (p->y0 * p->w + p->x0) * p->c + c;
        for (size_t y = p->y1; y-- > p->y0;)
            for (size_t x = p->x1; x-- > p->x0;) {
                const size_t here = (y * p->w + x) * p->c + c;
                if (image[here] == top[c]) at = here; /* the last seen is the first in rows */
            }
        dx[at] += dy[c];
    }
}

static void backward_image(const as_layer *l, const float *x, const float *y, const float *dy,
                           float *dx)
{
    for (size_t oy = 0; oy < l->out.h; oy++)
        for (size_t ox = 0; ox < l->out.w; ox++, y += l->out.c, dy += l->out.c) {
            const window p = window_at(l, oy, ox);
            if (l->unit.kind == AS_UNIT_MAX_POOL)
                give_to_maximum(&p, x, y, dy, dx);
            else
                spread_average(&p, dy, dx);
        }
}

typedef struct back_job {
    const as_layer *layer;
    const float *x;
    float *dx;
} back_job;

static void backward_part(void *context, size_t begin, size_t end, size_t thread)
{
    const back_job *job = context;
    const as_layer *l = job->layer;
    const size_t in = as_extent_size(l->in), out = as_extent_size(l->out);
    (void)thread;
    memset(job->dx + begin * in, 0, (end - begin) * in * sizeof *job->dx);
    for (size_t i = begin; i < end; i++)
        backward_image(l, job->x + i * in, l->values + i * out, l->gradient + i * out,
                       job->dx + i * in);
}

static void backward(const as_pass *pass, as_layer *l, const float *x, float *dx)
{
    back_job job = {l, x, dx};
    if (dx) as_threads_run(pass->pool, pass->n, backward_part, &job);
}

const as_layer_kind as_layer_average_pool = {"average_pool", fit, forward, backward};
const as_layer_kind as_layer_max_pool = {"max_pool", fit, forward, backward};
