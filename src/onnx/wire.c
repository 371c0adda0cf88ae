/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx/wire.h"

#include <string.h>

#include "onnx/guess.h"

/* Wire types. */
enum { VARINT = 0, EIGHT_BYTES = 1, LENGTH = 2, FOUR_BYTES = 5 };

/* Why a check stopped. */
typedef enum outcome {
    FINE,
    NOT_ITS_FORMAT,
    CUT_OFF,
    TOO_DEEP,
    TOO_MANY,
    ZERO_IN_STRING
} outcome;

typedef struct walk {
    const unsigned char *bytes; /* of the whole file */
    size_t at;                  /* next byte */
    size_t field_at;            /* first byte of the field that was begun last */
    size_t n_messages;
    size_t data_bytes; /* that values will take */
    int depth;
} walk;

/* A varint of at most ten bytes that ends before `end`. */
static outcome read_varint(walk *w, size_t end, uint64_t *out)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
        if (w->at >= end) return CUT_OFF;
        unsigned char byte = w->bytes[w->at++];
        value |= (uint64_t)(byte & 0x7f) << (shift < 64 ? shift : 63);
        if (byte < 0x80) {
            *out = value;
            return FINE;
        }
    }
    return NOT_ITS_FORMAT;
}

static outcome skip_bytes(walk *w, size_t end, uint64_t n)
{
    if (n > end - w->at) return CUT_OFF;
    w->at += (size_t)n;
    return FINE;
}

/* Bytes of a packed varint once it is unpacked; 0 for other fields. */
static size_t varint_bytes(const ProtobufCFieldDescriptor *field)
{
    if (!field || field->label != PROTOBUF_C_LABEL_REPEATED) return 0;
    switch (field->type) {
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_UINT64:
        return 8;
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_ENUM:
    case PROTOBUF_C_TYPE_BOOL:
        return 4;
    default:
        return 0;
    }
}

/* A field's bytes that are no message: what they take, and that a string has no zero. */
static outcome walk_values(walk *w, const ProtobufCFieldDescriptor *field, size_t length)
{
    const unsigned char *values = w->bytes + w->at;
    size_t each = varint_bytes(field), n_bytes = length;
    if (field && field->type == PROTOBUF_C_TYPE_STRING && memchr(values, 0, length))
        return ZERO_IN_STRING;
    if (each) {
        size_t n = 0;
        for (size_t i = 0; i < length; i++)
            n += values[i] < 0x80; /* a varint's last byte */
        n_bytes = n * each;        /* at most 8 times a size of memory that is there */
    }
    w->data_bytes += n_bytes;
    w->at += length;
    return FINE;
}

static outcome walk_message(walk *w, const ProtobufCMessageDescriptor *type, size_t end);

/* The bytes of a field with a length: values, or a message to be walked. */
static outcome walk_length(walk *w, const ProtobufCFieldDescriptor *field, size_t end)
{
    uint64_t length = 0;
    outcome result = read_varint(w, end, &length);
    if (result) return result;
    if (length > end - w->at) return CUT_OFF;
    if (!field || field->type != PROTOBUF_C_TYPE_MESSAGE)
        return walk_values(w, field, (size_t)length);
    if (w->depth == AS_WIRE_MAX_DEPTH) return TOO_DEEP;
    w->depth++;
    result = walk_message(w, field->descriptor, w->at + (size_t)length);
    w->depth--;
    return result;
}

static outcome walk_message(walk *w, const ProtobufCMessageDescriptor *type, size_t end)
{
    if (++w->n_messages > AS_WIRE_MAX_MESSAGES) return TOO_MANY;
    bool is_first = w->depth == 0;
    while (w->at < end) {
        uint64_t key = 0, ignored;
        w->field_at = w->at;
        outcome result = read_varint(w, end, &key);
        if (result) return result;
        if (key >> 3 == 0 || key >> 3 > (1u << 29) - 1) return NOT_ITS_FORMAT;
        const ProtobufCFieldDescriptor *field =
            protobuf_c_message_descriptor_get_field(type, (unsigned)(key >> 3));
        /* A newer format may have new fields, but no file begins with one. */
        if (is_first && !field) return NOT_ITS_FORMAT;
        is_first = false;
        switch (key & 7) {
        case VARINT:
            result = read_varint(w, end, &ignored);
            break;
        case EIGHT_BYTES:
            result = skip_bytes(w, end, 8);
            break;
        case LENGTH:
            result = walk_length(w, field, end);
            break;
        case FOUR_BYTES:
            result = skip_bytes(w, end, 4);
            break;
        default:
            return NOT_ITS_FORMAT;
        }
        if (result) return result;
    }
    return FINE;
}

/* The sentence for a file that is something else. */
static assay_code refuse_format(const walk *w, const as_bytes *bytes, const char *name,
                                const char *kind, assay_error *err)
{
    const char *guess = as_onnx_guess(bytes);
    return as_fail(err, ASSAY_E_FORMAT,
                   "%s is not an ONNX protobuf%s%s%s: no field of %s begins at byte %zu", name,
                   guess ? " (it looks like " : "", guess ? guess : "", guess ? ")" : "", kind,
                   w->field_at);
}

assay_code as_wire_check(const ProtobufCMessageDescriptor *type, const as_bytes *bytes,
                         const char *name, const char *kind, size_t *data_bytes,
                         assay_error *err)
{
    if (bytes->size == 0)
        return as_fail(err, ASSAY_E_FORMAT, "%s is empty, it must be %s", name, kind);
    walk w = {.bytes = bytes->data};
    outcome result = walk_message(&w, type, bytes->size);
    *data_bytes = w.data_bytes;
    switch (result) {
    case FINE:
        return ASSAY_OK;
    case NOT_ITS_FORMAT:
        return refuse_format(&w, bytes, name, kind, err);
    case CUT_OFF:
        if (as_onnx_guess(bytes)) return refuse_format(&w, bytes, name, kind, err);
        return as_fail(err, ASSAY_E_FORMAT,
                       "%s is truncated or not %s: the field at byte %zu of %zu has no end",
                       name, kind, w.field_at, bytes->size);
    case TOO_DEEP:
        return as_fail(err, ASSAY_E_FORMAT, "%s nests messages deeper than %d at byte %zu",
                       name, AS_WIRE_MAX_DEPTH, w.field_at);
    case TOO_MANY:
        return as_fail(err, ASSAY_E_FORMAT, "%s holds more than %zu messages", name,
                       AS_WIRE_MAX_MESSAGES);
    case ZERO_IN_STRING:
        return as_fail(err, ASSAY_E_FORMAT,
                       "%s has a zero byte in the string at byte %zu, a name has none", name,
                       w.field_at);
    }
    return ASSAY_OK;
}
