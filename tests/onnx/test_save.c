/* SPDX-License-Identifier: Apache-2.0 */
/* A graph that is written is read back as it was, its bytes depend on it alone, and what the file
 * cannot say is refused. */
#include "model.h"

#include <stdio.h>
#include <unistd.h>

#include "onnx/save.h"

/* A network like those that are trained: 1 x 8 x 8 images, every operator that the trainer has. */
enum { WIDTH = 4, CLASSES = 3, MOST_WEIGHTS = 256 };

static float weights[MOST_WEIGHTS];

static int tensor(as_graph *g, const char *name)
{
    int id = as_graph_add_tensor(g, name, AS_F32, NULL);
    assert_true(id >= 0);
    return id;
}

static int weight(as_graph *g, const char *name, int rank, const int64_t *dims)
{
    as_shape shape = {.rank = rank};
    memcpy(shape.dims, dims, (size_t)rank * sizeof *dims);
    int id = as_graph_add_constant(g, name, AS_F32, &shape, weights);
    assert_true(id >= 0);
    return id;
}

static as_attributes *node(as_graph *g, as_op op, const char *name, const int *inputs, int n,
                           int output)
{
    int id = as_graph_add_node(g, op, name, inputs, n, &output, 1);
    assert_true(id >= 0);
    return &as_graph_edit_node(g, id)->attributes;
}

static int conv(as_graph *g, const char *name, int x, int w, int kernel, int group)
{
    int y = tensor(g, name);
    as_window *window = &node(g, AS_OP_CONV, name, (int[]){x, w}, 2, y)->conv.window;
    window->n_axes = 2;
    window->kernel[0] = window->kernel[1] = kernel;
    for (int i = 0; i < 4; i++)
        window->pads[i] = kernel / 2;
    as_graph_edit_node(g, as_graph_tensor(g, y)->producer)->attributes.conv.group = group;
    return y;
}

static int pool(as_graph *g, as_op op, const char *name, int x)
{
    int y = tensor(g, name);
    as_window *window = &node(g, op, name, &x, 1, y)->pool.window;
    window->n_axes = 2;
    window->kernel[0] = window->kernel[1] = window->strides[0] = window->strides[1] = 2;
    return y;
}

static int batch_norm(as_graph *g, int x)
{
    static const int64_t dims[] = {WIDTH};
    int y = tensor(g, "bn");
    const int inputs[] = {x, weight(g, "bn.scale", 1, dims), weight(g, "bn.bias", 1, dims),
                          weight(g, "bn.mean", 1, dims), weight(g, "bn.variance", 1, dims)};
    node(g, AS_OP_BATCH_NORM, "bn", inputs, 5, y)->batch_norm.epsilon = 1e-3F;
    return y;
}

static int chain(as_graph *g, as_op op, const char *name, const int *inputs, int n)
{
    int y = tensor(g, name);
    node(g, op, name, inputs, n, y);
    return y;
}

static as_graph *network(void)
{
    for (int i = 0; i < MOST_WEIGHTS; i++)
        weights[i] = 0.5F + (float)i / MOST_WEIGHTS;
    as_graph *g = as_graph_new();
    assert_non_null(g);
    assert_true(as_graph_set_info(g, "standard-4", "assay", 0));
    const as_shape images = {.rank = 4, .dims = {-1, 1, 8, 8}};
    int x = as_graph_add_tensor(g, "input", AS_F32, &images);
    as_graph_edit_tensor(g, x)->dim_names[0] = "N";
    assert_true(as_graph_add_input(g, x));
    int y = conv(g, "conv", x, weight(g, "w0", 4, (int64_t[]){WIDTH, 1, 3, 3}), 3, 1);
    y = batch_norm(g, y);
    int relu = chain(g, AS_OP_RELU, "relu", &y, 1);
    y = conv(g, "dw", relu, weight(g, "w1", 4, (int64_t[]){WIDTH, 1, 3, 3}), 3, WIDTH);
    y = chain(g, AS_OP_ADD, "add", (int[]){y, relu}, 2);
    y = pool(g, AS_OP_AVERAGE_POOL, "mean", y);
    y = pool(g, AS_OP_MAX_POOL, "max", y);
    y = chain(g, AS_OP_FLATTEN, "flat", &y, 1);
    int w = weight(g, "w2", 2, (int64_t[]){CLASSES, 4 * WIDTH});
    int b = weight(g, "b2", 1, (int64_t[]){CLASSES});
    int logits = tensor(g, "logits");
    as_attributes *a = node(g, AS_OP_GEMM, "linear", (int[]){y, w, b}, 3, logits);
    a->gemm.is_b_transposed = true;
    assert_true(as_graph_add_output(g, logits));
    assay_error err;
    assert_int_equal(as_graph_sort(g, &err), ASSAY_OK);
    assert_int_equal(as_graph_resolve(g, &err), ASSAY_OK);
    return g;
}

static as_bytes print_graph(const as_graph *g)
{
    as_bytes bytes;
    assay_error err = {0};
    if (as_onnx_print(g, &bytes, &err)) fail_msg("%s (%s)", err.message, err.where);
    return bytes;
}

static as_graph *parse(const as_bytes *bytes)
{
    as_graph *g = NULL;
    assay_error err = {0};
    if (as_onnx_parse(bytes->data, bytes->size, "written", &g, &err))
        fail_msg("%s (%s)", err.message, err.where);
    return g;
}

/* ---- Equal graphs; tensors go by name, since ids follow the file ---- */

static void same_tensor(const as_tensor *a, const as_tensor *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->dtype, b->dtype);
    assert_int_equal(a->n_elements, b->n_elements);
    assert_int_equal(!a->data, !b->data);
    if (!a->data) return;
    assert_int_equal(a->rank, b->rank);
    assert_memory_equal(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims);
    assert_memory_equal(a->data, b->data, a->n_elements * as_dtype_bytes(a->dtype));
}

static void same_ports(const as_graph *a, const as_graph *b, const int *of_a, const int *of_b,
                       int n)
{
    for (int i = 0; i < n; i++)
        same_tensor(as_graph_tensor(a, of_a[i]), as_graph_tensor(b, of_b[i]));
}

static void same_window(const as_window *a, const as_window *b)
{
    assert_memory_equal(a, b, sizeof *a);
}

static void same_attributes(const as_node *x, const as_node *y)
{
    const as_attributes *a = &x->attributes, *b = &y->attributes;
    switch (as_op_info(x->op)->attributes) {
    case AS_ATTRIBUTES_conv:
        same_window(&a->conv.window, &b->conv.window);
        assert_int_equal(a->conv.group, b->conv.group);
        break;
    case AS_ATTRIBUTES_pool:
        same_window(&a->pool.window, &b->pool.window);
        assert_int_equal(a->pool.ceil_mode, b->pool.ceil_mode);
        assert_int_equal(a->pool.count_include_pad, b->pool.count_include_pad);
        break;
    case AS_ATTRIBUTES_batch_norm:
        assert_true(a->batch_norm.epsilon == b->batch_norm.epsilon);
        assert_true(a->batch_norm.momentum == b->batch_norm.momentum);
        break;
    case AS_ATTRIBUTES_gemm:
        assert_true(a->gemm.alpha == b->gemm.alpha && a->gemm.beta == b->gemm.beta);
        assert_int_equal(a->gemm.is_a_transposed, b->gemm.is_a_transposed);
        assert_int_equal(a->gemm.is_b_transposed, b->gemm.is_b_transposed);
        break;
    case AS_ATTRIBUTES_axis:
        assert_int_equal(a->axis.axis, b->axis.axis);
        break;
    default:
        break;
    }
}

static void same_graph(const as_graph *a, const as_graph *b)
{
    assert_string_equal(as_graph_name(a), as_graph_name(b));
    assert_string_equal(as_graph_producer_name(a), as_graph_producer_name(b));
    assert_int_equal(as_graph_n_inputs(a), as_graph_n_inputs(b));
    assert_int_equal(as_graph_n_outputs(a), as_graph_n_outputs(b));
    same_ports(a, b, as_graph_inputs(a), as_graph_inputs(b), as_graph_n_inputs(a));
    same_ports(a, b, as_graph_outputs(a), as_graph_outputs(b), as_graph_n_outputs(a));
    assert_int_equal(as_graph_n_nodes(a), as_graph_n_nodes(b));
    for (int i = 0; i < as_graph_n_nodes(a); i++) {
        const as_node *x = as_graph_node(a, i), *y = as_graph_node(b, i);
        assert_int_equal(x->op, y->op);
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->n_inputs, y->n_inputs);
        assert_int_equal(x->n_outputs, y->n_outputs);
        same_ports(a, b, x->inputs, y->inputs, x->n_inputs);
        same_ports(a, b, x->outputs, y->outputs, x->n_outputs);
        same_attributes(x, y);
    }
}

/* ---- Claims ---- */

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    as_graph *g = network();
    as_bytes bytes = print_graph(g);
    as_graph *again = parse(&bytes);
    same_graph(g, again);
    assert_int_equal(as_graph_opset(again), AS_ONNX_SAVED_OPSET);
    const as_tensor *input = as_graph_tensor(again, as_graph_inputs(again)[0]);
    assert_int_equal(input->dims[0], -1);
    assert_string_equal(input->dim_names[0], "N");
    assert_int_equal(input->dims[3], 8);
    as_bytes second = print_graph(again);
    assert_int_equal(bytes.size, second.size);
    as_graph_free(again);
    as_graph_free(g);
    as_bytes_free(&second);
    as_bytes_free(&bytes);
}

static void equal_graphs_have_equal_bytes(void **state)
{
    (void)state;
    as_graph *a = network(), *b = network();
    as_bytes x = print_graph(a), y = print_graph(b);
    assert_int_equal(x.size, y.size);
    assert_memory_equal(x.data, y.data, x.size);
    as_bytes_free(&x);
    as_bytes_free(&y);
    as_graph_free(a);
    as_graph_free(b);
}

static void constants_of_a_file_become_weights(void **state)
{
    (void)state;
    begin_model(13);
    add_input("x", 2, (int64_t[]){6, 4});
    begin_node("Constant", "c", "", "k");
    m.nodes[m.graph.n_node - 1].n_input = 0;
    add_ints("value_ints", 3, (int64_t[]){2, 3, 4});
    begin_node("Reshape", "a", "x k", "y");
    add_output("y");
    as_graph *g = load();
    as_bytes bytes = print_graph(g);
    as_graph *again = parse(&bytes);
    assert_int_equal(as_graph_n_nodes(again), 1);
    const as_tensor *k = as_graph_tensor(again, as_graph_node(again, 0)->inputs[1]);
    assert_int_equal(k->n_elements, 3);
    assert_true(((const int64_t *)k->data)[2] == 4);
    as_graph_free(again);
    as_graph_free(g);
    as_bytes_free(&bytes);
}

static void a_file_is_written_whole(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, P_tmpdir "/assay-save-%ld.onnx", (long)getpid());
    as_graph *g = network(), *again = NULL;
    assay_error err = {0};
    assert_int_equal(as_onnx_save(g, path, &err), ASSAY_OK);
    assert_int_equal(as_onnx_load(path, &again, &err), ASSAY_OK);
    same_graph(g, again);
    as_graph_free(again);
    assert_int_equal(as_onnx_save(g, "/nowhere/at/all.onnx", &err), ASSAY_E_IO);
    as_graph_free(g);
    unlink(path);
}

static void refused(const as_graph *g, assay_code code, const char *message, const char *where)
{
    as_bytes bytes;
    assay_error err = {0};
    assert_int_equal(as_onnx_print(g, &bytes, &err), code);
    assert_string_equal(err.message, message);
    assert_string_equal(err.where, where);
    assert_null(bytes.data);
}

static void what_the_opset_cannot_say_is_refused(void **state)
{
    (void)state;
    as_graph *g = network();
    as_graph_edit_node(g, 0)->attributes.conv.window.auto_pad = AS_PAD_SAME_UPPER;
    refused(g, ASSAY_E_UNSUPPORTED, "auto_pad cannot be written as opset 13",
            "node 0 'conv' (Conv)");
    as_graph_free(g);
    g = network();
    const int flat = as_graph_node(g, 7)->outputs[0];
    as_graph_edit_tensor(g, flat)->name = "";
    refused(g, ASSAY_E_ARGUMENT, "its tensor 14 has no name, a file needs one",
            "node 7 'flat' (Flatten)");
    as_graph_free(g);
    g = network();
    const int x = as_graph_node(g, 2)->inputs[0];
    assert_true(as_graph_change_node(g, 2, AS_OP_MISH, &x, 1));
    refused(g, ASSAY_E_UNSUPPORTED, "Mish cannot be written as opset 13",
            "node 2 'relu' (Mish)");
    as_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(equal_graphs_have_equal_bytes),
        cmocka_unit_test(constants_of_a_file_become_weights),
        cmocka_unit_test(a_file_is_written_whole),
        cmocka_unit_test(what_the_opset_cannot_say_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
