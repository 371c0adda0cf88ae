/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "assay/session.h"
#include "base/random.h"
#include "onnx/save.h"
#include "train/layers.h"

enum { C = 3, H = 8, W = 6, N = 3, N_OUT = 7 };

/* Every kind of unit, one vector made of a map that is no square. */
static const as_unit units[] = {
    {.kind = AS_UNIT_CONV,
     .out = 6,
     .kernel = 3,
     .stride = 1,
     .pad = 1,
     .group = 3,
     .has_bias = true},
    {.kind = AS_UNIT_BATCHNORM},
    {.kind = AS_UNIT_RELU},
    {.kind = AS_UNIT_CONV, .out = 6, .kernel = 3, .stride = 1, .pad = 1, .group = 6},
    {.kind = AS_UNIT_ADD, .from = 2},
    {.kind = AS_UNIT_AVERAGE_POOL, .kernel = 2, .stride = 2},
    {.kind = AS_UNIT_MAX_POOL, .kernel = 3, .stride = 1, .pad = 1},
    {.kind = AS_UNIT_FLATTEN},
    {.kind = AS_UNIT_LINEAR, .out = 11},
    {.kind = AS_UNIT_RELU},
    {.kind = AS_UNIT_LINEAR, .out = N_OUT, .has_bias = true},
};
static const as_net_spec spec = {C, H, W, sizeof units / sizeof *units, units};

static void fill(float *x, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(as_random_next(&seed) >> 40) * 0x1p-23F - 1.0F;
}

static void to_nchw(const float *nhwc, float *nchw)
{
    for (size_t n = 0; n < N; n++)
        for (size_t p = 0; p < (size_t)H * W; p++)
            for (size_t c = 0; c < C; c++)
                nchw[(n * C + c) * H * W + p] = nhwc[(n * H * W + p) * C + c];
}

static void the_written_model_answers_as_the_network_does(void **state)
{
    static float images[N * H * W * C], nchw[N * H * W * C], want[N * N_OUT];
    const char *path = "train-graph-test.onnx";
    as_network *net;
    as_graph *graph;
    assay_model *model;
    assay_session *session;
    assay_tensor x = {.rank = 4, .dims = {N, C, H, W}, .data = nchw}, y;
    assay_error err;
    (void)state;
    assert_int_equal(as_network_new(&spec, 17, &net, &err), ASSAY_OK);
    for (size_t i = 0; i < net->n_state; i++) /* as if it had been trained */
        net->state[i] = 0.25F + 0.5F * (float)(i % 3);
    fill(images, sizeof images / sizeof *images, 4);
    to_nchw(images, nchw);
    assert_int_equal(as_network_forward(net, images, N, want, NULL, &err), ASSAY_OK);
    if (as_network_graph(net, "every unit", &graph, &err)) fail_msg("%s", err.message);
    if (as_onnx_save(graph, path, &err)) fail_msg("%s %s", err.where, err.message);
    if (assay_model_load(path, NULL, &model, &err)) fail_msg("%s %s", err.where, err.message);
    unlink(path);
    assert_int_equal(assay_session_new(model, 1, &session, &err), ASSAY_OK);
    if (assay_session_run(session, &x, 1, &y, 1, &err)) fail_msg("%s", err.message);
    assert_int_equal(y.dims[0], N);
    assert_int_equal(y.dims[1], N_OUT);
    for (size_t i = 0; i < (size_t)N * N_OUT; i++)
        assert_true(fabsf(((const float *)y.data)[i] - want[i]) < 1e-5F);
    assay_session_free(session);
    assay_model_free(model);
    as_graph_free(graph);
    as_network_free(net);
}

static void the_same_network_gives_the_same_bytes(void **state)
{
    as_bytes bytes[2];
    assay_error err;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        as_network *net;
        as_graph *graph;
        assert_int_equal(as_network_new(&spec, 17, &net, &err), ASSAY_OK);
        assert_int_equal(as_network_graph(net, "twice", &graph, &err), ASSAY_OK);
        assert_int_equal(as_onnx_print(graph, &bytes[i], &err), ASSAY_OK);
        as_graph_free(graph);
        as_network_free(net);
    }
    assert_int_equal(bytes[0].size, bytes[1].size);
    assert_memory_equal(bytes[0].data, bytes[1].data, bytes[0].size);
    as_bytes_free(&bytes[0]);
    as_bytes_free(&bytes[1]);
}

/* What onnx.checker asks of a model's inputs and outputs, and what a reader wants to know. */
static void inputs_and_outputs_of_the_model_have_shapes(void **state)
{
    char text[64];
    as_network *net;
    as_graph *graph;
    assay_error err;
    as_shape shape;
    (void)state;
    assert_int_equal(as_network_new(&spec, 1, &net, &err), ASSAY_OK);
    assert_int_equal(as_network_graph(net, "shapes", &graph, &err), ASSAY_OK);
    shape = as_tensor_shape(as_graph_tensor(graph, as_graph_inputs(graph)[0]));
    assert_string_equal(as_shape_text(&shape, text, sizeof text), "[?,3,8,6]");
    shape = as_tensor_shape(as_graph_tensor(graph, as_graph_outputs(graph)[0]));
    assert_string_equal(as_shape_text(&shape, text, sizeof text), "[?,7]");
    as_graph_free(graph);
    as_network_free(net);
}

static void costs_are_those_of_the_units(void **state)
{
    as_network *net;
    assay_error err;
    (void)state;
    assert_int_equal(as_network_new(&spec, 1, &net, &err), ASSAY_OK);
    const size_t n_map = (size_t)H * W, n_flat = 6 * n_map / 4;
    assert_int_equal(as_network_n_parameters(net),
                     (6 * 9 + 6) + 2 * 6 + 6 * 9 + 11 * n_flat + (7 * 11 + 7));
    assert_int_equal(as_network_macs(net),
                     6 * 9 * n_map + 6 * 9 * n_map + 11 * n_flat + 7 * 11);
    assert_int_equal(as_network_activation_bytes(net),
                     4 * (C * n_map + 5 * 6 * n_map + 3 * n_flat + 11 + 11 + 7));
    as_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_written_model_answers_as_the_network_does),
        cmocka_unit_test(the_same_network_gives_the_same_bytes),
        cmocka_unit_test(inputs_and_outputs_of_the_model_have_shapes),
        cmocka_unit_test(costs_are_those_of_the_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
