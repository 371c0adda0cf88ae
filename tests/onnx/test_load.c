/* SPDX-License-Identifier: Apache-2.0 */
/* Models that are read: graphs, weights in every storage, the real detectors. */
#include "model.h"

#include "base/file.h"
#include "base/memory.h"
#include "operators/infer.h"

static const int64_t image[4] = {-1, 3, -1, -1};

static void names_dims_and_opset_are_kept(void **state)
{
    (void)state;
    begin_model(13);
    add_input("x", 4, image);
    begin_node("Relu", "r", "x", "y");
    add_output("y");
    as_graph *g = load();
    assert_string_equal(as_graph_name(g), "test");
    assert_string_equal(as_graph_producer_name(g), "maker");
    assert_int_equal(as_graph_opset(g), 13);
    const as_tensor *x = as_graph_tensor(g, as_graph_inputs(g)[0]);
    assert_string_equal(x->name, "x");
    assert_int_equal(x->rank, 4);
    assert_int_equal(x->dims[0], -1);
    assert_int_equal(x->dims[1], 3);
    assert_string_equal(x->dim_names[2], "d2");
    assert_string_equal(x->dim_names[1], "");
    assert_string_equal(as_graph_node(g, 0)->name, "r");
    assert_string_equal(as_graph_tensor(g, as_graph_outputs(g)[0])->name, "y");
    as_graph_free(g);
}

static void weights_are_aligned_and_equal_in_every_float_storage(void **state)
{
    (void)state;
    static float f[3] = {1.5f, -0.25f, 65504};
    static double d[3] = {1.5, -0.25, 65504};
    static const uint16_t half[3] = {0x3e00, 0xb400, 0x7bff};
    static int32_t wide_half[3] = {0x3e00, 0xb400, 0x7bff};
    const int64_t three = 3;
    begin_model(13);
    add_input("x", 1, &three);
    add_weight("raw", F32, 1, &three, f, sizeof f);
    Onnx__TensorProto *typed = add_weight("typed", F32, 1, &three, NULL, 0);
    typed->float_data = f;
    typed->n_float_data = 3;
    typed = add_weight("double", ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE, 1, &three, NULL, 0);
    typed->double_data = d;
    typed->n_double_data = 3;
    add_weight("half", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16, 1, &three, half, sizeof half);
    typed = add_weight("wide", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16, 1, &three, NULL, 0);
    typed->int32_data = wide_half;
    typed->n_int32_data = 3;
    begin_node("Relu", "r", "x", "y");
    add_output("y");
    as_graph *g = load();
    static const char *const names[] = {"raw", "typed", "double", "half", "wide"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const as_tensor *w = as_graph_tensor(g, as_graph_find_tensor(g, names[i]));
        assert_int_equal(w->dtype, AS_F32);
        assert_int_equal(w->n_elements, 3);
        assert_memory_equal(w->data, f, sizeof f);
        assert_int_equal((uintptr_t)w->data % 64, 0);
    }
    as_graph_free(g);
}

static void special_halves_convert_exactly(void **state)
{
    (void)state;
    static const uint16_t half[6] = {0x0001, 0x8000, 0x03ff, 0x7c00, 0xfc00, 0x7e00};
    static const uint16_t brain[2] = {0x3f80, 0xc000};
    const int64_t six = 6, two = 2, one = 1;
    begin_model(13);
    add_input("x", 1, &one);
    add_weight("half", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16, 1, &six, half, sizeof half);
    add_weight("brain", ONNX__TENSOR_PROTO__DATA_TYPE__BFLOAT16, 1, &two, brain, sizeof brain);
    begin_node("Relu", "r", "x", "y");
    add_output("y");
    as_graph *g = load();
    const float *f = as_graph_tensor(g, as_graph_find_tensor(g, "half"))->data;
    assert_true(f[0] == 0x1p-24f);
    assert_true(f[1] == 0 && 1 / f[1] < 0);
    assert_true(f[2] == 1023 * 0x1p-24f);
    assert_true(f[3] > 3e38f && f[4] < -3e38f && f[5] != f[5]);
    const float *b = as_graph_tensor(g, as_graph_find_tensor(g, "brain"))->data;
    assert_true(b[0] == 1 && b[1] == -2);
    as_graph_free(g);
}

static void integers_and_bools_keep_their_types(void **state)
{
    (void)state;
    static int64_t wide[2] = {INT64_MAX, -1};
    static int32_t flags[2] = {0, 7}, narrow[2] = {INT32_MIN, 5};
    static const unsigned char raw_flags[2] = {0, 9};
    const int64_t two = 2, one = 1;
    begin_model(13);
    add_input("x", 1, &one);
    add_weight("i64", I64, 1, &two, wide, sizeof wide);
    Onnx__TensorProto *w =
        add_weight("i32", ONNX__TENSOR_PROTO__DATA_TYPE__INT32, 1, &two, NULL, 0);
    w->int32_data = narrow;
    w->n_int32_data = 2;
    w = add_weight("bool", ONNX__TENSOR_PROTO__DATA_TYPE__BOOL, 1, &two, NULL, 0);
    w->int32_data = flags;
    w->n_int32_data = 2;
    add_weight("raw bool", ONNX__TENSOR_PROTO__DATA_TYPE__BOOL, 1, &two, raw_flags, 2);
    begin_node("Relu", "r", "x", "y");
    add_output("y");
    as_graph *g = load();
    const as_tensor *t = as_graph_tensor(g, as_graph_find_tensor(g, "i64"));
    assert_int_equal(t->dtype, AS_I64);
    assert_memory_equal(t->data, wide, sizeof wide);
    t = as_graph_tensor(g, as_graph_find_tensor(g, "i32"));
    assert_int_equal(t->dtype, AS_I32);
    assert_memory_equal(t->data, narrow, sizeof narrow);
    static const unsigned char expected[2] = {0, 1};
    t = as_graph_tensor(g, as_graph_find_tensor(g, "bool"));
    assert_int_equal(t->dtype, AS_BOOL);
    assert_memory_equal(t->data, expected, 2);
    assert_memory_equal(as_graph_tensor(g, as_graph_find_tensor(g, "raw bool"))->data, expected,
                        2);
    as_graph_free(g);
}

static void a_weight_listed_as_input_is_no_input(void **state)
{
    (void)state;
    const float w = 2;
    const int64_t one = 1;
    begin_model(8);
    add_input("w", 1, &one);
    add_input("x", 4, image);
    add_weight("w", F32, 1, &one, &w, sizeof w);
    begin_node("Mul", "m", "x w", "y");
    add_output("y");
    as_graph *g = load();
    assert_int_equal(as_graph_n_inputs(g), 1);
    assert_string_equal(as_graph_tensor(g, as_graph_inputs(g)[0])->name, "x");
    as_graph_free(g);
}

static void nodes_in_any_order_are_sorted(void **state)
{
    (void)state;
    begin_model(13);
    add_input("x", 4, image);
    begin_node("Relu", "last", "b", "y");
    begin_node("Sigmoid", "middle", "a", "b");
    begin_node("Tanh", "first", "x", "a");
    add_output("y");
    as_graph *g = load();
    assert_string_equal(as_graph_node(g, 0)->name, "first");
    assert_string_equal(as_graph_node(g, 2)->name, "last");
    as_graph_free(g);
}

static void constants_may_be_tensors_numbers_and_lists(void **state)
{
    (void)state;
    const float half = 0.5f;
    static float floats[4] = {1, 1, 2, 2};
    begin_model(13);
    add_input("x", 4, image);
    begin_node("Constant", "", "", "a");
    add_attribute("value", TENSOR)->t = new_weight("", F32, 0, NULL, &half, sizeof half);
    begin_node("Constant", "", "", "low");
    add_float("value_float", -1);
    begin_node("Constant", "", "", "s");
    Onnx__AttributeProto *list = add_attribute("value_floats", FLOATS);
    list->floats = floats;
    list->n_floats = 4;
    begin_node("Constant", "", "", "axes");
    add_ints("value_ints", 2, (int64_t[]){2, 3});
    begin_node("Mul", "m", "x a", "p");
    begin_node("Clip", "c", "p low", "q");
    begin_node("Resize", "r", "q - s", "big");
    add_string("coordinate_transformation_mode", "asymmetric");
    begin_node("Flatten", "f", "big", "y");
    add_output("y");
    add_output("axes");
    as_graph *g = load();
    const as_tensor *axes = as_graph_tensor(g, as_graph_find_tensor(g, "axes"));
    assert_int_equal(axes->dtype, AS_I64);
    assert_int_equal(((const int64_t *)axes->data)[1], 3);
    const as_node *clip = as_graph_producer(g, as_graph_find_tensor(g, "q"));
    assert_true(clip->attributes.clip.is_resolved);
    assert_true(clip->attributes.clip.min == -1);
    as_shape in = {.rank = 4, .dims = {2, 3, 5, 7}};
    as_shapes shapes;
    assert_int_equal(as_shape_infer(g, &in, 1, &shapes, NULL), ASSAY_OK);
    assert_int_equal(shapes.of[as_graph_outputs(g)[0]].dims[1], 3 * 10 * 14);
    as_shapes_free(&shapes);
    as_graph_free(g);
}

static void empty_names_at_the_end_of_a_list_do_not_count(void **state)
{
    (void)state;
    begin_model(13);
    add_input("x", 4, image);
    begin_node("Clip", "c", "x - -", "y");
    add_output("y");
    as_graph *g = load();
    assert_int_equal(as_graph_node(g, 0)->n_inputs, 1);
    assert_true(as_graph_node(g, 0)->attributes.clip.is_resolved);
    as_graph_free(g);
}

static void types_follow_casts(void **state)
{
    (void)state;
    begin_model(13);
    add_input("x", 4, image);
    begin_node("Cast", "c", "x", "a");
    add_int("to", I64);
    begin_node("Identity", "i", "a", "y");
    add_output("y");
    as_graph *g = load();
    assert_int_equal(as_graph_tensor(g, as_graph_outputs(g)[0])->dtype, AS_I64);
    as_graph_free(g);
}

/* A model with weights, constants and every kind of list. */
static void make_rich_model(void)
{
    static const float w[4 * 3 * 9], bias[4];
    static const uint16_t half[4];
    begin_model(13);
    add_input("x", 4, image);
    add_weight("w", F32, 4, (int64_t[]){4, 3, 3, 3}, w, sizeof w);
    add_weight("b", F32, 1, (int64_t[]){4}, bias, sizeof bias);
    add_weight("h", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16, 3, (int64_t[]){4, 1, 1}, half, 8);
    begin_node("Conv", "conv", "x w b", "a");
    add_ints("pads", 4, (int64_t[]){1, 1, 1, 1});
    begin_node("Constant", "", "", "six");
    add_float("value_float", 6);
    begin_node("Clip", "clip", "a - six", "b2");
    begin_node("Add", "add", "b2 h", "y");
    add_output("y");
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    make_rich_model();
    int n_failures = 0;
    for (size_t n = 1;; n++) {
        size_t size;
        unsigned char *bytes = pack_model(&size);
        as_graph *graph = NULL;
        assay_error err = {0};
        as_memory_fail_at(n);
        assay_code code = as_onnx_parse(bytes, size, "m.onnx", &graph, &err);
        as_memory_fail_at(0);
        free(bytes);
        as_graph_free(graph);
        if (code == ASSAY_OK) break;
        assert_int_equal(code, ASSAY_E_MEMORY);
        assert_int_equal(err.code, ASSAY_E_MEMORY);
        assert_null(graph);
        n_failures++;
    }
    assert_true(n_failures > 5);
}

/* Whatever one flipped or lost byte does, the answer is a graph or an error. */
static void damaged_models_are_read_or_refused(void **state)
{
    (void)state;
    size_t size;
    make_rich_model();
    unsigned char *bytes = pack_model(&size);
    for (size_t at = 0; at < size; at++) {
        unsigned char *copy = malloc(at + 1);
        as_graph *graph = NULL;
        memcpy(copy, bytes, at);
        if (as_onnx_parse(copy, at, "m", &graph, NULL) == ASSAY_OK) assert_non_null(graph);
        as_graph_free(graph);
        free(copy);
    }
    for (size_t at = 0; at < size; at++) {
        for (int bit = 0; bit < 8; bit++) {
            as_graph *graph = NULL;
            bytes[at] ^= (unsigned char)(1 << bit);
            assay_error err = {0};
            assay_code code = as_onnx_parse(bytes, size, "m", &graph, &err);
            assert_int_equal(code == ASSAY_OK, graph != NULL);
            assert_int_equal(code, err.code);
            assert_int_equal(code != ASSAY_OK, err.message[0] != '\0');
            as_graph_free(graph);
            bytes[at] ^= (unsigned char)(1 << bit);
        }
    }
    free(bytes);
}

/* Load a model of models/; false, with a line, where it is not there. */
static bool load_real(const char *path, as_graph **out)
{
    if (!as_file_exists(path)) {
        print_message("SKIPPED: %s is not there (tools/models makes it)\n", path);
        return false;
    }
    assay_error err = {0};
    if (as_onnx_load(path, out, &err)) fail_msg("%s: %s", err.where, err.message);
    return true;
}

/* Multiply-adds and parameters of a model at 1 x 3 x h x w, and its output's shape. */
static void measure(const as_graph *g, int64_t h, int64_t w, uint64_t *macs, as_shape *out)
{
    as_shape in = {.rank = 4, .dims = {1, 3, h, w}};
    as_shapes shapes;
    assert_int_equal(as_shape_infer(g, &in, 1, &shapes, NULL), ASSAY_OK);
    *macs = 0;
    for (int i = 0; i < as_graph_n_nodes(g); i++)
        *macs += as_node_cost(g, as_graph_node(g, i), &shapes).macs;
    *out = shapes.of[as_graph_outputs(g)[0]];
    as_shapes_free(&shapes);
}

static void the_real_detectors_load(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int n_nodes, n_convs;
    } models[] = {{"../models/ch_PP-OCRv4_det_infer.onnx", 672, 62},
                  {"../models/PP-OCRv6_det_small.onnx", 464, 83}};
    int n_loaded = 0;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        as_graph *g;
        if (!load_real(models[i].path, &g)) continue;
        n_loaded++;
        assert_int_equal(as_graph_n_nodes(g), models[i].n_nodes);
        int n_convs = 0;
        for (int k = 0; k < as_graph_n_nodes(g); k++)
            n_convs += as_graph_node(g, k)->op == AS_OP_CONV;
        assert_int_equal(n_convs, models[i].n_convs);
        uint64_t small = 0, large = 0;
        as_shape out;
        measure(g, 320, 320, &small, &out);
        measure(g, 640, 640, &large, &out);
        assert_int_equal(out.rank, 4);
        assert_int_equal(out.dims[1], 1);
        assert_int_equal(out.dims[2], 640);
        assert_int_equal(out.dims[3], 640);
        assert_true(large > small * 39 / 10 && large < small * 4);
        as_graph_free(g);
    }
    if (n_loaded == 0) skip();
}

static void a_size_that_a_detector_cannot_take_is_refused_at_its_node(void **state)
{
    (void)state;
    as_graph *g;
    if (!load_real("../models/PP-OCRv6_det_small.onnx", &g)) skip();
    as_shape in = {.rank = 4, .dims = {1, 3, 100, 96}}; /* not a multiple of 32 */
    as_shapes shapes;
    assay_error err = {0};
    assert_int_equal(as_shape_infer(g, &in, 1, &shapes, &err), ASSAY_E_ARGUMENT);
    assert_string_equal(err.message,
                        "its inputs are [1,96,7,6] and [1,96,8,6], they cannot be combined");
    as_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_dims_and_opset_are_kept),
        cmocka_unit_test(weights_are_aligned_and_equal_in_every_float_storage),
        cmocka_unit_test(special_halves_convert_exactly),
        cmocka_unit_test(integers_and_bools_keep_their_types),
        cmocka_unit_test(a_weight_listed_as_input_is_no_input),
        cmocka_unit_test(nodes_in_any_order_are_sorted),
        cmocka_unit_test(constants_may_be_tensors_numbers_and_lists),
        cmocka_unit_test(empty_names_at_the_end_of_a_list_do_not_count),
        cmocka_unit_test(types_follow_casts),
        cmocka_unit_test(every_failed_allocation_is_reported),
        cmocka_unit_test(damaged_models_are_read_or_refused),
        cmocka_unit_test(the_real_detectors_load),
        cmocka_unit_test(a_size_that_a_detector_cannot_take_is_refused_at_its_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
