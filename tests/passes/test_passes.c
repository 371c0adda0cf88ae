/* SPDX-License-Identifier: Apache-2.0 */
/* The passes together: on built graphs, on the real detectors, without memory. */
#include "evaluate.h"

#include "base/file.h"
#include "base/memory.h"
#include "onnx/onnx.h"

#define INPUT SHAPE(1, 3, 9, 11)

/* A block as the v4 detector has it: conv, affine, hard-swish, affine, pointwise conv. */
static as_graph *block(void)
{
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 3, -1, -1));
    int conv = add_conv(g, "conv", x, add_floats(g, "", SHAPE(5, 3, 3, 3), NULL), -1, 2, 1);
    int mul = add_node(g, AS_OP_MUL, "mul", add_number(g, 0.75f), conv, -1);
    int sum = add_node(g, AS_OP_ADD, "sum", mul, add_number(g, 0.25f), -1);
    int copy = add_node(g, AS_OP_IDENTITY, "copy", sum, -1, -1);
    int shifted = add_node(g, AS_OP_ADD, "shifted", copy, add_number(g, 3), -1);
    int clip = add_node(g, AS_OP_CLIP, "clip", shifted, add_number(g, 0), add_number(g, 6));
    int gate = add_node(g, AS_OP_MUL, "gate", copy, clip, -1);
    int swish = add_node(g, AS_OP_DIV, "swish", gate, add_number(g, 6), -1);
    int scaled = add_node(g, AS_OP_MUL, "scaled", add_number(g, 1.25f), swish, -1);
    int moved = add_node(g, AS_OP_ADD, "moved", scaled, add_number(g, -0.5f), -1);
    finish(g, add_conv(g, "y", moved, add_floats(g, "", SHAPE(4, 5, 1, 1), NULL), -1, 1, 0));
    return g;
}

static assay_code fuse(as_graph *g, as_pass_stats *stats, assay_error *err)
{
    int n = 0;
    as_pass_record records[AS_MAX_PASSES];
    assay_code code = as_passes_run(g, true, records, &n, err);
    for (int i = 0; i < n; i++)
        stats->n_changes += records[i].n_changes;
    return code;
}

static void a_block_becomes_conv_hard_swish_conv(void **state)
{
    (void)state;
    as_graph *g = block();
    assert_true(run_pass(g, fuse, INPUT) > 0);
    assert_int_equal(as_graph_n_nodes(g), 3);
    assert_int_equal(as_graph_node(g, 0)->op, AS_OP_CONV);
    assert_int_equal(as_graph_node(g, 1)->op, AS_OP_HARD_SWISH);
    assert_int_equal(as_graph_node(g, 2)->op, AS_OP_CONV);
    as_graph_free(g);
}

static void without_fusion_only_copies_go(void **state)
{
    (void)state;
    as_graph *g = block();
    as_pass_record records[AS_MAX_PASSES];
    int n = 0, n_nodes = as_graph_n_nodes(g);
    assert_int_equal(as_passes_run(g, false, records, &n, NULL), ASSAY_OK);
    assert_int_equal(n, 4);
    assert_string_equal(records[0].name, "constants");
    assert_string_equal(records[1].name, "identities");
    assert_string_equal(records[2].name, "computed_dims");
    assert_string_equal(records[3].name, "dead");
    assert_int_equal(records[1].n_before, n_nodes);
    assert_int_equal(records[1].n_after, n_nodes - 1);
    assert_int_equal(records[1].ops_before[AS_OP_IDENTITY], 1);
    assert_int_equal(records[1].ops_after[AS_OP_IDENTITY], 0);
    as_graph_free(g);
}

static void a_second_run_changes_nothing(void **state)
{
    (void)state;
    as_graph *g = block();
    assert_int_equal(as_passes_run(g, true, NULL, NULL, NULL), ASSAY_OK);
    assert_untouched(g, fuse, INPUT);
}

static void a_contradiction_is_reported_with_pass_and_node(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 3, -1, -1));
    finish(g, add_conv(g, "y", x, add_floats(g, "", SHAPE(4, 5, 1, 1), NULL), -1, 1, 0));
    assay_error err = {0};
    assert_int_equal(as_passes_run(g, true, NULL, NULL, &err), ASSAY_E_FORMAT);
    assert_string_equal(err.where, "pass constants: node 0 'y' (Conv)");
    as_graph_free(g);
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    int n_failures = 0;
    for (size_t n = 1;; n++) {
        as_graph *g = block();
        assay_error err = {0};
        as_memory_fail_at(n);
        assay_code code = as_passes_run(g, true, NULL, NULL, &err);
        as_memory_fail_at(0);
        as_graph_free(g);
        if (code == ASSAY_OK) break;
        assert_int_equal(code, ASSAY_E_MEMORY);
        assert_int_equal(err.code, ASSAY_E_MEMORY);
        n_failures++;
    }
    assert_true(n_failures > 20);
}

/* Load a model of models/ and run all passes; false, with a line, where it is not there. */
static bool fused_model(const char *path, as_graph **out)
{
    if (!as_file_exists(path)) {
        print_message("SKIPPED: %s is not there (tools/models makes it)\n", path);
        return false;
    }
    assay_error err = {0};
    if (as_onnx_load(path, out, &err)) fail_msg("%s: %s", err.where, err.message);
    if (as_passes_run(*out, true, NULL, NULL, &err)) fail_msg("%s: %s", err.where, err.message);
    return true;
}

static void v4_is_left_with_convolutions_and_activations(void **state)
{
    (void)state;
    as_graph *g;
    if (!fused_model("../models/ch_PP-OCRv4_det_infer.onnx", &g)) skip();
    static const int expected[AS_N_OPS] = {
        [AS_OP_CONV] = 65,       [AS_OP_CONV_TRANSPOSE] = 2,
        [AS_OP_AFFINE] = 14,     [AS_OP_GLOBAL_AVERAGE_POOL] = 10,
        [AS_OP_RESIZE] = 6,      [AS_OP_ADD] = 11,
        [AS_OP_MUL] = 10,        [AS_OP_RELU] = 12,
        [AS_OP_SIGMOID] = 1,     [AS_OP_HARD_SIGMOID] = 10,
        [AS_OP_HARD_SWISH] = 24, [AS_OP_CONCAT] = 1,
    };
    for (int op = 0; op < AS_N_OPS; op++)
        assert_int_equal(count_op(g, (as_op)op), expected[op]);
    as_graph_free(g);
}

static void v6_is_left_with_convolutions_and_activations(void **state)
{
    (void)state;
    as_graph *g;
    if (!fused_model("../models/PP-OCRv6_det_small.onnx", &g)) skip();
    static const int expected[AS_N_OPS] = {
        [AS_OP_CONV] = 85,    [AS_OP_CONV_TRANSPOSE] = 2,
        [AS_OP_MAX_POOL] = 1, [AS_OP_GLOBAL_AVERAGE_POOL] = 13,
        [AS_OP_RESIZE] = 6,   [AS_OP_ADD] = 21,
        [AS_OP_MUL] = 13,     [AS_OP_RELU] = 20,
        [AS_OP_SIGMOID] = 1,  [AS_OP_HARD_SIGMOID] = 13,
        [AS_OP_GELU] = 13,    [AS_OP_CONCAT] = 2,
    };
    for (int op = 0; op < AS_N_OPS; op++)
        assert_int_equal(count_op(g, (as_op)op), expected[op]);
    as_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_becomes_conv_hard_swish_conv),
        cmocka_unit_test(without_fusion_only_copies_go),
        cmocka_unit_test(a_second_run_changes_nothing),
        cmocka_unit_test(a_contradiction_is_reported_with_pass_and_node),
        cmocka_unit_test(every_failed_allocation_is_reported),
        cmocka_unit_test(v4_is_left_with_convolutions_and_activations),
        cmocka_unit_test(v6_is_left_with_convolutions_and_activations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
