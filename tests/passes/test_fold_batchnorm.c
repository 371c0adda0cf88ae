/* SPDX-License-Identifier: Apache-2.0 */
#include "evaluate.h"

#define INPUT SHAPE(2, 4, 5, 7)

/* A batch norm of x's `n` channels with positive variances. */
static int add_batch_norm(as_graph *g, const char *name, int x, int n)
{
    as_shape row = SHAPE(n);
    int inputs[5] = {x};
    for (int i = 1; i < 5; i++)
        inputs[i] = add_floats(g, "", row, NULL);
    float *variance = as_graph_edit_data(g, inputs[4]);
    for (int i = 0; i < n; i++)
        variance[i] = variance[i] * variance[i] + 0.25f;
    int y = as_graph_add_tensor(g, name, AS_F32, NULL);
    assert_true(as_graph_add_node(g, AS_OP_BATCH_NORM, name, inputs, 5, &y, 1) >= 0);
    return y;
}

static void it_folds_into_a_padded_grouped_conv(void **state)
{
    (void)state;
    for (int has_bias = 0; has_bias < 2; has_bias++) {
        as_graph *g = as_graph_new();
        int x = add_input(g, "x", SHAPE(-1, 4, -1, -1));
        int w = add_floats(g, "w", SHAPE(6, 2, 3, 3), NULL);
        int conv =
            add_conv(g, "conv", x, w, has_bias ? add_floats(g, "b", SHAPE(6), NULL) : -1, 2, 1);
        attributes_of(g, conv)->conv.group = 2;
        finish(g, add_batch_norm(g, "y", conv, 6));
        assert_int_equal(run_pass(g, as_pass_fold_batchnorm, INPUT), 1);
        assert_int_equal(as_graph_n_nodes(g), 1);
        assert_int_equal(as_graph_node(g, 0)->n_inputs, 3);
        assert_int_equal(as_graph_node(g, 0)->attributes.conv.group, 2);
        as_graph_free(g);
    }
}

static void it_folds_into_a_grouped_transposed_conv(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 4, -1, -1));
    int up = add_node(g, AS_OP_CONV_TRANSPOSE, "up", x,
                      add_floats(g, "w", SHAPE(4, 3, 2, 2), NULL), -1);
    as_conv_attributes *conv = &attributes_of(g, up)->conv;
    conv->window = (as_window){.kernel = {2, 2}, .strides = {2, 2}, .dilations = {1, 1}};
    conv->group = 2;
    finish(g, add_batch_norm(g, "y", up, 6));
    assert_int_equal(run_pass(g, as_pass_fold_batchnorm, INPUT), 1);
    assert_int_equal(as_graph_n_nodes(g), 1);
    as_graph_free(g);
}

static void shared_weights_are_copied(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 4, -1, -1));
    int w = add_floats(g, "w", SHAPE(6, 4, 1, 1), NULL), b = add_floats(g, "b", SHAPE(6), NULL);
    int one = add_batch_norm(g, "n", add_conv(g, "one", x, w, b, 1, 0), 6);
    int two = add_conv(g, "two", x, w, b, 1, 0);
    finish(g, add_node(g, AS_OP_ADD, "y", one, two, -1));
    assert_int_equal(run_pass(g, as_pass_fold_batchnorm, INPUT), 1);
    assert_int_equal(as_graph_n_nodes(g), 3);
    as_graph_free(g);
}

static void a_conv_that_is_read_elsewhere_keeps_its_weights(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 4, -1, -1));
    int conv = add_conv(g, "conv", x, add_floats(g, "w", SHAPE(6, 4, 1, 1), NULL), -1, 1, 0);
    finish(g, add_node(g, AS_OP_ADD, "y", add_batch_norm(g, "n", conv, 6), conv, -1));
    assert_untouched(g, as_pass_fold_batchnorm, INPUT);
}

static void one_behind_another_operator_stays(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 4, -1, -1));
    finish(g, add_batch_norm(g, "y", add_node(g, AS_OP_RELU, "r", x, -1, -1), 4));
    assert_untouched(g, as_pass_fold_batchnorm, INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_folds_into_a_padded_grouped_conv),
        cmocka_unit_test(it_folds_into_a_grouped_transposed_conv),
        cmocka_unit_test(shared_weights_are_copied),
        cmocka_unit_test(a_conv_that_is_read_elsewhere_keeps_its_weights),
        cmocka_unit_test(one_behind_another_operator_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
