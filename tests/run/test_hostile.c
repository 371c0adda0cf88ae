/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Case B10: damaged and hand-made model files.  Each is refused with a sentence that names the file,
 * the place, the value seen and the value needed, within 64 MiB beyond the file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "run/run.h"

#define CASE    "cases/B10-hostile-model-files/"
#define MOST_KB (64 * 1024)

/* A file, and what "where: message" has, parts by '*'. */
typedef struct refusal {
    const char *file, *parts;
} refusal;

static const refusal refusals[] = {
    {"huge_dims", "'w'*element count overflows or exceeds any data"},
    {"overflow_to_small", "'w'*overflows"},
    {"large_declared_small_data", "'w'*has 64 bytes*needs 17179869184 bytes"},
    {"negative_dim", "'w'*negative dimension -2"},
    {"raw_too_short", "'w'*has 40 bytes*needs 216 bytes"},
    {"raw_too_long", "'w'*has 4096 bytes*needs 8 bytes"},
    {"unknown_dtype", "'w'*data type 77"},
    {"truncated_60pct", "is truncated or not an ONNX model: the field at byte 15 of 219"},
    {"truncated_last_byte", "is truncated or not an ONNX model: the field at byte 359 of 364"},
    {"empty", "is empty"},
    {"html_error_page", "is not an ONNX protobuf (it looks like a web page)"},
    {"text_format", "is not an ONNX protobuf (it looks like text format)"},
    {"git_lfs_pointer",
     "is not an ONNX protobuf (it looks like a Git LFS pointer, not a model)"},
    {"zero_filled", "is not an ONNX protobuf (it looks like zeros)"},
    {"no_graph", "is not an ONNX model: there is no graph in it"},
    {"cycle", "'n_b'*the nodes form a cycle: it reads 'a'"},
    {"self_loop", "'n_self'*depends on its own output 'y'"},
    {"duplicate_output_name", "'r1'*tensor 't' is produced twice, first by node 0 'r0'"},
    {"duplicate_initializer", "initializer 'w' is defined twice"},
    {"undefined_input", "'conv0'*undefined tensor 'nowhere'"},
    {"missing_graph_output", "graph output 'y' is not produced"},
    {"unknown_op", "'foo0'*operator 'FooBar'*opset 13"},
    {"custom_domain", "'fc0'*domain 'com.example'"},
    {"opset_999", "opset 999*the highest supported is 28"},
    {"no_opset_import", "has no opset_import"},
    {"stride_zero", "'conv0'*strides*0"},
    {"group_zero", "'conv0'*group is 0"},
    {"group_not_dividing", "'conv0'*group 3 does not divide 2 input channels"},
    {"negative_pads", "'conv0'*pads are -1"},
    {"pads_wrong_count", "'conv0'*pads needs 4 values*has 2"},
    {"huge_pads", "'conv0'*'pads' is 2147483648, too large"},
    {"huge_dilation", "'conv0'*'dilations' is 4611686018427387904, too large"},
    {"kernel_shape_mismatch", "'conv0'*kernel_shape is 5*weights are [3,2,3,3]"},
    {"kernel_larger_than_input", "'conv0'*the output size would be -1"},
    {"channel_mismatch", "'conv0'*weights expect 4 input channels, it gets 2"},
    {"attribute_wrong_type", "'conv0'*attribute 'strides' has type STRING"},
    {"reshape_impossible", "'rs0'*50 elements, which cannot be shaped [7,-1]"},
    {"two_minus_ones", "'rs0'*more than one -1"},
    {"axis_out_of_range", "'cat0'*axis 9*rank 4"},
    {"evil_name", "(FooBar)*operator 'FooBar'"},
    {"external_data/ext_parent_dir", "'w'*external data path*leaves the model directory"},
    {"external_data/ext_absolute", "'w'*absolute external data path"},
    {"external_data/ext_dotdot_inside", "'w'*leaves the model directory"},
    {"external_data/ext_missing", "'w'*'not_there.bin'*No such file"},
    {"external_data/ext_short", "'w'*'short.bin'*needs 216 bytes from offset 0, file has 100"},
    {"external_data/ext_offset_overflow", "'w'*offset+length overflow"},
    {"external_data/ext_negative_offset", "'w'*offset -4"},
    {"external_data/ext_length_not_matching", "'w'*length 200, its shape needs 216"},
    {"external_data/ext_directory", "'w'*not a regular file"},
};

/* The file of a refusal: NAME/NAME.onnx, or as it is where the name has a folder. */
static const char *path_of(const refusal *r)
{
    static char path[160];
    if (strchr(r->file, '/'))
        snprintf(path, sizeof path, CASE "%s.onnx", r->file);
    else
        snprintf(path, sizeof path, CASE "%s/%s.onnx", r->file, r->file);
    return path;
}

/* Whether `text` has all parts, in their order. */
static bool has_parts(const char *text, const char *parts)
{
    char copy[256];
    snprintf(copy, sizeof copy, "%s", parts);
    for (char *rest = copy, *part; text && (part = strtok_r(rest, "*", &rest));) {
        text = strstr(text, part);
        if (text) text += strlen(part);
    }
    return text != NULL;
}

static void every_file_is_refused_with_its_place_and_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        char text[512];
        assay_error err = {0};
        assay_model *model = NULL;
        const char *path = path_of(&refusals[i]);
        assay_code code = assay_model_load(path, NULL, &model, &err);
        assert_null(model);
        assert_true(code == ASSAY_E_FORMAT || code == ASSAY_E_UNSUPPORTED ||
                    code == ASSAY_E_NOT_FOUND);
        assert_ptr_equal(strstr(err.where, as_path_base(path)), err.where);
        snprintf(text, sizeof text, "%s: %s", err.where, err.message);
        if (!has_parts(text, refusals[i].parts))
            fail_msg("%s\n  has not: %s", text, refusals[i].parts);
    }
}

/* "VmHWM", the most memory that this process has had, or "VmRSS", what it has; in KiB. */
static long memory_kb(const char *field)
{
    char line[128];
    long kb = 0;
    FILE *status = fopen("/proc/self/status", "r");
    if (!status) return 0;
    size_t length = strlen(field);
    while (fgets(line, sizeof line, status))
        if (strncmp(line, field, length) == 0) kb = strtol(line + length + 1, NULL, 10);
    fclose(status);
    return kb;
}

/* In a process of its own: what loading `path` takes at its most. */
static bool stays_within_bounds(const char *path)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        assay_model *model = NULL;
        long before = memory_kb("VmRSS");
        assay_model_load(path, NULL, &model, NULL);
        _exit(before > 0 && memory_kb("VmHWM") - before <= MOST_KB ? 0 : 1);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void none_takes_more_than_64_mib(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if (!stays_within_bounds(path_of(&refusals[i]))) fail_msg("%s", refusals[i].file);
}

/* A model whose graph has `n` empty messages of field `number`, in a fresh file. */
static void write_empty_messages(size_t n, int number, char path[40])
{
    size_t length = 2 * n, at = 0;
    unsigned char *bytes = malloc(length + 16);
    assert_non_null(bytes);
    bytes[at++] = 7 << 3 | 2; /* graph */
    for (size_t left = length, i = 0; i < 5; i++, left >>= 7)
        bytes[at++] = (unsigned char)((left & 0x7f) | (i < 4 ? 0x80 : 0));
    for (size_t i = 0; i < n; i++) {
        bytes[at++] = (unsigned char)(number << 3 | 2);
        bytes[at++] = 0;
    }
    strcpy(path, P_tmpdir "/assay-hostile-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, bytes, at) == (ssize_t)at);
    close(fd);
    free(bytes);
}

static void empty_messages_do_not_multiply_a_file(void **state)
{
    (void)state;
    static const int fields[] = {1, 5, 11, 12,
                                 13}; /* node initializer input output value_info */
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        char path[40];
        write_empty_messages((size_t)1 << 20, fields[i], path);
        bool is_fine = stays_within_bounds(path);
        unlink(path);
        assert_true(is_fine);
    }
}

/* max(0, x[2][5][5] * w[oc][2][3][3]) at one output; small integers, so that any order is exact. */
static float relu_of_conv(const float *x, const float *w, int oc, int h, int v)
{
    float sum = 0;
    for (int ic = 0; ic < 2; ic++)
        for (int k = 0; k < 9; k++)
            sum += x[ic * 25 + (h + k / 3) * 5 + v + k % 3] * w[oc * 18 + ic * 9 + k];
    return sum > 0 ? sum : 0;
}

static void nodes_in_any_order_run(void **state)
{
    (void)state;
    assay_error err = {0};
    assay_model *model = NULL;
    assay_session *session = NULL;
    if (assay_model_load(CASE "unsorted_nodes/unsorted_nodes.onnx", NULL, &model, &err))
        fail_msg("%s: %s", err.where, err.message);
    const as_graph *graph = as_model_graph(model);
    const float *w = as_graph_tensor(graph, as_graph_find_tensor(graph, "w"))->data;
    float values[50];
    for (int i = 0; i < 50; i++)
        values[i] = (float)(i % 7) - 3;
    assay_tensor x = {.rank = 4, .dims = {1, 2, 5, 5}, .data = values}, y;
    assert_int_equal(assay_session_new(model, 1, &session, NULL), ASSAY_OK);
    if (assay_session_run(session, &x, 1, &y, 1, &err))
        fail_msg("%s: %s", err.where, err.message);
    const float *out = y.data;
    for (int i = 0; i < 27; i++)
        assert_true(out[i] == relu_of_conv(values, w, i / 9, i % 9 / 3, i % 3));
    assay_session_free(session);
    assay_model_free(model);
}

static void a_run_that_no_machine_holds_is_refused_before_it_takes_memory(void **state)
{
    (void)state;
    static const float value;
    assay_error err = {0};
    assay_model *model = NULL;
    assay_session *session = NULL;
    assert_int_equal(assay_model_load(CASE "dynamic_7x9/model.onnx", NULL, &model, &err), 0);
    assert_int_equal(assay_session_new(model, 1, &session, NULL), ASSAY_OK);
    assay_tensor x = {.rank = 4, .dims = {1, 2, 1 << 21, 1 << 21}, .data = &value}, y;
    assert_int_equal(assay_session_run(session, &x, 1, &y, 1, &err), ASSAY_E_MEMORY);
    assert_non_null(
        strstr(err.message, "a run on inputs of this size is too large: it needs "));
    assert_int_equal(as_session_arena_bytes(session), 0);
    assay_session_free(session);
    assay_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_is_refused_with_its_place_and_values),
        cmocka_unit_test(none_takes_more_than_64_mib),
        cmocka_unit_test(empty_messages_do_not_multiply_a_file),
        cmocka_unit_test(nodes_in_any_order_run),
        cmocka_unit_test(a_run_that_no_machine_holds_is_refused_before_it_takes_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
