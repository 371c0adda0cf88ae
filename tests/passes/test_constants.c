/* SPDX-License-Identifier: Apache-2.0 */
/* The passes that are always run: constants, identities, dead nodes. */
#include "evaluate.h"

#define INPUT SHAPE(2, 3)

static void operators_on_constants_are_computed(void **state)
{
    (void)state;
    const float a[3] = {4, 9, 16}, b[2] = {1, 2};
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 3));
    int root = add_node(g, AS_OP_SQRT, "root", add_floats(g, "a", SHAPE(3), a), -1, -1);
    int sum = add_node(g, AS_OP_ADD, "sum", root, add_floats(g, "b", SHAPE(2, 1), b), -1);
    finish(g, add_node(g, AS_OP_MUL, "y", x, sum, -1));
    assert_int_equal(run_pass(g, as_pass_constants, INPUT), 2);
    assert_int_equal(as_graph_n_nodes(g), 1);
    const float expected[6] = {3, 4, 5, 4, 5, 6};
    const as_tensor *folded = as_graph_tensor(g, sum);
    assert_int_equal(folded->n_elements, 6);
    assert_int_equal(folded->rank, 2);
    assert_memory_equal(folded->data, expected, sizeof expected);
    as_graph_free(g);
}

static void a_constant_node_leaves_its_tensor(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 3));
    int c = add_number(g, 5);
    assert_int_equal(as_graph_add_node(g, AS_OP_CONSTANT, "c", NULL, 0, &c, 1), 0);
    finish(g, add_node(g, AS_OP_ADD, "y", x, c, -1));
    as_pass_stats stats = {0};
    assert_int_equal(as_pass_constants(g, &stats, NULL), ASSAY_OK);
    assert_int_equal(as_graph_sort(g, NULL), ASSAY_OK);
    assert_int_equal(stats.n_changes, 1);
    assert_int_equal(as_graph_n_nodes(g), 1);
    assert_int_equal(as_graph_tensor(g, c)->producer, -1);
    as_graph_free(g);
}

static void a_node_with_one_computed_input_is_not_computed(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 3));
    finish(g, add_node(g, AS_OP_ADD, "y", x, add_number(g, 1), -1));
    assert_untouched(g, as_pass_constants, INPUT);
}

static void identities_are_bypassed_in_chains(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 3));
    int a = add_node(g, AS_OP_IDENTITY, "a", x, -1, -1);
    int b = add_node(g, AS_OP_DROPOUT, "b", a, -1, -1);
    int sum = add_node(g, AS_OP_ADD, "sum", a, b, -1);
    int c = add_node(g, AS_OP_IDENTITY, "c", sum, -1, -1);
    finish(g, add_node(g, AS_OP_IDENTITY, "y", c, -1, -1));
    assert_int_equal(run_pass(g, as_pass_identities, INPUT), 4);
    assert_int_equal(as_graph_n_nodes(g), 1);
    const as_node *node = as_graph_node(g, 0);
    assert_int_equal(node->inputs[0], x);
    assert_int_equal(node->inputs[1], x);
    assert_string_equal(as_graph_tensor(g, node->outputs[0])->name,
                        "y"); /* the output's name */
    as_graph_free(g);
}

static void an_identity_from_input_to_output_stays(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 3));
    finish(g, add_node(g, AS_OP_IDENTITY, "y", x, -1, -1));
    assert_untouched(g, as_pass_identities, INPUT);
}

static void an_identity_between_two_outputs_stays(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 3));
    int a = add_node(g, AS_OP_RELU, "a", x, -1, -1);
    assert_true(as_graph_add_output(g, a));
    finish(g, add_node(g, AS_OP_IDENTITY, "y", a, -1, -1));
    assert_untouched(g, as_pass_identities, INPUT);
}

static void a_cast_goes_only_when_it_changes_nothing(void **state)
{
    (void)state;
    for (int to = AS_F32; to <= AS_I64; to++) {
        as_graph *g = as_graph_new();
        int x = add_input(g, "x", SHAPE(-1, 3));
        int a = add_node(g, AS_OP_CAST, "a", x, -1, -1);
        attributes_of(g, a)->cast.to = to;
        finish(g, add_node(g, AS_OP_RELU, "y", a, -1, -1));
        as_pass_stats stats = {0};
        assert_int_equal(as_pass_identities(g, &stats, NULL), ASSAY_OK);
        assert_int_equal(stats.n_changes, to == AS_F32);
        as_graph_free(g);
    }
}

static void dead_nodes_go_with_what_fed_them_alone(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 3));
    int shared = add_node(g, AS_OP_RELU, "shared", x, -1, -1);
    int dead = add_node(g, AS_OP_RELU, "dead", shared, -1, -1);
    assert_true(add_node(g, AS_OP_RELU, "deader", dead, -1, -1) >= 0);
    finish(g, add_node(g, AS_OP_ADD, "y", shared, x, -1));
    assert_int_equal(run_pass(g, as_pass_dead, INPUT), 2);
    assert_int_equal(as_graph_n_nodes(g), 2);
    assert_string_equal(as_graph_node(g, 0)->name, "shared");
    as_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_on_constants_are_computed),
        cmocka_unit_test(a_constant_node_leaves_its_tensor),
        cmocka_unit_test(a_node_with_one_computed_input_is_not_computed),
        cmocka_unit_test(identities_are_bypassed_in_chains),
        cmocka_unit_test(an_identity_from_input_to_output_stays),
        cmocka_unit_test(an_identity_between_two_outputs_stays),
        cmocka_unit_test(a_cast_goes_only_when_it_changes_nothing),
        cmocka_unit_test(dead_nodes_go_with_what_fed_them_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
