/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "plan/group.h"

#define SHAPE(...) (&(as_shape){.rank = 4, .dims = {__VA_ARGS__}})

/* A graph in the making, and the plan that it gets. */
typedef struct fixture {
    as_graph *graph;
    as_weights *weights;
    as_plan *plan;
    as_plan_options options;
} fixture;

static int setup(void **state)
{
    fixture *f = as_alloc(sizeof *f);
    f->graph = as_graph_new();
    f->weights = as_weights_new();
    f->options = as_plan_options_defaults();
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    as_plan_free(f->plan);
    as_weights_free(f->weights);
    as_graph_free(f->graph);
    as_free(f);
    return 0;
}

static int tensor(fixture *f, const char *name)
{
    int id = as_graph_add_tensor(f->graph, name, AS_F32, NULL);
    assert_true(id >= 0);
    return id;
}

static int input(fixture *f, const as_shape *shape)
{
    int id = as_graph_add_tensor(f->graph, "x", AS_F32, shape);
    assert_true(id >= 0 && as_graph_add_input(f->graph, id));
    return id;
}

static int node(fixture *f, as_op op, const char *out, int a, int b)
{
    int inputs[2] = {a, b}, output = tensor(f, out);
    int id = as_graph_add_node(f->graph, op, out, inputs, b < 0 ? 1 : 2, &output, 1);
    assert_true(id >= 0);
    return output;
}

/* A pointwise convolution to `oc` channels with weights of zero. */
static int conv(fixture *f, const char *out, int x, int64_t ic, int64_t oc)
{
    int w = as_graph_add_constant(f->graph, "", AS_F32, SHAPE(oc, ic, 1, 1), NULL);
    int y = node(f, AS_OP_CONV, out, x, w);
    as_node *made = as_graph_edit_node(f->graph, as_graph_tensor(f->graph, y)->producer);
    made->attributes.conv.window.kernel[0] = made->attributes.conv.window.kernel[1] = 1;
    return y;
}

static void make_plan(fixture *f, int output, const as_shape *shape)
{
    assay_error err = {0};
    assert_true(as_graph_add_output(f->graph, output));
    assert_int_equal(as_graph_sort(f->graph, &err), ASSAY_OK);
    assay_code code = as_plan_new(f->graph, shape, 1, as_kernels_get(AS_ISA_SCALAR),
                                  &f->options, f->weights, &f->plan, &err);
    if (code) print_error("%s: %s\n", err.where, err.message);
    assert_int_equal(code, ASSAY_OK);
}

static const as_layer *layer_named(const fixture *f, const char *name)
{
    for (size_t i = 0; i < f->plan->n_layers; i++)
        if (strcmp(f->plan->layers[i].name, name) == 0) return &f->plan->layers[i];
    fail_msg("no layer is called %s", name);
    return NULL;
}

static void an_activation_and_a_shortcut_ride_on_the_later_convolution(void **state)
{
    fixture *f = *state;
    int x = input(f, SHAPE(1, 5, 7, 9));
    int a = conv(f, "a", x, 5, 6), b = conv(f, "b", x, 5, 6);
    int sum = node(f, AS_OP_ADD, "sum", node(f, AS_OP_RELU, "relu", a, -1), b);
    make_plan(f, node(f, AS_OP_SIGMOID, "y", sum, -1), SHAPE(1, 5, 7, 9));
    assert_int_equal(layer_named(f, "a")->n_nodes, 2);
    const as_layer *later = layer_named(f, "b");
    assert_int_equal(later->n_nodes, 3);
    assert_int_equal(later->epilogue.steps[0].kind, AS_STEP_ADD);
    assert_int_equal(later->epilogue.steps[0].operand, AS_OPERAND_TENSOR);
    assert_int_equal(later->epilogue.steps[1].kind, AS_STEP_SIGMOID);
    assert_int_equal(f->plan->n_layers, 4); /* from-nchw, a, b, to-nchw */
}

static void without_fusion_every_node_is_a_layer(void **state)
{
    fixture *f = *state;
    f->options.fuse = false;
    int x = input(f, SHAPE(1, 5, 7, 9));
    int a = conv(f, "a", x, 5, 6);
    make_plan(f, node(f, AS_OP_SIGMOID, "y", node(f, AS_OP_RELU, "r", a, -1), -1),
              SHAPE(1, 5, 7, 9));
    assert_int_equal(f->plan->n_layers, 5);
    for (size_t i = 0; i < f->plan->n_layers; i++)
        assert_true(f->plan->layers[i].n_nodes <= 1);
}

static void a_value_with_two_readers_keeps_its_activation_apart(void **state)
{
    fixture *f = *state;
    int x = input(f, SHAPE(1, 5, 7, 9));
    int a = conv(f, "a", x, 5, 6);
    int relu = node(f, AS_OP_RELU, "relu", a, -1);
    make_plan(f, node(f, AS_OP_MUL, "y", relu, a), SHAPE(1, 5, 7, 9));
    assert_int_equal(layer_named(f, "a")->n_nodes, 1);
    assert_int_equal(layer_named(f, "relu")->n_nodes, 2); /* the Mul rides on the ReLU */
}

static void concat_parts_are_written_in_place(void **state)
{
    fixture *f = *state;
    int x = input(f, SHAPE(2, 5, 7, 9));
    int a = conv(f, "a", x, 5, 3), b = conv(f, "b", x, 5, 4);
    int inputs[2] = {a, b}, y = tensor(f, "y");
    int id = as_graph_add_node(f->graph, AS_OP_CONCAT, "concat", inputs, 2, &y, 1);
    as_graph_edit_node(f->graph, id)->attributes.axis.axis = 1;
    make_plan(f, y, SHAPE(2, 5, 7, 9));
    float *arena = as_alloc_array(f->plan->arena_floats, sizeof *arena);
    as_plan_bind(f->plan, arena);
    const as_view *first = &layer_named(f, "a")->args.conv.out;
    const as_view *second = &layer_named(f, "b")->args.conv.out;
    assert_int_equal(first->pixel_stride, 7);
    assert_int_equal(second->pixel_stride, 7);
    assert_ptr_equal(second->data, first->data + 3);
    assert_int_equal(f->plan->n_layers, 4); /* no copy */
    as_free(arena);
}

static void a_part_that_is_joined_twice_is_copied_once(void **state)
{
    fixture *f = *state;
    int x = input(f, SHAPE(1, 5, 7, 9));
    int a = conv(f, "a", x, 5, 3);
    int inputs[2] = {a, a}, y = tensor(f, "y");
    int id = as_graph_add_node(f->graph, AS_OP_CONCAT, "concat", inputs, 2, &y, 1);
    as_graph_edit_node(f->graph, id)->attributes.axis.axis = 1;
    make_plan(f, y, SHAPE(1, 5, 7, 9));
    assert_true(layer_named(f, "concat")->kind == AS_LAYER_MAP);
}

/* A nearest upsampling to twice the height and width. */
static int upsample(fixture *f, const char *out, int x)
{
    int y = node(f, AS_OP_RESIZE, out, x, -1);
    as_node *made = as_graph_edit_node(f->graph, as_graph_tensor(f->graph, y)->producer);
    as_resize_attributes *r = &made->attributes.resize;
    *r = (as_resize_attributes){.mode = AS_RESIZE_NEAREST,
                                .coordinate = AS_COORDINATE_ASYMMETRIC,
                                .nearest = AS_NEAREST_FLOOR,
                                .n_scales = 4,
                                .scales = {1, 1, 2, 2},
                                .is_resolved = true};
    return y;
}

static size_t place_of(const fixture *f, const char *name)
{
    return (size_t)(layer_named(f, name) - f->plan->layers);
}

static int strided_conv(fixture *f, const char *out, int x, int64_t ic, int64_t oc)
{
    int y = conv(f, out, x, ic, oc);
    as_node *made = as_graph_edit_node(f->graph, as_graph_tensor(f->graph, y)->producer);
    made->attributes.conv.window.strides[0] = made->attributes.conv.window.strides[1] = 2;
    return y;
}

/* Two levels of a pyramid: the large lateral map is only read at the end. */
static void a_large_map_is_made_beside_its_reader_and_takes_an_upsampling_along(void **state)
{
    fixture *f = *state;
    int x = input(f, SHAPE(1, 5, 8, 12));
    int large = conv(f, "large", x, 5, 6);
    int small = conv(f, "small", strided_conv(f, "down", x, 5, 5), 5, 6);
    int relu = node(f, AS_OP_RELU, "relu", small, -1);
    int sum = node(f, AS_OP_ADD, "sum", upsample(f, "up", relu), large);
    make_plan(f, conv(f, "y", sum, 6, 3), SHAPE(1, 5, 8, 12));
    assert_true(place_of(f, "large") == place_of(f, "small") + 1);
    const as_layer *layer = layer_named(f, "large");
    assert_int_equal(layer->n_nodes, 3); /* large, up, sum */
    assert_int_equal(layer->epilogue.n_steps, 1);
    assert_int_equal(layer->epilogue.steps[0].operand, AS_OPERAND_TENSOR);
    assert_int_equal(layer->epilogue.steps[0].view.h, 4);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(layer->epilogue.steps[0].row_map[i], i / 2);
    for (uint32_t i = 0; i < 12; i++)
        assert_int_equal(layer->epilogue.steps[0].col_map[i], i / 2);
}

static void the_rows_of_a_map_are_summed_where_it_is_made(void **state)
{
    fixture *f = *state;
    int x = input(f, SHAPE(1, 5, 8, 12));
    int a = conv(f, "a", x, 5, 6);
    int b = conv(f, "b", node(f, AS_OP_RELU, "relu", a, -1), 6, 6);
    int mean = node(f, AS_OP_GLOBAL_AVERAGE_POOL, "mean", a, -1);
    make_plan(f, node(f, AS_OP_MUL, "y", b, mean), SHAPE(1, 5, 8, 12));
    const as_layer *sums = layer_named(f, "a") + 1;
    assert_int_equal(sums->kind, AS_LAYER_ROW_SUM);
    assert_int_equal(layer_named(f, "mean")->args.mean.in.w, 1);
    assert_int_equal(layer_named(f, "mean")->args.mean.n_pixels, 8 * 12);
}

static void a_preferred_route_is_taken_where_it_proposes_itself(void **state)
{
    fixture *f = *state;
    f->options.conv = "direct";
    int x = input(f, SHAPE(1, 5, 7, 9));
    make_plan(f, conv(f, "a", x, 5, 3), SHAPE(1, 5, 7, 9));
    assert_string_equal(as_layer_route(layer_named(f, "a")), "direct");
}

static void a_layer_s_own_choice_goes_before_the_preferred_route(void **state)
{
    fixture *f = *state;
    as_layer_choice choice = {.node = 0, .name = "a", .route = "direct"};
    f->options.conv = "gemm";
    f->options.choices = (as_choices){.layers = &choice, .n_layers = 1};
    int x = input(f, SHAPE(1, 5, 7, 9));
    make_plan(f, conv(f, "b", conv(f, "a", x, 5, 3), 3, 4), SHAPE(1, 5, 7, 9));
    assert_string_equal(as_layer_route(layer_named(f, "a")), "direct");
    assert_string_equal(as_layer_route(layer_named(f, "b")), "gemm");
}

static void the_only_reader_of_an_input_takes_its_planes(void **state)
{
    fixture *f = *state;
    int x = input(f, SHAPE(1, 3, 7, 9));
    make_plan(f, conv(f, "a", x, 3, 5), SHAPE(1, 3, 7, 9));
    const as_layer *first = &f->plan->layers[0];
    assert_string_equal(as_layer_route(first), "planar");
    assert_int_equal(f->plan->n_layers, 2); /* a, to-nchw */
    const float data[1] = {0};
    as_plan_bind_input(f->plan, 0, data);
    assert_ptr_equal(first->args.conv.in.data, data);
}

static void an_input_with_two_readers_becomes_pixels_once(void **state)
{
    fixture *f = *state;
    int x = input(f, SHAPE(1, 3, 7, 9));
    int a = conv(f, "a", x, 3, 5), b = conv(f, "b", x, 3, 5);
    make_plan(f, node(f, AS_OP_ADD, "y", a, b), SHAPE(1, 3, 7, 9));
    assert_true(f->plan->layers[0].kind == AS_LAYER_FROM_NCHW);
    const float data[1] = {0};
    as_plan_bind_input(f->plan, 0, data);
    assert_ptr_equal(f->plan->layers[0].args.layout.nchw, data);
    assert_string_not_equal(as_layer_route(layer_named(f, "a")), "planar");
}

static void a_choice_that_does_not_propose_itself_is_refused(void **state)
{
    fixture *f = *state;
    assay_error err = {0};
    as_layer_choice choice = {.node = 0, .name = "a", .route = "depthwise"};
    f->options.choices = (as_choices){.layers = &choice, .n_layers = 1};
    int x = input(f, SHAPE(1, 5, 7, 9));
    assert_true(as_graph_add_output(f->graph, conv(f, "a", x, 5, 3)));
    assert_int_equal(as_graph_sort(f->graph, &err), ASSAY_OK);
    assert_int_equal(as_plan_new(f->graph, SHAPE(1, 5, 7, 9), 1, as_kernels_get(AS_ISA_SCALAR),
                                 &f->options, f->weights, &f->plan, &err),
                     ASSAY_E_UNSUPPORTED);
    assert_non_null(strstr(err.message, "route 'depthwise' does not take it"));
}

static void a_node_that_nobody_does_is_refused_with_its_name(void **state)
{
    fixture *f = *state;
    assay_error err = {0};
    int x = input(f, SHAPE(1, 5, 7, 9));
    int y = node(f, AS_OP_LP_POOL, "power", x, -1);
    as_pool_attributes *pool =
        &as_graph_edit_node(f->graph, as_graph_tensor(f->graph, y)->producer)->attributes.pool;
    pool->window.kernel[0] = pool->window.kernel[1] = 1;
    pool->p = -1;
    assert_true(as_graph_add_output(f->graph, y));
    assert_int_equal(as_graph_sort(f->graph, &err), ASSAY_OK);
    assert_int_equal(as_plan_new(f->graph, SHAPE(1, 5, 7, 9), 1, as_kernels_get(AS_ISA_SCALAR),
                                 &f->options, f->weights, &f->plan, &err),
                     ASSAY_E_UNSUPPORTED);
    assert_non_null(strstr(err.message, "LpPool cannot be run: its p is -1"));
    assert_non_null(strstr(err.where, "'power'"));
}

static void planning_survives_every_failing_allocation(void **state)
{
    fixture *f = *state;
    assay_error err = {0};
    int x = input(f, SHAPE(1, 5, 7, 9));
    int y = node(f, AS_OP_RELU, "y", conv(f, "a", x, 5, 3), -1);
    assert_true(as_graph_add_output(f->graph, y));
    assert_int_equal(as_graph_sort(f->graph, &err), ASSAY_OK);
    assay_code code = ASSAY_E_MEMORY;
    for (size_t n = 1; code == ASSAY_E_MEMORY && n < 1000; n++) {
        as_memory_fail_at(n);
        code = as_plan_new(f->graph, SHAPE(1, 5, 7, 9), 1, as_kernels_get(AS_ISA_SCALAR),
                           &f->options, f->weights, &f->plan, &err);
        as_memory_fail_at(0);
    }
    assert_int_equal(code, ASSAY_OK);
}

/* Three convolutions and the copies in and out, with large maps between them: one group. */
static as_group longest_group(as_bands bands)
{
    void *state;
    setup(&state);
    fixture *f = state;
    as_group_choice choice = {.first = -1, .last = -1, .bands = bands};
    f->options.choices = (as_choices){.groups = &choice, .n_groups = 1};
    int x = input(f, SHAPE(1, 8, 200, 200));
    int a = conv(f, "a", x, 8, 8), b = conv(f, "b", a, 8, 8);
    make_plan(f, conv(f, "c", b, 8, 8), SHAPE(1, 8, 200, 200));
    as_group longest = {0};
    for (size_t i = 0; i < f->plan->n_groups; i++)
        if (f->plan->groups[i].n_layers > longest.n_layers) longest = f->plan->groups[i];
    teardown(&state);
    return longest;
}

static void a_group_goes_by_the_bands_chosen_for_it(void **state)
{
    (void)state;
    as_group rule = longest_group(AS_BANDS_RULE), half = longest_group(AS_BANDS_HALF);
    as_group twice = longest_group(AS_BANDS_DOUBLE);
    assert_true(rule.n_layers == 5 && rule.band_rows > 1);
    assert_int_equal(half.n_layers, rule.n_layers);
    assert_int_equal(half.band_rows, rule.band_rows / 2);
    assert_int_equal(twice.n_layers, rule.n_layers);
    assert_int_equal(twice.band_rows, rule.band_rows * 2);
    assert_int_equal(longest_group(AS_BANDS_ALONE).n_layers, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(an_activation_and_a_shortcut_ride_on_the_later_convolution),
        TEST(without_fusion_every_node_is_a_layer),
        TEST(a_value_with_two_readers_keeps_its_activation_apart),
        TEST(concat_parts_are_written_in_place),
        TEST(a_part_that_is_joined_twice_is_copied_once),
        TEST(a_large_map_is_made_beside_its_reader_and_takes_an_upsampling_along),
        TEST(the_rows_of_a_map_are_summed_where_it_is_made),
        TEST(a_preferred_route_is_taken_where_it_proposes_itself),
        TEST(a_layer_s_own_choice_goes_before_the_preferred_route),
        cmocka_unit_test(a_group_goes_by_the_bands_chosen_for_it),
        TEST(the_only_reader_of_an_input_takes_its_planes),
        TEST(an_input_with_two_readers_becomes_pixels_once),
        TEST(a_choice_that_does_not_propose_itself_is_refused),
        TEST(a_node_that_nobody_does_is_refused_with_its_name),
        TEST(planning_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
