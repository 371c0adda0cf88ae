/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "close_conv.h"
#include "families.h"
#include "kernels/ref/ref.h"

/* Around the vector lengths and panel widths of every ISA, and primes. */
static const size_t channels[] = {1,  2,  3,  5,  6,  7,  8,  9,  12, 13, 15,
                                  16, 17, 23, 24, 25, 31, 32, 33, 40, 41, 47,
                                  48, 49, 63, 64, 65, 67, 96, 97, 112};
static const size_t extents[] = {1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 13, 16, 17, 19, 23, 29};
static const size_t kernels[] = {1, 1, 2, 3, 3, 3, 4, 5, 7};
static const size_t strides[] = {1, 1, 1, 2, 2, 3};
static const size_t dilations[] = {1, 1, 1, 1, 2, 3};
static const size_t gaps[] = {0, 0, 0, 1, 5, 16};

static size_t macs(const kernel_case *c)
{
    return c->n * c->ih * c->iw * c->ic * c->oc / c->g * c->kh * c->kw;
}

/* Keep a case below that many multiply-adds, so that many fit a second of the reference. */
static void shrink(kernel_case *c, size_t most)
{
    while (macs(c) > most) {
        if (c->ih * c->iw > 12) {
            c->ih = (c->ih + 1) / 2;
            c->iw = (c->iw + 1) / 2;
        } else if (c->n > 1) {
            c->n--;
        } else if (c->g == 1 && c->ic > 8) {
            c->ic = (c->ic + 1) / 2;
        } else if (c->g == 1 && c->oc > 8) {
            c->oc = (c->oc + 1) / 2;
        } else if (c->kh > 1 || c->kw > 1) {
            c->kh = (c->kh + 1) / 2;
            c->kw = (c->kw + 1) / 2;
        } else {
            break;
        }
    }
}

/* Weights that leave the second-level cache, and up to more pixels than a block of them. */
static void make_heavy(kernel_case *c, rng *r)
{
    c->n = c->g = c->dh = c->dw = 1;
    c->kh = c->kw = 3;
    c->ic = 160 + rng_below(r, 40);
    c->oc = 190 + rng_below(r, 40);
    c->ih = 5 + rng_below(r, 13);
    c->iw = 5 + rng_below(r, 13);
}

kernel_case make_conv(rng *r, const kernel_id *id)
{
    kernel_case c = case_default(rng_next(r) % 100000);
    const bool is_depthwise = strcmp(id->variant, "depthwise") == 0;
    c.n = 1 + rng_below(r, 3);
    c.ic = rng_pick(r, channels);
    c.oc = rng_pick(r, channels);
    c.ih = rng_pick(r, extents);
    c.iw = rng_pick(r, extents);
    c.kh = rng_pick(r, kernels);
    c.kw = rng_below(r, 3) ? c.kh : rng_pick(r, kernels);
    c.sh = rng_pick(r, strides);
    c.sw = rng_below(r, 3) ? c.sh : rng_pick(r, strides);
    c.dh = rng_pick(r, dilations);
    c.dw = rng_below(r, 3) ? c.dh : rng_pick(r, dilations);
    c.xs = rng_pick(r, gaps);
    c.ys = rng_pick(r, gaps);
    c.ep = rng_below(r, 2) ? 0 : rng_below(r, N_EPILOGUES);
    if (strncmp(id->variant, "winograd", 8) == 0) {
        c.kh = c.kw = 3;
        c.sh = c.sw = c.dh = c.dw = 1;
    } else if (is_depthwise) {
        c.oc = c.g = c.ic;
    } else if (strcmp(id->variant, "planar") == 0) {
        c.ic = 1 + rng_below(r, 4);
        c.iw = 1 + rng_below(r, 4) * rng_pick(r, extents);
        c.dh = c.dw = 1;
    } else if (rng_below(r, 5) == 0) {
        c.g = 2 + rng_below(r, 3);
        c.ic = c.g * (1 + c.ic / c.g);
        c.oc = c.g * (1 + c.oc / c.g);
    }
    shrink(&c, rng_below(r, 16) ? 20000 : 200000);
    if (rng_below(r, 500) == 0 &&
        (strcmp(id->variant, "direct") == 0 || strcmp(id->variant, "gemm") == 0))
        make_heavy(&c, r);
    if (strcmp(id->variant, "chains") == 0) { /* channels that it proposes itself for */
        const size_t lanes = 2 << rng_below(r, 2);
        c.ic = c.g * lanes * ((c.ic / c.g + lanes - 1) / lanes);
        c.oc = c.g * (16 * rng_below(r, 4) + 1 + rng_below(r, 8));
    }
    if (rng_below(r, 3) > 0) {
        c.pt = rng_below(r, c.kh * c.dh + 1);
        c.pl = rng_below(r, c.kw * c.dw + 1);
        c.pb = rng_below(r, c.kh * c.dh + 1);
        c.pr = rng_below(r, c.kw * c.dw + 1);
    }
    /* A window that does not fit gets padding on both sides until it does. */
    while (case_extent(c.ih, c.kh, 1, c.dh, c.pt, c.pb) == 0)
        c.pt++, c.pb++;
    while (case_extent(c.iw, c.kw, 1, c.dw, c.pl, c.pr) == 0)
        c.pl++, c.pr++;
    return c;
}

typedef struct conv_run {
    const as_route *route;
    const as_conv_args *args;
    float *scratch;
} conv_run;

static void run_part(void *context, size_t begin, size_t end)
{
    const conv_run *run = context;
    run->route->run(run->args, begin, end, run->scratch);
}

typedef void reference(const as_conv_args *args, const float *weights, const float *bias);

/*
 * What a close route must answer, bit for bit: the steps over what its scalar build makes of each
 * image alone, which lies within the bound of the right answer.  *worst gets the error in parts
 * of that.
 */
static void expect_close(const char *variant, const as_conv_args *args, const float *weights,
                         const float *bias, double *worst)
{
    const as_kernels *k = as_kernels_get(AS_ISA_SCALAR);
    const as_route *route = as_route_find(k->conv, k->n_conv, variant);
    const as_conv_shape *s = &args->shape;
    const size_t in_image = s->ih * s->iw * args->in.pixel_stride;
    buffers b = {0};
    rng r = {1};
    float *packed = buffer_values(&b, route->packed_floats(s), &r, 3);
    float *scratch = buffer_values(&b, route->scratch_floats(s), &r, 3);
    as_conv_args one = *args;
    one.packed = packed;
    one.epilogue = NULL;
    one.shape.n = one.in.n = one.out.n = 1;
    route->pack(s, weights, bias, packed);
    *worst = 0;
    for (size_t image = 0; image < s->n; image++, one.in.data += in_image) {
        one.out.data = as_ref_at(&args->out, image, 0, 0, 0);
        route->run(&one, 0, route->n_items(&one.shape), scratch);
        const double error = close_conv_error(&one, variant, weights, bias);
        if (!(error <= *worst)) *worst = error;
        for (size_t i = 0; i < s->oh * s->ow * s->oc; i++) {
            const size_t y = i / s->oc / s->ow, x = i / s->oc % s->ow, oc = i % s->oc;
            float *value = as_ref_at(&one.out, 0, y, x, oc);
            *value = as_ref_steps(args->epilogue, *value, image, y, x, oc);
        }
    }
    buffers_free(&b);
}

/* The same values as planes, `gap` floats of NaN between them. */
static void make_planar(buffers *b, as_conv_args *args, size_t gap, rng *r)
{
    const as_view in = args->in;
    const size_t n_pixels = in.h * in.w;
    args->plane = n_pixels + gap;
    args->in = buffer_input(b, 1, 1, in.n * in.c, n_pixels, args->plane, r, 0);
    for (size_t i = 0; i < in.n * n_pixels; i++)
        for (size_t c = 0; c < in.c; c++)
            args->in.data[(i / n_pixels * in.c + c) * args->plane + i % n_pixels] =
                in.data[i * in.pixel_stride + c];
}

static outcome check_route(const as_route *route, reference *ref, const as_conv_shape *shape,
                           const kernel_case *c, char *what, size_t room)
{
    if (!route || !route->proposes(shape)) return REFUSED;
    buffers b = {0};
    rng r = {c->seed};
    const size_t n_weights = shape->ic * shape->oc / shape->group * shape->kh * shape->kw;
    float *weights = buffer_values(&b, n_weights, &r, c->seed);
    float *bias = c->seed % 5 ? buffer_values(&b, shape->oc, &r, c->seed) : NULL;
    float *packed = buffer_values(&b, route->packed_floats(shape), &r, 3);
    output_pair out =
        buffer_outputs(&b, shape->n, shape->oh, shape->ow, shape->oc, shape->oc + c->ys);
    as_conv_args args = {.shape = *shape, .packed = packed, .out = out.want};
    args.in = buffer_input(&b, shape->n, shape->ih, shape->iw, shape->ic, shape->ic + c->xs, &r,
                           c->seed);
    const as_epilogue epilogue = make_epilogue(&b, c->ep, &out.want, &r, c->seed);
    args.epilogue = c->ep ? &epilogue : NULL;
    double worst = 0;
    if (route->exactness == AS_EXACT)
        ref(&args, weights, bias);
    else
        expect_close(route->name, &args, weights, bias, &worst);
    args.out = out.got;
    if (route->reads_planes) make_planar(&b, &args, c->xs, &r);
    route->pack(shape, weights, bias, packed);
    conv_run run = {.route = route,
                    .args = &args,
                    .scratch = buffer_values(&b, route->scratch_floats(shape), &r, 3)};
    run_split(route->n_items(shape), &r, run_part, &run);
    bool agrees = outputs_agree(&out, what, room);
    if (!(worst <= 1)) {
        snprintf(what, room, "an error is %g of its bound", worst);
        agrees = false;
    }
    buffers_free(&b);
    return agrees ? AGREES : DIFFERS;
}

static as_conv_shape shape_of(const kernel_case *c)
{
    return (as_conv_shape){.n = c->n,
                           .ih = c->ih,
                           .iw = c->iw,
                           .ic = c->ic,
                           .oc = c->oc,
                           .kh = c->kh,
                           .kw = c->kw,
                           .sh = c->sh,
                           .sw = c->sw,
                           .dh = c->dh,
                           .dw = c->dw,
                           .pad_top = c->pt,
                           .pad_left = c->pl,
                           .group = c->g,
                           .is_input = true};
}

outcome check_conv(const kernel_id *id, const kernel_case *c, char *what, size_t room)
{
    const as_kernels *k = as_kernels_get(id->isa);
    as_conv_shape shape = shape_of(c);
    shape.oh = case_extent(c->ih, c->kh, c->sh, c->dh, c->pt, c->pb);
    shape.ow = case_extent(c->iw, c->kw, c->sw, c->dw, c->pl, c->pr);
    return check_route(as_route_find(k->conv, k->n_conv, id->variant), as_ref_conv, &shape, c,
                       what, room);
}

kernel_case make_deconv(rng *r, const kernel_id *id)
{
    kernel_case c = make_conv(r, id);
    c.kh = 1 + rng_below(r, 3);
    c.kw = 1 + rng_below(r, 3);
    c.pt = c.pl = c.pb = c.pr = 0;
    const bool is_narrow = strcmp(id->variant, "narrow") == 0;
    if (is_narrow || strcmp(id->variant, "gemm") == 0) {
        if (is_narrow && c.kh * c.kw > 4) c.kh = 1;
        c.ic = c.ic / c.g + 1;
        c.oc = is_narrow ? 1 + rng_below(r, 4 / (c.kh * c.kw)) : c.oc / c.g + 1;
        c.g = c.dh = c.dw = 1;
        c.sh = c.kh;
        c.sw = c.kw;
        return c;
    }
    /* Output extents above what the pads crop. */
    const size_t h = (c.ih - 1) * c.sh + (c.kh - 1) * c.dh + 1,
                 w = (c.iw - 1) * c.sw + (c.kw - 1) * c.dw + 1;
    if (h > 4) c.pt = rng_below(r, 3), c.pb = rng_below(r, 2);
    if (w > 4) c.pl = rng_below(r, 3), c.pr = rng_below(r, 2);
    return c;
}

outcome check_deconv(const kernel_id *id, const kernel_case *c, char *what, size_t room)
{
    const as_kernels *k = as_kernels_get(id->isa);
    as_conv_shape shape = shape_of(c);
    shape.oh = (c->ih - 1) * c->sh + (c->kh - 1) * c->dh + 1 - c->pt - c->pb;
    shape.ow = (c->iw - 1) * c->sw + (c->kw - 1) * c->dw + 1 - c->pl - c->pr;
    return check_route(as_route_find(k->deconv, k->n_deconv, id->variant), as_ref_deconv,
                       &shape, c, what, room);
}

/* ---- gradient of the weights ------------------------------------------------------------- */

kernel_case make_weight_grad(rng *r, const kernel_id *id)
{
    const kernel_id conv = {"conv", rng_below(r, 4) ? "direct" : "depthwise", id->isa};
    return make_conv(r, &conv);
}

static void weight_grad_part(void *context, size_t begin, size_t end)
{
    void **p = context;
    ((const as_kernels *)p[0])->weight_grad(p[1], begin, end);
}

outcome check_weight_grad(const kernel_id *id, const kernel_case *c, char *what, size_t room)
{
    const as_kernels *k = as_kernels_get(id->isa);
    buffers b = {0};
    rng r = {c->seed};
    as_weight_grad_args args = {.shape = shape_of(c)};
    const as_conv_shape *s = &args.shape;
    args.shape.oh = case_extent(c->ih, c->kh, c->sh, c->dh, c->pt, c->pb);
    args.shape.ow = case_extent(c->iw, c->kw, c->sw, c->dw, c->pl, c->pr);
    output_pair out =
        buffer_outputs(&b, s->oc, s->ic / s->group, s->kh * s->kw, 1, 1); /* OIHW as rows */
    args.in = buffer_input(&b, s->n, s->ih, s->iw, s->ic, s->ic + c->xs, &r, c->seed);
    args.out_gradient = buffer_input(&b, s->n, s->oh, s->ow, s->oc, s->oc + c->ys, &r, c->seed);
    args.weights = out.want.data;
    as_ref_weight_grad(&args);
    args.weights = out.got.data;
    void *context[] = {(void *)(uintptr_t)k, &args};
    run_split(k->weight_grad_items(&args), &r, weight_grad_part, context);
    const bool agrees = outputs_agree(&out, what, room);
    buffers_free(&b);
    return agrees ? AGREES : DIFFERS;
}
