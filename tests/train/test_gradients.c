/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every gradient against finite differences in double: with L = sum of r[i] y[i], random r,
 *
 *     dL/dp = (L(p + h) - L(p - h)) / 2h
 *
 * of the plain kernels.  The error is the largest difference over the largest gradient.  With an argument
 * the table of errors is printed: bench/results/gradients.md.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "ref_double.h"
#include "train/layers.h"

/* Float sums of up to 2,000 products lie within that of the truth: 4.1e-7 is the most that was seen. */
static const double bound = 5e-6;
static bool is_table;

/* One case: a unit over n images. */
typedef struct gradient_case {
    const char *name;
    size_t n;
    map_size in;
    as_unit unit;
} gradient_case;

static double random_value(uint64_t *state)
{
    return (double)(as_random_next(state) >> 11) * 0x1p-52 - 1;
}

/* Values a float holds, no two within a pool's reach equal, none near ReLU's edge. */
static void fill(double *x, size_t n, uint64_t *state)
{
    for (size_t i = 0; i < n; i++) {
        x[i] = (double)(float)random_value(state);
        if (fabs(x[i]) < 1e-3) x[i] = 0.5;
    }
}

typedef struct work {
    const gradient_case *c;
    map_size out;
    size_t n_x, n_y, n_p;
    double *x, *y, *p, *r;
} work;

static double loss(const work *w)
{
    double sum = 0;
    ref_double_unit(&w->c->unit, w->c->in, w->out, w->c->n, w->x, w->p, w->x, w->y);
    for (size_t i = 0; i < w->n_y; i++)
        sum += w->r[i] * w->y[i];
    return sum;
}

/* The largest difference of got[n] from the differences at values[n], over the largest of these. */
static double error_of(const work *w, double *values, const float *got, size_t n)
{
    const double h = 1e-6;
    double worst = 0, largest = 0;
    for (size_t i = 0; i < n; i++) {
        const double at = values[i];
        values[i] = at + h;
        const double above = loss(w);
        values[i] = at - h;
        const double slope = (above - loss(w)) / (2 * h);
        values[i] = at;
        worst = fmax(worst, fabs((double)got[i] - slope));
        largest = fmax(largest, fabs(slope));
    }
    return largest > 0 ? worst / largest : worst;
}

static float *floats(const double *x, size_t n)
{
    float *copy = calloc(n + 1, sizeof *copy);
    assert_non_null(copy);
    for (size_t i = 0; i < n; i++)
        copy[i] = (float)x[i];
    return copy;
}

/* Forward and backward of the network of one unit; its own gradients stay in it. */
static void run_ours(work *w, as_network *net, as_threads *pool)
{
    assay_error err;
    const as_layer *l = &net->layers[0];
    float *x = floats(w->x, w->n_x), *p = floats(w->p, w->n_p), *r = floats(w->r, w->n_y);
    memcpy(net->parameters, p, w->n_p * sizeof *p);
    net->version++;
    net->input_gradient = calloc(w->n_x, sizeof *net->input_gradient);
    assert_non_null(net->input_gradient);
    assert_int_equal(as_network_room(net, w->c->n, true, pool, &err), ASSAY_OK);
    const as_pass pass = {
        .network = net, .images = x, .n = w->c->n, .is_training = true, .pool = pool};
    as_pass_forward(&pass);
    memcpy(l->gradient, r, w->n_y * sizeof *r);
    as_pass_backward(&pass);
    free(x);
    free(p);
    free(r);
}

static void check(const gradient_case *c, as_threads *pool, float *keep, size_t room)
{
    assay_error err;
    as_network *net;
    const as_net_spec spec = {c->in.c, c->in.h, c->in.w, 1, &c->unit};
    if (as_network_new(&spec, 7, &net, &err)) fail_msg("%s: %s", c->name, err.message);
    const as_layer *l = &net->layers[0];
    work w = {.c = c, .out = {l->out.h, l->out.w, l->out.c}};
    uint64_t random = 11;
    w.n_x = c->n * as_extent_size(l->in);
    w.n_y = c->n * as_extent_size(l->out);
    w.n_p = net->n_parameters;
    w.x = calloc(w.n_x, sizeof(double));
    w.y = calloc(w.n_y, sizeof(double));
    w.r = calloc(w.n_y, sizeof(double));
    w.p = calloc(w.n_p + 1, sizeof(double));
    assert_true(w.x && w.y && w.r && w.p);
    fill(w.x, w.n_x, &random);
    fill(w.r, w.n_y, &random);
    fill(w.p, w.n_p, &random);
    run_ours(&w, net, pool);
    if (keep) {
        assert_true(w.n_p + w.n_x <= room);
        memcpy(keep, net->gradients, w.n_p * sizeof *keep);
        memcpy(keep + w.n_p, net->input_gradient, w.n_x * sizeof *keep);
    } else {
        const double own = error_of(&w, w.p, net->gradients, w.n_p),
                     input = error_of(&w, w.x, net->input_gradient, w.n_x);
        if (is_table) printf("| %s | %zu | %.1e | %.1e |\n", c->name, w.n_p, own, input);
        if (!(own <= bound && input <= bound))
            fail_msg("%s: gradients off by %.2g (own) and %.2g (input)", c->name, own, input);
    }
    free(w.x);
    free(w.y);
    free(w.r);
    free(w.p);
    free(net->input_gradient);
    net->input_gradient = NULL;
    as_network_free(net);
}

#define CONV(OUT, K, S, P, G, B)                                                               \
    {                                                                                          \
        .kind = AS_UNIT_CONV, .out = OUT, .kernel = K, .stride = S, .pad = P, .group = G,      \
        .has_bias = B                                                                          \
    }
#define POOL(KIND, K, S, P)                                                                    \
    {                                                                                          \
        .kind = KIND, .kernel = K, .stride = S, .pad = P                                       \
    }

static const gradient_case cases[] = {
    {"conv 3x3, first layer", 3, {8, 8, 1}, CONV(8, 3, 1, 1, 1, false)},
    {"conv 3x3, with bias", 2, {4, 4, 8}, CONV(16, 3, 1, 1, 1, true)},
    {"conv 3x3, odd channels", 2, {5, 7, 3}, CONV(17, 3, 1, 1, 1, true)},
    {"conv 3x3, stride 2", 2, {7, 6, 5}, CONV(9, 3, 2, 1, 1, false)},
    {"conv 5x5, stride 3", 2, {9, 11, 2}, CONV(3, 5, 3, 2, 1, true)},
    {"conv 2x2, no pad", 3, {5, 5, 4}, CONV(6, 2, 1, 0, 1, false)},
    {"conv 1x1", 2, {4, 4, 13}, CONV(19, 1, 1, 0, 1, false)},
    {"conv 1x1, stride 2", 2, {5, 4, 6}, CONV(5, 1, 2, 0, 1, true)},
    {"conv, a window as large as its map", 2, {3, 3, 5}, CONV(7, 3, 1, 0, 1, false)},
    {"depthwise 3x3", 2, {4, 4, 8}, CONV(8, 3, 1, 1, 8, false)},
    {"depthwise 3x3, odd channels", 2, {5, 3, 19}, CONV(19, 3, 1, 1, 19, true)},
    {"depthwise 3x3, stride 2", 2, {6, 7, 5}, CONV(5, 3, 2, 1, 5, false)},
    {"depthwise, two outputs a channel", 2, {4, 5, 6}, CONV(12, 3, 1, 1, 6, false)},
    {"grouped 3x3, 2 groups", 2, {4, 5, 10}, CONV(6, 3, 1, 1, 2, true)},
    {"grouped 3x3, 3 groups, stride 2", 2, {5, 5, 15}, CONV(21, 3, 2, 1, 3, false)},
    {"linear", 5, {1, 1, 128}, {.kind = AS_UNIT_LINEAR, .out = 10, .has_bias = true}},
    {"linear, one image, no bias", 1, {1, 1, 17}, {.kind = AS_UNIT_LINEAR, .out = 3}},
    {"relu", 2, {3, 5, 7}, {.kind = AS_UNIT_RELU}},
    {"average pool 2", 2, {8, 8, 8}, POOL(AS_UNIT_AVERAGE_POOL, 2, 2, 0)},
    {"average pool 3, stride 2, pad 1", 2, {7, 6, 5}, POOL(AS_UNIT_AVERAGE_POOL, 3, 2, 1)},
    {"average pool 3, overlapping", 2, {5, 5, 3}, POOL(AS_UNIT_AVERAGE_POOL, 3, 1, 0)},
    {"max pool 2", 2, {8, 8, 8}, POOL(AS_UNIT_MAX_POOL, 2, 2, 0)},
    {"max pool 3, stride 2, pad 1", 2, {7, 6, 5}, POOL(AS_UNIT_MAX_POOL, 3, 2, 1)},
    {"max pool 2, overlapping", 2, {5, 5, 3}, POOL(AS_UNIT_MAX_POOL, 2, 1, 0)},
    {"batch norm", 3, {4, 5, 7}, {.kind = AS_UNIT_BATCHNORM}},
    {"batch norm of vectors", 6, {1, 1, 5}, {.kind = AS_UNIT_BATCHNORM}},
    {"residual add of the input", 2, {3, 4, 5}, {.kind = AS_UNIT_ADD, .from = -1}},
    {"flatten", 2, {3, 4, 5}, {.kind = AS_UNIT_FLATTEN}},
};

static void gradients_are_those_of_finite_differences(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(&cases[i], NULL, NULL, 0);
}

static void gradients_have_the_same_bits_for_any_number_of_threads(void **state)
{
    enum { ROOM = 8192 };
    static float one[ROOM], three[ROOM];
    as_threads *pool;
    assay_error err;
    (void)state;
    assert_int_equal(as_threads_new(3, &pool, &err), ASSAY_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memset(one, 0, sizeof one);
        memset(three, 0, sizeof three);
        check(&cases[i], NULL, one, ROOM);
        check(&cases[i], pool, three, ROOM);
        assert_memory_equal(one, three, sizeof one);
    }
    as_threads_free(pool);
}

int main(int argc, char **argv)
{
    (void)argv;
    is_table = argc > 1;
    if (is_table)
        printf("| unit | parameters | error of their gradient | of the input's "
               "|\n|---|---|---|---|\n");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_those_of_finite_differences),
        cmocka_unit_test(gradients_have_the_same_bits_for_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
