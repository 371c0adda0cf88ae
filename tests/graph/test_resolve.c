/* SPDX-License-Identifier: Apache-2.0 */
#include "build.h"

#include <float.h>

/* Resolve a graph of one node with constant inputs b and c; the message of the failure. */
static assay_code resolve(as_graph *g, int y, char *message)
{
    assay_error err = {0};
    assert_true(as_graph_add_output(g, y));
    assert_int_equal(as_graph_sort(g, NULL), ASSAY_OK);
    assay_code code = as_graph_resolve(g, &err);
    strcpy(message, err.message);
    return code;
}

static void clip_takes_the_bounds_that_it_has(void **state)
{
    (void)state;
    char message[256];
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(2, 2));
    int y = add_node(g, AS_OP_CLIP, "clip", x, -1, add_number(g, 6));
    assert_int_equal(resolve(g, y, message), ASSAY_OK);
    const as_attributes *a = attributes_of(g, y);
    assert_true(a->clip.is_resolved);
    assert_true(a->clip.min == -FLT_MAX);
    assert_true(a->clip.max == 6);
    as_graph_free(g);
}

static void a_bound_of_two_numbers_is_refused(void **state)
{
    (void)state;
    char message[256];
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(2, 2));
    int y = add_node(g, AS_OP_CLIP, "clip", x, add_floats(g, "low", SHAPE(2), NULL), -1);
    assert_int_equal(resolve(g, y, message), ASSAY_E_FORMAT);
    assert_string_equal(message, "its input 'low' is f32[2], it needs one number");
    as_graph_free(g);
}

static void a_computed_bound_stays_open(void **state)
{
    (void)state;
    char message[256];
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(2, 2)), low = add_input(g, "low", SCALAR);
    int y = add_node(g, AS_OP_CLIP, "clip", x, low, -1);
    assert_int_equal(resolve(g, y, message), ASSAY_OK);
    assert_false(attributes_of(g, y)->clip.is_resolved);
    as_graph_free(g);
}

static void resize_needs_scales_or_sizes_and_not_both(void **state)
{
    (void)state;
    char message[256];
    const float scales[2] = {2, 3};
    const int64_t sizes[2] = {4, 6};
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(2, 2));
    int none = add_floats(g, "none", SHAPE(0), scales),
        roi = add_floats(g, "roi", SHAPE(0), scales);
    int inputs[4] = {x, roi, none, -1};
    int y = as_graph_add_tensor(g, "y", AS_F32, NULL);
    assert_int_equal(as_graph_add_node(g, AS_OP_RESIZE, "r", inputs, 4, &y, 1), 0);
    assert_int_equal(resolve(g, y, message), ASSAY_E_FORMAT);
    assert_string_equal(message, "it has neither scales nor sizes");

    assert_true(as_graph_set_input(g, 0, 3, add_integers(g, 2, sizes)));
    assert_int_equal(as_graph_resolve(g, NULL), ASSAY_OK);
    assert_int_equal(attributes_of(g, y)->resize.n_sizes, 2);
    assert_int_equal(attributes_of(g, y)->resize.sizes[1], 6);

    assert_true(as_graph_set_input(g, 0, 2, add_floats(g, "s", SHAPE(2), scales)));
    assay_error err = {0};
    assert_int_equal(as_graph_resolve(g, &err), ASSAY_E_FORMAT);
    assert_string_equal(err.message, "it has both scales and sizes, one is allowed");
    as_graph_free(g);
}

static void mean_takes_axes_from_its_input(void **state)
{
    (void)state;
    char message[256];
    const int64_t axes[2] = {2, -1}, far[1] = {99};
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(2, 2, 2, 2));
    int y = add_node(g, AS_OP_REDUCE_MEAN, "mean", x, add_integers(g, 2, axes), -1);
    assert_int_equal(resolve(g, y, message), ASSAY_OK);
    assert_int_equal(attributes_of(g, y)->reduce.n_axes, 2);
    assert_int_equal(attributes_of(g, y)->reduce.axes[1], -1);
    assert_true(as_graph_set_input(g, 0, 1, add_integers(g, 1, far)));
    assert_int_equal(as_graph_resolve(g, NULL), ASSAY_E_FORMAT);
    as_graph_free(g);
}

static void conv_takes_its_kernel_from_its_weights(void **state)
{
    (void)state;
    char message[256];
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(1, 3, 9, 9));
    int y = add_node(g, AS_OP_CONV, "conv", x, add_floats(g, "w", SHAPE(2, 3, 5, 7), NULL), -1);
    assert_int_equal(resolve(g, y, message), ASSAY_OK);
    assert_int_equal(attributes_of(g, y)->conv.window.kernel[0], 5);
    assert_int_equal(attributes_of(g, y)->conv.window.kernel[1], 7);
    as_graph_free(g);
}

static void dropout_knows_whether_it_trains(void **state)
{
    (void)state;
    char message[256];
    unsigned char yes = 1;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(2, 2));
    as_shape scalar = SCALAR;
    int training = as_graph_add_constant(g, "t", AS_BOOL, &scalar, &yes);
    int y = add_node(g, AS_OP_DROPOUT, "drop", x, -1, training);
    assert_int_equal(resolve(g, y, message), ASSAY_OK);
    assert_true(attributes_of(g, y)->dropout.is_training);
    *(unsigned char *)as_graph_edit_data(g, training) = 0;
    assert_int_equal(as_graph_resolve(g, NULL), ASSAY_OK);
    assert_false(attributes_of(g, y)->dropout.is_training);
    as_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clip_takes_the_bounds_that_it_has),
        cmocka_unit_test(a_bound_of_two_numbers_is_refused),
        cmocka_unit_test(a_computed_bound_stays_open),
        cmocka_unit_test(resize_needs_scales_or_sizes_and_not_both),
        cmocka_unit_test(mean_takes_axes_from_its_input),
        cmocka_unit_test(conv_takes_its_kernel_from_its_weights),
        cmocka_unit_test(dropout_knows_whether_it_trains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
