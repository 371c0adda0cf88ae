/* SPDX-License-Identifier: Apache-2.0 */
#include "evaluate.h"

#define INPUT SHAPE(2, 4, 5, 7)

static as_graph *sum_of(int n)
{
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 4, -1, -1));
    int a = add_node(g, AS_OP_RELU, "a", x, -1, -1);
    int s = add_node(g, AS_OP_SUM, "s", a, n > 1 ? x : -1, n > 2 ? a : -1);
    finish(g, add_node(g, AS_OP_NEG, "y", s, -1, -1));
    return g;
}

static void a_sum_of_two_is_an_add(void **state)
{
    (void)state;
    as_graph *g = sum_of(2);
    assert_int_equal(run_pass(g, as_pass_sums, INPUT), 1);
    assert_int_equal(count_op(g, AS_OP_SUM), 0);
    assert_int_equal(count_op(g, AS_OP_ADD), 1);
    as_graph_free(g);
}

static void a_sum_of_one_is_gone(void **state)
{
    (void)state;
    as_graph *g = sum_of(1);
    assert_int_equal(run_pass(g, as_pass_sums, INPUT), 1);
    assert_int_equal(count_op(g, AS_OP_SUM) + count_op(g, AS_OP_ADD), 0);
    as_graph_free(g);
}

static void a_sum_of_three_stays(void **state)
{
    (void)state;
    assert_untouched(sum_of(3), as_pass_sums, INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_of_two_is_an_add),
        cmocka_unit_test(a_sum_of_one_is_gone),
        cmocka_unit_test(a_sum_of_three_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
