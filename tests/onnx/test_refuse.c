/* SPDX-License-Identifier: Apache-2.0 */
/* Files and models that are refused: code, sentence and place. */
#include "model.h"

#include <unistd.h>

#include "base/file.h"

static const int64_t image[4] = {-1, 3, -1, -1};

static void begin(void)
{
    begin_model(13);
    add_input("x", 4, image);
}

/* ---- Files ---- */

static void refuse_bytes(const void *bytes, size_t size, const char *message)
{
    assay_error err = {0};
    as_graph *graph = NULL;
    assert_int_equal(as_onnx_parse(bytes, size, "m.onnx", &graph, &err), ASSAY_E_FORMAT);
    assert_string_equal(err.message, message);
    assert_string_equal(err.where, "m.onnx");
    assert_null(graph);
}

static void a_missing_file_is_not_found(void **state)
{
    (void)state;
    assay_error err = {0};
    as_graph *graph = NULL;
    assert_int_equal(as_onnx_load("cases/no-such.onnx", &graph, &err), ASSAY_E_NOT_FOUND);
    assert_string_equal(err.message, "cases/no-such.onnx does not exist");
    assert_int_equal(as_onnx_load("cases", &graph, &err), ASSAY_E_UNSUPPORTED);
}

static void an_empty_file_is_no_model(void **state)
{
    (void)state;
    refuse_bytes("", 0, "m.onnx is empty, it must be an ONNX model");
}

static void an_html_page_is_no_model(void **state)
{
    (void)state;
    static const char page[] = "<!DOCTYPE html>\n<html><body>Not found</body></html>\n";
    refuse_bytes(
        page, sizeof page - 1,
        "m.onnx is not an ONNX protobuf (it looks like a web page): no field of an ONNX "
        "model begins at byte 0");
    static const char text[] = "hello, this is a text of more than a few words";
    refuse_bytes(text, sizeof text - 1,
                 "m.onnx is not an ONNX protobuf (it looks like text format): no field of an "
                 "ONNX model begins at byte 0");
}

static void a_truncated_model_says_where_it_ends(void **state)
{
    (void)state;
    size_t size;
    begin();
    begin_node("Relu", "r", "x", "y");
    add_output("y");
    unsigned char *bytes = pack_model(&size);
    assay_error err = {0};
    as_graph *graph = NULL;
    assert_int_equal(as_onnx_parse(bytes, size - 9, "m.onnx", &graph, &err), ASSAY_E_FORMAT);
    assert_non_null(
        strstr(err.message, "m.onnx is truncated or not an ONNX model: the field at byte"));
    free(bytes);
}

static void deep_nesting_is_refused_before_it_is_unpacked(void **state)
{
    (void)state;
    /* Each level is a field of graph, node, attribute and graph again, all of 1 << 20 bytes. */
    enum { N = 1 << 20 };
    unsigned char *bytes = malloc(N);
    static const unsigned char keys[3] = {1 << 3 | 2, 5 << 3 | 2, 6 << 3 | 2};
    size_t at = 0;
    for (int level = 0; at + 8 < N; level++) {
        size_t left = N - at - 5; /* key, and a length of four bytes */
        bytes[at++] = level == 0 ? 7 << 3 | 2 : keys[(level - 1) % 3];
        for (int i = 0; i < 4; i++)
            bytes[at++] = (unsigned char)((left >> (7 * i) & 0x7f) | (i < 3 ? 0x80 : 0));
    }
    memset(bytes + at, 0, N - at);
    assay_error err = {0};
    as_graph *graph = NULL;
    assert_int_equal(as_onnx_parse(bytes, N, "m.onnx", &graph, &err), ASSAY_E_FORMAT);
    assert_non_null(strstr(err.message, "m.onnx nests messages deeper than 64"));
    free(bytes);
}

/* A model whose graph has `n` empty messages of field `number`. */
static unsigned char *empty_messages(size_t n, int number, size_t *size)
{
    size_t length = 2 * n, at = 0;
    unsigned char *bytes = malloc(length + 16);
    bytes[at++] = 7 << 3 | 2; /* graph */
    for (size_t left = length, i = 0; i < 5; i++, left >>= 7)
        bytes[at++] = (unsigned char)((left & 0x7f) | (i < 4 ? 0x80 : 0));
    for (size_t i = 0; i < n; i++) {
        bytes[at++] = (unsigned char)(number << 3 | 2);
        bytes[at++] = 0;
    }
    *size = at;
    return bytes;
}

static void many_empty_messages_are_refused_within_bounds(void **state)
{
    (void)state;
    static const int fields[] = {1, 5, 11, 12,
                                 13}; /* node initializer input output value_info */
    assay_error err = {0};
    as_graph *graph = NULL;
    size_t size;
    unsigned char *bytes;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        bytes = empty_messages((size_t)1 << 19, fields[i], &size);
        assert_int_equal(as_onnx_parse(bytes, size, "m.onnx", &graph, &err), ASSAY_E_FORMAT);
        assert_string_equal(err.message, "m.onnx has 1048582 bytes whose messages and names "
                                         "need more than 40 MiB");
        free(bytes);
    }
    bytes = empty_messages((size_t)1 << 22, 1, &size);
    assert_int_equal(as_onnx_parse(bytes, size, "m.onnx", &graph, &err), ASSAY_E_FORMAT);
    assert_string_equal(err.message, "m.onnx holds more than 4194304 messages");
    free(bytes);
}

static void a_model_without_graph_opset_or_output_is_refused(void **state)
{
    (void)state;
    begin();
    begin_node("Relu", "r", "x", "y");
    assert_refused(ASSAY_E_FORMAT, "the graph has no outputs", "m.onnx");
    add_output("y");
    m.model.n_opset_import = 0;
    assert_refused(ASSAY_E_FORMAT,
                   "dir/m.onnx has no opset_import for ONNX's operators, their meaning is open",
                   "m.onnx");
    m.model.graph = NULL;
    assert_refused(ASSAY_E_FORMAT, "dir/m.onnx is not an ONNX model: there is no graph in it",
                   "m.onnx");
}

static void opsets_beyond_those_known_are_refused(void **state)
{
    (void)state;
    begin();
    begin_node("Relu", "r", "x", "y");
    add_output("y");
    m.opsets[0].version = -1;
    assert_refused(
        ASSAY_E_UNSUPPORTED,
        "dir/m.onnx is of opset -1, the lowest supported is 1, the highest supported is 28",
        "m.onnx");
    m.opsets[0].version = 29;
    assert_refused(
        ASSAY_E_UNSUPPORTED,
        "dir/m.onnx is of opset 29, the lowest supported is 1, the highest supported is 28",
        "m.onnx");
}

/* ---- Nodes ---- */

static void an_unknown_operator_is_refused_with_domain_and_opset(void **state)
{
    (void)state;
    begin();
    begin_node("NonMaxSuppression", "nms", "x", "y");
    add_output("y");
    assert_refused(
        ASSAY_E_UNSUPPORTED,
        "operator 'NonMaxSuppression' (domain ai.onnx, opset 13) is not one that assay "
        "runs",
        "m.onnx: node 0 'nms' (NonMaxSuppression)");
    m.nodes[0].domain = "com.microsoft";
    assert_refused(
        ASSAY_E_UNSUPPORTED,
        "operator 'NonMaxSuppression' is of domain 'com.microsoft' (model opset 13), "
        "assay runs ONNX's own",
        "m.onnx: node 0 'nms' (NonMaxSuppression)");
    m.nodes[0].domain = "";
    m.nodes[0].op_type = "Gelu";
    assert_refused(ASSAY_E_UNSUPPORTED,
                   "operator 'Gelu' (domain ai.onnx) is of opset 13, assay reads it from 20 on",
                   "m.onnx: node 0 'nms' (Gelu)");
}

static void an_input_that_nothing_gives_is_refused(void **state)
{
    (void)state;
    begin();
    begin_node("Relu", "r", "ghost", "y");
    add_output("y");
    assert_refused(
        ASSAY_E_FORMAT,
        "it reads the undefined tensor 'ghost', which no node, input or weight gives",
        "m.onnx: node 0 'r' (Relu)");
}

static void a_cycle_is_refused(void **state)
{
    (void)state;
    begin();
    begin_node("Add", "a", "x c", "b");
    begin_node("Relu", "r", "b", "c");
    add_output("c");
    assert_refused(ASSAY_E_FORMAT,
                   "the nodes form a cycle: it reads 'b', which itself depends on this node",
                   "m.onnx: node 1 'r' (Relu)");
}

static void wrong_counts_of_inputs_are_refused(void **state)
{
    (void)state;
    begin();
    begin_node("Add", "a", "x", "y");
    add_output("y");
    assert_refused(ASSAY_E_FORMAT, "it has 1 inputs, assay takes 2 to 2",
                   "m.onnx: node 0 'a' (Add)");
    begin();
    begin_node("Add", "a", "x x x", "y");
    add_output("y");
    assert_refused(ASSAY_E_UNSUPPORTED, "it has 3 inputs, assay takes 2 to 2",
                   "m.onnx: node 0 'a' (Add)");
    begin();
    begin_node("Add", "a", "- x", "y");
    add_output("y");
    assert_refused(ASSAY_E_FORMAT, "number 0 of its inputs is left out",
                   "m.onnx: node 0 'a' (Add)");
}

static void a_tensor_that_is_written_twice_is_refused(void **state)
{
    (void)state;
    begin();
    begin_node("Relu", "a", "x", "y");
    begin_node("Relu", "b", "x", "y");
    add_output("y");
    assert_refused(ASSAY_E_FORMAT, "tensor 'y' is produced twice, first by node 0 'a'",
                   "m.onnx: node 1 'b' (Relu)");
}

static void an_output_that_nothing_writes_is_refused(void **state)
{
    (void)state;
    begin();
    begin_node("Relu", "a", "x", "y");
    add_output("z");
    assert_refused(ASSAY_E_FORMAT, "graph output 'z' is not produced by any node", "m.onnx");
}

static void shapes_that_contradict_each_other_are_refused_at_load(void **state)
{
    (void)state;
    static const float w[8 * 4];
    begin();
    add_weight("w", F32, 4, (int64_t[]){8, 4, 1, 1}, w, sizeof w);
    begin_node("Conv", "c", "x w", "y");
    add_output("y");
    assert_refused(ASSAY_E_FORMAT, "its weights expect 4 input channels, it gets 3",
                   "m.onnx: node 0 'c' (Conv)");
}

/* ---- Weights ---- */

/* A model of one weight, for the reader to refuse. */
static Onnx__TensorProto *begin_weight(int type, int rank, const int64_t *dims, size_t n_bytes)
{
    static const unsigned char zeros[4096];
    begin();
    begin_node("Relu", "r", "x", "y");
    add_output("y");
    return add_weight("conv1.w", type, rank, dims, zeros, n_bytes);
}

static void a_weight_of_a_wrong_size_is_counted(void **state)
{
    (void)state;
    const int64_t dims[4] = {8, 3, 3, 3};
    begin_weight(F32, 4, dims, 27 * 4);
    assert_refused(ASSAY_E_FORMAT,
                   "weight tensor 'conv1.w' has 108 bytes, its shape [8,3,3,3] needs 864 bytes",
                   "m.onnx");
    begin_weight(F32, 4, dims, 109);
    assert_refused(ASSAY_E_FORMAT,
                   "weight tensor 'conv1.w' has 109 bytes, its shape [8,3,3,3] needs 864 bytes",
                   "m.onnx");
}

static void hostile_shapes_are_refused(void **state)
{
    (void)state;
    begin_weight(F32, 2, (int64_t[]){-3, 2}, 4);
    assert_refused(ASSAY_E_FORMAT, "weight tensor 'conv1.w' has the negative dimension -3",
                   "m.onnx");
    begin_weight(F32, 3, (int64_t[]){INT64_MAX, INT64_MAX, 4}, 4);
    assay_error err = {0};
    as_graph *graph;
    assert_int_equal(load_model(&graph, &err), ASSAY_E_FORMAT);
    begin_weight(F32, 2, (int64_t[]){(int64_t)1 << 62, 0}, 0);
    assert_refused(ASSAY_E_FORMAT,
                   "weight tensor 'conv1.w' has the dimension 4611686018427387904, its element "
                   "count overflows or exceeds any data: 2147483647 is the most",
                   "m.onnx");
    begin();
    m.info_dims[0][1].dim_value = INT64_MAX;
    assert_refused(ASSAY_E_FORMAT,
                   "tensor 'x' has the dimension 9223372036854775807, 2147483647 is the most",
                   "m.onnx");
    begin_weight(F32, 9, (int64_t[]){1, 1, 1, 1, 1, 1, 1, 1, 1}, 4);
    assert_refused(ASSAY_E_UNSUPPORTED,
                   "weight tensor 'conv1.w' has 9 dims, at most 8 are read", "m.onnx");
}

static void other_element_types_and_storages_are_refused(void **state)
{
    (void)state;
    const int64_t one = 1;
    begin_weight(ONNX__TENSOR_PROTO__DATA_TYPE__INT8, 1, &one, 1);
    assert_refused(
        ASSAY_E_UNSUPPORTED,
        "weight tensor 'conv1.w' has elements INT8 (data type 3), which assay does not read",
        "m.onnx");
    Onnx__TensorProto *w = begin_weight(F32, 1, &one, 4);
    w->has_data_location = 1;
    w->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    assert_refused(ASSAY_E_FORMAT,
                   "weight tensor 'conv1.w' has 4 bytes of raw data and 0 values, and lies in "
                   "a file of its own, one of them is needed",
                   "m.onnx");
}

static void an_input_of_another_type_is_refused(void **state)
{
    (void)state;
    begin();
    m.tensor_types[0].elem_type = ONNX__TENSOR_PROTO__DATA_TYPE__UINT8;
    begin_node("Relu", "r", "x", "y");
    add_output("y");
    assert_refused(ASSAY_E_UNSUPPORTED,
                   "tensor 'x' has elements UINT8, which assay does not run",
                   "m.onnx: node 0 'r' (Relu of opset 13)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_file_is_not_found),
        cmocka_unit_test(an_empty_file_is_no_model),
        cmocka_unit_test(an_html_page_is_no_model),
        cmocka_unit_test(a_truncated_model_says_where_it_ends),
        cmocka_unit_test(deep_nesting_is_refused_before_it_is_unpacked),
        cmocka_unit_test(many_empty_messages_are_refused_within_bounds),
        cmocka_unit_test(a_model_without_graph_opset_or_output_is_refused),
        cmocka_unit_test(opsets_beyond_those_known_are_refused),
        cmocka_unit_test(an_unknown_operator_is_refused_with_domain_and_opset),
        cmocka_unit_test(an_input_that_nothing_gives_is_refused),
        cmocka_unit_test(a_cycle_is_refused),
        cmocka_unit_test(wrong_counts_of_inputs_are_refused),
        cmocka_unit_test(a_tensor_that_is_written_twice_is_refused),
        cmocka_unit_test(an_output_that_nothing_writes_is_refused),
        cmocka_unit_test(shapes_that_contradict_each_other_are_refused_at_load),
        cmocka_unit_test(a_weight_of_a_wrong_size_is_counted),
        cmocka_unit_test(hostile_shapes_are_refused),
        cmocka_unit_test(other_element_types_and_storages_are_refused),
        cmocka_unit_test(an_input_of_another_type_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
