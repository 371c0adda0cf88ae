/* SPDX-License-Identifier: Apache-2.0 */
#include "build.h"

#include "base/memory.h"

static void tensors_are_found_by_their_names(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    char name[16];
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "t%d", i);
        assert_int_equal(as_graph_add_tensor(g, name, AS_F32, NULL), i);
    }
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "t%d", i);
        assert_int_equal(as_graph_find_tensor(g, name), i);
    }
    assert_int_equal(as_graph_find_tensor(g, "t1000"), -1);
    assert_int_equal(as_graph_find_tensor(g, ""), -1);
    as_graph_free(g);
}

static void nodes_in_any_order_are_sorted(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(1, 3, 5, 7));
    int a = as_graph_add_tensor(g, "a", AS_F32, NULL),
        b = as_graph_add_tensor(g, "b", AS_F32, NULL);
    int c = as_graph_add_tensor(g, "c", AS_F32, NULL);
    assert_int_equal(as_graph_add_node(g, AS_OP_RELU, "third", &b, 1, &c, 1), 0);
    assert_int_equal(as_graph_add_node(g, AS_OP_RELU, "second", &a, 1, &b, 1), 1);
    assert_int_equal(as_graph_add_node(g, AS_OP_RELU, "first", &x, 1, &a, 1), 2);
    finish(g, c);
    assert_string_equal(as_graph_node(g, 0)->name, "first");
    assert_string_equal(as_graph_node(g, 1)->name, "second");
    assert_string_equal(as_graph_node(g, 2)->name, "third");
    for (int i = 0; i < 3; i++)
        assert_int_equal(as_graph_node(g, i)->id, i);
    assert_int_equal(as_graph_tensor(g, b)->producer, 1);
    as_graph_free(g);
}

static void a_cycle_is_refused_with_its_node(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(1, 3, 5, 7));
    int a = as_graph_add_tensor(g, "a", AS_F32, NULL),
        b = as_graph_add_tensor(g, "b", AS_F32, NULL);
    int first[2] = {x, b};
    assert_int_equal(as_graph_add_node(g, AS_OP_ADD, "sum", first, 2, &a, 1), 0);
    assert_int_equal(as_graph_add_node(g, AS_OP_RELU, "back", &a, 1, &b, 1), 1);
    assert_true(as_graph_add_output(g, b));
    assay_error err = {0};
    assert_int_equal(as_graph_sort(g, &err), ASSAY_E_FORMAT);
    assert_string_equal(
        err.message, "the nodes form a cycle: it reads 'a', which itself depends on this node");
    assert_string_equal(err.where, "node 1 'back' (Relu)");
    as_graph_free(g);
}

static void an_input_that_nobody_writes_is_refused(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int ghost = as_graph_add_tensor(g, "ghost", AS_F32, NULL);
    int y = add_node(g, AS_OP_RELU, "r", ghost, -1, -1);
    assert_true(as_graph_add_output(g, y));
    assay_error err = {0};
    assert_int_equal(as_graph_sort(g, &err), ASSAY_E_FORMAT);
    assert_string_equal(
        err.message,
        "it reads the undefined tensor 'ghost', which no node, input or weight gives");
    as_graph_free(g);
}

static void a_chain_of_100000_nodes_sorts_without_recursion(void **state)
{
    (void)state;
    enum { N = 100000 };
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(1));
    int *t = malloc((N + 1) * sizeof *t);
    t[0] = x;
    for (int i = 1; i <= N; i++)
        t[i] = as_graph_add_tensor(g, "", AS_F32, NULL);
    for (int i = N; i >= 1; i--) /* last first */
        assert_true(as_graph_add_node(g, AS_OP_RELU, "", &t[i - 1], 1, &t[i], 1) >= 0);
    finish(g, t[N]);
    assert_int_equal(as_graph_node(g, 0)->inputs[0], x);
    free(t);
    as_graph_free(g);
}

static void every_use_counts_as_one_consumer(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(2, 2));
    int square = add_node(g, AS_OP_MUL, "square", x, x, -1);
    int y = add_node(g, AS_OP_ADD, "y", square, x, -1);
    finish(g, y);
    const int *nodes;
    assert_int_equal(as_graph_consumers(g, x, &nodes), 3);
    assert_int_equal(nodes[0], 0);
    assert_int_equal(nodes[1], 0);
    assert_int_equal(nodes[2], 1);
    assert_null(as_graph_only_consumer(g, x));
    assert_string_equal(as_graph_only_consumer(g, square)->name, "y");
    assert_null(as_graph_only_consumer(g, y)); /* an output of the graph */
    as_graph_free(g);
}

static void replacing_uses_moves_all_of_them(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(2, 2)), z = add_input(g, "z", SHAPE(2, 2));
    int square = add_node(g, AS_OP_MUL, "square", x, x, -1);
    int y = add_node(g, AS_OP_ADD, "y", square, x, -1);
    finish(g, y);
    assert_true(as_graph_replace_uses(g, x, z));
    assert_int_equal(as_graph_consumers(g, x, NULL), 0);
    assert_int_equal(as_graph_consumers(g, z, NULL), 3);
    assert_int_equal(as_graph_node(g, 0)->inputs[0], z);
    assert_int_equal(as_graph_node(g, 0)->inputs[1], z);
    assert_int_equal(as_graph_node(g, 1)->inputs[1], z);
    as_graph_free(g);
}

static void a_removed_node_is_gone_after_sorting(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(2, 2));
    int a = add_node(g, AS_OP_IDENTITY, "a", x, -1, -1);
    int y = add_node(g, AS_OP_RELU, "y", a, -1, -1);
    finish(g, y);
    as_graph_remove_node(g, 0);
    assert_true(as_graph_replace_uses(g, a, x));
    assert_int_equal(as_graph_sort(g, NULL), ASSAY_OK);
    assert_int_equal(as_graph_n_nodes(g), 1);
    assert_string_equal(as_graph_node(g, 0)->name, "y");
    assert_int_equal(as_graph_node(g, 0)->id, 0);
    assert_int_equal(as_graph_consumers(g, x, NULL), 1);
    as_graph_free(g);
}

static void internal_operators_are_in_no_file(void **state)
{
    (void)state;
    as_op op;
    assert_true(as_op_find("Conv", &op));
    assert_int_equal(op, AS_OP_CONV);
    assert_false(as_op_find("<Affine>", &op));
    assert_false(as_op_find("conv", &op));
    assert_false(as_op_find("", &op));
}

static void shapes_print_with_unknown_dims(void **state)
{
    (void)state;
    char text[32];
    as_shape shape = SHAPE(-1, 3, 640, -1), scalar = SCALAR, unknown = {.rank = -1};
    assert_string_equal(as_shape_text(&shape, text, sizeof text), "[?,3,640,?]");
    assert_string_equal(as_shape_text(&scalar, text, sizeof text), "[]");
    assert_string_equal(as_shape_text(&unknown, text, sizeof text), "[unknown]");
    char small[6];
    assert_string_equal(as_shape_text(&shape, small, sizeof small), "[?,3,");
}

static void elements_that_do_not_fit_are_not_counted(void **state)
{
    (void)state;
    size_t n = 77;
    as_shape huge = SHAPE(INT64_MAX, 3), dynamic = SHAPE(-1, 3), empty = SHAPE(0, 3);
    assert_false(as_shape_elements(&huge, &n));
    assert_false(as_shape_elements(&dynamic, &n));
    assert_int_equal(n, 77);
    assert_true(as_shape_elements(&empty, &n));
    assert_int_equal(n, 0);
}

/* Build a graph with every builder; false when one of them had no memory. */
static bool build_all(as_graph **out)
{
    as_graph *g = *out = as_graph_new();
    if (!g) return false;
    as_shape shape = SHAPE(1, 2, 3, 3), row = SHAPE(2);
    int x = as_graph_add_tensor(g, "x", AS_F32, &shape);
    int c = as_graph_add_constant(g, "c", AS_F32, &row, NULL);
    int y = as_graph_add_tensor(g, "y", AS_F32, NULL);
    if (x < 0 || c < 0 || y < 0 || !as_graph_set_info(g, "n", "p", 13)) return false;
    int inputs[3] = {x, c, c};
    return as_graph_add_input(g, x) && as_graph_add_output(g, y) &&
           as_graph_add_node(g, AS_OP_RELU, "r", &x, 1, &y, 1) >= 0 &&
           as_graph_change_node(g, 0, AS_OP_AFFINE, inputs, 3) &&
           as_graph_sort(g, NULL) == ASSAY_OK;
}

static void a_failed_allocation_leaves_a_graph_that_can_be_freed(void **state)
{
    (void)state;
    bool has_memory = false;
    int n_failures = 0;
    for (size_t n = 1; !has_memory; n++) {
        as_graph *g = NULL;
        as_memory_fail_at(n);
        has_memory = build_all(&g);
        as_memory_fail_at(0);
        as_graph_free(g);
        n_failures += !has_memory;
    }
    assert_true(n_failures > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_are_found_by_their_names),
        cmocka_unit_test(nodes_in_any_order_are_sorted),
        cmocka_unit_test(a_cycle_is_refused_with_its_node),
        cmocka_unit_test(an_input_that_nobody_writes_is_refused),
        cmocka_unit_test(a_chain_of_100000_nodes_sorts_without_recursion),
        cmocka_unit_test(every_use_counts_as_one_consumer),
        cmocka_unit_test(replacing_uses_moves_all_of_them),
        cmocka_unit_test(a_removed_node_is_gone_after_sorting),
        cmocka_unit_test(internal_operators_are_in_no_file),
        cmocka_unit_test(shapes_print_with_unknown_dims),
        cmocka_unit_test(elements_that_do_not_fit_are_not_counted),
        cmocka_unit_test(a_failed_allocation_leaves_a_graph_that_can_be_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
