/* SPDX-License-Identifier: Apache-2.0 */
#include "search/operator_bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "plan/plan.h"

#define KERNEL_SIDE 3
#define MOST_FLOATS ((size_t)1 << 26) /* of the weights and of a map: 256 MiB */

/** One convolution with its route. */
typedef struct stage {
    const as_route *route;
    as_conv_args args;
    float *weights; /**< Owns, as the next two; weights[oc][ic / group][kh][kw]. */
    float *packed;
    float *scratch;
    size_t n_weights;
} stage;

enum { STANDARD, DEPTHWISE, POINTWISE, N_STAGES };

struct as_operator_bench {
    as_operator_shape shape;
    stage stages[N_STAGES];
    float *in, *middle, *out; /**< Own; [h][w][ic], [h][w][ic], [h][w][oc]. */
};

/** Stages of a module: first and one behind the last. */
static const struct {
    const char *name;
    int begin, end;
    bool is_part;
} modules[AS_N_OPERATORS] = {
    [AS_OPERATOR_STANDARD] = {"standard", STANDARD, DEPTHWISE, false},
    [AS_OPERATOR_DW_PW] = {"dw_pw", DEPTHWISE, N_STAGES, false},
    [AS_OPERATOR_DW] = {"dw", DEPTHWISE, POINTWISE, true},
    [AS_OPERATOR_PW] = {"pw", POINTWISE, N_STAGES, true},
};

/** Products that a route does for a MAC of a 3x3 kernel; those that are not here do one.  F(mxm,3x3)
 * does (m + 2)^2 for 9 m^2: Lavin and Gray, Fast algorithms for convolutional neural networks, 2016. */
static const struct {
    const char *route;
    double products;
} savings[] = {{"winograd4", 36.0 / 144}, {"winograd2", 16.0 / 36}};

static double products_of(const stage *s)
{
    double macs = (double)as_conv_macs(&s->args.shape);
    for (size_t i = 0; i < AS_COUNT_OF(savings); i++)
        if (strcmp(s->route->name, savings[i].route) == 0) macs *= savings[i].products;
    return macs;
}

/** Uniform in -bound..bound. */
static void fill(float *values, size_t n, double bound, uint64_t *random)
{
    for (size_t i = 0; i < n; i++)
        values[i] = (float)(bound * (ldexp((double)(as_random_next(random) >> 11), -52) - 1));
}

static as_conv_shape conv_shape(const as_operator_shape *s, int which)
{
    const size_t side = which == POINTWISE ? 1 : KERNEL_SIDE;
    return (as_conv_shape){.n = 1,
                           .ih = s->h,
                           .iw = s->w,
                           .ic = s->ic,
                           .oh = s->h,
                           .ow = s->w,
                           .oc = which == DEPTHWISE ? s->ic : s->oc,
                           .kh = side,
                           .kw = side,
                           .sh = 1,
                           .sw = 1,
                           .dh = 1,
                           .dw = 1,
                           .pad_top = side / 2,
                           .pad_left = side / 2,
                           .group = which == DEPTHWISE ? s->ic : 1};
}

/** Choose the route as a plan does, with `weights` made. */
static assay_code make_stage(stage *s, const as_conv_shape *shape, const as_operator_how *how,
                             uint64_t *random, assay_error *err)
{
    const as_plan_options options = {.conv = how->conv, .close_routes = true};
    s->route = as_plan_choose(how->kernels->conv, how->kernels->n_conv, shape, &options);
    if (!s->route)
        return as_fail(err, ASSAY_E_UNSUPPORTED, "no route takes %zu to %zu channels",
                       shape->ic, shape->oc);
    const size_t fan_in = shape->ic / shape->group * shape->kh * shape->kw;
    s->args.shape = *shape;
    s->n_weights = shape->oc * fan_in;
    s->weights = as_alloc_array(s->n_weights, sizeof *s->weights);
    s->packed = as_alloc_array(s->route->packed_floats(shape), sizeof *s->packed);
    s->scratch = as_alloc_array(s->route->scratch_floats(shape) + 1, sizeof *s->scratch);
    if (!s->weights || !s->packed || !s->scratch)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for a convolution of %zu weights",
                       s->n_weights);
    fill(s->weights, s->n_weights, 1 / sqrt((double)fan_in), random);
    s->route->pack(shape, s->weights, NULL, s->packed);
    return ASSAY_OK;
}

/**
 * Whether the shape's weights and each of its maps are so few that a study of it fits common machines: with
 * packed weights and scratch it takes a few GiB at most.
 */
static bool is_sane(const as_operator_shape *s)
{
    size_t floats = KERNEL_SIDE * KERNEL_SIDE;
    return s->ic && s->oc && s->h && s->w && as_mul(floats, s->ic, &floats) &&
           as_mul(floats, s->oc, &floats) && floats <= MOST_FLOATS &&
           as_mul(s->h, s->w, &floats) && as_mul(floats, as_max(s->ic, s->oc), &floats) &&
           floats <= MOST_FLOATS;
}

static assay_code make_maps(as_operator_bench *b, uint64_t *random, assay_error *err)
{
    const size_t n_pixels = b->shape.h * b->shape.w;
    b->in = as_alloc_array(n_pixels * b->shape.ic, sizeof *b->in);
    b->middle = as_alloc_array(n_pixels * b->shape.ic, sizeof *b->middle);
    b->out = as_alloc_array(n_pixels * b->shape.oc, sizeof *b->out);
    if (!b->in || !b->middle || !b->out)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for maps of %zu pixels", n_pixels);
    fill(b->in, n_pixels * b->shape.ic, 1, random);
    return ASSAY_OK;
}

static void place(as_operator_bench *b)
{
    const as_operator_shape *s = &b->shape;
    const as_view in = as_view_of(b->in, 1, s->h, s->w, s->ic);
    const as_view middle = as_view_of(b->middle, 1, s->h, s->w, s->ic);
    const as_view out = as_view_of(b->out, 1, s->h, s->w, s->oc);
    for (int i = 0; i < N_STAGES; i++) {
        b->stages[i].args.packed = b->stages[i].packed;
        b->stages[i].args.in = i == POINTWISE ? middle : in;
        b->stages[i].args.out = i == DEPTHWISE ? middle : out;
    }
}

assay_code as_operator_bench_new(const as_operator_shape *shape, const as_operator_how *how,
                                 as_operator_bench **out, assay_error *err)
{
    uint64_t random = (uint64_t)how->seed;
    *out = NULL;
    if (!is_sane(shape))
        return as_fail(
            err, ASSAY_E_ARGUMENT,
            "shape %s has an extent of 0 or more than 2^26 weights or numbers in a map",
            shape->name);
    as_operator_bench *b = as_alloc(sizeof *b);
    if (!b) return as_fail(err, ASSAY_E_MEMORY, "no memory for shape %s", shape->name);
    b->shape = *shape;
    assay_code code = make_maps(b, &random, err);
    for (int i = 0; !code && i < N_STAGES; i++) {
        const as_conv_shape conv = conv_shape(shape, i);
        code = make_stage(&b->stages[i], &conv, how, &random, err);
    }
    if (code) {
        as_operator_bench_free(b);
        return code;
    }
    place(b);
    *out = b;
    return ASSAY_OK;
}

static void free_stage(stage *s)
{
    as_free(s->weights);
    as_free(s->packed);
    as_free(s->scratch);
}

void as_operator_bench_free(as_operator_bench *bench)
{
    if (!bench) return;
    for (int i = 0; i < N_STAGES; i++)
        free_stage(&bench->stages[i]);
    as_free(bench->in);
    as_free(bench->middle);
    as_free(bench->out);
    as_free(bench);
}

static void run_stage(const stage *s)
{
    s->route->run(&s->args, 0, s->route->n_items(&s->args.shape), s->scratch);
}

void as_operator_bench_call(as_operator_bench *bench, as_operator_module module)
{
    for (int i = modules[module].begin; i < modules[module].end; i++)
        run_stage(&bench->stages[i]);
}

void as_operator_bench_describe(const as_operator_bench *bench, as_operator_module module,
                                as_operator_row *row, char routes[64])
{
    const as_operator_shape *s = &bench->shape;
    const int begin = modules[module].begin, end = modules[module].end;
    const size_t n_pixels = s->h * s->w, width = sizeof(float);
    size_t ledger = n_pixels * bench->stages[begin].args.shape.ic, traffic = 0;
    *row = (as_operator_row){.shape = s->name,
                             .module = modules[module].name,
                             .is_part = modules[module].is_part,
                             .ic = (int)s->ic,
                             .oc = (int)s->oc,
                             .h = (int)s->h,
                             .w = (int)s->w,
                             .routes = routes,
                             .factor_error = NAN};
    for (int i = begin; i < end; i++) {
        const stage *one = &bench->stages[i];
        const as_conv_shape *c = &one->args.shape;
        ledger += n_pixels * c->oc;
        traffic += n_pixels * (c->ic + c->oc) + one->n_weights;
        row->params += (int64_t)one->n_weights;
        row->macs += (int64_t)as_conv_macs(c);
        row->products += (int64_t)products_of(one);
    }
    row->ledger_bytes = (int64_t)(ledger * width);
    row->traffic_bytes = (int64_t)(traffic * width);
    snprintf(routes, 64, "%s%s%s", bench->stages[begin].route->name,
             end - begin > 1 ? " + " : "",
             end - begin > 1 ? bench->stages[end - 1].route->name : "");
}

assay_code as_operator_bench_factor(as_operator_bench *bench, double *error, assay_error *err)
{
    const stage *dw = &bench->stages[DEPTHWISE], *pw = &bench->stages[POINTWISE];
    const stage *standard = &bench->stages[STANDARD];
    const as_conv_shape *c = &standard->args.shape;
    const size_t n_out = c->oh * c->ow * c->oc, taps = c->kh * c->kw;
    stage product = *standard;
    product.packed = as_alloc_array(product.route->packed_floats(c), sizeof *product.packed);
    product.weights = as_alloc_array(product.n_weights, sizeof *product.weights);
    float *factored = as_alloc_array(n_out, sizeof *factored);
    assay_code code = ASSAY_OK;
    if (product.packed && product.weights && factored) {
        for (size_t i = 0; i < product.n_weights; i++) /* [oc][ic][taps] */
            product.weights[i] = pw->weights[i / taps] * dw->weights[i % (c->ic * taps)];
        product.route->pack(c, product.weights, NULL, product.packed);
        product.args.packed = product.packed;
        as_operator_bench_call(bench, AS_OPERATOR_DW_PW);
        for (size_t i = 0; i < n_out; i++)
            factored[i] = bench->out[i];
        run_stage(&product);
        *error = 0;
        for (size_t i = 0; i < n_out; i++)
            *error = fmax(*error, fabs((double)bench->out[i] - (double)factored[i]));
    } else {
        code = as_fail(err, ASSAY_E_MEMORY, "no memory for a product of kernels");
    }
    as_free(product.packed);
    as_free(product.weights);
    as_free(factored);
    return code;
}
