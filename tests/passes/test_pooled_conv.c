/* SPDX-License-Identifier: Apache-2.0 */
#include "evaluate.h"

#define INPUT SHAPE(2, 4, 5, 7)

/* conv(x) and its mean, multiplied: squeeze-excite at its plainest. */
static as_graph *scaled_by_its_mean(int oc, int ic_group, int k, int stride, int pad)
{
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 4, -1, -1));
    int w = add_floats(g, "", SHAPE(oc, ic_group, k, k), NULL);
    int conv = add_conv(g, "conv", x, w, add_floats(g, "", SHAPE(oc), NULL), stride, pad);
    attributes_of(g, conv)->conv.group = 4 / ic_group;
    int mean = add_node(g, AS_OP_GLOBAL_AVERAGE_POOL, "mean", conv, -1, -1);
    finish(g, add_node(g, AS_OP_MUL, "y", conv, add_node(g, AS_OP_SIGMOID, "s", mean, -1, -1),
                       -1));
    return g;
}

static void the_mean_goes_ahead_of_a_pointwise_convolution(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        as_graph *g = scaled_by_its_mean(i == 0 ? 4 : 8, i == 2 ? 2 : 4, 1, 1, 0);
        assert_int_equal(run_pass(g, as_pass_pooled_conv, INPUT), 1);
        assert_int_equal(count_op(g, AS_OP_CONV), 2);
        const as_node *mul = as_graph_producer(g, as_graph_outputs(g)[0]);
        const as_node *conv = as_graph_producer(g, mul->inputs[0]);
        assert_ptr_equal(as_graph_only_consumer(g, conv->outputs[0]), mul);
        as_graph_free(g);
    }
}

static void what_is_no_product_of_single_pixels_stays(void **state)
{
    (void)state;
    assert_untouched(scaled_by_its_mean(4, 4, 3, 1, 1), as_pass_pooled_conv, INPUT);
    assert_untouched(scaled_by_its_mean(4, 4, 1, 2, 0), as_pass_pooled_conv, INPUT);
    assert_untouched(scaled_by_its_mean(4, 4, 1, 1, 1), as_pass_pooled_conv, INPUT);
}

static void a_mean_of_more_channels_than_it_saves_stays(void **state)
{
    (void)state;
    assert_untouched(scaled_by_its_mean(3, 4, 1, 1, 0), as_pass_pooled_conv, INPUT);
}

static void a_mean_that_is_the_graph_s_output_stays(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 4, -1, -1));
    int conv = add_conv(g, "conv", x, add_floats(g, "", SHAPE(8, 4, 1, 1), NULL), -1, 1, 0);
    finish(g, add_node(g, AS_OP_GLOBAL_AVERAGE_POOL, "y", conv, -1, -1));
    assert_untouched(g, as_pass_pooled_conv, INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mean_goes_ahead_of_a_pointwise_convolution),
        cmocka_unit_test(what_is_no_product_of_single_pixels_stays),
        cmocka_unit_test(a_mean_of_more_channels_than_it_saves_stays),
        cmocka_unit_test(a_mean_that_is_the_graph_s_output_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
