/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers of normalisations, reductions and elementwise operators.  Source of names, types and
 * defaults: the ONNX operator specification, opsets 6 to 28.
 */
#include "onnx/attribute_value.h"
#include "onnx/decode.h"

assay_code as_onnx_read_batch_norm(const site *s, bool *is_known)
{
    as_attributes *a = &s->node->attributes;
    assay_code code = ASSAY_OK;
    bool is_true = false;
    if (is_named(s, "epsilon")) return take_float(s, &a->batch_norm.epsilon);
    if (is_named(s, "momentum")) return take_float(s, &a->batch_norm.momentum);
    if (s->opset < 9 && is_named(s, "spatial")) {
        code = take_bool(s, &is_true);
        a->batch_norm.is_per_activation = !is_true;
    } else if (s->opset < 7 && is_named(s, "is_test")) {
        code = take_bool(s, &is_true);
        a->batch_norm.is_training = !is_true;
    } else if (s->opset >= 14 && is_named(s, "training_mode")) {
        code = take_bool(s, &a->batch_norm.is_training);
    } else {
        *is_known = false;
    }
    return code;
}

assay_code as_onnx_read_norm(const site *s, bool *is_known)
{
    as_attributes *a = &s->node->attributes;
    const as_op op = s->node->op;
    if (is_named(s, "epsilon")) return take_float(s, &a->norm.epsilon);
    if (op == AS_OP_LAYER_NORM && is_named(s, "axis")) return take_int(s, &a->norm.axis);
    if (op == AS_OP_GROUP_NORM && is_named(s, "num_groups"))
        return take_int(s, &a->norm.n_groups);
    if (op != AS_OP_INSTANCE_NORM && is_named(s, "stash_type"))
        return need_int(s, ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT);
    *is_known = false;
    return ASSAY_OK;
}

assay_code as_onnx_read_lrn(const site *s, bool *is_known)
{
    as_attributes *a = &s->node->attributes;
    if (is_named(s, "alpha")) return take_float(s, &a->lrn.alpha);
    if (is_named(s, "beta")) return take_float(s, &a->lrn.beta);
    if (is_named(s, "bias")) return take_float(s, &a->lrn.bias);
    *is_known = is_named(s, "size");
    return *is_known ? take_int(s, &a->lrn.size) : ASSAY_OK;
}

/* Before opset 7 the second operand spread over the first only where `broadcast` said so. */
assay_code as_onnx_read_broadcast(const site *s, bool *is_known)
{
    as_attributes *a = &s->node->attributes;
    const bool is_old = s->opset < 7 && s->node->op != AS_OP_PRELU;
    bool ignored;
    if (is_old && is_named(s, "broadcast")) return take_bool(s, &ignored);
    *is_known = is_old && is_named(s, "axis");
    if (!*is_known) return ASSAY_OK;
    a->broadcast.has_axis = true;
    return take_int(s, &a->broadcast.axis);
}

assay_code as_onnx_read_reduce(const site *s, bool *is_known)
{
    as_reduce_attributes *r = &s->node->attributes.reduce;
    if (is_named(s, "axes")) return take_axes(s, r->axes, &r->n_axes);
    const bool is_reduction = s->node->op != AS_OP_SQUEEZE && s->node->op != AS_OP_UNSQUEEZE;
    if (is_reduction && is_named(s, "keepdims")) return take_bool(s, &r->keepdims);
    if (is_reduction && s->opset >= 13 && is_named(s, "noop_with_empty_axes"))
        return take_bool(s, &r->is_noop_when_empty);
    *is_known = false;
    return ASSAY_OK;
}

assay_code as_onnx_read_arg(const site *s, bool *is_known)
{
    as_attributes *a = &s->node->attributes;
    if (is_named(s, "axis")) return take_int(s, &a->arg.axis);
    if (is_named(s, "keepdims")) return take_bool(s, &a->arg.keepdims);
    *is_known = s->opset >= 12 && is_named(s, "select_last_index");
    return *is_known ? take_bool(s, &a->arg.is_last) : ASSAY_OK;
}

assay_code as_onnx_read_clip(const site *s, bool *is_known)
{
    if (is_named(s, "min")) return take_float(s, &s->node->attributes.clip.min);
    if (is_named(s, "max")) return take_float(s, &s->node->attributes.clip.max);
    *is_known = false;
    return ASSAY_OK;
}

assay_code as_onnx_read_activation(const site *s, bool *is_known)
{
    as_attributes *a = &s->node->attributes;
    if (is_named(s, "alpha")) return take_float(s, &a->activation.alpha);
    const char *second = s->node->op == AS_OP_HARD_SIGMOID ? "beta"
                         : s->node->op == AS_OP_SELU       ? "gamma"
                                                           : NULL;
    *is_known = second && is_named(s, second);
    return *is_known ? take_float(s, &a->activation.beta) : ASSAY_OK;
}

assay_code as_onnx_read_gelu(const site *s, bool *is_known)
{
    static const char *const names[] = {"none", "tanh", NULL};
    int choice = 0;
    *is_known = is_named(s, "approximate");
    assay_code code = *is_known ? take_choice(s, names, &choice) : ASSAY_OK;
    s->node->attributes.gelu.is_tanh = choice == 1;
    return code;
}

assay_code as_onnx_read_softmax(const site *s, bool *is_known)
{
    *is_known = is_named(s, "axis");
    return *is_known ? take_int(s, &s->node->attributes.softmax.axis) : ASSAY_OK;
}

assay_code as_onnx_read_gemm(const site *s, bool *is_known)
{
    as_attributes *a = &s->node->attributes;
    bool ignored;
    if (is_named(s, "alpha")) return take_float(s, &a->gemm.alpha);
    if (is_named(s, "beta")) return take_float(s, &a->gemm.beta);
    if (is_named(s, "transA")) return take_bool(s, &a->gemm.is_a_transposed);
    if (is_named(s, "transB")) return take_bool(s, &a->gemm.is_b_transposed);
    *is_known = s->opset < 7 && is_named(s, "broadcast"); /* the third input always may */
    return *is_known ? take_bool(s, &ignored) : ASSAY_OK;
}

assay_code as_onnx_read_dropout(const site *s, bool *is_known)
{
    as_attributes *a = &s->node->attributes;
    if (s->opset < 12 && is_named(s, "ratio")) return take_float(s, &a->dropout.ratio);
    if (s->opset >= 12 && is_named(s, "seed")) {
        a->dropout.seed = (uint32_t)s->a->i;
        if (s->a->i >= 0 && s->a->i <= UINT32_MAX) return need_type(s, INT);
        return as_fail(s->err, ASSAY_E_UNSUPPORTED,
                       "its attribute 'seed' is %lld, assay takes 0 to %u", (long long)s->a->i,
                       UINT32_MAX);
    }
    *is_known = false;
    return ASSAY_OK;
}

assay_code as_onnx_read_range(const site *s, bool *is_known)
{
    int ignored;
    *is_known = s->opset >= 27 && is_named(s, "stash_type"); /* of float16 */
    return *is_known ? take_int(s, &ignored) : ASSAY_OK;
}

/* Memory for one element, which is all that ConstantOfShape's value may have. */
typedef struct one_element {
    _Alignas(8) unsigned char bytes[8];
} one_element;

static void *give_element(void *element, size_t bytes)
{
    one_element *one = element;
    return bytes <= sizeof one->bytes ? one->bytes : NULL;
}

static void keep_element(void *element, void *pointer) { (void)element, (void)pointer; }

assay_code as_onnx_read_fill(const site *s, bool *is_known)
{
    as_attributes *a = &s->node->attributes;
    one_element room = {{0}};
    ProtobufCAllocator memory = {give_element, keep_element, &room};
    as_external none = {0};
    as_decoded value;
    size_t n = 1;
    *is_known = is_named(s, "value");
    assay_code code = *is_known ? need_type(s, TENSOR) : ASSAY_OK;
    if (code || !*is_known) return code;
    const Onnx__TensorProto *t = s->a->t;
    for (size_t i = 0; t && i < t->n_dims; i++)
        n = t->dims[i] == 1 ? n : 0;
    if (!t || n != 1)
        return as_fail(s->err, ASSAY_E_FORMAT, "its attribute 'value' is not one number");
    code = as_onnx_decode(t, &memory, &none, "value", &value, s->err);
    if (code) return code;
    a->fill.to = (int)value.dtype;
    memcpy(a->fill.element, value.data, as_dtype_bytes(value.dtype));
    return ASSAY_OK;
}

assay_code as_onnx_read_none(const site *s, bool *is_known)
{
    (void)s;
    *is_known = false;
    return ASSAY_OK;
}
