/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tensors that lie beside the model: honest ones are read, attacks are refused, and whatever is
 * refused, nothing outside the model's folder was read.
 *
 *     root/outside.bin            1 MiB of 0xee, what attacks are after
 *     root/model/m.onnx           the model under test
 *     root/model/w.bin            216 bytes, the weight [3,2,3,3]
 *     root/model/sub/w.bin        the same
 *     root/model/...              links, pipes and the like
 */
#include "model.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "onnx/beneath.h"

enum { N = 54, BYTES = 216 };

static char root[64], folder[80];
static float values[N];
static Onnx__StringStringEntryProto entry_room[MOST][4];
static Onnx__StringStringEntryProto *entry_list[MOST][4];

static char *in_folder(const char *name)
{
    char *path = as_path_join(folder, name);
    assert_non_null(path);
    return path;
}

static void write_file(const char *name, const void *data, size_t size)
{
    char *path = in_folder(name);
    assert_int_equal(as_file_write(path, data, size, NULL), ASSAY_OK);
    as_free(path);
}

static void make_link(const char *target, const char *name)
{
    char *path = in_folder(name);
    assert_int_equal(symlink(target, path), 0);
    as_free(path);
}

static void make_special_files(void)
{
    char *path = in_folder("pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    as_free(path);
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    snprintf(name.sun_path, sizeof name.sun_path, "%s/socket", folder);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof name), 0);
    close(fd);
    char outside[96];
    snprintf(outside, sizeof outside, "%s/outside.bin", root);
    path = in_folder("hard.bin");
    assert_int_equal(link(outside, path), 0);
    as_free(path);
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(root, P_tmpdir "/assay-external-XXXXXX");
    assert_non_null(mkdtemp(root));
    snprintf(folder, sizeof folder, "%s/model", root);
    for (int i = 0; i < N; i++)
        values[i] = (float)i - 20;
    static unsigned char outside[1 << 20];
    memset(outside, 0xee, sizeof outside);
    char *path = in_folder("sub");
    assert_int_equal(as_folder_make(path, NULL), ASSAY_OK);
    as_free(path);
    write_file("../outside.bin", outside, sizeof outside);
    write_file("w.bin", values, BYTES);
    write_file("sub/w.bin", values, BYTES);
    write_file("empty.bin", "", 0);
    make_link("w.bin", "link.bin");
    make_link("../outside.bin", "out.bin");
    make_link("/etc/passwd", "passwd");
    make_link("/proc/self/environ", "environ");
    make_link("/dev/zero", "zero");
    make_link("sub", "sublink");
    make_link("..", "up");
    make_link("loop", "loop");
    make_link("nowhere", "dangling");
    make_special_files();
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return as_path_remove(root, NULL) ? -1 : 0;
}

/* Give the model's weight `w` an entry of external data; `value` NULL adds none. */
static void add_entry(Onnx__TensorProto *w, const char *key, const char *value)
{
    size_t k = (size_t)(w - m.weights), i = w->n_external_data;
    if (!value) return;
    w->has_data_location = 1;
    w->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    entry_room[k][i] = (Onnx__StringStringEntryProto)ONNX__STRING_STRING_ENTRY_PROTO__INIT;
    entry_room[k][i].key = (char *)(uintptr_t)key;
    entry_room[k][i].value = (char *)(uintptr_t)value;
    entry_list[k][i] = &entry_room[k][i];
    w->external_data = entry_list[k];
    w->n_external_data++;
}

static Onnx__TensorProto *add_outer(const char *location, const char *offset,
                                    const char *length)
{
    Onnx__TensorProto *w = add_weight("w", F32, 4, (int64_t[]){3, 2, 3, 3}, NULL, 0);
    w->has_data_location = 1;
    w->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    add_entry(w, "location", location);
    add_entry(w, "offset", offset);
    add_entry(w, "length", length);
    return w;
}

static void begin(void)
{
    begin_model(13);
    add_input("x", 4, (int64_t[]){1, 2, 5, 5});
    begin_node("Conv", "c", "x w", "y");
    add_output("y");
}

/* The model's file in its folder, loaded. */
static assay_code load_file(as_graph **graph, assay_error *err)
{
    size_t size;
    unsigned char *bytes = pack_model(&size);
    write_file("m.onnx", bytes, size);
    free(bytes);
    char *path = in_folder("m.onnx");
    assay_code code = as_onnx_load(path, graph, err);
    as_free(path);
    return code;
}

/* ---- Honest files ---- */

static void assert_read(size_t n, const char *location, const char *offset, const char *length)
{
    assay_error err = {0};
    as_graph *graph = NULL;
    begin();
    add_outer(location, offset, length);
    if (load_file(&graph, &err)) fail_msg("%s: %s: %s", location, err.where, err.message);
    const as_tensor *w = as_graph_tensor(graph, as_graph_find_tensor(graph, "w"));
    assert_int_equal(w->n_elements, n);
    assert_memory_equal(w->data, values, BYTES);
    assert_int_equal((uintptr_t)w->data % 64, 0);
    as_graph_free(graph);
}

static void honest_files_are_read(void **state)
{
    (void)state;
    static unsigned char padded[4096 + 7 + BYTES + 5];
    memcpy(padded + 4096 + 7, values, BYTES);
    write_file("padded.bin", padded, sizeof padded);
    write_file("gewichte \xc3\xbc 1.bin", values, BYTES);
    write_file("a..b", values, BYTES);
    assert_read(N, "w.bin", NULL, NULL);
    assert_read(N, "w.bin", "0", "216");
    assert_read(N, "w.bin", NULL, "216");
    assert_read(N, "./w.bin", "0", NULL);
    assert_read(N, "sub/w.bin", NULL, NULL);
    assert_read(N, "sub//w.bin", "00", NULL);
    assert_read(N, "padded.bin", "4103", "216");
    assert_read(N, "padded.bin", "4103", NULL);
    assert_read(N, "gewichte \xc3\xbc 1.bin", NULL, NULL);
    assert_read(N, "a..b", NULL, NULL);
}

static void a_checksum_and_unknown_entries_are_let_be(void **state)
{
    (void)state;
    as_graph *graph = NULL;
    begin();
    Onnx__TensorProto *w = add_outer("w.bin", NULL, NULL);
    add_entry(w, "checksum", "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    add_entry(w, "prepacked_0", "x|0;1");
    assert_int_equal(load_file(&graph, NULL), ASSAY_OK);
    as_graph_free(graph);
}

static void other_element_types_are_converted_from_a_file_too(void **state)
{
    (void)state;
    static const uint16_t halves[2] = {0x3c00, 0xc000};
    static const int64_t integers[2] = {-5, INT64_MAX};
    as_graph *graph = NULL;
    assay_error err = {0};
    write_file("halves", halves, sizeof halves);
    write_file("integers", integers, sizeof integers);
    begin_model(13);
    add_input("x", 1, (int64_t[]){2});
    add_entry(
        add_weight("h", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16, 1, (int64_t[]){2}, NULL, 0),
        "location", "halves");
    add_entry(add_weight("i", I64, 1, (int64_t[]){2}, NULL, 0), "location", "integers");
    begin_node("Add", "a", "x h", "y");
    add_output("y");
    if (load_file(&graph, &err)) fail_msg("%s: %s", err.where, err.message);
    const float *h = as_graph_tensor(graph, as_graph_find_tensor(graph, "h"))->data;
    const int64_t *i = as_graph_tensor(graph, as_graph_find_tensor(graph, "i"))->data;
    assert_true(h[0] == 1 && h[1] == -2);
    assert_true(i[0] == -5 && i[1] == INT64_MAX);
    as_graph_free(graph);
}

/* ---- Attacks ---- */

typedef struct attack {
    const char *location, *offset, *length;
    const char *message; /* a part of it */
} attack;

#define ABSOLUTE "absolute external data path"
#define LEAVES   "leaves the model directory"
#define LINK     "is reached by a symbolic link"
#define SPECIAL  "is not a regular file"
#define MISSING  "No such file"
#define NO_SUCH  "Not a directory"

static char long_name[5000], long_part[300];

static const attack names[] = {
    {"/etc/passwd", NULL, NULL, ABSOLUTE},
    {"//etc/passwd", NULL, NULL, ABSOLUTE},
    {"/", NULL, NULL, ABSOLUTE},
    {"/proc/self/environ", NULL, NULL, ABSOLUTE},
    {"../outside.bin", NULL, NULL, LEAVES},
    {"./../outside.bin", NULL, NULL, LEAVES},
    {"sub/../../outside.bin", NULL, NULL, LEAVES},
    {"sub/../w.bin", NULL, NULL, LEAVES},
    {"sub//..//..//outside.bin", NULL, NULL, LEAVES},
    {"..", NULL, NULL, LEAVES},
    {"sub/..", NULL, NULL, LEAVES},
    {"../model/w.bin", NULL, NULL, LEAVES},
    {"link.bin", NULL, NULL, LINK},
    {"out.bin", NULL, NULL, LINK},
    {"passwd", NULL, NULL, LINK},
    {"environ", NULL, NULL, LINK},
    {"zero", NULL, NULL, LINK},
    {"sublink/w.bin", NULL, NULL, LINK},
    {"up/outside.bin", NULL, NULL, LINK},
    {"up/model/w.bin", NULL, NULL, LINK},
    {"loop", NULL, NULL, LINK},
    {"dangling", NULL, NULL, LINK},
    {"hard.bin", NULL, NULL, "is a hard link, one of 2"},
    {".", NULL, NULL, SPECIAL},
    {"./", NULL, NULL, SPECIAL},
    {"sub", NULL, NULL, SPECIAL},
    {"sub/", NULL, NULL, SPECIAL},
    {"pipe", NULL, NULL, SPECIAL},
    {"socket", NULL, NULL, SPECIAL},
    {"", NULL, NULL, "the name of its external data is empty"},
    {"w.bin/", NULL, NULL, NO_SUCH},
    {"w.bin/x", NULL, NULL, NO_SUCH},
    {"missing.bin", NULL, NULL, MISSING},
    {"W.BIN", NULL, NULL, MISSING},
    {"~/w.bin", NULL, NULL, MISSING},
    {"file://w.bin", NULL, NULL, MISSING},
    {"..\\outside.bin", NULL, NULL, MISSING},
    {"%2e%2e/outside.bin", NULL, NULL, MISSING},
    {long_name, NULL, NULL, "external data path has 4999 bytes, 4095 is the most"},
    {long_part, NULL, NULL, "File name too long"},
};

static const attack ranges[] = {
    {"empty.bin", NULL, NULL, "needs 216 bytes from offset 0, file has 0"},
    {"w.bin", "1", NULL, "needs 216 bytes from offset 1, file has 216"},
    {"w.bin", "217", NULL, "needs 216 bytes from offset 217, file has 216"},
    {"w.bin", "9223372036854775807", NULL, "needs 216 bytes from offset 9223372036854775807"},
    {"w.bin", "9223372036854775800", "216", "offset+length overflow"},
    {"w.bin", "9223372036854775808", NULL, "offset+length overflow"},
    {"w.bin", "18446744073709551616", NULL, "offset+length overflow"},
    {"w.bin", "-4", NULL, "the offset -4, it must be >= 0"},
    {"w.bin", "-0", NULL, "the offset -0, it must be >= 0"},
    {"w.bin", "+0", NULL, "the offset '+0', a number of bytes is needed"},
    {"w.bin", " 0", NULL, "the offset ' 0', a number of bytes is needed"},
    {"w.bin", "0 ", NULL, "the offset '0 ', a number of bytes is needed"},
    {"w.bin", "0x0", NULL, "the offset '0x0', a number of bytes is needed"},
    {"w.bin", "1e1", NULL, "the offset '1e1', a number of bytes is needed"},
    {"w.bin", "0.5", NULL, "the offset '0.5', a number of bytes is needed"},
    {"w.bin", "", NULL, "the offset '', a number of bytes is needed"},
    {"w.bin", "0", "0", "the length 0, its shape needs 216 bytes"},
    {"w.bin", "0", "215", "the length 215, its shape needs 216 bytes"},
    {"w.bin", "0", "217", "the length 217, its shape needs 216 bytes"},
    {"w.bin", "0", "-216", "the length -216, it must be >= 0"},
    {"w.bin", "0", "340282366920938463463374607431768211672", "offset+length overflow"},
};

static void assert_attack_fails(const attack *a)
{
    assay_error err = {0};
    as_graph *graph = NULL;
    begin();
    add_outer(a->location, a->offset, a->length);
    assay_code code = load_file(&graph, &err);
    assert_null(graph);
    assert_true(code == ASSAY_E_FORMAT || code == ASSAY_E_UNSUPPORTED ||
                code == ASSAY_E_NOT_FOUND);
    assert_int_equal(err.code, code);
    assert_string_equal(err.where, "m.onnx: weight tensor 'w'");
    if (!strstr(err.message, a->message))
        fail_msg("'%s' says: %s; not: %s", a->location, err.message, a->message);
}

static void no_name_leads_out_of_the_folder(void **state)
{
    (void)state;
    memset(long_name, 'a', sizeof long_name - 1);
    memset(long_part, 'b', sizeof long_part - 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_attack_fails(&names[i]);
}

static void no_range_leaves_the_file(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        assert_attack_fails(&ranges[i]);
}

static void a_kernel_without_openat2_refuses_the_same(void **state)
{
    (void)state;
    as_beneath file;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assay_error walked = {0}, opened = {0};
        assay_code code = as_beneath_walk(folder, names[i].location, &file, &walked);
        assert_int_equal(as_beneath_open(folder, names[i].location, &file, &opened), code);
        assert_int_not_equal(code, ASSAY_OK);
        assert_string_equal(walked.message, opened.message);
    }
    static const char *const honest[] = {"w.bin", "./w.bin", "sub/w.bin", "sub//./w.bin"};
    for (size_t i = 0; i < sizeof honest / sizeof *honest; i++) {
        assert_int_equal(as_beneath_walk(folder, honest[i], &file, NULL), ASSAY_OK);
        assert_int_equal(file.size_bytes, BYTES);
        close(file.fd);
    }
}

static void entries_that_contradict_each_other_are_refused(void **state)
{
    (void)state;
    assay_error err = {0};
    as_graph *graph = NULL;
    begin();
    add_entry(add_outer("w.bin", NULL, NULL), "location", "sub/w.bin");
    assert_int_equal(load_file(&graph, &err), ASSAY_E_FORMAT);
    assert_string_equal(
        err.message, "its external data has two entries 'location', 'w.bin' and 'sub/w.bin'");
    begin();
    add_entry(add_outer("w.bin", NULL, NULL), "basepath", "/etc");
    assert_int_equal(load_file(&graph, &err), ASSAY_E_UNSUPPORTED);
    assert_non_null(strstr(err.message, "basepath '/etc'"));
    begin();
    add_outer(NULL, "0", NULL);
    assert_int_equal(load_file(&graph, &err), ASSAY_E_FORMAT);
    assert_string_equal(err.message, "its external data has no location");
    begin();
    Onnx__TensorProto *w = add_outer("w.bin", NULL, NULL);
    w->has_raw_data = 1;
    w->raw_data = (ProtobufCBinaryData){.len = BYTES, .data = (uint8_t *)values};
    assert_int_equal(load_file(&graph, &err), ASSAY_E_FORMAT);
    assert_non_null(strstr(err.message, "has 216 bytes of raw data and 0 values"));
}

static void a_name_with_a_zero_byte_is_refused(void **state)
{
    (void)state;
    size_t size;
    assay_error err = {0};
    as_graph *graph = NULL;
    begin();
    add_outer("w.bin!/outside", NULL, NULL);
    unsigned char *bytes = pack_model(&size);
    unsigned char *at = memmem(bytes, size, "w.bin!", 6);
    assert_non_null(at);
    at[5] = 0;
    assert_int_equal(as_onnx_parse(bytes, size, "m.onnx", &graph, &err), ASSAY_E_FORMAT);
    assert_non_null(strstr(err.message, "m.onnx has a zero byte in the string at byte"));
    free(bytes);
}

static void one_file_is_not_taken_many_times_over(void **state)
{
    (void)state;
    static unsigned char large[1 << 20];
    assay_error err = {0};
    as_graph *graph = NULL;
    write_file("large.bin", large, sizeof large);
    for (int n = 4; n <= 5; n++) {
        begin_model(13);
        add_input("x", 1, (int64_t[]){1});
        for (int i = 0; i < n; i++) {
            static char weight_names[5][8];
            snprintf(weight_names[i], sizeof weight_names[i], "w%d", i);
            add_entry(add_weight(weight_names[i], F32, 1, (int64_t[]){1 << 18}, NULL, 0),
                      "location", i % 2 ? "large.bin" : "./large.bin");
        }
        begin_node("Add", "a", "x w0", "y");
        add_output("y");
        assay_code code = load_file(&graph, &err);
        assert_int_equal(code, n == 4 ? ASSAY_OK : ASSAY_E_FORMAT);
        as_graph_free(graph);
    }
    assert_string_equal(err.message,
                        "tensors take more than 4 times the 1048576 bytes of './large.bin'");
}

static void a_huge_tensor_on_a_small_file_takes_no_memory(void **state)
{
    (void)state;
    assay_error err = {0};
    as_graph *graph = NULL;
    begin();
    Onnx__TensorProto *w = add_outer("w.bin", NULL, NULL);
    w->dims[0] = w->dims[1] = (int64_t)1 << 20;
    assert_int_equal(load_file(&graph, &err), ASSAY_E_FORMAT);
    assert_string_equal(err.message,
                        "its external data 'w.bin' needs 39582418599936 bytes from "
                        "offset 0, file has 216");
}

static void a_model_in_memory_has_nothing_beside_it(void **state)
{
    (void)state;
    begin();
    add_outer("w.bin", NULL, NULL);
    assert_refused(ASSAY_E_UNSUPPORTED, "it lies in a file 'w.bin', which is not read here",
                   "m.onnx: weight tensor 'w'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(honest_files_are_read),
        cmocka_unit_test(a_checksum_and_unknown_entries_are_let_be),
        cmocka_unit_test(other_element_types_are_converted_from_a_file_too),
        cmocka_unit_test(no_name_leads_out_of_the_folder),
        cmocka_unit_test(no_range_leaves_the_file),
        cmocka_unit_test(a_kernel_without_openat2_refuses_the_same),
        cmocka_unit_test(entries_that_contradict_each_other_are_refused),
        cmocka_unit_test(a_name_with_a_zero_byte_is_refused),
        cmocka_unit_test(one_file_is_not_taken_many_times_over),
        cmocka_unit_test(a_huge_tensor_on_a_small_file_takes_no_memory),
        cmocka_unit_test(a_model_in_memory_has_nothing_beside_it),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
