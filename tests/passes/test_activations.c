/* SPDX-License-Identifier: Apache-2.0 */
#include "evaluate.h"

#define INPUT SHAPE(2, 3, 5, 7)

typedef enum order { MUL_THEN_DIV, DIV_THEN_MUL, MUL_THEN_MUL } order;

/* What a hard-swish is made of, so that a test can break one part. */
typedef struct parts {
    float shift, low, high, divisor;
    order order;
    bool is_x_first;
    int extra_reader; /* 1: of x + 3, 2: of clip's output */
} parts;

#define HARD_SWISH                                                                             \
    (parts) { .shift = 3, .high = 6, .divisor = 6 }

static int add_clip(as_graph *g, int x, float low, float high)
{
    return add_node(g, AS_OP_CLIP, "clip", x, add_number(g, low), add_number(g, high));
}

static as_graph *hard_swish(parts p)
{
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 3, -1, -1));
    int shifted = add_node(g, AS_OP_ADD, "add", x, add_number(g, p.shift), -1);
    int clip = add_clip(g, shifted, p.low, p.high), y;
    if (p.order == DIV_THEN_MUL) {
        int scaled = add_node(g, AS_OP_DIV, "div", clip, add_number(g, p.divisor), -1);
        y = add_node(g, AS_OP_MUL, "y", x, scaled, -1);
    } else {
        int product = p.is_x_first ? add_node(g, AS_OP_MUL, "mul", x, clip, -1)
                                   : add_node(g, AS_OP_MUL, "mul", clip, x, -1);
        y = p.order == MUL_THEN_DIV
                ? add_node(g, AS_OP_DIV, "y", product, add_number(g, p.divisor), -1)
                : add_node(g, AS_OP_MUL, "y", add_number(g, 1 / p.divisor), product, -1);
    }
    if (p.extra_reader)
        y = add_node(g, AS_OP_ADD, "z", y, p.extra_reader == 1 ? shifted : clip, -1);
    finish(g, y);
    return g;
}

static void assert_is_hard_swish(parts p)
{
    as_graph *g = hard_swish(p);
    assert_true(run_pass(g, as_pass_activations, INPUT) > 0);
    assert_int_equal(as_graph_n_nodes(g), 1);
    assert_int_equal(as_graph_node(g, 0)->op, AS_OP_HARD_SWISH);
    assert_string_equal(as_graph_tensor(g, as_graph_outputs(g)[0])->name, "y");
    as_graph_free(g);
}

static void hard_swish_is_recognised_in_all_orders(void **state)
{
    (void)state;
    parts p = HARD_SWISH;
    for (int i = 0; i < 2; i++) {
        p.is_x_first = i == 1;
        p.order = MUL_THEN_DIV;
        assert_is_hard_swish(p);
        p.order = MUL_THEN_MUL;
        assert_is_hard_swish(p);
        p.order = DIV_THEN_MUL;
        assert_is_hard_swish(p);
    }
}

static void hard_swish_with_a_wrong_constant_stays(void **state)
{
    (void)state;
    parts p = HARD_SWISH;
    p.shift = 2.5f;
    assert_untouched(hard_swish(p), as_pass_activations, INPUT);
    p = HARD_SWISH;
    p.low = 0.25f;
    assert_untouched(hard_swish(p), as_pass_activations, INPUT);
    p = HARD_SWISH;
    p.high = 5;
    assert_untouched(hard_swish(p), as_pass_activations, INPUT);
    p = HARD_SWISH;
    p.divisor = 5;
    assert_untouched(hard_swish(p), as_pass_activations, INPUT);
}

static void hard_swish_with_a_reader_in_between_stays(void **state)
{
    (void)state;
    parts p = HARD_SWISH;
    for (p.extra_reader = 1; p.extra_reader <= 2; p.extra_reader++)
        assert_untouched(hard_swish(p), as_pass_activations, INPUT);
}

static void a_product_with_another_tensor_is_no_hard_swish(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 3, -1, -1));
    int clip = add_clip(g, add_node(g, AS_OP_ADD, "a", x, add_number(g, 3), -1), 0, 6);
    int other = add_node(g, AS_OP_RELU, "other", x, -1, -1);
    int product = add_node(g, AS_OP_MUL, "m", other, clip, -1);
    finish(g, add_node(g, AS_OP_DIV, "y", product, add_number(g, 6), -1));
    assert_untouched(g, as_pass_activations, INPUT);
}

static void a_clip_that_is_divided_is_a_hard_sigmoid(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 3, -1, -1));
    int clip = add_clip(g, add_node(g, AS_OP_ADD, "a", x, add_number(g, 2.5f), -1), 0, 5);
    finish(g, add_node(g, AS_OP_DIV, "y", clip, add_number(g, 5), -1));
    assert_int_equal(run_pass(g, as_pass_activations, INPUT), 1);
    const as_node *node = as_graph_node(g, 0);
    assert_int_equal(as_graph_n_nodes(g), 1);
    assert_int_equal(node->op, AS_OP_HARD_SIGMOID);
    assert_true(node->attributes.activation.alpha == 0.2f);
    assert_true(node->attributes.activation.beta == 0.5f);
    as_graph_free(g);
}

/* x * HardSigmoid(x) with this alpha and, with `is_read`, another reader of the sigmoid. */
static as_graph *gated(float alpha, bool is_read)
{
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 3, -1, -1));
    int h = add_node(g, AS_OP_HARD_SIGMOID, "h", x, -1, -1);
    attributes_of(g, h)->activation.alpha = alpha;
    int y = add_node(g, AS_OP_MUL, "y", x, h, -1);
    finish(g, is_read ? add_node(g, AS_OP_ADD, "z", y, h, -1) : y);
    return g;
}

static void a_gate_by_its_own_hard_sigmoid_is_a_hard_swish(void **state)
{
    (void)state;
    as_graph *g = gated(1.0f / 6, false);
    assert_int_equal(run_pass(g, as_pass_activations, INPUT), 1);
    assert_int_equal(as_graph_n_nodes(g), 1);
    assert_int_equal(as_graph_node(g, 0)->op, AS_OP_HARD_SWISH);
    as_graph_free(g);
    assert_untouched(gated(0.2f, false), as_pass_activations, INPUT);
    assert_untouched(gated(1.0f / 6, true), as_pass_activations, INPUT);
}

static void a_number_of_higher_rank_than_x_is_no_scalar(void **state)
{
    (void)state;
    const float three = 3;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1));
    int shifted = add_node(g, AS_OP_ADD, "a", x, add_floats(g, "c", SHAPE(1, 1), &three), -1);
    int clip = add_clip(g, shifted, 0, 6);
    finish(g, add_node(g, AS_OP_DIV, "y", clip, add_number(g, 6), -1));
    assert_untouched(g, as_pass_activations, SHAPE(7));
}

static void a_clip_without_upper_bound_is_a_relu(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 3, -1, -1));
    finish(g, add_node(g, AS_OP_CLIP, "y", x, add_number(g, 0), -1));
    assert_int_equal(run_pass(g, as_pass_activations, INPUT), 1);
    assert_int_equal(as_graph_node(g, 0)->op, AS_OP_RELU);
    assert_int_equal(as_graph_node(g, 0)->n_inputs, 1);
    as_graph_free(g);
}

static void relu6_stays_a_clip(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 3, -1, -1));
    finish(g, add_clip(g, x, 0, 6));
    assert_untouched(g, as_pass_activations, INPUT);
}

static as_graph *mean(int first, int second, bool keepdims)
{
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 3, -1, -1));
    int y = add_node(g, AS_OP_REDUCE_MEAN, "y", x, -1, -1);
    attributes_of(g, y)->reduce =
        (as_reduce_attributes){.n_axes = 2, .axes = {first, second}, .keepdims = keepdims};
    finish(g, y);
    return g;
}

static void a_mean_over_h_and_w_is_a_global_pool(void **state)
{
    (void)state;
    const int axes[3][2] = {{2, 3}, {-1, 2}, {3, -2}};
    for (int i = 0; i < 3; i++) {
        as_graph *g = mean(axes[i][0], axes[i][1], true);
        assert_int_equal(run_pass(g, as_pass_activations, INPUT), 1);
        assert_int_equal(as_graph_node(g, 0)->op, AS_OP_GLOBAL_AVERAGE_POOL);
        as_graph_free(g);
    }
    assert_untouched(mean(2, 3, false), as_pass_activations, INPUT);
    assert_untouched(mean(3, -1, true), as_pass_activations, INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hard_swish_is_recognised_in_all_orders),
        cmocka_unit_test(hard_swish_with_a_wrong_constant_stays),
        cmocka_unit_test(hard_swish_with_a_reader_in_between_stays),
        cmocka_unit_test(a_product_with_another_tensor_is_no_hard_swish),
        cmocka_unit_test(a_clip_that_is_divided_is_a_hard_sigmoid),
        cmocka_unit_test(a_gate_by_its_own_hard_sigmoid_is_a_hard_swish),
        cmocka_unit_test(a_number_of_higher_rank_than_x_is_no_scalar),
        cmocka_unit_test(a_clip_without_upper_bound_is_a_relu),
        cmocka_unit_test(relu6_stays_a_clip),
        cmocka_unit_test(a_mean_over_h_and_w_is_a_global_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
