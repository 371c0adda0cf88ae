/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx/wire.h"

#include <stdbool.h>

/* Wire types. */
enum { VARINT = 0, EIGHT_BYTES = 1, LENGTH = 2, FOUR_BYTES = 5 };

/* Why a check stopped. */
typedef enum outcome { FINE, NOT_ITS_FORMAT, CUT_OFF, TOO_DEEP, TOO_MANY } outcome;

typedef struct walk {
    const unsigned char *bytes; /* of the whole file */
    size_t at;                  /* next byte */
    size_t field_at;            /* first byte of the field that was begun last */
    size_t n_messages;
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

static outcome walk_message(walk *w, const ProtobufCMessageDescriptor *type, size_t end);

/* The bytes of a field with a length: skipped, or walked when they are a message. */
static outcome walk_length(walk *w, const ProtobufCFieldDescriptor *field, size_t end)
{
    uint64_t length = 0;
    outcome result = read_varint(w, end, &length);
    if (result) return result;
    if (length > end - w->at) return CUT_OFF;
    if (!field || field->type != PROTOBUF_C_TYPE_MESSAGE) return skip_bytes(w, end, length);
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

assay_code as_wire_check(const ProtobufCMessageDescriptor *type, const unsigned char *bytes,
                         size_t size, const char *name, const char *kind, assay_error *err)
{
    if (size == 0)
        return as_fail(err, ASSAY_E_FORMAT, "%s is empty, it must be %s", name, kind);
    walk w = {.bytes = bytes};
    switch (walk_message(&w, type, size)) {
    case FINE:
        return ASSAY_OK;
    case NOT_ITS_FORMAT:
        return as_fail(err, ASSAY_E_FORMAT, "%s is not %s: no field of one begins at byte %zu",
                       name, kind, w.field_at);
    case CUT_OFF:
        return as_fail(err, ASSAY_E_FORMAT,
                       "%s is cut off or not %s: the field at byte %zu of %zu has no end", name,
                       kind, w.field_at, size);
    case TOO_DEEP:
        return as_fail(err, ASSAY_E_FORMAT, "%s nests messages deeper than %d at byte %zu",
                       name, AS_WIRE_MAX_DEPTH, w.field_at);
    case TOO_MANY:
        return as_fail(err, ASSAY_E_FORMAT, "%s holds more than %zu messages", name,
                       AS_WIRE_MAX_MESSAGES);
    }
    return ASSAY_OK;
}
