/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files and bytes -> messages.  protobuf-c unpacks straight into the arena of the graph, so that
 * every weight's bytes are copied once, land 64-byte aligned and live as long as the graph.
 */
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/size.h"
#include "onnx.pb-c.h"
#include "onnx/decode.h"
#include "onnx/external.h"
#include "onnx/import.h"
#include "onnx/onnx.h"
#include "onnx/wire.h"

/*
 * What an unpacking may take beyond the values of the file: messages, names, lists.  A Conv with six
 * attributes takes 3.3 kB, so this is room for twelve thousand of them.
 */
#define STRUCTURE_BYTES ((size_t)40 << 20)

/* Where an unpacking takes its memory; what it gives back stays in the arena. */
typedef struct source {
    void *owner; /* an as_graph or an as_arena */
    void *(*alloc)(void *owner, size_t bytes);
    size_t left_bytes; /* that may still be taken */
    bool has_failed, is_used_up;
} source;

static void *graph_alloc(void *owner, size_t bytes) { return as_graph_alloc(owner, bytes); }

static void *arena_alloc(void *owner, size_t bytes) { return as_arena_alloc(owner, bytes); }

static void *take(void *data, size_t bytes)
{
    source *s = data;
    /* A block takes whole lines of the arena. */
    size_t rounded = bytes > SIZE_MAX - AS_ALIGNMENT ? bytes : as_round_up(bytes, AS_ALIGNMENT);
    void *memory = NULL;
    if (rounded > s->left_bytes)
        s->is_used_up = true;
    else if (!(memory = s->alloc(s->owner, bytes)))
        s->has_failed = true;
    else
        s->left_bytes -= rounded;
    return memory;
}

static void keep(void *data, void *memory)
{
    (void)data;
    (void)memory;
}

/*
 * Unpack a message, once as_wire_check found it well-formed, into memory that is bounded.
 * Afterwards the allocator is not: what it gives then has a size that was checked.
 */
static assay_code unpack(const ProtobufCMessageDescriptor *type, ProtobufCAllocator *memory,
                         const as_bytes *bytes, const char *name, const char *kind,
                         ProtobufCMessage **out, assay_error *err)
{
    source *s = memory->allocator_data;
    size_t data_bytes = 0;
    if (bytes->size > AS_ONNX_MAX_BYTES)
        return as_fail(err, ASSAY_E_FORMAT, "%s has %zu bytes, at most %zu are read", name,
                       bytes->size, AS_ONNX_MAX_BYTES);
    assay_code code = as_wire_check(type, bytes, name, kind, &data_bytes, err);
    if (code) return code;
    s->left_bytes = data_bytes + STRUCTURE_BYTES;
    *out = protobuf_c_message_unpack(type, memory, bytes->size, bytes->data);
    s->left_bytes = SIZE_MAX;
    if (*out) return ASSAY_OK;
    if (s->is_used_up)
        return as_fail(err, ASSAY_E_FORMAT,
                       "%s has %zu bytes whose messages and names need more than %zu MiB", name,
                       bytes->size, STRUCTURE_BYTES >> 20);
    if (s->has_failed)
        return as_fail(err, ASSAY_E_MEMORY, "no memory to read %s (%zu bytes)", name,
                       bytes->size);
    return as_fail(err, ASSAY_E_FORMAT, "%s is not %s: a field has the wrong type", name, kind);
}

/* `beside` is the file's path where it has one. */
static assay_code parse(const as_bytes *bytes, const char *name, const char *beside,
                        as_graph **out, assay_error *err)
{
    *out = NULL;
    as_graph *graph = as_graph_new();
    /* Weights take what they take in the file, names and nodes somewhat more. */
    if (!graph || !as_graph_reserve(graph, bytes->size + bytes->size / 4)) {
        as_graph_free(graph);
        return as_fail(err, ASSAY_E_MEMORY, "no memory to read %s", name);
    }
    source s = {.owner = graph, .alloc = graph_alloc};
    as_external external = {.beside = beside};
    ProtobufCAllocator memory = {.alloc = take, .free = keep, .allocator_data = &s};
    ProtobufCMessage *model = NULL;
    assay_code code = unpack(&onnx__model_proto__descriptor, &memory, bytes, name,
                             "an ONNX model", &model, err);
    if (!code)
        code = as_onnx_import((const Onnx__ModelProto *)model, &memory, &external, name, graph,
                              err);
    as_external_free(&external);
    if (code) {
        as_error_where(err, "%s", as_path_base(name));
        as_graph_free(graph);
        return code;
    }
    *out = graph;
    return ASSAY_OK;
}

assay_code as_onnx_parse(const void *bytes, size_t size, const char *name, as_graph **out,
                         assay_error *err)
{
    as_bytes borrowed = {.data = (unsigned char *)(uintptr_t)bytes, .size = size};
    return parse(&borrowed, name, NULL, out, err);
}

assay_code as_onnx_load(const char *path, as_graph **out, assay_error *err)
{
    as_bytes bytes = {0};
    *out = NULL;
    assay_code code = as_file_read(path, AS_ONNX_MAX_BYTES, &bytes, err);
    if (!code) code = parse(&bytes, path, path, out, err);
    as_bytes_free(&bytes);
    return code;
}

static assay_code copy_tensor(const Onnx__TensorProto *proto, const as_decoded *decoded,
                              as_onnx_tensor *out, assay_error *err)
{
    as_onnx_tensor tensor = {
        .dtype = decoded->dtype, .shape = decoded->shape, .n_elements = decoded->n_elements};
    size_t bytes = decoded->n_elements * as_dtype_bytes(decoded->dtype);
    tensor.name = as_strdup(proto->name ? proto->name : "");
    tensor.data = as_alloc(bytes);
    if (!tensor.name || !tensor.data) {
        as_onnx_tensor_free(&tensor);
        return as_fail(err, ASSAY_E_MEMORY, "no memory for a tensor of %zu bytes", bytes);
    }
    memcpy(tensor.data, decoded->data, bytes);
    *out = tensor;
    return ASSAY_OK;
}

assay_code as_onnx_tensor_read(const char *path, as_onnx_tensor *out, assay_error *err)
{
    *out = (as_onnx_tensor){0};
    as_bytes bytes = {0};
    as_decoded decoded;
    ProtobufCMessage *proto = NULL;
    source s = {.owner = as_arena_new(), .alloc = arena_alloc};
    as_external external = {.beside = path};
    ProtobufCAllocator memory = {.alloc = take, .free = keep, .allocator_data = &s};
    assay_code code = s.owner ? as_file_read(path, AS_ONNX_MAX_BYTES, &bytes, err)
                              : as_fail(err, ASSAY_E_MEMORY, "no memory to read %s", path);
    if (!code)
        code = unpack(&onnx__tensor_proto__descriptor, &memory, &bytes, path, "an ONNX tensor",
                      &proto, err);
    if (!code)
        code = as_onnx_decode((const Onnx__TensorProto *)proto, &memory, &external, "tensor",
                              &decoded, err);
    if (!code) code = copy_tensor((const Onnx__TensorProto *)proto, &decoded, out, err);
    if (code) as_error_where(err, "%s", as_path_base(path));
    as_external_free(&external);
    as_bytes_free(&bytes);
    as_arena_free(s.owner);
    return code;
}

void as_onnx_tensor_free(as_onnx_tensor *tensor)
{
    as_free(tensor->name);
    as_free(tensor->data);
    *tensor = (as_onnx_tensor){0};
}
