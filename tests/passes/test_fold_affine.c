/* SPDX-License-Identifier: Apache-2.0 */
#include "evaluate.h"

#define INPUT SHAPE(2, 4, 5, 7)

static int add_weights(as_graph *g, int oc, int ic, int k)
{
    return add_floats(g, "", SHAPE(oc, ic, k, k), NULL);
}

static as_graph *start(int *x)
{
    as_graph *g = as_graph_new();
    *x = add_input(g, "x", SHAPE(-1, 4, -1, -1));
    return g;
}

/* x -> (x * a + b - c) / d with constants of these shapes. */
static int add_chain(as_graph *g, int x, const char *name, as_shape a, as_shape b)
{
    int mul = add_node(g, AS_OP_MUL, "mul", add_floats(g, "", a, NULL), x, -1);
    int sum = add_node(g, AS_OP_ADD, "sum", mul, add_floats(g, "", b, NULL), -1);
    int less = add_node(g, AS_OP_SUB, "less", sum, add_number(g, 0.25f), -1);
    return add_node(g, AS_OP_DIV, name, less, add_number(g, 1.5f), -1);
}

static void a_chain_behind_a_conv_goes_into_it(void **state)
{
    (void)state;
    const as_shape shapes[4] = {SHAPE(6, 1, 1), SHAPE(1, 6, 1, 1), SHAPE(1), SCALAR};
    for (int i = 0; i < 16; i++) {
        int x;
        as_graph *g = start(&x);
        int conv = add_conv(g, "conv", x, add_weights(g, 6, 4, 3), -1, 2, 1);
        finish(g, add_chain(g, conv, "y", shapes[i / 4], shapes[i % 4]));
        assert_int_equal(run_pass(g, as_pass_fold_affine, INPUT), 4);
        assert_int_equal(as_graph_n_nodes(g), 1);
        assert_string_equal(as_graph_tensor(g, as_graph_node(g, 0)->outputs[0])->name, "y");
        as_graph_free(g);
    }
}

static void a_constant_that_is_first_is_taken_for_what_it_is(void **state)
{
    (void)state;
    int x;
    as_graph *g = start(&x);
    int conv = add_conv(g, "conv", x, add_weights(g, 6, 4, 1), -1, 1, 0);
    finish(g, add_node(g, AS_OP_SUB, "y", add_number(g, 2), conv, -1)); /* 2 - x */
    assert_int_equal(run_pass(g, as_pass_fold_affine, INPUT), 1);
    assert_int_equal(as_graph_n_nodes(g), 1);
    as_graph_free(g);
    g = start(&x);
    conv = add_conv(g, "conv", x, add_weights(g, 6, 4, 1), -1, 1, 0);
    finish(g, add_node(g, AS_OP_DIV, "y", add_number(g, 2), conv, -1)); /* 2 / x */
    assert_untouched(g, as_pass_fold_affine, INPUT);
}

static void a_constant_along_another_axis_is_no_affine(void **state)
{
    (void)state;
    const as_shape shapes[3] = {SHAPE(7), SHAPE(5, 1), SHAPE(2, 1, 1, 1)};
    for (int i = 0; i < 3; i++) {
        int x;
        as_graph *g = start(&x);
        int conv = add_conv(g, "conv", x, add_weights(g, 6, 4, 1), -1, 1, 0);
        finish(g, add_node(g, AS_OP_MUL, "y", conv, add_floats(g, "", shapes[i], NULL), -1));
        assert_untouched(g, as_pass_fold_affine, INPUT);
    }
}

static void a_division_by_zero_stays(void **state)
{
    (void)state;
    int x;
    as_graph *g = start(&x);
    int conv = add_conv(g, "conv", x, add_weights(g, 6, 4, 1), -1, 1, 0);
    finish(g, add_node(g, AS_OP_DIV, "y", conv, add_number(g, 0), -1));
    as_pass_stats stats = {0};
    assert_int_equal(as_pass_fold_affine(g, &stats, NULL), ASSAY_OK);
    assert_int_equal(stats.n_changes, 0);
    as_graph_free(g);
}

static void a_conv_that_is_read_elsewhere_leaves_an_affine_node(void **state)
{
    (void)state;
    int x;
    as_graph *g = start(&x);
    int conv = add_conv(g, "conv", x, add_weights(g, 6, 4, 3), -1, 1, 1);
    int chain = add_chain(g, conv, "chain", SHAPE(6, 1, 1), SCALAR);
    finish(g, add_node(g, AS_OP_ADD, "y", chain, conv, -1));
    assert_int_equal(run_pass(g, as_pass_fold_affine, INPUT), 4);
    assert_int_equal(as_graph_n_nodes(g), 3);
    assert_int_equal(count_op(g, AS_OP_AFFINE), 1);
    assert_int_equal(as_graph_tensor(g, as_graph_producer(g, chain)->inputs[1])->n_elements, 6);
    as_graph_free(g);
}

/* x -> relu -> chain -> conv, with what the conv reads behind the relu. */
static as_graph *before_conv(as_window window, int k, int group, int oc)
{
    int x;
    as_graph *g = start(&x);
    int relu = add_node(g, AS_OP_RELU, "relu", x, -1, -1);
    int chain = add_chain(g, relu, "chain", SHAPE(4, 1, 1), SHAPE(1));
    int y = add_conv(g, "y", chain, add_weights(g, oc, 4 / group, k),
                     add_floats(g, "", SHAPE(oc), NULL), 1, 0);
    window.kernel[0] = window.kernel[1] = k;
    attributes_of(g, y)->conv.window = window;
    attributes_of(g, y)->conv.group = group;
    finish(g, y);
    return g;
}

static void a_chain_before_an_unpadded_conv_goes_into_it(void **state)
{
    (void)state;
    const as_window plain = {.strides = {1, 1}, .dilations = {1, 1}};
    as_window same = plain, valid = plain;
    same.auto_pad = AS_PAD_SAME_UPPER;
    valid.auto_pad = AS_PAD_VALID;
    as_graph *cases[5] = {before_conv(plain, 1, 1, 6), before_conv(plain, 3, 2, 6),
                          before_conv(plain, 3, 4, 8), before_conv(valid, 3, 1, 6),
                          before_conv(same, 1, 1, 6)};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(run_pass(cases[i], as_pass_fold_affine, INPUT), 4);
        assert_int_equal(as_graph_n_nodes(cases[i]), 2);
        assert_int_equal(count_op(cases[i], AS_OP_AFFINE), 0);
        as_graph_free(cases[i]);
    }
}

static void a_chain_before_a_padded_conv_becomes_one_affine(void **state)
{
    (void)state;
    const as_window padded = {.strides = {1, 1}, .dilations = {1, 1}, .pads = {0, 0, 0, 1}};
    const as_window same = {
        .strides = {1, 1}, .dilations = {1, 1}, .auto_pad = AS_PAD_SAME_LOWER};
    as_graph *cases[2] = {before_conv(padded, 1, 1, 6), before_conv(same, 3, 4, 4)};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(run_pass(cases[i], as_pass_fold_affine, INPUT), 4);
        assert_int_equal(as_graph_n_nodes(cases[i]), 3);
        assert_int_equal(as_graph_node(cases[i], 1)->op, AS_OP_AFFINE);
        as_graph_free(cases[i]);
    }
}

static void a_scale_alone_goes_into_a_padded_conv(void **state)
{
    (void)state;
    int x;
    as_graph *g = start(&x);
    int relu = add_node(g, AS_OP_RELU, "relu", x, -1, -1);
    int scaled = add_node(g, AS_OP_MUL, "s", relu, add_floats(g, "", SHAPE(4, 1, 1), NULL), -1);
    finish(g, add_conv(g, "y", scaled, add_weights(g, 6, 4, 3), -1, 1, 1));
    assert_int_equal(run_pass(g, as_pass_fold_affine, INPUT), 1);
    assert_int_equal(as_graph_n_nodes(g), 2);
    as_graph_free(g);
}

static void a_transposed_conv_takes_a_scale_but_no_shift(void **state)
{
    (void)state;
    for (int has_shift = 0; has_shift < 2; has_shift++) {
        int x;
        as_graph *g = start(&x);
        int relu = add_node(g, AS_OP_RELU, "relu", x, -1, -1);
        int c = add_floats(g, "", SHAPE(4, 1, 1), NULL);
        int a = add_node(g, has_shift ? AS_OP_ADD : AS_OP_MUL, "a", relu, c, -1);
        int up = add_node(g, AS_OP_CONV_TRANSPOSE, "up", a, add_weights(g, 4, 3, 2), -1);
        attributes_of(g, up)->conv.window =
            (as_window){.kernel = {2, 2}, .strides = {2, 2}, .dilations = {1, 1}};
        attributes_of(g, up)->conv.group = 2;
        finish(g, up);
        assert_int_equal(run_pass(g, as_pass_fold_affine, INPUT), 1);
        assert_int_equal(count_op(g, AS_OP_AFFINE), has_shift);
        as_graph_free(g);
    }
}

static void a_chain_before_several_convs_goes_into_all_or_none(void **state)
{
    (void)state;
    for (int pad = 0; pad < 2; pad++) {
        int x;
        as_graph *g = start(&x);
        int relu = add_node(g, AS_OP_RELU, "relu", x, -1, -1);
        int chain = add_chain(g, relu, "chain", SHAPE(4, 1, 1), SHAPE(4, 1, 1));
        int one = add_conv(g, "one", chain, add_weights(g, 6, 4, 1), -1, 1, 0);
        int two = add_conv(g, "two", chain, add_weights(g, 6, 4, pad ? 3 : 1), -1, 1, pad);
        finish(g, add_node(g, AS_OP_ADD, "y", one, two, -1));
        assert_int_equal(run_pass(g, as_pass_fold_affine, INPUT), 4);
        assert_int_equal(count_op(g, AS_OP_AFFINE), pad);
        assert_int_equal(as_graph_n_nodes(g), 4 + pad);
        as_graph_free(g);
    }
}

static void a_chain_that_is_an_output_stays_one(void **state)
{
    (void)state;
    int x;
    as_graph *g = start(&x);
    int relu = add_node(g, AS_OP_RELU, "relu", x, -1, -1);
    int chain = add_chain(g, relu, "chain", SHAPE(4, 1, 1), SCALAR);
    assert_true(as_graph_add_output(g, chain));
    finish(g, add_conv(g, "y", chain, add_weights(g, 6, 4, 1), -1, 1, 0));
    assert_int_equal(run_pass(g, as_pass_fold_affine, INPUT), 4);
    assert_int_equal(as_graph_n_nodes(g), 3);
    assert_int_equal(as_graph_producer(g, chain)->op, AS_OP_AFFINE);
    as_graph_free(g);
}

static void a_chain_without_known_channels_stays(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, -1, -1, -1));
    int relu = add_node(g, AS_OP_RELU, "relu", x, -1, -1);
    finish(g, add_node(g, AS_OP_MUL, "y", relu, add_number(g, 2), -1));
    assert_untouched(g, as_pass_fold_affine, INPUT);
}

static void a_sum_of_two_computed_tensors_stays(void **state)
{
    (void)state;
    int x;
    as_graph *g = start(&x);
    int conv = add_conv(g, "conv", x, add_weights(g, 4, 4, 1), -1, 1, 0);
    finish(g, add_node(g, AS_OP_ADD, "y", conv, x, -1));
    assert_untouched(g, as_pass_fold_affine, INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_behind_a_conv_goes_into_it),
        cmocka_unit_test(a_constant_that_is_first_is_taken_for_what_it_is),
        cmocka_unit_test(a_constant_along_another_axis_is_no_affine),
        cmocka_unit_test(a_division_by_zero_stays),
        cmocka_unit_test(a_conv_that_is_read_elsewhere_leaves_an_affine_node),
        cmocka_unit_test(a_chain_before_an_unpadded_conv_goes_into_it),
        cmocka_unit_test(a_chain_before_a_padded_conv_becomes_one_affine),
        cmocka_unit_test(a_scale_alone_goes_into_a_padded_conv),
        cmocka_unit_test(a_transposed_conv_takes_a_scale_but_no_shift),
        cmocka_unit_test(a_chain_before_several_convs_goes_into_all_or_none),
        cmocka_unit_test(a_chain_that_is_an_output_stays_one),
        cmocka_unit_test(a_chain_without_known_channels_stays),
        cmocka_unit_test(a_sum_of_two_computed_tensors_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
