/* SPDX-License-Identifier: Apache-2.0 */
#include "evaluate.h"

#define INPUT SHAPE(2, 4, 5, 7)

typedef struct parts {
    bool sum_first, factor_first; /* p + x, s * x */
    bool is_product_read;         /* by somebody besides the Add */
    bool is_factor_a_map;         /* s has x's height and width */
    bool is_factor_constant;
} parts;

static as_graph *residual(parts p)
{
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 4, -1, -1));
    int s = p.is_factor_constant ? add_floats(g, "", SHAPE(1, 4, 1, 1), NULL)
            : p.is_factor_a_map  ? add_node(g, AS_OP_RELU, "s", x, -1, -1)
                                 : add_node(g, AS_OP_GLOBAL_AVERAGE_POOL, "s", x, -1, -1);
    int product = p.factor_first ? add_node(g, AS_OP_MUL, "p", s, x, -1)
                                 : add_node(g, AS_OP_MUL, "p", x, s, -1);
    int y = p.sum_first ? add_node(g, AS_OP_ADD, "y", product, x, -1)
                        : add_node(g, AS_OP_ADD, "y", x, product, -1);
    finish(g, p.is_product_read ? add_node(g, AS_OP_SUB, "z", y, product, -1) : y);
    return g;
}

static void the_sum_goes_to_the_factor_whatever_the_order(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        as_graph *g = residual((parts){.sum_first = i & 1, .factor_first = i >> 1});
        assert_int_equal(run_pass(g, as_pass_common_factor, INPUT), 1);
        const as_node *last = as_graph_producer(g, as_graph_outputs(g)[0]);
        assert_int_equal(last->op, AS_OP_MUL);
        assert_string_equal(as_graph_tensor(g, last->outputs[0])->name, "y");
        assert_int_equal(count_op(g, AS_OP_ADD), 1);
        as_graph_free(g);
    }
}

static void other_sums_and_products_stay(void **state)
{
    (void)state;
    assert_untouched(residual((parts){.is_product_read = true}), as_pass_common_factor, INPUT);
    assert_untouched(residual((parts){.is_factor_a_map = true}), as_pass_common_factor, INPUT);
    assert_untouched(residual((parts){.is_factor_constant = true}), as_pass_common_factor,
                     INPUT);
}

static void a_product_by_itself_stays(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 4, -1, -1));
    int product = add_node(g, AS_OP_MUL, "p", x, x, -1);
    finish(g, add_node(g, AS_OP_ADD, "y", product, product, -1));
    assert_untouched(g, as_pass_common_factor, INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sum_goes_to_the_factor_whatever_the_order),
        cmocka_unit_test(other_sums_and_products_stay),
        cmocka_unit_test(a_product_by_itself_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
