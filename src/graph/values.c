/* SPDX-License-Identifier: Apache-2.0 */
/* The plain values of a graph: element types, shapes, operators and their default attributes. */
#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "graph/graph.h"

static const as_op_entry operators[AS_N_OPS + 1] = {
#define AS_OPERATOR(name, op_type, min_in, max_in, min_out, max_out, opset, types, signature,  \
                    attributes, shape)                                                         \
    [AS_OP_##name] = {op_type,          min_in,    max_in,                                     \
                      min_out,          max_out,   opset,                                      \
                      AS_TYPES_##types, signature, AS_ATTRIBUTES_##attributes},
#include "graph/operators.inc"
#undef AS_OPERATOR
    [AS_OP_REMOVED] = {"<removed>", 0, AS_ANY, 0, AS_ANY, 1, AS_TYPES_ANY, ".>T",
                       AS_ATTRIBUTES_none},
};

const as_op_entry *as_op_info(as_op op) { return &operators[op]; }

bool as_op_find(const char *op_type, as_op *out)
{
    if (op_type[0] == '<') return false; /* internal ones are in no file */
    for (int op = 0; op < AS_N_OPS; op++) {
        if (strcmp(operators[op].op_type, op_type) != 0) continue;
        *out = (as_op)op;
        return true;
    }
    return false;
}

/* Defaults that all windows share: kernel 0 = not said yet. */
static const as_window window_default = {.strides = {1, 1, 1}, .dilations = {1, 1, 1}};

/* The defaults of alpha, and of HardSigmoid's beta and Selu's gamma. */
static void init_activation(as_attributes *a, as_op op)
{
    a->activation.alpha = 1;
    if (op == AS_OP_LEAKY_RELU) a->activation.alpha = 0.01f;
    if (op == AS_OP_HARD_SIGMOID) {
        a->activation.alpha = 0.2f;
        a->activation.beta = 0.5f;
    }
    if (op == AS_OP_SELU) { /* to the digits of the operator's specification */
        a->activation.alpha = 1.67326319217681884765625f;
        a->activation.beta = 1.05070102214813232421875f;
    }
}

void as_attributes_init(as_attributes *a, as_op op)
{
    memset(a, 0, sizeof *a);
    switch (as_op_info(op)->attributes) {
    case AS_ATTRIBUTES_conv:
        a->conv.window = window_default;
        a->conv.group = 1;
        break;
    case AS_ATTRIBUTES_pool:
        a->pool.window = window_default;
        a->pool.p = 2;
        break;
    case AS_ATTRIBUTES_batch_norm:
        a->batch_norm.epsilon = 1e-5f;
        a->batch_norm.momentum = 0.9f;
        break;
    case AS_ATTRIBUTES_norm:
        a->norm.epsilon = 1e-5f;
        a->norm.axis = -1;
        break;
    case AS_ATTRIBUTES_lrn:
        a->lrn.alpha = 1e-4f;
        a->lrn.beta = 0.75f;
        a->lrn.bias = 1;
        break;
    case AS_ATTRIBUTES_arg:
        a->arg.keepdims = true;
        break;
    case AS_ATTRIBUTES_dropout:
        a->dropout.ratio = 0.5f;
        break;
    case AS_ATTRIBUTES_reduce:
        a->reduce.keepdims = true;
        break;
    case AS_ATTRIBUTES_resize:
        a->resize.cubic_a = -0.75f;
        break;
    case AS_ATTRIBUTES_clip:
        a->clip.min = -FLT_MAX;
        a->clip.max = FLT_MAX;
        break;
    case AS_ATTRIBUTES_activation:
        init_activation(a, op);
        break;
    case AS_ATTRIBUTES_softmax:
        a->softmax.axis = -1;
        break;
    case AS_ATTRIBUTES_gemm:
        a->gemm.alpha = 1;
        a->gemm.beta = 1;
        break;
    case AS_ATTRIBUTES_axis:
        a->axis.axis = op == AS_OP_GATHER || op == AS_OP_SPLIT ? 0 : 1;
        break;
    case AS_ATTRIBUTES_grid:
        a->grid.mode = AS_RESIZE_LINEAR;
        break;
    case AS_ATTRIBUTES_span:
        a->span.end = INT_MAX;
        break;
    default:
        break; /* zeros are their defaults */
    }
}

const char *as_dtype_name(as_dtype dtype)
{
    switch (dtype) {
    case AS_F32:
        return "f32";
    case AS_I64:
        return "i64";
    case AS_I32:
        return "i32";
    case AS_BOOL:
        return "bool";
    }
    return "?";
}

size_t as_dtype_bytes(as_dtype dtype)
{
    switch (dtype) {
    case AS_F32:
        return 4;
    case AS_I64:
        return 8;
    case AS_I32:
        return 4;
    case AS_BOOL:
        return 1;
    }
    return 0;
}

bool as_shape_elements(const as_shape *shape, size_t *out)
{
    if (shape->rank < 0) return false;
    size_t n = 1;
    for (int i = 0; i < shape->rank; i++)
        if (shape->dims[i] < 0 || !as_mul(n, (size_t)shape->dims[i], &n)) return false;
    *out = n;
    return true;
}

const char *as_shape_text(const as_shape *shape, char *text, size_t room)
{
    if (shape->rank < 0) {
        snprintf(text, room, "[unknown]");
        return text;
    }
    size_t at = (size_t)snprintf(text, room, "[");
    for (int i = 0; i < shape->rank && at < room; i++) {
        const char *comma = i ? "," : "";
        int put = shape->dims[i] < 0 ? snprintf(text + at, room - at, "%s?", comma)
                                     : snprintf(text + at, room - at, "%s%lld", comma,
                                                (long long)shape->dims[i]);
        at += (size_t)put;
    }
    if (at < room) snprintf(text + at, room - at, "]");
    return text;
}

as_shape as_tensor_shape(const as_tensor *tensor)
{
    as_shape shape = {.rank = tensor->rank};
    for (int i = 0; i < tensor->rank; i++)
        shape.dims[i] = tensor->dims[i];
    return shape;
}
