/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a tensor says that its elements lie: three strings and a size.  What is read may come from
 * inside the model's folder alone, whatever the strings are.
 *
 *     byte 0       elements
 *     the rest     location \0 offset \0 length      one that is missing is left out
 *
 *     root/secret.bin          0xee, never to be seen
 *     root/model/w.bin         0x11, as all other files there; and links, a pipe and a folder
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "fuzz.h"
#include "onnx.pb-c.h"
#include "onnx/decode.h"

enum { FILE_BYTES = 512, OURS = 0x11, SECRET = 0xee };

static char root[64], model[96]; /* paths: of the folder, and of the model's file in model/ */

static void must(bool is_true)
{
    if (!is_true) abort();
}

static const char *in_root(const char *name)
{
    static char path[160];
    snprintf(path, sizeof path, "%s/%s", root, name);
    return path;
}

static void write_bytes(const char *name, int value)
{
    unsigned char bytes[FILE_BYTES];
    memset(bytes, value, sizeof bytes);
    must(as_file_write(in_root(name), bytes, sizeof bytes, NULL) == ASSAY_OK);
}

static void remove_root(void)
{
    if (as_path_remove(root, NULL)) fprintf(stderr, "%s stays behind\n", root);
}

static void make_root(void)
{
    snprintf(root, sizeof root, "%s/assay-fuzz-XXXXXX", P_tmpdir);
    must(mkdtemp(root) != NULL);
    atexit(remove_root);
    snprintf(model, sizeof model, "%s/model/m.onnx", root);
    must(as_folder_make(in_root("model/sub"), NULL) == ASSAY_OK);
    write_bytes("secret.bin", SECRET);
    write_bytes("model/w.bin", OURS);
    write_bytes("model/sub/w.bin", OURS);
    must(symlink("../secret.bin", in_root("model/link")) == 0);
    must(symlink("..", in_root("model/up")) == 0);
    must(mkfifo(in_root("model/pipe"), 0600) == 0);
    char secret[160];
    snprintf(secret, sizeof secret, "%s", in_root("secret.bin"));
    must(link(secret, in_root("model/hard")) == 0);
}

/* The next string of data[*at .. size], NULL behind the end; the caller frees. */
static char *next_string(const uint8_t *data, size_t size, size_t *at)
{
    if (*at >= size) return NULL;
    size_t length = strnlen((const char *)data + *at, size - *at);
    char *copy = malloc(length + 1);
    must(copy != NULL);
    memcpy(copy, data + *at, length);
    copy[length] = '\0';
    *at += length + 1;
    return copy;
}

static void *take(void *arena, size_t bytes) { return as_arena_alloc(arena, bytes); }

static void keep(void *arena, void *memory) { (void)arena, (void)memory; }

/* Decode a tensor of `n` floats with these entries; what comes must be of our files. */
static void decode(int64_t n, char *const values[3])
{
    static char *const keys[3] = {"location", "offset", "length"};
    Onnx__StringStringEntryProto entries[3], *list[3];
    Onnx__TensorProto tensor = ONNX__TENSOR_PROTO__INIT;
    tensor.has_data_type = tensor.has_data_location = 1;
    tensor.data_type = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
    tensor.data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    tensor.dims = &n;
    tensor.n_dims = 1;
    tensor.external_data = list;
    for (int i = 0; i < 3; i++) {
        if (!values[i]) continue;
        entries[i] = (Onnx__StringStringEntryProto)ONNX__STRING_STRING_ENTRY_PROTO__INIT;
        entries[i].key = keys[i];
        entries[i].value = values[i];
        list[tensor.n_external_data++] = &entries[i];
    }
    as_arena *arena = as_arena_new();
    must(arena != NULL);
    ProtobufCAllocator memory = {.alloc = take, .free = keep, .allocator_data = arena};
    as_external external = {.beside = model};
    as_decoded decoded;
    assay_error err;
    if (as_onnx_decode(&tensor, &memory, &external, "tensor", &decoded, &err) == ASSAY_OK) {
        const unsigned char *bytes = decoded.data;
        for (size_t i = 0; i < decoded.n_elements * sizeof(float); i++)
            must(bytes[i] == OURS);
    }
    as_external_free(&external);
    as_arena_free(arena);
}

/* Both ways to open a name agree. */
static void open_both_ways(const char *name)
{
    char folder[160];
    as_beneath opened = {.fd = -1}, walked = {.fd = -1};
    snprintf(folder, sizeof folder, "%s", in_root("model"));
    assay_error err;
    assay_code code = as_beneath_open(folder, name, &opened, &err);
    must(as_beneath_walk(folder, name, &walked, &err) == code);
    must(opened.inode == walked.inode);
    if (code) return;
    close(opened.fd);
    close(walked.fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t at = 1;
    char *values[3];
    if (!root[0]) make_root();
    if (size == 0) return 0;
    for (int i = 0; i < 3; i++)
        values[i] = next_string(data, size, &at);
    decode(data[0], values);
    if (values[0]) open_both_ways(values[0]);
    for (int i = 0; i < 3; i++)
        free(values[i]);
    return 0;
}
