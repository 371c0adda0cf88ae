/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes by family and opset: what is read, what the defaults are, what is refused. */
#include "model.h"

#include <float.h>

static const int64_t image[4] = {-1, 3, -1, -1};

/* A model of one node; attributes follow. */
static void begin(int opset, const char *op_type, const char *inputs)
{
    begin_model(opset);
    add_input("x", 4, image);
    add_output("y");
    begin_node(op_type, "n", inputs, "y");
}

static const as_attributes *only(const as_graph *g)
{
    assert_int_equal(as_graph_n_nodes(g), 1);
    return &as_graph_node(g, 0)->attributes;
}

static void add_kernel(int64_t kh, int64_t kw)
{
    add_ints("kernel_shape", 2, (int64_t[]){kh, kw});
}

static void conv_has_all_its_attributes(void **state)
{
    (void)state;
    static const float w[6 * 5 * 3];
    begin(11, "Conv", "x w");
    add_weight("w", F32, 4, (int64_t[]){6, 1, 5, 3}, w, sizeof w);
    add_ints("strides", 2, (int64_t[]){2, 3});
    add_ints("dilations", 2, (int64_t[]){1, 2});
    add_ints("pads", 4, (int64_t[]){1, 2, 3, 4});
    add_int("group", 3);
    add_string("auto_pad", "NOTSET");
    as_graph *g = load();
    const as_conv_attributes *conv = &only(g)->conv;
    assert_int_equal(conv->window.kernel[0], 5); /* from the weights */
    assert_int_equal(conv->window.kernel[1], 3);
    assert_int_equal(conv->window.strides[1], 3);
    assert_int_equal(conv->window.dilations[1], 2);
    assert_int_equal(conv->window.pads[0], 1);
    assert_int_equal(conv->window.pads[3], 4);
    assert_int_equal(conv->window.auto_pad, AS_PAD_EXPLICIT);
    assert_int_equal(conv->group, 3);
    as_graph_free(g);
}

static void transposed_conv_has_its_own_attributes(void **state)
{
    (void)state;
    static const float w[3 * 2 * 4];
    begin(11, "ConvTranspose", "x w");
    add_weight("w", F32, 4, (int64_t[]){3, 2, 2, 2}, w, sizeof w);
    add_kernel(2, 2);
    add_ints("strides", 2, (int64_t[]){2, 2});
    add_ints("output_padding", 2, (int64_t[]){1, 0});
    add_ints("output_shape", 2, (int64_t[]){9, 8});
    add_string("auto_pad", "SAME_LOWER");
    as_graph *g = load();
    const as_conv_attributes *conv = &only(g)->conv;
    assert_int_equal(conv->output_padding[0], 1);
    assert_int_equal(conv->output_shape[0], 9);
    assert_int_equal(conv->window.auto_pad, AS_PAD_SAME_LOWER);
    as_graph_free(g);
}

static void pools_have_their_modes(void **state)
{
    (void)state;
    begin(10, "AveragePool", "x");
    add_kernel(2, 3);
    add_int("ceil_mode", 1);
    add_int("count_include_pad", 1);
    as_graph *g = load();
    assert_true(only(g)->pool.ceil_mode);
    assert_true(only(g)->pool.count_include_pad);
    assert_int_equal(only(g)->pool.window.kernel[1], 3);
    assert_int_equal(only(g)->pool.window.strides[0], 1);
    as_graph_free(g);
    begin(10, "MaxPool", "x");
    add_kernel(2, 3);
    add_int("storage_order", 1);
    add_int("count_include_pad", 1);
    assert_refused(ASSAY_E_UNSUPPORTED,
                   "its attribute 'count_include_pad' is not known to assay",
                   "m.onnx: node 0 'n' (MaxPool)");
}

static void windows_have_one_to_three_axes(void **state)
{
    (void)state;
    begin_model(11);
    add_input("x", 5, (int64_t[]){1, 3, -1, -1, -1});
    add_output("y");
    begin_node("MaxPool", "n", "x", "y");
    add_ints("kernel_shape", 3, (int64_t[]){2, 3, 4});
    add_ints("pads", 6, (int64_t[]){1, 0, 2, 0, 1, 3});
    as_graph *g = load();
    const as_window *w = &only(g)->pool.window;
    assert_int_equal(w->n_axes, 3);
    assert_int_equal(w->kernel[0], 3); /* height, width, depth */
    assert_int_equal(w->kernel[1], 4);
    assert_int_equal(w->kernel[2], 2);
    const int pads[6] = {0, 2, 1, 3, 1, 0}; /* top, left, bottom, right, front, back */
    assert_memory_equal(w->pads, pads, sizeof pads);
    as_graph_free(g);
    begin(11, "MaxPool", "x");
    add_ints("kernel_shape", 4, (int64_t[]){1, 1, 1, 1});
    assert_refused(
        ASSAY_E_UNSUPPORTED,
        "its attribute 'kernel_shape' has 4 values, assay takes windows of 1 to 3 axes",
        "m.onnx: node 0 'n' (MaxPool)");
    begin(11, "MaxPool", "x");
    add_ints("kernel_shape", 2, (int64_t[]){1, 1});
    add_ints("strides", 1, (int64_t[]){1});
    assert_refused(ASSAY_E_FORMAT,
                   "its attribute 'strides' needs 2 values, has 1: another one is for 2 axes",
                   "m.onnx: node 0 'n' (MaxPool)");
}

static void lists_that_were_attributes_become_inputs(void **state)
{
    (void)state;
    begin(9, "Slice", "x");
    add_ints("axes", 1, (int64_t[]){3});
    add_ints("ends", 1, (int64_t[]){-1});
    add_ints("starts", 1, (int64_t[]){1});
    as_graph *g = load();
    const as_node *node = as_graph_node(g, 0);
    assert_int_equal(node->n_inputs, 4);
    assert_int_equal(*(const int64_t *)as_node_input(g, node, 1)->data, 1);
    assert_int_equal(*(const int64_t *)as_node_input(g, node, 2)->data, -1);
    assert_int_equal(*(const int64_t *)as_node_input(g, node, 3)->data, 3);
    as_graph_free(g);
    begin(10, "Pad", "x");
    add_float("value", 1.5f);
    assert_refused(ASSAY_E_FORMAT, "its input 'pads' is left out", "m.onnx: node 0 'n' (Pad)");
    begin(13, "Split", "x");
    add_ints("split", 1, (int64_t[]){3}); /* an input since 13 */
    assert_refused(ASSAY_E_UNSUPPORTED, "its attribute 'split' is not known to assay",
                   "m.onnx: node 0 'n' (Split)");
}

static void clip_has_attributes_before_opset_11_and_inputs_after(void **state)
{
    (void)state;
    const float six = 6;
    begin(7, "Clip", "x");
    add_float("min", 0);
    add_float("max", 6);
    as_graph *g = load();
    assert_true(only(g)->clip.min == 0 && only(g)->clip.max == 6);
    assert_true(only(g)->clip.is_resolved);
    as_graph_free(g);
    begin(11, "Clip", "x - six");
    add_weight("six", F32, 0, NULL, &six, sizeof six);
    g = load();
    assert_true(only(g)->clip.min == -FLT_MAX && only(g)->clip.max == 6);
    as_graph_free(g);
}

static void resize_differs_by_opset(void **state)
{
    (void)state;
    static const float scales[4] = {1, 1, 2, 2};
    begin(10, "Resize", "x s");
    add_weight("s", F32, 1, (int64_t[]){4}, scales, sizeof scales);
    as_graph *g = load();
    assert_int_equal(only(g)->resize.mode, AS_RESIZE_NEAREST);
    assert_int_equal(only(g)->resize.coordinate, AS_COORDINATE_ASYMMETRIC);
    assert_int_equal(only(g)->resize.nearest, AS_NEAREST_FLOOR);
    assert_int_equal(only(g)->resize.n_scales, 4);
    as_graph_free(g);

    begin(11, "Resize", "x roi s");
    add_weight("roi", F32, 1, (int64_t[]){0}, NULL, 0);
    add_weight("s", F32, 1, (int64_t[]){4}, scales, sizeof scales);
    add_string("mode", "linear");
    g = load();
    assert_int_equal(only(g)->resize.mode, AS_RESIZE_LINEAR);
    assert_int_equal(only(g)->resize.coordinate, AS_COORDINATE_HALF_PIXEL);
    assert_int_equal(only(g)->resize.nearest, AS_NEAREST_ROUND_PREFER_FLOOR);
    as_graph_free(g);

    begin(18, "Resize", "x - - sizes");
    add_weight("sizes", I64, 1, (int64_t[]){2}, (int64_t[]){8, 9}, 16);
    add_ints("axes", 2, (int64_t[]){2, 3});
    add_string("nearest_mode", "ceil");
    add_string("coordinate_transformation_mode", "align_corners");
    g = load();
    assert_int_equal(only(g)->resize.n_axes, 2);
    assert_int_equal(only(g)->resize.n_sizes, 2);
    assert_int_equal(only(g)->resize.sizes[1], 9);
    assert_int_equal(only(g)->resize.nearest, AS_NEAREST_CEIL);
    assert_int_equal(only(g)->resize.coordinate, AS_COORDINATE_ALIGN_CORNERS);
    as_graph_free(g);
}

static void resize_modes_that_are_not_known_are_refused(void **state)
{
    (void)state;
    static const float scales[4] = {1, 1, 2, 0.5f};
    begin(13, "Resize", "x - s");
    add_weight("s", F32, 1, (int64_t[]){4}, scales, sizeof scales);
    add_string("coordinate_transformation_mode", "quarter_pixel");
    assert_refused(ASSAY_E_UNSUPPORTED,
                   "its attribute 'coordinate_transformation_mode' is 'quarter_pixel', assay "
                   "knows half_pixel, asymmetric",
                   "m.onnx: node 0 'n' (Resize)");
    begin(10, "Resize", "x s"); /* to a half: any rounding takes the same pixels */
    add_weight("s", F32, 1, (int64_t[]){4}, scales, sizeof scales);
    as_graph_free(load());
    static const float odd[4] = {1, 1, 2, 0.625f};
    begin(10, "Resize", "x s");
    add_weight("s", F32, 1, (int64_t[]){4}, odd, sizeof odd);
    assert_refused(ASSAY_E_UNSUPPORTED,
                   "it shrinks by 0.625, and opset 10 does not say which pixel is nearest",
                   "m.onnx: node 0 'n' (Resize)");
}

static void upsample_has_scales_as_attribute_or_input(void **state)
{
    (void)state;
    static float scales[4] = {1, 1, 3, 2};
    begin(7, "Upsample", "x");
    Onnx__AttributeProto *a = add_attribute("scales", FLOATS);
    a->floats = scales;
    a->n_floats = 4;
    as_graph *g = load();
    assert_true(only(g)->resize.is_resolved);
    assert_true(only(g)->resize.scales[2] == 3);
    as_graph_free(g);
    begin(9, "Upsample", "x s");
    add_weight("s", F32, 1, (int64_t[]){4}, scales, sizeof scales);
    g = load();
    assert_true(only(g)->resize.scales[3] == 2);
    as_graph_free(g);
}

static void batch_norm_knows_whether_it_trains(void **state)
{
    (void)state;
    static const float row[3] = {1, 1, 1};
    for (int training = 0; training < 2; training++) {
        begin(15, "BatchNormalization", "x a a a a");
        add_weight("a", F32, 1, (int64_t[]){3}, row, sizeof row);
        add_float("epsilon", 0.5f);
        add_float("momentum", 0.9f);
        add_int("training_mode", training);
        as_graph *g = load();
        assert_int_equal(only(g)->batch_norm.is_training, training);
        assert_true(only(g)->batch_norm.epsilon == 0.5f);
        as_graph_free(g);
    }
}

static void activations_have_their_defaults(void **state)
{
    (void)state;
    begin(6 + 1, "LeakyRelu", "x");
    as_graph *g = load();
    assert_true(only(g)->activation.alpha == 0.01f);
    as_graph_free(g);
    begin(7, "HardSigmoid", "x");
    g = load();
    assert_true(only(g)->activation.alpha == 0.2f && only(g)->activation.beta == 0.5f);
    as_graph_free(g);
    begin(20, "Gelu", "x");
    add_string("approximate", "tanh");
    g = load();
    assert_true(only(g)->gelu.is_tanh);
    as_graph_free(g);
}

static void softmax_changed_its_axis_at_opset_13(void **state)
{
    (void)state;
    begin(12, "Softmax", "x");
    as_graph *g = load();
    assert_int_equal(only(g)->softmax.axis, 1);
    assert_true(only(g)->softmax.is_flattened);
    as_graph_free(g);
    begin(13, "Softmax", "x");
    g = load();
    assert_int_equal(only(g)->softmax.axis, -1);
    assert_false(only(g)->softmax.is_flattened);
    as_graph_free(g);
}

static void mean_has_axes_as_attribute_or_input(void **state)
{
    (void)state;
    begin(13, "ReduceMean", "x");
    add_ints("axes", 2, (int64_t[]){2, 3});
    add_int("keepdims", 0);
    as_graph *g = load();
    assert_int_equal(only(g)->reduce.n_axes, 2);
    assert_false(only(g)->reduce.keepdims);
    as_graph_free(g);
    begin(18, "ReduceMean", "x axes");
    add_weight("axes", I64, 1, (int64_t[]){1}, (int64_t[]){-1}, 8);
    g = load();
    assert_int_equal(only(g)->reduce.n_axes, 1);
    assert_int_equal(only(g)->reduce.axes[0], -1);
    assert_true(only(g)->reduce.keepdims);
    as_graph_free(g);
}

static void matrices_and_layouts_are_read(void **state)
{
    (void)state;
    static const float w[6];
    begin_model(13);
    add_input("x", 4, image);
    add_output("y");
    add_weight("w", F32, 2, (int64_t[]){2, 3}, w, sizeof w);
    add_weight("s", I64, 1, (int64_t[]){2}, (int64_t[]){-1, 3}, 16);
    begin_node("Transpose", "t", "x", "a");
    add_ints("perm", 4, (int64_t[]){0, 2, 3, 1});
    begin_node("Reshape", "r", "a s", "b");
    begin_node("Gemm", "g", "b w", "y");
    add_int("transB", 1);
    add_float("alpha", 0.5f);
    as_graph *g = load();
    assert_int_equal(as_graph_node(g, 0)->attributes.transpose.perm[1], 2);
    assert_int_equal(as_graph_node(g, 1)->attributes.reshape.n_dims, 2);
    assert_int_equal(as_graph_node(g, 1)->attributes.reshape.dims[0], -1);
    assert_true(as_graph_node(g, 2)->attributes.gemm.is_b_transposed);
    assert_true(as_graph_node(g, 2)->attributes.gemm.alpha == 0.5f);
    as_graph_free(g);
}

static void what_computes_a_shape_has_axes_and_a_span(void **state)
{
    (void)state;
    begin(15, "Shape", "x");
    add_int("start", -2);
    as_graph *g = load();
    assert_int_equal(only(g)->span.start, -2);
    assert_int_equal(only(g)->span.end, INT_MAX);
    assert_int_equal(as_graph_tensor(g, as_graph_outputs(g)[0])->dtype, AS_I64);
    as_graph_free(g);
    begin(11, "Unsqueeze", "x");
    add_ints("axes", 1, (int64_t[]){0});
    g = load();
    assert_int_equal(only(g)->reduce.n_axes, 1);
    as_graph_free(g);
    begin(13, "Squeeze", "x axes");
    add_weight("axes", I64, 1, (int64_t[]){1}, (int64_t[]){1}, 8);
    assert_refused(ASSAY_E_FORMAT, "it takes out axis 1, which has 3 elements",
                   "m.onnx: node 0 'n' (Squeeze)");
    begin(13, "Squeeze", "x");
    add_int("keepdims", 1);
    assert_refused(ASSAY_E_UNSUPPORTED, "its attribute 'keepdims' is not known to assay",
                   "m.onnx: node 0 'n' (Squeeze)");
}

static void an_attribute_that_is_not_known_is_refused(void **state)
{
    (void)state;
    begin(13, "Relu", "x");
    add_int("speed", 3);
    assert_refused(ASSAY_E_UNSUPPORTED, "its attribute 'speed' is not known to assay",
                   "m.onnx: node 0 'n' (Relu)");
}

static void an_attribute_of_a_wrong_type_or_range_is_refused(void **state)
{
    (void)state;
    begin(13, "LeakyRelu", "x");
    add_int("alpha", 1);
    assert_refused(ASSAY_E_FORMAT, "its attribute 'alpha' has type INT (2), it must be FLOAT",
                   "m.onnx: node 0 'n' (LeakyRelu)");
    begin(13, "Softmax", "x");
    add_int("axis", INT64_MAX);
    assert_refused(
        ASSAY_E_FORMAT,
        "its attribute 'axis' is 9223372036854775807, too large for an int of 32 bits",
        "m.onnx: node 0 'n' (Softmax)");
}

static void casts_to_types_that_assay_has_not_are_refused(void **state)
{
    (void)state;
    begin(13, "Cast", "x");
    add_int("to", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16);
    assert_refused(ASSAY_E_UNSUPPORTED,
                   "it casts to type FLOAT16 (10), which assay has not (opset 13)",
                   "m.onnx: node 0 'n' (Cast)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conv_has_all_its_attributes),
        cmocka_unit_test(transposed_conv_has_its_own_attributes),
        cmocka_unit_test(pools_have_their_modes),
        cmocka_unit_test(windows_have_one_to_three_axes),
        cmocka_unit_test(lists_that_were_attributes_become_inputs),
        cmocka_unit_test(clip_has_attributes_before_opset_11_and_inputs_after),
        cmocka_unit_test(resize_differs_by_opset),
        cmocka_unit_test(resize_modes_that_are_not_known_are_refused),
        cmocka_unit_test(upsample_has_scales_as_attribute_or_input),
        cmocka_unit_test(batch_norm_knows_whether_it_trains),
        cmocka_unit_test(activations_have_their_defaults),
        cmocka_unit_test(softmax_changed_its_axis_at_opset_13),
        cmocka_unit_test(mean_has_axes_as_attribute_or_input),
        cmocka_unit_test(matrices_and_layouts_are_read),
        cmocka_unit_test(what_computes_a_shape_has_axes_and_a_span),
        cmocka_unit_test(an_attribute_that_is_not_known_is_refused),
        cmocka_unit_test(an_attribute_of_a_wrong_type_or_range_is_refused),
        cmocka_unit_test(casts_to_types_that_assay_has_not_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
