/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes that depend on values: constants, shapes of tensors, and inputs of the network. */
#include "operators/infer.h"

#include "../graph/build.h"

static int add_i64_input(as_graph *g, const char *name, as_shape shape)
{
    int id = as_graph_add_tensor(g, name, AS_I64, &shape);
    assert_true(id >= 0);
    assert_true(as_graph_add_input(g, id));
    return id;
}

static void assert_shape(const as_shape *shape, const char *wanted)
{
    char text[64];
    assert_string_equal(as_shape_text(shape, text, sizeof text), wanted);
}

/* y = Reshape(x, Shape(like)). */
static as_graph *reshape_like(as_shape x_shape, as_shape like_shape, int *y)
{
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", x_shape), like = add_input(g, "like", like_shape);
    int dims =
        add_node(g, AS_OP_IDENTITY, "i", add_node(g, AS_OP_SHAPE, "s", like, -1, -1), -1, -1);
    *y = add_node(g, AS_OP_RESHAPE, "r", x, dims, -1);
    finish(g, *y);
    return g;
}

static void a_shape_computed_from_a_shape_is_known(void **state)
{
    (void)state;
    int y;
    as_graph *g = reshape_like(SHAPE(-1, -1), SHAPE(-1, -1, -1), &y);
    const as_shape inputs[] = {SHAPE(4, 6), SHAPE(2, 3, 4)};
    as_shapes shapes;
    assert_int_equal(as_shape_infer(g, inputs, 2, &shapes, NULL), ASSAY_OK);
    assert_shape(&shapes.of[y], "[2,3,4]");
    assert_false(shapes.is_defining[0] || shapes.is_defining[1]);
    as_array dims;
    assert_true(as_known_value(g, &shapes, as_graph_node(g, 2)->inputs[1], &dims));
    const int64_t wanted[] = {2, 3, 4};
    assert_memory_equal(dims.data, wanted, sizeof wanted);
    as_shapes_free(&shapes);
    as_graph_free(g);
}

static void a_shape_of_a_dynamic_shape_is_known_in_part(void **state)
{
    (void)state;
    int y;
    as_graph *g = reshape_like(SHAPE(-1, 12), SHAPE(-1, 3, 4), &y);
    as_shapes shapes;
    assert_int_equal(as_shape_infer(g, NULL, 0, &shapes, NULL), ASSAY_OK);
    assert_shape(&shapes.of[y], "[?,3,4]");
    as_array dims;
    assert_false(as_known_value(g, &shapes, as_graph_node(g, 2)->inputs[1], &dims));
    as_shapes_free(&shapes);
    as_graph_free(g);
}

/* y = Reshape(x, Identity(dims)), dims an input. */
static as_graph *reshape_by_input(int *y)
{
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, -1)), dims = add_i64_input(g, "dims", SHAPE(-1));
    *y = add_node(g, AS_OP_RESHAPE, "r", x, add_node(g, AS_OP_IDENTITY, "i", dims, -1, -1), -1);
    finish(g, *y);
    return g;
}

static void an_inputs_value_is_taken_when_a_shape_depends_on_it(void **state)
{
    (void)state;
    int y;
    as_graph *g = reshape_by_input(&y);
    int64_t dims[] = {3, 0, -1};
    float x[6] = {0};
    const as_array inputs[] = {{AS_F32, SHAPE(3, 2), x}, {AS_I64, SHAPE(3), dims}};
    as_shapes shapes;
    assert_int_equal(as_infer(g, inputs, 2, &shapes, NULL), ASSAY_OK);
    assert_shape(&shapes.of[y], "[3,2,1]");
    assert_false(shapes.is_defining[0]);
    assert_true(shapes.is_defining[1]);
    as_shapes_free(&shapes);
    as_graph_free(g);
}

static void a_shape_that_depends_on_a_value_nobody_gives_is_refused(void **state)
{
    (void)state;
    int y;
    as_graph *g = reshape_by_input(&y);
    const as_shape inputs[] = {SHAPE(3, 2), SHAPE(3)};
    as_shapes shapes;
    assay_error err = {0};
    assert_int_equal(as_shape_infer(g, inputs, 2, &shapes, &err), ASSAY_E_UNSUPPORTED);
    assert_string_equal(err.message, "its input 'shape' is computed while the network runs, "
                                     "assay has to know it before");
    assert_string_equal(err.where, "node 1 'r' (Reshape)");
    assert_int_equal(as_shape_infer(g, NULL, 0, &shapes, NULL), ASSAY_OK);
    assert_int_equal(shapes.of[y].rank, -1);
    as_shapes_free(&shapes);
    as_graph_free(g);
}

static void values_that_do_not_suit_are_the_callers_mistake(void **state)
{
    (void)state;
    int y;
    as_graph *g = reshape_by_input(&y);
    int64_t dims[] = {4, 2};
    float x[6] = {0};
    const as_array inputs[] = {{AS_F32, SHAPE(3, 2), x}, {AS_I64, SHAPE(2), dims}};
    as_shapes shapes;
    assay_error err = {0};
    assert_int_equal(as_infer(g, inputs, 2, &shapes, &err), ASSAY_E_ARGUMENT);
    assert_string_equal(err.message,
                        "its input [3,2] has 6 elements, which cannot be shaped [4,2]");
    as_graph_free(g);
}

static void a_tensor_without_elements_has_a_shape(void **state)
{
    (void)state;
    int y;
    as_graph *g = reshape_like(SHAPE(-1, -1), SHAPE(-1, -1, -1), &y);
    const as_shape inputs[] = {SHAPE(0, 6), SHAPE(2, 0, 4)};
    as_shapes shapes;
    as_graph_edit_node(g, 2)->attributes.reshape.allow_zero = true;
    assert_int_equal(as_shape_infer(g, inputs, 2, &shapes, NULL), ASSAY_OK);
    assert_shape(&shapes.of[y], "[2,0,4]");
    as_shapes_free(&shapes);
    as_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shape_computed_from_a_shape_is_known),
        cmocka_unit_test(a_shape_of_a_dynamic_shape_is_known_in_part),
        cmocka_unit_test(an_inputs_value_is_taken_when_a_shape_depends_on_it),
        cmocka_unit_test(a_shape_that_depends_on_a_value_nobody_gives_is_refused),
        cmocka_unit_test(values_that_do_not_suit_are_the_callers_mistake),
        cmocka_unit_test(a_tensor_without_elements_has_a_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
