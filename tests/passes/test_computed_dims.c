/* SPDX-License-Identifier: Apache-2.0 */
/* Reshapes whose dims exporters compute from shapes. */
#include "../graph/build.h"
#include "operators/infer.h"
#include "passes/passes.h"

/* x[?][200][?][?], pooled to one pixel, and what reshapes it. */
typedef struct made {
    as_graph *g;
    int x, shape; /* tensors: the pooled map and its shape */
} made;

static made begin(void)
{
    made m = {.g = as_graph_new()};
    int input = add_input(m.g, "input", SHAPE(-1, 200, -1, -1));
    m.x = add_node(m.g, AS_OP_GLOBAL_AVERAGE_POOL, "x", input, -1, -1);
    m.shape = add_node(m.g, AS_OP_SHAPE, "shape", m.x, -1, -1);
    return m;
}

static int integers(as_graph *g, int64_t value) { return add_integers(g, 1, &value); }

static int slice(as_graph *g, int x, int64_t start, int64_t end, int64_t step)
{
    int inputs[5] = {x, integers(g, start), integers(g, end), integers(g, 0),
                     integers(g, step)};
    int y = as_graph_add_tensor(g, "", AS_I64, NULL);
    assert_true(as_graph_add_node(g, AS_OP_SLICE, "slice", inputs, 5, &y, 1) >= 0);
    return y;
}

static int concat(as_graph *g, int a, int b)
{
    int y = add_node(g, AS_OP_CONCAT, "", a, b, -1);
    attributes_of(g, y)->axis.axis = 0;
    return y;
}

/* Reshape x to `dims`, run the pass, and see the shape of the output for a batch of 7. */
static void expect(made *m, int dims, int n_folded, const char *expected)
{
    int y = add_node(m->g, AS_OP_RESHAPE, "y", m->x, dims, -1);
    finish(m->g, y);
    as_pass_stats stats = {0};
    as_shapes shapes;
    as_shape input = SHAPE(7, 200, 3, 5);
    char text[64];
    assay_error err = {0};
    assert_int_equal(as_pass_computed_dims(m->g, &stats, &err), ASSAY_OK);
    assert_int_equal(stats.n_changes, n_folded);
    assert_int_equal(as_pass_dead(m->g, &stats, &err), ASSAY_OK);
    assert_int_equal(as_graph_sort(m->g, &err), ASSAY_OK);
    assay_code code = as_shape_infer(m->g, &input, 1, &shapes, &err);
    if (n_folded) {
        assert_int_equal(count_op(m->g, AS_OP_SHAPE), 0);
        assert_int_equal(code, ASSAY_OK);
        assert_string_equal(as_shape_text(&shapes.of[y], text, sizeof text), expected);
    } else {
        assert_int_equal(code, ASSAY_E_ARGUMENT); /* inference knows them, they do not fit */
    }
    as_shapes_free(&shapes);
    as_graph_free(m->g);
}

static void the_batch_is_kept_and_the_rest_is_flat(void **state)
{
    (void)state;
    made m = begin(); /* PaddlePaddle: Cast, Slice, Cast, Concat with a number */
    int narrow = add_node(m.g, AS_OP_CAST, "narrow", m.shape, -1, -1);
    attributes_of(m.g, narrow)->cast.to = AS_I32;
    int wide = add_node(m.g, AS_OP_CAST, "wide", slice(m.g, narrow, 0, 1, 1), -1, -1);
    attributes_of(m.g, wide)->cast.to = AS_I64;
    expect(&m, concat(m.g, wide, integers(m.g, 200)), 1, "[7,200]");

    m = begin(); /* PyTorch: Gather a number, Unsqueeze it, Concat with -1 */
    int zero = as_graph_add_constant(m.g, "", AS_I64, &SCALAR, NULL);
    int batch = add_node(m.g, AS_OP_GATHER, "batch", m.shape, zero, -1);
    int list = add_node(m.g, AS_OP_UNSQUEEZE, "list", batch, -1, -1);
    attributes_of(m.g, list)->reduce.n_axes = 1;
    expect(&m, concat(m.g, list, integers(m.g, -1)), 1, "[7,200]");
}

static void known_dims_are_numbers_wherever_they_go(void **state)
{
    (void)state;
    made m = begin(); /* [200] of x, then the batch: it has moved, so -1 stands for it */
    int channels = slice(m.g, m.shape, -3, -2, 1);
    expect(&m, concat(m.g, channels, slice(m.g, m.shape, 0, 1, 1)), 1, "[200,7]");
    m = begin();
    expect(&m, slice(m.g, m.shape, INT64_MAX, INT64_MIN, -1), 1, "[1,1,200,7]");
}

static void one_reshape_tells_the_dims_of_the_next(void **state)
{
    (void)state;
    made m = begin();
    int flat = add_node(m.g, AS_OP_RESHAPE, "flat", m.x,
                        concat(m.g, slice(m.g, m.shape, 0, 1, 1), integers(m.g, 200)), -1);
    m.shape = add_node(m.g, AS_OP_SHAPE, "second", flat, -1, -1);
    m.x = flat;
    expect(&m,
           concat(m.g, slice(m.g, m.shape, 0, 1, 1),
                  concat(m.g, slice(m.g, m.shape, 1, 2, 1), integers(m.g, 1))),
           2, "[7,200,1]");
}

static void two_dims_that_nobody_knows_are_left_alone(void **state)
{
    (void)state;
    made m = begin(); /* height and width of the input, which may be anything */
    int shape = add_node(m.g, AS_OP_SHAPE, "image", as_graph_inputs(m.g)[0], -1, -1);
    expect(&m, slice(m.g, shape, 2, 4, 1), 0, "");
}

static void allow_zero_forbids_the_zero_that_copies(void **state)
{
    (void)state;
    made m = begin();
    int dims = concat(m.g, slice(m.g, m.shape, 0, 1, 1), integers(m.g, 200));
    int y = add_node(m.g, AS_OP_RESHAPE, "r", m.x, dims, -1);
    attributes_of(m.g, y)->reshape.allow_zero = true;
    finish(m.g, y);
    as_pass_stats stats = {0};
    assert_int_equal(as_pass_computed_dims(m.g, &stats, NULL), ASSAY_OK);
    const as_reshape_attributes *r = &attributes_of(m.g, y)->reshape;
    assert_true(r->is_resolved && r->dims[0] == -1 && r->dims[1] == 200);
    as_graph_free(m.g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_batch_is_kept_and_the_rest_is_flat),
        cmocka_unit_test(known_dims_are_numbers_wherever_they_go),
        cmocka_unit_test(one_reshape_tells_the_dims_of_the_next),
        cmocka_unit_test(two_dims_that_nobody_knows_are_left_alone),
        cmocka_unit_test(allow_zero_forbids_the_zero_that_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
