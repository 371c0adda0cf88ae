/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files and bytes -> messages.  protobuf-c unpacks straight into the arena of the graph, so that
 * every weight's bytes are copied once, land 64-byte aligned and live as long as the graph.
 */
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/memory.h"
#include "onnx.pb-c.h"
#include "onnx/decode.h"
#include "onnx/import.h"
#include "onnx/onnx.h"
#include "onnx/wire.h"

/* Where an unpacking takes its memory; what it gives back stays in the arena. */
typedef struct source {
    void *owner; /* an as_graph or an as_arena */
    bool has_failed;
} source;

static void *graph_alloc(void *data, size_t bytes)
{
    source *s = data;
    void *memory = as_graph_alloc(s->owner, bytes);
    if (!memory) s->has_failed = true;
    return memory;
}

static void *arena_alloc(void *data, size_t bytes)
{
    source *s = data;
    void *memory = as_arena_alloc(s->owner, bytes);
    if (!memory) s->has_failed = true;
    return memory;
}

static void keep(void *data, void *memory)
{
    (void)data;
    (void)memory;
}

/* Unpack a message that as_wire_check found well-formed. */
static assay_code unpack(const ProtobufCMessageDescriptor *type, ProtobufCAllocator *memory,
                         const as_bytes *bytes, const char *name, const char *kind,
                         ProtobufCMessage **out, assay_error *err)
{
    if (bytes->size > AS_ONNX_MAX_BYTES)
        return as_fail(err, ASSAY_E_FORMAT, "%s has %zu bytes, at most %zu are read", name,
                       bytes->size, AS_ONNX_MAX_BYTES);
    assay_code code = as_wire_check(type, bytes->data, bytes->size, name, kind, err);
    if (code) return code;
    *out = protobuf_c_message_unpack(type, memory, bytes->size, bytes->data);
    if (*out) return ASSAY_OK;
    const source *s = memory->allocator_data;
    if (s->has_failed)
        return as_fail(err, ASSAY_E_MEMORY, "no memory to read %s (%zu bytes)", name,
                       bytes->size);
    return as_fail(err, ASSAY_E_FORMAT, "%s is not %s: a field has the wrong type", name, kind);
}

static assay_code parse(const as_bytes *bytes, const char *name, as_graph **out,
                        assay_error *err)
{
    *out = NULL;
    as_graph *graph = as_graph_new();
    /* Weights take what they take in the file, names and nodes somewhat more. */
    if (!graph || !as_graph_reserve(graph, bytes->size + bytes->size / 4)) {
        as_graph_free(graph);
        return as_fail(err, ASSAY_E_MEMORY, "no memory to read %s", name);
    }
    source s = {.owner = graph};
    ProtobufCAllocator memory = {.alloc = graph_alloc, .free = keep, .allocator_data = &s};
    ProtobufCMessage *model = NULL;
    assay_code code = unpack(&onnx__model_proto__descriptor, &memory, bytes, name,
                             "an ONNX model", &model, err);
    if (!code)
        code = as_onnx_import((const Onnx__ModelProto *)model, &memory, name, graph, err);
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
    return parse(&borrowed, name, out, err);
}

assay_code as_onnx_load(const char *path, as_graph **out, assay_error *err)
{
    as_bytes bytes = {0};
    *out = NULL;
    assay_code code = as_file_read(path, AS_ONNX_MAX_BYTES, &bytes, err);
    if (!code) code = parse(&bytes, path, out, err);
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
    source s = {.owner = as_arena_new()};
    ProtobufCAllocator memory = {.alloc = arena_alloc, .free = keep, .allocator_data = &s};
    assay_code code = s.owner ? as_file_read(path, AS_ONNX_MAX_BYTES, &bytes, err)
                              : as_fail(err, ASSAY_E_MEMORY, "no memory to read %s", path);
    if (!code)
        code = unpack(&onnx__tensor_proto__descriptor, &memory, &bytes, path, "an ONNX tensor",
                      &proto, err);
    if (!code)
        code =
            as_onnx_decode((const Onnx__TensorProto *)proto, &memory, "tensor", &decoded, err);
    if (!code) code = copy_tensor((const Onnx__TensorProto *)proto, &decoded, out, err);
    if (code) as_error_where(err, "%s", as_path_base(path));
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
