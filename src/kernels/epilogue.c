/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps run one after the other over a short run of pixels, so that each is a plain loop over
 * memory that stays in the first-level cache.
 */
#include "kernels/epilogue.h"

#include <math.h>

#include "kernels/step_value.h"

/* One step's operands: y (and for SCALE_SHIFT z) of pixel i begin at y + i * y_increment, or
 * with a map at y + col_map[i] * y_increment. */
typedef struct step_job {
    const as_step *step;
    const float *src;
    float *dst;
    size_t src_stride, dst_stride;
    size_t n_pixels, n_channels;
    const float *y, *z;
    size_t y_increment;
    const uint32_t *col_map;
} step_job;

/* Where y comes from, as far as the inner loop cares. */
typedef enum y_form { Y_NONE, Y_SPLAT, Y_VECTOR } y_form;

AS_INLINE vf step_at(const as_step_kind kind, const y_form form, const float *s, const float *y,
                     const float *z, vf y_splat, vf a, vf b)
{
    vf yv = form == Y_VECTOR ? vf_load(y) : y_splat;
    vf zv = kind == AS_STEP_SCALE_SHIFT ? vf_load(z) : b;
    return step_value(kind, vf_load(s), yv, zv, a, b);
}

AS_INLINE vf step_tail_at(const as_step_kind kind, const y_form form, const float *s,
                          const float *y, const float *z, vf y_splat, vf a, vf b, size_t n)
{
    vf yv = form == Y_VECTOR ? vf_load_tail(y, n) : y_splat;
    vf zv = kind == AS_STEP_SCALE_SHIFT ? vf_load_tail(z, n) : b;
    return step_value(kind, vf_load_tail(s, n), yv, zv, a, b);
}

AS_INLINE void step_loop(const step_job *job, const as_step_kind kind, const y_form form)
{
    const vf a = vf_splat(job->step->a), b = vf_splat(job->step->b);
    const size_t tail = job->n_channels % VF_LANES, full = job->n_channels - tail;
    for (size_t i = 0; i < job->n_pixels; i++) {
        const float *s = job->src + i * job->src_stride;
        float *d = job->dst + i * job->dst_stride;
        const float *y = job->y, *z = job->z;
        if (form != Y_NONE) y += (job->col_map ? job->col_map[i] : i) * job->y_increment;
        vf y_splat = form == Y_SPLAT ? vf_splat(*y) : a;
        size_t c = 0;
        for (; c < full; c += VF_LANES)
            vf_store(d + c, step_at(kind, form, s + c, y + c, z + c, y_splat, a, b));
        if (tail)
            vf_store_tail(d + c,
                          step_tail_at(kind, form, s + c, y + c, z + c, y_splat, a, b, tail),
                          tail);
    }
}

static void step_two_operands(const step_job *job, bool is_splat)
{
#define TWO_OPERANDS(kind)                                                                     \
    case kind:                                                                                 \
        if (is_splat)                                                                          \
            step_loop(job, kind, Y_SPLAT);                                                     \
        else                                                                                   \
            step_loop(job, kind, Y_VECTOR);                                                    \
        break;
    switch (job->step->kind) {
        TWO_OPERANDS(AS_STEP_ADD)
        TWO_OPERANDS(AS_STEP_SUB)
        TWO_OPERANDS(AS_STEP_RSUB)
        TWO_OPERANDS(AS_STEP_MUL)
        TWO_OPERANDS(AS_STEP_DIV)
        TWO_OPERANDS(AS_STEP_RDIV)
        TWO_OPERANDS(AS_STEP_MAX)
        TWO_OPERANDS(AS_STEP_MIN)
    default:
        break;
    }
#undef TWO_OPERANDS
}

static void step_one_operand(const step_job *job)
{
#define ONE_OPERAND(kind)                                                                      \
    case kind:                                                                                 \
        step_loop(job, kind, Y_NONE);                                                          \
        break;
    switch (job->step->kind) {
    case AS_STEP_SCALE_SHIFT:
        step_loop(job, AS_STEP_SCALE_SHIFT, Y_VECTOR);
        break;
        ONE_OPERAND(AS_STEP_AFFINE)
        ONE_OPERAND(AS_STEP_RELU)
        ONE_OPERAND(AS_STEP_CLIP)
        ONE_OPERAND(AS_STEP_LEAKY)
        ONE_OPERAND(AS_STEP_SIGMOID)
        ONE_OPERAND(AS_STEP_HARD_SIGMOID)
        ONE_OPERAND(AS_STEP_HARD_SWISH)
        ONE_OPERAND(AS_STEP_GELU)
        ONE_OPERAND(AS_STEP_ERF)
        ONE_OPERAND(AS_STEP_TANH)
        ONE_OPERAND(AS_STEP_EXP)
        ONE_OPERAND(AS_STEP_SQRT)
        ONE_OPERAND(AS_STEP_ABS)
        ONE_OPERAND(AS_STEP_NEG)
    default:
        break;
    }
#undef ONE_OPERAND
}

/* Whether y is one value for all channels of a pixel. */
static bool is_splat(const as_step *step)
{
    return step->operand == AS_OPERAND_SCALAR || step->operand == AS_OPERAND_PIXEL;
}

/* Point y and its increment at the first pixel of a run that stays in one row if the step needs
 * it. */
static void find_operand(const epilogue_job *job, const as_step *step, step_job *out)
{
    const size_t row = job->pixel / job->w, x = job->pixel % job->w;
    const size_t image = row / job->h, y = row % job->h;
    const as_view *v = &step->view;
    out->y_increment = 0;
    if (step->operand == AS_OPERAND_SCALAR) { /* the one without a view */
        out->y = &step->a;
        return;
    }
    out->y = v->data + (is_splat(step) ? 0 : job->c0);
    if (step->operand == AS_OPERAND_CHANNEL) return;
    if (step->operand == AS_OPERAND_IMAGE) {
        out->y += image * v->pixel_stride;
        return;
    }
    out->y_increment = v->pixel_stride;
    if (!step->row_map && !step->col_map) {
        out->y += job->pixel * v->pixel_stride;
        return;
    }
    out->y += (image * v->h + (step->row_map ? step->row_map[y] : y)) * v->w * v->pixel_stride;
    if (step->col_map)
        out->col_map = step->col_map + x;
    else
        out->y += x * v->pixel_stride;
}

/* Join the pixels to one long vector where memory and operands allow, for short channel counts. */
static void flatten(step_job *s)
{
    const as_step *step = s->step;
    if (s->dst_stride != s->n_channels || s->src_stride != s->n_channels) return;
    if (step->kind == AS_STEP_SCALE_SHIFT) return;
    if (as_step_has_operand(step) && step->operand != AS_OPERAND_SCALAR &&
        (step->operand != AS_OPERAND_TENSOR || s->col_map || s->y_increment != s->n_channels))
        return;
    s->n_channels *= s->n_pixels;
    s->n_pixels = 1;
}

/* All steps over one run; each but the first works in place. */
static void run_steps(const epilogue_job *job)
{
    const float *src = job->src;
    size_t src_stride = job->src_stride;
    for (size_t i = job->first_step; i < job->epilogue->n_steps; i++) {
        const as_step *step = &job->epilogue->steps[i];
        step_job s = {.step = step,
                      .src = src,
                      .src_stride = src_stride,
                      .dst = job->dst,
                      .dst_stride = job->dst_stride,
                      .n_pixels = job->n_pixels,
                      .n_channels = job->n_channels,
                      .y = job->dst,
                      .z = job->dst};
        if (step->kind == AS_STEP_SCALE_SHIFT) {
            s.y = step->scale + job->c0;
            s.z = step->shift + job->c0;
        } else if (as_step_has_operand(step)) {
            find_operand(job, step, &s);
        }
        flatten(&s);
        if (as_step_has_operand(step))
            step_two_operands(&s, is_splat(step));
        else
            step_one_operand(&s);
        src = job->dst;
        src_stride = job->dst_stride;
    }
}

/* Whether a step must know its row: then a run may not cross one. */
static bool needs_rows(const as_epilogue *epilogue, size_t first_step)
{
    for (size_t i = first_step; i < epilogue->n_steps; i++) {
        const as_step *step = &epilogue->steps[i];
        if (!as_step_has_operand(step)) continue;
        if (step->row_map || step->col_map || step->operand == AS_OPERAND_IMAGE) return true;
    }
    return false;
}

void KERNEL(epilogue_run)(const epilogue_job *job)
{
    if (epilogue_n_steps(job->epilogue) <= job->first_step || job->n_pixels == 0) return;
    if (!needs_rows(job->epilogue, job->first_step)) {
        run_steps(job);
        return;
    }
    epilogue_job run = *job;
    for (size_t left = job->n_pixels; left != 0; left -= run.n_pixels) {
        size_t to_row_end = job->w - run.pixel % job->w;
        run.n_pixels = left < to_row_end ? left : to_row_end;
        run_steps(&run);
        run.src += run.n_pixels * run.src_stride;
        run.dst += run.n_pixels * run.dst_stride;
        run.pixel += run.n_pixels;
    }
}

void KERNEL(epilogue_in_place)(const as_epilogue *epilogue, size_t first_step,
                               const as_view *out, size_t pixel, size_t n_pixels, size_t c0,
                               size_t n_channels)
{
    float *dst = out->data + pixel * out->pixel_stride + c0;
    epilogue_job job = {.epilogue = epilogue,
                        .first_step = first_step,
                        .src = dst,
                        .src_stride = out->pixel_stride,
                        .dst = dst,
                        .dst_stride = out->pixel_stride,
                        .h = out->h,
                        .w = out->w,
                        .pixel = pixel,
                        .n_pixels = n_pixels,
                        .c0 = c0,
                        .n_channels = n_channels};
    KERNEL(epilogue_run)(&job);
}

epilogue_clamp KERNEL(epilogue_leading_clamp)(const as_epilogue *epilogue)
{
    epilogue_clamp clamp = {0};
    if (epilogue_n_steps(epilogue) == 0) return clamp;
    const as_step *step = &epilogue->steps[0];
    if (step->kind != AS_STEP_RELU && step->kind != AS_STEP_CLIP) return clamp;
    bool is_relu = step->kind == AS_STEP_RELU;
    return (epilogue_clamp){.clamps = true,
                            .low = is_relu ? 0.0f : step->a,
                            .high = is_relu ? INFINITY : step->b,
                            .n_steps = 1};
}
