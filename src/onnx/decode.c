/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx/decode.h"

#include <string.h>

#include "base/size.h"
#include "onnx.pb-c.h"
#include "onnx/external.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "raw_data is little-endian");

bool as_onnx_dtype(int data_type, as_dtype *out)
{
    switch (data_type) {
    case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT:
        *out = AS_F32;
        return true;
    case ONNX__TENSOR_PROTO__DATA_TYPE__INT64:
        *out = AS_I64;
        return true;
    case ONNX__TENSOR_PROTO__DATA_TYPE__INT32:
        *out = AS_I32;
        return true;
    case ONNX__TENSOR_PROTO__DATA_TYPE__BOOL:
        *out = AS_BOOL;
        return true;
    default:
        return false;
    }
}

const char *as_onnx_dtype_name(int data_type)
{
    const ProtobufCEnumValue *value = protobuf_c_enum_descriptor_get_value(
        &onnx__tensor_proto__data_type__descriptor, data_type);
    return value ? value->name : "of a newer ONNX";
}

/* IEEE 754 binary16 to binary32: exact. */
static float from_half(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = (half >> 10) & 31;
    uint32_t fraction = half & 0x3ff;
    if (exponent == 0) { /* zero and subnormals: fraction * 2^-24 */
        float value = (float)fraction * 0x1p-24f;
        return sign ? -value : value;
    }
    uint32_t bits = sign | fraction << 13 | (exponent == 31 ? 0xffu : exponent + 112) << 23;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* bfloat16 is the upper half of a binary32. */
static float from_bfloat16(uint16_t upper)
{
    uint32_t bits = (uint32_t)upper << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The elements as the message or a file beside the model has them. */
typedef struct stored {
    void *data;
    size_t n;             /* elements */
    size_t element_bytes; /* of one as it is stored */
} stored;

/* One tensor that is being decoded. */
typedef struct decoding {
    const Onnx__TensorProto *proto;
    ProtobufCAllocator *memory;
    const char *what, *name; /* for messages */
    assay_error *err;
} decoding;

/*
 * Where elements of `type` are: raw_data, or the typed field that ONNX assigns to it; narrow types
 * lie in int32_data, one a value.
 */
static bool find_stored(const Onnx__TensorProto *p, stored *raw, stored *typed)
{
    *typed = (stored){.data = p->int32_data, .n = p->n_int32_data, .element_bytes = 4};
    switch (p->data_type) {
    case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT:
        *typed = (stored){.data = p->float_data, .n = p->n_float_data, .element_bytes = 4};
        raw->element_bytes = 4;
        break;
    case ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE:
        *typed = (stored){.data = p->double_data, .n = p->n_double_data, .element_bytes = 8};
        raw->element_bytes = 8;
        break;
    case ONNX__TENSOR_PROTO__DATA_TYPE__INT64:
        *typed = (stored){.data = p->int64_data, .n = p->n_int64_data, .element_bytes = 8};
        raw->element_bytes = 8;
        break;
    case ONNX__TENSOR_PROTO__DATA_TYPE__INT32:
        raw->element_bytes = 4;
        break;
    case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16:
    case ONNX__TENSOR_PROTO__DATA_TYPE__BFLOAT16:
        raw->element_bytes = 2;
        break;
    case ONNX__TENSOR_PROTO__DATA_TYPE__BOOL:
        raw->element_bytes = 1;
        break;
    default:
        return false;
    }
    raw->data = p->raw_data.data;
    raw->n = p->raw_data.len / raw->element_bytes;
    return true;
}

/* Element `i` of a 16-bit type, out of raw_data or int32_data. */
static uint16_t bits16(const stored *s, size_t i)
{
    return s->element_bytes == 2 ? ((const uint16_t *)s->data)[i]
                                 : (uint16_t)((const int32_t *)s->data)[i];
}

/* Convert what is not stored as the graph has it. */
static void convert(int data_type, const stored *s, void *out)
{
    float *f = out;
    unsigned char *b = out;
    for (size_t i = 0; i < s->n; i++) {
        switch (data_type) {
        case ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE:
            f[i] = (float)((const double *)s->data)[i];
            break;
        case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16:
            f[i] = from_half(bits16(s, i));
            break;
        case ONNX__TENSOR_PROTO__DATA_TYPE__BFLOAT16:
            f[i] = from_bfloat16(bits16(s, i));
            break;
        default: /* BOOL */
            b[i] = s->element_bytes == 1 ? ((const unsigned char *)s->data)[i] != 0
                                         : ((const int32_t *)s->data)[i] != 0;
        }
    }
}

static void *allocate(const decoding *d, size_t bytes)
{
    void *data = d->memory->alloc(d->memory->allocator_data, bytes);
    if (!data)
        as_fail(d->err, ASSAY_E_MEMORY, "no memory for %zu bytes of %s '%s'", bytes, d->what,
                d->name);
    return data;
}

static assay_code read_shape(const decoding *d, as_decoded *out)
{
    const Onnx__TensorProto *p = d->proto;
    if (p->n_dims > AS_MAX_RANK)
        return as_fail(d->err, ASSAY_E_UNSUPPORTED, "%s '%s' has %zu dims, at most %d are read",
                       d->what, d->name, p->n_dims, AS_MAX_RANK);
    out->shape.rank = (int)p->n_dims;
    for (size_t i = 0; i < p->n_dims; i++) {
        out->shape.dims[i] = p->dims[i];
        if (p->dims[i] < 0)
            return as_fail(d->err, ASSAY_E_FORMAT, "%s '%s' has the negative dimension %lld",
                           d->what, d->name, (long long)p->dims[i]);
        if (p->dims[i] > AS_MAX_DIM)
            return as_fail(d->err, ASSAY_E_FORMAT,
                           "%s '%s' has the dimension %lld, its element count overflows or "
                           "exceeds any data: %d is the most",
                           d->what, d->name, (long long)p->dims[i], AS_MAX_DIM);
    }
    if (as_shape_elements(&out->shape, &out->n_elements) && out->n_elements <= SIZE_MAX / 16)
        return ASSAY_OK;
    char text[128];
    return as_fail(d->err, ASSAY_E_FORMAT,
                   "%s '%s' has the shape %s, whose element count overflows: no memory can "
                   "hold it",
                   d->what, d->name, as_shape_text(&out->shape, text, sizeof text));
}

/* Fail unless the elements are as many as the shape says. */
static assay_code check_count(const decoding *d, const as_decoded *out, const stored *raw,
                              const stored *typed)
{
    char text[64];
    size_t raw_bytes = d->proto->raw_data.len;
    size_t wanted_bytes = out->n_elements * raw->element_bytes; /* read_shape bounds it */
    as_shape_text(&out->shape, text, sizeof text);
    if (raw_bytes > 0 && typed->n > 0)
        return as_fail(d->err, ASSAY_E_FORMAT,
                       "%s '%s' has %zu bytes of raw data and %zu values besides, one of both "
                       "is needed",
                       d->what, d->name, raw_bytes, typed->n);
    if (raw_bytes > 0 && raw_bytes != wanted_bytes)
        return as_fail(d->err, ASSAY_E_FORMAT,
                       "%s '%s' has %zu bytes, its shape %s needs %zu bytes", d->what, d->name,
                       raw_bytes, text, wanted_bytes);
    if (raw_bytes == 0 && typed->n != out->n_elements)
        return as_fail(d->err, ASSAY_E_FORMAT, "%s '%s' has %zu values, its shape %s needs %zu",
                       d->what, d->name, typed->n, text, out->n_elements);
    return ASSAY_OK;
}

/* Elements that lie beside the model, as raw data. */
static assay_code read_external(const decoding *d, as_external *external, const as_decoded *out,
                                size_t n_typed, stored *raw)
{
    as_external_part part;
    const Onnx__TensorProto *p = d->proto;
    size_t n_bytes = out->n_elements * raw->element_bytes; /* read_shape bounds it */
    if (p->raw_data.len > 0 || n_typed > 0)
        return as_fail(d->err, ASSAY_E_FORMAT,
                       "%s '%s' has %zu bytes of raw data and %zu values, and lies in a file "
                       "of its own, one of them is needed",
                       d->what, d->name, p->raw_data.len, n_typed);
    assay_code code = as_external_find(external, p, n_bytes, &part, d->err);
    if (!code) {
        raw->data = allocate(d, n_bytes);
        raw->n = out->n_elements;
        code = as_external_read(&part, raw->data, n_bytes, d->err);
        if (!raw->data) code = ASSAY_E_MEMORY;
    }
    if (code) as_error_where(d->err, "%s '%s'", d->what, d->name);
    return code;
}

/* Where the elements are, once they are as many as the shape needs. */
static assay_code find_elements(const decoding *d, as_external *external, const as_decoded *out,
                                stored *have)
{
    const Onnx__TensorProto *p = d->proto;
    stored raw = {0}, typed = {0};
    if (!find_stored(p, &raw, &typed))
        return as_fail(d->err, ASSAY_E_UNSUPPORTED,
                       "%s '%s' has elements %s (data type %d), which assay does not read",
                       d->what, d->name, as_onnx_dtype_name(p->data_type), p->data_type);
    bool is_external =
        p->has_data_location && p->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    assay_code code = is_external ? read_external(d, external, out, typed.n, &raw)
                                  : check_count(d, out, &raw, &typed);
    *have = is_external || p->raw_data.len > 0 ? raw : typed;
    return code;
}

assay_code as_onnx_decode(const Onnx__TensorProto *proto, ProtobufCAllocator *memory,
                          as_external *external, const char *what, as_decoded *out,
                          assay_error *err)
{
    decoding d = {.proto = proto,
                  .memory = memory,
                  .what = what,
                  .name = proto->name ? proto->name : "",
                  .err = err};
    stored have = {0};
    *out = (as_decoded){0};
    if (proto->segment)
        return as_fail(err, ASSAY_E_UNSUPPORTED, "%s '%s' is stored in segments", what, d.name);
    assay_code code = read_shape(&d, out);
    if (!code) code = find_elements(&d, external, out, &have);
    if (code) return code;
    /* The floats that the graph does not have become float32. */
    bool is_kept = as_onnx_dtype(proto->data_type, &out->dtype) && out->dtype != AS_BOOL;
    if (is_kept && out->n_elements > 0) {
        out->data = have.data;
        return ASSAY_OK;
    }
    out->data = allocate(&d, out->n_elements * as_dtype_bytes(out->dtype));
    if (!out->data) return ASSAY_E_MEMORY;
    convert(proto->data_type, &have, out->data);
    return ASSAY_OK;
}
