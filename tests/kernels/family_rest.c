/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "families.h"
#include "kernels/ref/ref.h"

static const size_t channels[] = {1,  2,  3,  5,  7,  8,  9,  12, 15, 16, 17,
                                  24, 31, 32, 33, 47, 48, 49, 95, 96, 97, 130};
static const size_t extents[] = {1, 2, 3, 5, 7, 11, 13, 17, 29};
static const size_t gaps[] = {0, 0, 0, 1, 5, 16};

static kernel_case make_plain(rng *r, const kernel_id *id)
{
    (void)id;
    kernel_case c = case_default(rng_next(r) % 100000);
    c.n = 1 + rng_below(r, 3);
    c.ic = c.oc = rng_pick(r, channels);
    c.ih = rng_pick(r, extents);
    c.iw = rng_pick(r, extents);
    c.xs = rng_pick(r, gaps);
    c.ys = rng_pick(r, gaps);
    /* Mostly small, so that many fit a second of the reference. */
    const size_t most = rng_below(r, 8) ? 3000 : 30000;
    while (c.n * c.ih * c.iw * c.ic > most && c.ih * c.iw > 1) {
        c.ih = (c.ih + 1) / 2;
        c.iw = (c.iw + 1) / 2;
    }
    return c;
}

/* ---- map ------------------------------------------------------------------------------ */

/* kind: 0 none, 1 both maps (resize), 2 row map alone, 3 in place. */
static kernel_case make_map(rng *r, const kernel_id *id)
{
    kernel_case c = make_plain(r, id);
    c.kind = rng_below(r, 4);
    c.oc = c.ic;
    c.ep = rng_below(r, 4) == 0 ? rng_below(r, N_EPILOGUES)
                                : EPILOGUE_SINGLE + rng_below(r, 5 * (size_t)AS_STEP_N);
    if (rng_below(r, 40) == 0)
        c.iw = 400 + rng_below(r, 900); /* longer than one run of the kernel */
    return c;
}

static void map_part(void *context, size_t begin, size_t end)
{
    void **p = context;
    ((const as_kernels *)p[0])->map(p[1], begin, end);
}

static outcome check_map(const kernel_id *id, const kernel_case *c, char *what, size_t room)
{
    const as_kernels *k = as_kernels_get(id->isa);
    buffers b = {0};
    rng r = {c->seed};
    const bool resizes = c->kind == 1 || c->kind == 2;
    const size_t oh = resizes ? 2 * c->ih : c->ih, ow = c->kind == 1 ? 2 * c->iw - 1 : c->iw;
    output_pair out = buffer_outputs(&b, c->n, oh, ow, c->ic, c->ic + c->ys);
    as_map_args args = {.out = out.want};
    args.in = buffer_input(&b, c->n, c->ih, c->iw, c->ic, c->ic + c->xs, &r, c->seed);
    uint32_t *maps = malloc((oh + ow) * sizeof *maps);
    if (!maps) abort();
    as_nearest_map(maps, c->ih, oh);
    as_nearest_map(maps + oh, c->iw, ow);
    if (resizes) args.row_map = maps;
    if (c->kind == 1) args.col_map = maps + oh;
    const as_epilogue epilogue = make_epilogue(&b, c->ep, &out.want, &r, c->seed);
    args.epilogue = &epilogue;
    as_ref_map(&args);
    args.out = out.got;
    if (c->kind == 3) { /* in place: the input lies in the output already */
        const as_map_args copy = {.in = args.in, .out = out.got};
        as_ref_map(&copy);
        args.in = out.got;
    }
    void *context[] = {(void *)(uintptr_t)k, &args};
    run_split(k->map_items(&args), &r, map_part, context);
    const bool agrees = outputs_agree(&out, what, room);
    free(maps);
    buffers_free(&b);
    return agrees ? AGREES : DIFFERS;
}

/* ---- mean ----------------------------------------------------------------------------- */

static kernel_case make_mean(rng *r, const kernel_id *id)
{
    kernel_case c = make_plain(r, id);
    c.ep = rng_below(r, N_EPILOGUES);
    return c;
}

static void mean_part(void *context, size_t begin, size_t end)
{
    void **p = context;
    ((const as_kernels *)p[0])->mean(p[1], begin, end);
}

static outcome check_mean(const kernel_id *id, const kernel_case *c, char *what, size_t room)
{
    const as_kernels *k = as_kernels_get(id->isa);
    buffers b = {0};
    rng r = {c->seed};
    output_pair out = buffer_outputs(&b, c->n, 1, 1, c->ic, c->ic + c->ys);
    as_mean_args args = {.out = out.want};
    args.in = buffer_input(&b, c->n, c->ih, c->iw, c->ic, c->ic + c->xs, &r, c->seed);
    const as_epilogue epilogue = make_epilogue(&b, c->ep, &out.want, &r, c->seed);
    args.epilogue = &epilogue;
    as_ref_mean(&args);
    args.out = out.got;
    void *context[] = {(void *)(uintptr_t)k, &args};
    run_split(k->mean_items(&args), &r, mean_part, context);
    const bool agrees = outputs_agree(&out, what, room);
    buffers_free(&b);
    return agrees ? AGREES : DIFFERS;
}

/* ---- mean in two stages ---------------------------------------------------------------- */

static void row_sum_part(void *context, size_t begin, size_t end)
{
    void **p = context;
    ((const as_kernels *)p[0])->row_sum(p[1], begin, end);
}

/* The mean of the sums of rows is the reference's mean, bit for bit. */
static outcome check_row_sum(const kernel_id *id, const kernel_case *c, char *what, size_t room)
{
    const as_kernels *k = as_kernels_get(id->isa);
    buffers b = {0};
    rng r = {c->seed};
    output_pair out = buffer_outputs(&b, c->n, 1, 1, c->ic, c->ic + c->ys);
    output_pair sums = buffer_outputs(&b, c->n, c->ih, 1, c->ic, c->ic + c->ys);
    as_mean_args args = {.out = out.want};
    args.in = buffer_input(&b, c->n, c->ih, c->iw, c->ic, c->ic + c->xs, &r, c->seed);
    as_ref_mean(&args);
    args.out = sums.got;
    void *context[] = {(void *)(uintptr_t)k, &args};
    run_split(k->row_sum_items(&args), &r, row_sum_part, context);
    const as_mean_args finish = {
        .in = sums.got, .out = out.got, .n_pixels = c->ih * c->iw, .epilogue = NULL};
    k->mean(&finish, 0, k->mean_items(&finish));
    const bool agrees = outputs_agree(&out, what, room);
    buffers_free(&b);
    return agrees ? AGREES : DIFFERS;
}

/* ---- pool ----------------------------------------------------------------------------- */

/* kind: 0 maximum, 1 average, 2 average that counts padding. */
static kernel_case make_pool(rng *r, const kernel_id *id)
{
    kernel_case c = make_plain(r, id);
    c.kind = rng_below(r, 3);
    c.ep = rng_below(r, N_EPILOGUES);
    c.kh = 1 + rng_below(r, 4 < c.ih ? 4 : c.ih);
    c.kw = 1 + rng_below(r, 4 < c.iw ? 4 : c.iw);
    c.sh = 1 + rng_below(r, 3);
    c.sw = 1 + rng_below(r, 3);
    c.dh = (c.kh - 1) * 2 < c.ih ? 1 + rng_below(r, 2) : 1;
    c.dw = (c.kw - 1) * 2 < c.iw ? 1 + rng_below(r, 2) : 1;
    if (c.dh == 1 &&
        c.dw == 1) { /* ONNX allows pads below the kernel: no window is all padding */
        c.pt = rng_below(r, c.kh);
        c.pl = rng_below(r, c.kw);
        c.pb = rng_below(r, c.kh);
        c.pr = rng_below(r, c.kw);
    }
    return c;
}

static void pool_part(void *context, size_t begin, size_t end)
{
    void **p = context;
    ((const as_kernels *)p[0])->pool(p[1], begin, end);
}

static outcome check_pool(const kernel_id *id, const kernel_case *c, char *what, size_t room)
{
    const as_kernels *k = as_kernels_get(id->isa);
    buffers b = {0};
    rng r = {c->seed};
    const size_t oh = case_extent(c->ih, c->kh, c->sh, c->dh, c->pt, c->pb);
    const size_t ow = case_extent(c->iw, c->kw, c->sw, c->dw, c->pl, c->pr);
    output_pair out = buffer_outputs(&b, c->n, oh, ow, c->ic, c->ic + c->ys);
    as_pool_args args = {.out = out.want,
                         .kind = c->kind ? AS_POOL_AVERAGE : AS_POOL_MAX,
                         .kh = c->kh,
                         .kw = c->kw,
                         .sh = c->sh,
                         .sw = c->sw,
                         .dh = c->dh,
                         .dw = c->dw,
                         .pad_top = c->pt,
                         .pad_left = c->pl,
                         .pad_bottom = c->pb,
                         .pad_right = c->pr,
                         .counts_pad = c->kind == 2};
    args.in = buffer_input(&b, c->n, c->ih, c->iw, c->ic, c->ic + c->xs, &r, c->seed);
    const as_epilogue epilogue = make_epilogue(&b, c->ep, &out.want, &r, c->seed);
    args.epilogue = &epilogue;
    as_ref_pool(&args);
    args.out = out.got;
    void *context[] = {(void *)(uintptr_t)k, &args};
    run_split(k->pool_items(&args), &r, pool_part, context);
    const bool agrees = outputs_agree(&out, what, room);
    buffers_free(&b);
    return agrees ? AGREES : DIFFERS;
}

/* ---- interpolate ---------------------------------------------------------------------- */

/* kind: taps of a row, of a column: linear, cubic, one axis alone, a shrink's. */
static const size_t taps[][2] = {{2, 2}, {4, 4}, {1, 2}, {2, 1}, {1, 1}, {3, 7}};

static kernel_case make_interpolate(rng *r, const kernel_id *id)
{
    kernel_case c = make_plain(r, id);
    c.kind = rng_below(r, AS_COUNT_OF(taps));
    c.ep = rng_below(r, N_EPILOGUES);
    return c;
}

static void interpolate_part(void *context, size_t begin, size_t end)
{
    void **p = context;
    ((const as_kernels *)p[0])->interpolate(p[1], begin, end);
}

static outcome check_interpolate(const kernel_id *id, const kernel_case *c, char *what,
                                 size_t room)
{
    const as_kernels *k = as_kernels_get(id->isa);
    buffers b = {0};
    rng r = {c->seed};
    const size_t oh = 1 + rng_below(&r, 2 * c->ih), ow = 1 + rng_below(&r, 2 * c->iw);
    output_pair out = buffer_outputs(&b, c->n, oh, ow, c->ic, c->ic + c->ys);
    as_interpolate_args args = {
        .out = out.want, .row_taps = taps[c->kind][0], .col_taps = taps[c->kind][1]};
    const size_t n_rows = oh * args.row_taps, n_cols = ow * args.col_taps;
    args.in = buffer_input(&b, c->n, c->ih, c->iw, c->ic, c->ic + c->xs, &r, c->seed);
    args.row_weights = buffer_values(&b, n_rows, &r, c->seed);
    args.col_weights = buffer_values(&b, n_cols, &r, c->seed);
    uint32_t *places = malloc((n_rows + n_cols) * sizeof *places);
    if (!places) abort();
    for (size_t i = 0; i < n_rows + n_cols; i++)
        places[i] = (uint32_t)rng_below(&r, i < n_rows ? c->ih : c->iw);
    args.rows = places;
    args.cols = places + n_rows;
    const as_epilogue epilogue = make_epilogue(&b, c->ep, &out.want, &r, c->seed);
    args.epilogue = &epilogue;
    as_ref_interpolate(&args);
    args.out = out.got;
    void *context[] = {(void *)(uintptr_t)k, &args};
    run_split(k->interpolate_items(&args), &r, interpolate_part, context);
    const bool agrees = outputs_agree(&out, what, room);
    free(places);
    buffers_free(&b);
    return agrees ? AGREES : DIFFERS;
}

/* ---- softmax -------------------------------------------------------------------------- */

static void softmax_part(void *context, size_t begin, size_t end)
{
    void **p = context;
    ((const as_kernels *)p[0])->softmax(p[1], begin, end);
}

static outcome check_softmax(const kernel_id *id, const kernel_case *c, char *what, size_t room)
{
    const as_kernels *k = as_kernels_get(id->isa);
    buffers b = {0};
    rng r = {c->seed};
    output_pair out = buffer_outputs(&b, c->n, c->ih, c->iw, c->ic, c->ic + c->ys);
    as_softmax_args args = {.out = out.want};
    args.in = buffer_input(&b, c->n, c->ih, c->iw, c->ic, c->ic + c->xs, &r, c->seed);
    as_ref_softmax(&args);
    args.out = out.got;
    void *context[] = {(void *)(uintptr_t)k, &args};
    run_split(k->softmax_items(&args), &r, softmax_part, context);
    const bool agrees = outputs_agree(&out, what, room);
    buffers_free(&b);
    return agrees ? AGREES : DIFFERS;
}

/* ---- layout --------------------------------------------------------------------------- */

static void to_view_part(void *context, size_t begin, size_t end)
{
    void **p = context;
    ((const as_kernels *)p[0])->nchw_to_view(p[1], begin, end);
}

static void to_nchw_part(void *context, size_t begin, size_t end)
{
    void **p = context;
    ((const as_kernels *)p[0])->view_to_nchw(p[1], begin, end);
}

static outcome check_to_view(const kernel_id *id, const kernel_case *c, char *what, size_t room)
{
    const as_kernels *k = as_kernels_get(id->isa);
    buffers b = {0};
    rng r = {c->seed};
    output_pair out = buffer_outputs(&b, c->n, c->ih, c->iw, c->ic, c->ic + c->ys);
    as_layout_args args = {.view = out.want};
    args.nchw = buffer_values(&b, c->n * c->ic * c->ih * c->iw, &r, c->seed);
    as_ref_nchw_to_view(&args);
    args.view = out.got;
    void *context[] = {(void *)(uintptr_t)k, &args};
    run_split(k->layout_items(&args), &r, to_view_part, context);
    const bool agrees = outputs_agree(&out, what, room);
    buffers_free(&b);
    return agrees ? AGREES : DIFFERS;
}

static outcome check_to_nchw(const kernel_id *id, const kernel_case *c, char *what, size_t room)
{
    const as_kernels *k = as_kernels_get(id->isa);
    buffers b = {0};
    rng r = {c->seed};
    output_pair out =
        buffer_outputs(&b, c->n, c->ic, c->ih, c->iw, c->iw); /* NCHW, seen as rows */
    as_layout_args args = {.nchw = out.want.data};
    args.view = buffer_input(&b, c->n, c->ih, c->iw, c->ic, c->ic + c->xs, &r, c->seed);
    as_ref_view_to_nchw(&args);
    args.nchw = out.got.data;
    void *context[] = {(void *)(uintptr_t)k, &args};
    run_split(k->layout_items(&args), &r, to_nchw_part, context);
    const bool agrees = outputs_agree(&out, what, room);
    buffers_free(&b);
    return agrees ? AGREES : DIFFERS;
}

/* As many shapes for each kernel of a family on each ISA. */
#define N_CASES 2000

const family families[] = {
    {"conv", N_CASES, make_conv, check_conv},
    {"deconv", N_CASES, make_deconv, check_deconv},
    {"map", N_CASES, make_map, check_map},
    {"mean", N_CASES, make_mean, check_mean},
    {"row_sum", N_CASES, make_plain, check_row_sum},
    {"pool", N_CASES, make_pool, check_pool},
    {"interpolate", N_CASES, make_interpolate, check_interpolate},
    {"softmax", N_CASES, make_plain, check_softmax},
    {"weight_grad", N_CASES, make_weight_grad, check_weight_grad},
    {"nchw_to_view", N_CASES, make_plain, check_to_view},
    {"view_to_nchw", N_CASES, make_plain, check_to_nchw},
};
const size_t n_families = sizeof families / sizeof *families;
