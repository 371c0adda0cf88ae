/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "onnx/cut.h"
#include "onnx/onnx.h"

static as_bytes model;

static int read_model(void **state)
{
    (void)state;
    return as_file_read("data/tiny_detector.onnx", 0, &model, NULL);
}

static int free_model(void **state)
{
    (void)state;
    as_bytes_free(&model);
    return 0;
}

static as_graph *cut_graph(const char *tensor)
{
    as_bytes cut;
    as_graph *graph;
    assay_error err = {0};
    if (as_onnx_cut(model.data, model.size, tensor, &cut, &err)) fail_msg("%s", err.message);
    if (as_onnx_parse(cut.data, cut.size, "cut", &graph, &err)) fail_msg("%s", err.message);
    as_bytes_free(&cut);
    return graph;
}

static void what_lies_behind_the_tensor_is_gone(void **state)
{
    (void)state;
    as_graph *graph = cut_graph("scaled"); /* Conv, Relu, mean, HardSigmoid, Mul */
    assert_int_equal(as_graph_n_nodes(graph), 5);
    assert_int_equal(as_graph_n_outputs(graph), 1);
    assert_string_equal(as_graph_tensor(graph, as_graph_outputs(graph)[0])->name, "scaled");
    assert_int_equal(as_graph_find_tensor(graph, "spread"), -1);
    as_graph_free(graph);
}

static void what_lies_beside_it_is_gone_too(void **state)
{
    (void)state;
    as_graph *graph = cut_graph("mean");
    assert_int_equal(as_graph_n_nodes(graph), 3);
    as_graph_free(graph);
}

static void the_whole_model_is_cut_at_its_own_output(void **state)
{
    (void)state;
    as_graph *graph = cut_graph("map");
    assert_int_equal(as_graph_n_nodes(graph), 8);
    as_graph_free(graph);
}

static void what_cannot_be_cut_is_told(void **state)
{
    (void)state;
    as_bytes cut;
    assay_error err = {0};
    assert_int_equal(as_onnx_cut(model.data, model.size, "nowhere", &cut, &err),
                     ASSAY_E_FORMAT);
    assert_string_equal(err.message, "no node makes tensor 'nowhere'");
    assert_int_equal(as_onnx_cut("no model", 8, "map", &cut, &err), ASSAY_E_FORMAT);
    assert_null(cut.data);
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    for (size_t i = 1; i < 20; i++) {
        as_bytes cut;
        as_memory_fail_at(i);
        assay_code code = as_onnx_cut(model.data, model.size, "map", &cut, NULL);
        as_memory_fail_at(0);
        as_bytes_free(&cut);
        if (!code) {
            assert_true(i > 2);
            return;
        }
        assert_int_equal(code, ASSAY_E_MEMORY);
    }
    fail_msg("no end of allocations");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_lies_behind_the_tensor_is_gone),
        cmocka_unit_test(what_lies_beside_it_is_gone_too),
        cmocka_unit_test(the_whole_model_is_cut_at_its_own_output),
        cmocka_unit_test(what_cannot_be_cut_is_told),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, read_model, free_model);
}
