/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The graph's typed attributes -> a NodeProto's, one writer a family.  Source of names and types: the
 * ONNX operator specification, opset 13.  Every attribute of a family is written, also where it is
 * the default.
 */
#include "graph/shape.h"
#include "onnx/save.h"
#include "onnx/saver.h"

/* Most attributes of one node: MaxPool's seven. */
enum { MOST = 7 };

typedef assay_code writer(as_saver *s, const as_node *node, Onnx__NodeProto *out);

static assay_code refuse(const as_saver *s, const char *what)
{
    return as_fail(s->err, ASSAY_E_UNSUPPORTED, "%s cannot be written as opset %d", what,
                   AS_ONNX_SAVED_OPSET);
}

/* A new attribute at the end of the node's; one that nobody reads without memory. */
static Onnx__AttributeProto *add(as_saver *s, Onnx__NodeProto *out, const char *name,
                                 Onnx__AttributeProto__AttributeType type)
{
    static const Onnx__AttributeProto empty = ONNX__ATTRIBUTE_PROTO__INIT;
    if (!out->attribute) out->attribute = as_saver_array(s, MOST, sizeof *out->attribute);
    Onnx__AttributeProto *a = as_saver_array(s, 1, sizeof *a);
    if (!a || !out->attribute) return NULL;
    *a = empty;
    a->name = (char *)(uintptr_t)name; /* protobuf-c's structs have no const; it is only read */
    a->has_type = 1;
    a->type = type;
    out->attribute[out->n_attribute++] = a;
    return a;
}

static void add_int(as_saver *s, Onnx__NodeProto *out, const char *name, int64_t value)
{
    Onnx__AttributeProto *a = add(s, out, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT);
    if (!a) return;
    a->has_i = 1;
    a->i = value;
}

static void add_float(as_saver *s, Onnx__NodeProto *out, const char *name, float value)
{
    Onnx__AttributeProto *a = add(s, out, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT);
    if (!a) return;
    a->has_f = 1;
    a->f = value;
}

/* Room for a list of `n`, or NULL. */
static int64_t *add_ints(as_saver *s, Onnx__NodeProto *out, const char *name, int n)
{
    Onnx__AttributeProto *a = add(s, out, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS);
    int64_t *ints = as_saver_array(s, (size_t)n, sizeof *ints);
    if (!a || !ints) return NULL;
    a->n_ints = (size_t)n;
    a->ints = ints;
    return ints;
}

/* One of a window's lists, which go by entry, in the order of the axes. */
static void add_spatial(as_saver *s, Onnx__NodeProto *out, const char *name, const as_window *w,
                        const int *values)
{
    int64_t *ints = add_ints(s, out, name, w->n_axes);
    for (int axis = 0; ints && axis < w->n_axes; axis++)
        ints[axis] = values[as_window_entry(w->n_axes, axis)];
}

static assay_code write_window(as_saver *s, const as_window *w, bool has_dilations,
                               Onnx__NodeProto *out)
{
    if (w->n_axes == 0) return refuse(s, "a window of no known kernel");
    if (w->auto_pad != AS_PAD_EXPLICIT) return refuse(s, "auto_pad");
    add_spatial(s, out, "kernel_shape", w, w->kernel);
    add_spatial(s, out, "strides", w, w->strides);
    if (has_dilations) add_spatial(s, out, "dilations", w, w->dilations);
    int64_t *pads = add_ints(s, out, "pads", 2 * w->n_axes);
    for (int axis = 0; pads && axis < w->n_axes; axis++) {
        const int entry = as_window_entry(w->n_axes, axis);
        pads[axis] = w->pads[entry < 2 ? entry : 4];
        pads[w->n_axes + axis] = w->pads[entry < 2 ? entry + 2 : 5];
    }
    return ASSAY_OK;
}

static assay_code write_none(as_saver *s, const as_node *node, Onnx__NodeProto *out)
{
    (void)s, (void)node, (void)out;
    return ASSAY_OK;
}

static assay_code write_conv(as_saver *s, const as_node *node, Onnx__NodeProto *out)
{
    const as_conv_attributes *conv = &node->attributes.conv;
    if (node->op != AS_OP_CONV) return refuse(s, node->op_type);
    add_int(s, out, "group", conv->group);
    return write_window(s, &conv->window, true, out);
}

static assay_code write_pool(as_saver *s, const as_node *node, Onnx__NodeProto *out)
{
    const as_pool_attributes *pool = &node->attributes.pool;
    const bool is_max = node->op == AS_OP_MAX_POOL;
    if (!is_max && node->op != AS_OP_AVERAGE_POOL) return refuse(s, node->op_type);
    for (int i = 0; !is_max && i < AS_MAX_SPATIAL; i++)
        if (pool->window.dilations[i] > 1) return refuse(s, "a mean of dilated windows");
    add_int(s, out, "ceil_mode", pool->ceil_mode);
    if (is_max) add_int(s, out, "storage_order", pool->is_column_major);
    if (!is_max) add_int(s, out, "count_include_pad", pool->count_include_pad);
    return write_window(s, &pool->window, is_max, out);
}

static assay_code write_batch_norm(as_saver *s, const as_node *node, Onnx__NodeProto *out)
{
    const as_attributes *a = &node->attributes;
    if (a->batch_norm.is_training || a->batch_norm.is_per_activation)
        return refuse(s, "normalisation by anything but running statistics of channels");
    add_float(s, out, "epsilon", a->batch_norm.epsilon);
    add_float(s, out, "momentum", a->batch_norm.momentum);
    return ASSAY_OK;
}

static assay_code write_axis(as_saver *s, const as_node *node, Onnx__NodeProto *out)
{
    if (node->attributes.axis.n_outputs) return refuse(s, "num_outputs");
    add_int(s, out, "axis", node->attributes.axis.axis);
    return ASSAY_OK;
}

static assay_code write_gemm(as_saver *s, const as_node *node, Onnx__NodeProto *out)
{
    const as_attributes *a = &node->attributes;
    add_float(s, out, "alpha", a->gemm.alpha);
    add_float(s, out, "beta", a->gemm.beta);
    add_int(s, out, "transA", a->gemm.is_a_transposed);
    add_int(s, out, "transB", a->gemm.is_b_transposed);
    return ASSAY_OK;
}

static assay_code write_softmax(as_saver *s, const as_node *node, Onnx__NodeProto *out)
{
    if (node->attributes.softmax.is_flattened)
        return refuse(s, "a softmax over flattened axes");
    add_int(s, out, "axis", node->attributes.softmax.axis);
    return ASSAY_OK;
}

static assay_code write_reshape(as_saver *s, const as_node *node, Onnx__NodeProto *out)
{
    (void)out; /* the dims are its second input */
    return node->attributes.reshape.allow_zero ? refuse(s, "allowzero") : ASSAY_OK;
}

static assay_code write_transpose(as_saver *s, const as_node *node, Onnx__NodeProto *out)
{
    const as_attributes *a = &node->attributes;
    if (a->transpose.n == 0) return ASSAY_OK; /* all axes reversed */
    int64_t *perm = add_ints(s, out, "perm", a->transpose.n);
    for (int i = 0; perm && i < a->transpose.n; i++)
        perm[i] = a->transpose.perm[i];
    return ASSAY_OK;
}

static assay_code write_broadcast(as_saver *s, const as_node *node, Onnx__NodeProto *out)
{
    (void)out;
    return node->attributes.broadcast.has_axis ? refuse(s, "a broadcast along an axis")
                                               : ASSAY_OK;
}

static writer *const writers[] = {
    [AS_ATTRIBUTES_none] = write_none,           [AS_ATTRIBUTES_conv] = write_conv,
    [AS_ATTRIBUTES_pool] = write_pool,           [AS_ATTRIBUTES_batch_norm] = write_batch_norm,
    [AS_ATTRIBUTES_broadcast] = write_broadcast, [AS_ATTRIBUTES_gemm] = write_gemm,
    [AS_ATTRIBUTES_softmax] = write_softmax,     [AS_ATTRIBUTES_axis] = write_axis,
    [AS_ATTRIBUTES_reshape] = write_reshape,     [AS_ATTRIBUTES_transpose] = write_transpose,
};

assay_code as_onnx_write_attributes(as_saver *s, const as_node *node, Onnx__NodeProto *out)
{
    const as_op_entry *entry = as_op_info(node->op);
    const size_t family = entry->attributes;
    if (entry->op_type[0] == '<' || entry->first_opset > AS_ONNX_SAVED_OPSET ||
        node->op == AS_OP_UPSAMPLE || family >= sizeof writers / sizeof *writers ||
        !writers[family])
        return refuse(s, entry->op_type);
    return writers[family](s, node, out);
}
