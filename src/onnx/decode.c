/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx/decode.h"

#include <string.h>

#include "base/size.h"
#include "onnx.pb-c.h"

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

/* The elements as the message has them. */
typedef struct stored {
    void *data;
    size_t n;             /* elements */
    size_t element_bytes; /* of one as it is stored */
} stored;

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

static assay_code read_shape(const Onnx__TensorProto *p, const char *what, const char *name,
                             as_decoded *out, assay_error *err)
{
    if (p->n_dims > AS_MAX_RANK)
        return as_fail(err, ASSAY_E_UNSUPPORTED, "%s '%s' has %zu dims, at most %d are read",
                       what, name, p->n_dims, AS_MAX_RANK);
    out->shape.rank = (int)p->n_dims;
    for (size_t i = 0; i < p->n_dims; i++)
        out->shape.dims[i] = p->dims[i];
    if (as_shape_elements(&out->shape, &out->n_elements) && out->n_elements <= SIZE_MAX / 16)
        return ASSAY_OK;
    char text[64];
    return as_fail(err, ASSAY_E_FORMAT, "%s '%s' has the shape %s, which no memory can hold",
                   what, name, as_shape_text(&out->shape, text, sizeof text));
}

/* Fail unless the elements are as many as the shape says. */
static assay_code check_count(const as_decoded *out, const stored *s, size_t raw_bytes,
                              const char *what, const char *name, assay_error *err)
{
    char text[64];
    as_shape_text(&out->shape, text, sizeof text);
    if (raw_bytes % s->element_bytes != 0)
        return as_fail(err, ASSAY_E_FORMAT,
                       "%s '%s' has %zu bytes, its shape %s needs %zu values of %zu bytes",
                       what, name, raw_bytes, text, out->n_elements, s->element_bytes);
    if (s->n != out->n_elements)
        return as_fail(err, ASSAY_E_FORMAT, "%s '%s' has %zu values, its shape %s needs %zu",
                       what, name, s->n, text, out->n_elements);
    return ASSAY_OK;
}

assay_code as_onnx_decode(const Onnx__TensorProto *p, ProtobufCAllocator *memory,
                          const char *what, as_decoded *out, assay_error *err)
{
    *out = (as_decoded){0};
    const char *name = p->name ? p->name : "";
    if (p->has_data_location && p->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL)
        return as_fail(err, ASSAY_E_UNSUPPORTED,
                       "%s '%s' lies in a file of its own, assay reads those inside the model",
                       what, name);
    if (p->segment)
        return as_fail(err, ASSAY_E_UNSUPPORTED, "%s '%s' is stored in segments", what, name);
    stored raw = {0}, typed = {0};
    if (!find_stored(p, &raw, &typed))
        return as_fail(err, ASSAY_E_UNSUPPORTED,
                       "%s '%s' has elements %s, which assay does not read", what, name,
                       as_onnx_dtype_name(p->data_type));
    assay_code code = read_shape(p, what, name, out, err);
    if (code) return code;

    stored *have = p->raw_data.len > 0 ? &raw : &typed;
    code = check_count(out, have, p->raw_data.len, what, name, err);
    if (code) return code;
    /* The floats that the graph does not have become float32. */
    bool is_kept = as_onnx_dtype(p->data_type, &out->dtype) && out->dtype != AS_BOOL;
    if (is_kept && out->n_elements > 0) {
        out->data = have->data;
        return ASSAY_OK;
    }
    out->data =
        memory->alloc(memory->allocator_data, out->n_elements * as_dtype_bytes(out->dtype));
    if (!out->data) return as_fail(err, ASSAY_E_MEMORY, "no memory for %s '%s'", what, name);
    convert(p->data_type, have, out->data);
    return ASSAY_OK;
}
