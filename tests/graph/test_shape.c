/* SPDX-License-Identifier: Apache-2.0 */
#include "build.h"
#include "operators/infer.h"

#define OK ASSAY_OK

/* Infer with one input of `shape`; the output's shape as text, or the error's message. */
static const char *infer_text(const as_graph *g, as_shape shape, assay_code *code)
{
    static char text[256];
    assay_error err = {0};
    as_shapes shapes;
    *code = as_shape_infer(g, &shape, 1, &shapes, &err);
    if (*code)
        snprintf(text, sizeof text, "%s", err.message);
    else
        as_shape_text(&shapes.of[as_graph_outputs(g)[0]], text, sizeof text);
    as_shapes_free(&shapes);
    return text;
}

#define ASSERT_SHAPE(g, shape, expected_code, expected)                                        \
    do {                                                                                       \
        assay_code code_;                                                                      \
        const char *text_ = infer_text(g, shape, &code_);                                      \
        assert_string_equal(text_, expected);                                                  \
        assert_int_equal(code_, expected_code);                                                \
    } while (0)

/* x[?][ic][?][?] -> Conv with these attributes. */
static as_graph *one_conv(int oc, int ic, int k, as_window window)
{
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, ic, -1, -1));
    int w = add_floats(g, "w", SHAPE(oc, ic, k, k), NULL);
    int y = add_node(g, AS_OP_CONV, "conv", x, w, -1);
    window.kernel[0] = window.kernel[1] = k;
    attributes_of(g, y)->conv.window = window;
    finish(g, y);
    return g;
}

static void conv_sizes_follow_pads_strides_and_dilations(void **state)
{
    (void)state;
    as_graph *g = one_conv(
        5, 3, 3, (as_window){.strides = {2, 2}, .dilations = {1, 1}, .pads = {1, 1, 1, 1}});
    ASSERT_SHAPE(g, SHAPE(2, 3, 13, 29), OK, "[2,5,7,15]");
    ASSERT_SHAPE(g, SHAPE(1, 3, 1, 2), OK, "[1,5,1,1]");
    as_graph_free(g);
    g = one_conv(5, 3, 3,
                 (as_window){.strides = {1, 3}, .dilations = {2, 1}, .pads = {0, 1, 2, 0}});
    ASSERT_SHAPE(g, SHAPE(1, 3, 13, 29), OK, "[1,5,11,10]");
    as_graph_free(g);
}

static void same_pads_round_up_and_valid_rounds_down_on_odd_sizes(void **state)
{
    (void)state;
    as_window window = {.strides = {2, 2}, .dilations = {1, 1}, .auto_pad = AS_PAD_SAME_UPPER};
    as_graph *g = one_conv(5, 3, 3, window);
    ASSERT_SHAPE(g, SHAPE(1, 3, 13, 28), OK, "[1,5,7,14]");
    as_graph_free(g);
    window.auto_pad = AS_PAD_SAME_LOWER;
    g = one_conv(5, 3, 2, window);
    ASSERT_SHAPE(g, SHAPE(1, 3, 13, 28), OK, "[1,5,7,14]");
    as_graph_free(g);
    window.auto_pad = AS_PAD_VALID;
    g = one_conv(5, 3, 3, window);
    ASSERT_SHAPE(g, SHAPE(1, 3, 13, 28), OK, "[1,5,6,13]");
    as_graph_free(g);
}

static void the_odd_pad_goes_where_auto_pad_says(void **state)
{
    (void)state;
    int64_t pads[4];
    as_window window = {.kernel = {2, 3},
                        .strides = {1, 2},
                        .dilations = {1, 1},
                        .auto_pad = AS_PAD_SAME_UPPER};
    as_window_pads(&window, 5, 6, pads); /* totals 1 and (3 - 1) * 2 + 3 - 6 = 1 */
    const int64_t upper[4] = {0, 0, 1, 1}, lower[4] = {1, 1, 0, 0}, none[4] = {0};
    assert_memory_equal(pads, upper, sizeof upper);
    window.auto_pad = AS_PAD_SAME_LOWER;
    as_window_pads(&window, 5, 6, pads);
    assert_memory_equal(pads, lower, sizeof lower);
    window.auto_pad = AS_PAD_VALID;
    window.pads[0] = 3; /* not looked at */
    as_window_pads(&window, 5, 6, pads);
    assert_memory_equal(pads, none, sizeof none);
    window = (as_window){.kernel = {1, 1},
                         .strides = {3, 3},
                         .dilations = {1, 1},
                         .auto_pad = AS_PAD_SAME_UPPER};
    as_window_pads(&window, 7, 8, pads); /* a stride beyond the kernel pads nothing */
    assert_memory_equal(pads, none, sizeof none);
}

static void a_window_larger_than_its_input_is_refused_with_numbers(void **state)
{
    (void)state;
    as_graph *g = one_conv(
        5, 3, 7, (as_window){.strides = {1, 1}, .dilations = {1, 1}, .pads = {1, 1, 1, 1}});
    assay_error err = {0};
    as_shape shape = SHAPE(1, 3, 4, 9);
    as_shapes shapes;
    assert_int_equal(as_shape_infer(g, &shape, 1, &shapes, &err), ASSAY_E_ARGUMENT);
    assert_string_equal(err.message, "its input has 4 rows and 2 of padding, its window needs "
                                     "7: the output size would be 0");
    assert_string_equal(err.where, "node 0 'conv' (Conv)");
    assert_null(shapes.of);
    as_graph_free(g);
}

static void channels_that_contradict_the_weights_are_refused(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, -1, -1, -1));
    int w = add_floats(g, "w", SHAPE(6, 2, 3, 3), NULL), b = add_floats(g, "b", SHAPE(6), NULL);
    int y = add_conv(g, "conv", x, w, b, 1, 1);
    attributes_of(g, y)->conv.group = 2;
    finish(g, y);
    ASSERT_SHAPE(g, SHAPE(1, 4, 5, 5), OK, "[1,6,5,5]");
    ASSERT_SHAPE(g, SHAPE(1, 6, 5, 5), ASSAY_E_ARGUMENT,
                 "its weights expect 4 input channels, it gets 6");
    ASSERT_SHAPE(g, SHAPE(1, 3, 5, 5), ASSAY_E_ARGUMENT,
                 "its group 2 does not divide 3 input channels and 6 output channels");
    ASSERT_SHAPE(g, SHAPE(1, 4, 5), ASSAY_E_ARGUMENT,
                 "input 'x' is [1,4,5], the network takes [?,?,?,?]");
    as_graph_free(g);
}

static void a_graph_that_contradicts_itself_is_of_a_wrong_format(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 3, -1, -1));
    int first = add_conv(g, "one", x, add_floats(g, "w1", SHAPE(8, 3, 1, 1), NULL), -1, 1, 0);
    int y = add_conv(g, "two", first, add_floats(g, "w2", SHAPE(4, 7, 1, 1), NULL), -1, 1, 0);
    finish(g, y);
    assay_error err = {0};
    as_shapes shapes;
    assert_int_equal(as_shape_infer(g, NULL, 0, &shapes, &err), ASSAY_E_FORMAT);
    assert_string_equal(err.message, "its weights expect 7 input channels, it gets 8");
    assert_string_equal(err.where, "node 1 'two' (Conv)");
    as_graph_free(g);
}

static void dynamic_dims_stay_unknown_and_channels_do_not(void **state)
{
    (void)state;
    as_graph *g = one_conv(5, 3, 3, (as_window){.strides = {1, 1}, .dilations = {1, 1}});
    as_shapes shapes;
    assert_int_equal(as_shape_infer(g, NULL, 0, &shapes, NULL), ASSAY_OK);
    char text[32];
    assert_string_equal(as_shape_text(&shapes.of[as_graph_outputs(g)[0]], text, sizeof text),
                        "[?,5,?,?]");
    as_shapes_free(&shapes);
    as_graph_free(g);
}

static void inputs_must_be_as_many_as_the_network_has(void **state)
{
    (void)state;
    as_graph *g = one_conv(5, 3, 1, (as_window){.strides = {1, 1}, .dilations = {1, 1}});
    as_shape two[2] = {SHAPE(1, 3, 4, 4), SHAPE(1, 3, 4, 4)};
    assay_error err = {0};
    as_shapes shapes;
    assert_int_equal(as_shape_infer(g, two, 2, &shapes, &err), ASSAY_E_ARGUMENT);
    assert_string_equal(err.message, "2 input shapes given, the network has 1 inputs");
    ASSERT_SHAPE(g, SHAPE(1, 3, 0, 4), ASSAY_E_ARGUMENT,
                 "its input has 0 rows and 0 of padding, its window needs 1: the output size "
                 "would be 0");
    ASSERT_SHAPE(g, SHAPE(1, 3, -2, 4), ASSAY_E_ARGUMENT,
                 "input 'x' is [1,3,?,4], dims are 0 to 2147483647");
    ASSERT_SHAPE(g, SHAPE(INT32_MAX, 3, INT32_MAX, INT32_MAX), ASSAY_E_ARGUMENT,
                 "its output would be [2147483647,5,2147483647,2147483647]: too large, more "
                 "than memory can "
                 "hold");
    as_graph_free(g);
}

static as_graph *one_transpose(as_conv_attributes conv)
{
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 6, -1, -1));
    int w = add_floats(g, "w", SHAPE(6, 2, conv.window.kernel[0], conv.window.kernel[1]), NULL);
    int y = add_node(g, AS_OP_CONV_TRANSPOSE, "up", x, w, -1);
    attributes_of(g, y)->conv = conv;
    finish(g, y);
    return g;
}

static void transposed_convolutions_grow(void **state)
{
    (void)state;
    as_conv_attributes conv = {
        .window = {.kernel = {2, 2}, .strides = {2, 2}, .dilations = {1, 1}}, .group = 1};
    as_graph *g = one_transpose(conv);
    ASSERT_SHAPE(g, SHAPE(1, 6, 5, 7), OK, "[1,2,10,14]");
    as_graph_free(g);
    conv.window.kernel[0] = conv.window.kernel[1] = 3;
    conv.window.pads[0] = conv.window.pads[1] = conv.window.pads[2] = conv.window.pads[3] = 1;
    conv.output_padding[0] = 1;
    conv.group = 3;
    g = one_transpose(conv);
    ASSERT_SHAPE(g, SHAPE(1, 6, 5, 7), OK, "[1,6,10,13]");
    as_graph_free(g);
    conv.output_padding[0] = 0;
    conv.window.auto_pad = AS_PAD_SAME_UPPER;
    g = one_transpose(conv);
    ASSERT_SHAPE(g, SHAPE(1, 6, 5, 7), OK, "[1,6,10,14]");
    int64_t pads[4];
    as_window_transpose_pads(&conv, 5, 7, pads);
    const int64_t upper[4] = {0, 0, 1, 1}; /* 2 * 4 + 3 - 10 = 1 */
    assert_memory_equal(pads, upper, sizeof upper);
    as_graph_free(g);
    conv.window.strides[1] = 4;
    g = one_transpose(conv);
    ASSERT_SHAPE(g, SHAPE(1, 6, 5, 7), ASSAY_E_UNSUPPORTED,
                 "its auto_pad is SAME with a stride of 4 above its window of 3");
    as_graph_free(g);
}

static void pools_in_ceil_mode_drop_a_window_that_begins_in_padding(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 3, -1, -1));
    int y = add_node(g, AS_OP_MAX_POOL, "pool", x, -1, -1);
    as_pool_attributes *pool = &attributes_of(g, y)->pool;
    pool->window = (as_window){.kernel = {3, 2}, .strides = {2, 2}, .dilations = {1, 1}};
    pool->ceil_mode = true;
    finish(g, y);
    ASSERT_SHAPE(g, SHAPE(1, 3, 6, 7), OK, "[1,3,3,4]");
    pool->window = (as_window){
        .kernel = {2, 2}, .strides = {3, 3}, .dilations = {1, 1}, .pads = {0, 0, 1, 1}};
    ASSERT_SHAPE(g, SHAPE(1, 3, 3, 4), OK, "[1,3,1,2]");
    /* A lone partial window: room -1, stride 3; with a stride of 1 nothing is left. */
    pool->window.pads[2] = pool->window.pads[3] = 0;
    ASSERT_SHAPE(g, SHAPE(1, 3, 1, 1), OK, "[1,3,1,1]");
    pool->window.strides[0] = 1;
    ASSERT_SHAPE(g, SHAPE(1, 3, 1, 1), ASSAY_E_ARGUMENT,
                 "its input has 1 rows and 0 of padding, its window needs 2: the output size "
                 "would be 0");
    pool->ceil_mode = false;
    pool->window.pads[2] = pool->window.pads[3] = 1;
    pool->window.pads[0] = 2;
    ASSERT_SHAPE(g, SHAPE(1, 3, 3, 4), ASSAY_E_FORMAT,
                 "its pads are 2 and 1, they must be below its window's 2");
    as_graph_free(g);
}

static void resize_floors_what_its_scales_give(void **state)
{
    (void)state;
    const float scales[4] = {1, 1, 2, 0.5f};
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 3, -1, -1));
    int y = add_node(g, AS_OP_RESIZE, "up", x, add_floats(g, "s", SHAPE(4), scales), -1);
    finish(g, y);
    ASSERT_SHAPE(g, SHAPE(1, 3, 5, 7), OK, "[1,3,10,3]");
    ASSERT_SHAPE(g, SHAPE(1, 3, 5, 1), ASSAY_E_ARGUMENT,
                 "its output would be [1,3,10,0], without elements");
    as_graph_free(g);
}

static void broadcasting_is_numpys(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, -1, -1, -1));
    int y = add_node(g, AS_OP_ADD, "sum", x, add_floats(g, "c", SHAPE(5, 1, 7), NULL), -1);
    finish(g, y);
    ASSERT_SHAPE(g, SHAPE(2, 1, 3, 7), OK, "[2,5,3,7]");
    ASSERT_SHAPE(g, SHAPE(2, 4, 3, 7), ASSAY_E_ARGUMENT,
                 "its inputs are [2,4,3,7] and [5,1,7], they cannot be combined");
    as_graph_free(g);
}

static void concat_adds_one_axis_and_needs_the_others_equal(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, -1, -1));
    int y = add_node(g, AS_OP_CONCAT, "cat", x, add_floats(g, "c", SHAPE(2, 3, 5), NULL), x);
    attributes_of(g, y)->axis.axis = -2;
    finish(g, y);
    ASSERT_SHAPE(g, SHAPE(2, 7, 5), OK, "[2,17,5]");
    ASSERT_SHAPE(g, SHAPE(2, 7, 4), ASSAY_E_ARGUMENT,
                 "its input 1 is [2,3,5], it must suit [2,7,4] except on axis 1");
    as_graph_free(g);
}

static void reshape_copies_zeros_and_fills_the_rest(void **state)
{
    (void)state;
    const int64_t wanted[3] = {0, -1, 4};
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, -1, -1, -1));
    int y = add_node(g, AS_OP_RESHAPE, "r", x, add_integers(g, 3, wanted), -1);
    finish(g, y);
    ASSERT_SHAPE(g, SHAPE(2, 3, 2, 4), OK, "[2,6,4]");
    ASSERT_SHAPE(g, SHAPE(2, 3, 1, 5), ASSAY_E_ARGUMENT,
                 "its input [2,3,1,5] has 30 elements, which cannot be shaped [0,-1,4]");
    as_graph_free(g);
}

static void layout_operators_keep_their_elements(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, -1, -1, -1));
    int t = add_node(g, AS_OP_TRANSPOSE, "t", x, -1, -1);
    as_attributes *a = attributes_of(g, t);
    a->transpose.n = 4;
    memcpy(a->transpose.perm, (int[]){0, 2, 3, 1}, 4 * sizeof(int));
    int f = add_node(g, AS_OP_FLATTEN, "f", t, -1, -1);
    int m = add_node(g, AS_OP_MATMUL, "m", f, add_floats(g, "w", SHAPE(30, 4), NULL), -1);
    finish(g, m);
    ASSERT_SHAPE(g, SHAPE(7, 2, 3, 5), OK, "[7,4]");
    ASSERT_SHAPE(g, SHAPE(7, 2, 3, 4), ASSAY_E_ARGUMENT,
                 "its first input has 24 columns, its second 30 rows");
    as_graph_free(g);
}

static void slices_take_what_onnx_says(void **state)
{
    (void)state;
    static const struct {
        int64_t n, start, end, step, first, count;
    } cases[] = {
        {7, 0, 7, 1, 0, 7},
        {7, -3, INT64_MAX, 1, 4, 3},
        {7, 1, -1, 2, 1, 3},
        {7, 5, 2, 1, 5, 0},
        {7, INT64_MAX, INT64_MIN, -1, 6, 7},
        {7, -1, 0, -2, 6, 3},
        {7, INT64_MIN, INT64_MAX, INT64_MAX, 0, 1},
        {7, 3, INT64_MIN + 1, INT64_MIN + 1, 3, 1},
        {1, 0, 1, 1, 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t first = -1;
        assert_int_equal(
            as_slice_range(cases[i].n, cases[i].start, cases[i].end, cases[i].step, &first),
            cases[i].count);
        assert_int_equal(first, cases[i].first);
    }
}

static void slice_gather_squeeze_and_unsqueeze_choose_dims(void **state)
{
    (void)state;
    const int64_t start = 1, end = -1, axis = 2, two[2] = {0, 2};
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, -1, -1, -1));
    int inputs[4] = {x, add_integers(g, 1, &start), add_integers(g, 1, &end),
                     add_integers(g, 1, &axis)};
    int s = as_graph_add_tensor(g, "s", AS_F32, NULL);
    assert_true(as_graph_add_node(g, AS_OP_SLICE, "s", inputs, 4, &s, 1) >= 0);
    int t = add_node(g, AS_OP_GATHER, "t", s, add_integers(g, 2, two), -1);
    attributes_of(g, t)->axis.axis = 1;
    int u = add_node(g, AS_OP_UNSQUEEZE, "u", t, -1, -1);
    attributes_of(g, u)->reduce.n_axes = 2;
    attributes_of(g, u)->reduce.axes[0] = -1;
    attributes_of(g, u)->reduce.axes[1] = 0;
    int v = add_node(g, AS_OP_SQUEEZE, "v", u, -1, -1);
    attributes_of(g, v)->reduce.n_axes = 1;
    finish(g, v);
    ASSERT_SHAPE(g, SHAPE(5, 3, 8, 9), OK, "[5,2,6,9,1]");
    as_graph_free(g);
}

static void means_keep_or_drop_their_axes(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, -1, -1, -1));
    int y = add_node(g, AS_OP_REDUCE_MEAN, "mean", x, -1, -1);
    as_reduce_attributes *r = &attributes_of(g, y)->reduce;
    r->n_axes = 2;
    r->axes[0] = -1;
    r->axes[1] = 2;
    finish(g, y);
    ASSERT_SHAPE(g, SHAPE(2, 3, 5, 7), OK, "[2,3,1,1]");
    r->keepdims = false;
    ASSERT_SHAPE(g, SHAPE(2, 3, 5, 7), OK, "[2,3]");
    r->axes[1] = 4;
    ASSERT_SHAPE(g, SHAPE(2, 3, 5, 7), ASSAY_E_ARGUMENT,
                 "its axis 4 is not among the axes of its input of rank 4");
    as_graph_free(g);
}

static void a_gemms_third_input_must_spread_over_its_product(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, -1));
    int w = add_floats(g, "w", SHAPE(4, 3), NULL), c = add_floats(g, "c", SHAPE(2, 4), NULL);
    int y = add_node(g, AS_OP_GEMM, "fc", x, w, c);
    attributes_of(g, y)->gemm.is_b_transposed = true;
    finish(g, y);
    ASSERT_SHAPE(g, SHAPE(2, 3), OK, "[2,4]");
    ASSERT_SHAPE(g, SHAPE(1, 3), ASSAY_E_ARGUMENT,
                 "its input 2 is [2,4], it must spread over [1,4]");
    as_graph_free(g);
}

static void computed_shapes_are_refused_when_they_are_needed(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 4));
    as_shape shape = SHAPE(2);
    int wanted = as_graph_add_tensor(g, "wanted", AS_I64, &shape);
    assert_true(as_graph_add_input(g, wanted));
    int y = add_node(g, AS_OP_RESHAPE, "r", x, wanted, -1);
    finish(g, add_node(g, AS_OP_RELU, "relu", y, -1, -1));
    as_shape inputs[2] = {SHAPE(3, 4), SHAPE(2)};
    assay_error err = {0};
    as_shapes shapes;
    assert_int_equal(as_shape_infer(g, inputs, 2, &shapes, &err), ASSAY_E_UNSUPPORTED);
    assert_string_equal(err.message,
                        "its input 'shape' is computed while the network runs, assay "
                        "has to know it before");
    assert_int_equal(as_shape_infer(g, NULL, 0, &shapes, &err), ASSAY_OK);
    assert_int_equal(shapes.of[as_graph_outputs(g)[0]].rank, -1);
    as_shapes_free(&shapes);
    as_graph_free(g);
}

static void costs_count_multiply_adds_and_parameters(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, 4, -1, -1));
    int w = add_floats(g, "w", SHAPE(6, 2, 3, 3), NULL), b = add_floats(g, "b", SHAPE(6), NULL);
    int y = add_conv(g, "conv", x, w, b, 2, 1);
    attributes_of(g, y)->conv.group = 2;
    int up = add_node(g, AS_OP_CONV_TRANSPOSE, "up", y,
                      add_floats(g, "w2", SHAPE(6, 5, 2, 2), NULL), -1);
    attributes_of(g, up)->conv.window =
        (as_window){.kernel = {2, 2}, .strides = {2, 2}, .dilations = {1, 1}};
    finish(g, up);
    as_shape shape = SHAPE(2, 4, 10, 14);
    as_shapes shapes;
    assert_int_equal(as_shape_infer(g, &shape, 1, &shapes, NULL), ASSAY_OK);
    as_cost conv = as_node_cost(g, as_graph_node(g, 0), &shapes);
    assert_int_equal(conv.macs, 2 * 6 * 5 * 7 * (2 * 9));
    assert_int_equal(conv.n_parameters, 6 * 2 * 9 + 6);
    as_cost transposed = as_node_cost(g, as_graph_node(g, 1), &shapes);
    assert_int_equal(transposed.macs, 2 * 6 * 5 * 7 * (5 * 4));
    as_shapes_free(&shapes);
    as_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conv_sizes_follow_pads_strides_and_dilations),
        cmocka_unit_test(same_pads_round_up_and_valid_rounds_down_on_odd_sizes),
        cmocka_unit_test(the_odd_pad_goes_where_auto_pad_says),
        cmocka_unit_test(a_window_larger_than_its_input_is_refused_with_numbers),
        cmocka_unit_test(channels_that_contradict_the_weights_are_refused),
        cmocka_unit_test(a_graph_that_contradicts_itself_is_of_a_wrong_format),
        cmocka_unit_test(dynamic_dims_stay_unknown_and_channels_do_not),
        cmocka_unit_test(inputs_must_be_as_many_as_the_network_has),
        cmocka_unit_test(transposed_convolutions_grow),
        cmocka_unit_test(pools_in_ceil_mode_drop_a_window_that_begins_in_padding),
        cmocka_unit_test(resize_floors_what_its_scales_give),
        cmocka_unit_test(broadcasting_is_numpys),
        cmocka_unit_test(concat_adds_one_axis_and_needs_the_others_equal),
        cmocka_unit_test(reshape_copies_zeros_and_fills_the_rest),
        cmocka_unit_test(layout_operators_keep_their_elements),
        cmocka_unit_test(slices_take_what_onnx_says),
        cmocka_unit_test(slice_gather_squeeze_and_unsqueeze_choose_dims),
        cmocka_unit_test(means_keep_or_drop_their_axes),
        cmocka_unit_test(a_gemms_third_input_must_spread_over_its_product),
        cmocka_unit_test(computed_shapes_are_refused_when_they_are_needed),
        cmocka_unit_test(costs_count_multiply_adds_and_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
