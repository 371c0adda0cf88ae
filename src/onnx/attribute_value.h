/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_ONNX_ATTRIBUTE_VALUE_H
#define ASSAY_ONNX_ATTRIBUTE_VALUE_H
/*
 * The value of one AttributeProto, checked: what the readers of the families have in common.
 *
 *     if (is_named(s, "alpha")) return take_float(s, &a->gemm.alpha);
 */
#include <limits.h>
#include <string.h>

#include "graph/graph.h"
#include "onnx.pb-c.h"

/** One attribute that is being read. */
typedef struct site {
    const Onnx__AttributeProto *a;
    as_node *node;
    int opset;
    assay_error *err;
} site;

/** A reader takes one attribute of its family; *is_known = false leaves it to the caller. */
typedef assay_code reader(const site *s, bool *is_known);

/** The readers in attributes_math.c. */
reader as_onnx_read_batch_norm, as_onnx_read_norm, as_onnx_read_lrn, as_onnx_read_broadcast,
    as_onnx_read_reduce, as_onnx_read_arg, as_onnx_read_clip, as_onnx_read_activation,
    as_onnx_read_gelu, as_onnx_read_softmax, as_onnx_read_gemm, as_onnx_read_dropout,
    as_onnx_read_range, as_onnx_read_fill, as_onnx_read_none;

static inline bool is_named(const site *s, const char *name)
{
    return strcmp(s->a->name, name) == 0;
}

#define INT    ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT
#define FLOAT  ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT
#define STRING ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING
#define TENSOR ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR
#define INTS   ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS
#define FLOATS ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS

/* ONNX's name of a type, as in "INTS". */
static inline const char *as_onnx_attribute_type_name(Onnx__AttributeProto__AttributeType type)
{
    const ProtobufCEnumValue *value = protobuf_c_enum_descriptor_get_value(
        &onnx__attribute_proto__attribute_type__descriptor, (int)type);
    return value ? value->name : "unknown";
}

/* Fail unless the attribute says it has `type`; files of IR version 1 do not say. */
static inline assay_code need_type(const site *s, Onnx__AttributeProto__AttributeType type)
{
    if (!s->a->has_type || s->a->type == type) return ASSAY_OK;
    return as_fail(s->err, ASSAY_E_FORMAT, "its attribute '%s' has type %s (%d), it must be %s",
                   s->a->name, as_onnx_attribute_type_name(s->a->type), (int)s->a->type,
                   as_onnx_attribute_type_name(type));
}

static inline assay_code to_int(const site *s, int64_t value, int *out)
{
    if (value < INT_MIN || value > INT_MAX)
        return as_fail(s->err, ASSAY_E_FORMAT,
                       "its attribute '%s' is %lld, too large for an int of 32 bits",
                       s->a->name, (long long)value);
    *out = (int)value;
    return ASSAY_OK;
}

static inline assay_code take_int(const site *s, int *out)
{
    assay_code code = need_type(s, INT);
    return code ? code : to_int(s, s->a->i, out);
}

static inline assay_code take_bool(const site *s, bool *out)
{
    assay_code code = need_type(s, INT);
    if (!code) *out = s->a->i != 0;
    return code;
}

static inline assay_code take_float(const site *s, float *out)
{
    assay_code code = need_type(s, FLOAT);
    if (!code) *out = s->a->f;
    return code;
}

static inline assay_code copy_ints(const site *s, int *out)
{
    assay_code code = ASSAY_OK;
    for (size_t i = 0; !code && i < s->a->n_ints; i++)
        code = to_int(s, s->a->ints[i], &out[i]);
    return code;
}

/* Exactly `n` integers. */
static inline assay_code take_ints(const site *s, int *out, size_t n)
{
    assay_code code = need_type(s, INTS);
    if (code) return code;
    if (s->a->n_ints == n) return copy_ints(s, out);
    return as_fail(s->err, ASSAY_E_UNSUPPORTED, "its attribute '%s' needs %zu values, has %zu",
                   s->a->name, n, s->a->n_ints);
}

/* As many integers as there are axes: int out[AS_MAX_RANK]. */
static inline assay_code take_axes(const site *s, int *out, int *n)
{
    assay_code code = need_type(s, INTS);
    if (code) return code;
    if (s->a->n_ints > AS_MAX_RANK)
        return as_fail(s->err, ASSAY_E_UNSUPPORTED,
                       "its attribute '%s' has %zu values, assay takes at most %d", s->a->name,
                       s->a->n_ints, AS_MAX_RANK);
    *n = (int)s->a->n_ints;
    return copy_ints(s, out);
}

static inline bool is_text(const site *s, const char *text)
{
    return s->a->s.len == strlen(text) && memcmp(s->a->s.data, text, s->a->s.len) == 0;
}

/* The place of a string in a NULL-ended list. */
static inline assay_code take_choice(const site *s, const char *const *names, int *out)
{
    assay_code code = need_type(s, STRING);
    if (code) return code;
    for (int i = 0; names[i]; i++) {
        if (!is_text(s, names[i])) continue;
        *out = i;
        return ASSAY_OK;
    }
    return as_fail(s->err, ASSAY_E_UNSUPPORTED,
                   "its attribute '%s' is '%.*s', assay knows %s%s%s", s->a->name,
                   (int)(s->a->s.len < 40 ? s->a->s.len : 40),
                   s->a->s.data ? (const char *)s->a->s.data : "", names[0],
                   names[1] ? ", " : "", names[1] ? names[1] : "");
}

/* An attribute that may only have the value which changes nothing. */
static inline assay_code need_int(const site *s, int64_t wanted)
{
    assay_code code = need_type(s, INT);
    if (code || s->a->i == wanted) return code;
    return as_fail(s->err, ASSAY_E_UNSUPPORTED, "its attribute '%s' is %lld, assay takes %lld",
                   s->a->name, (long long)s->a->i, (long long)wanted);
}

#endif
