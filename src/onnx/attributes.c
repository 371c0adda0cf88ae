/* SPDX-License-Identifier: Apache-2.0 */
/* Source of names, types and defaults: the ONNX operator specification, opsets 7 to 28. */
#include "onnx/attributes.h"

#include "onnx/attribute_value.h"
#include "onnx/decode.h"

static assay_code read_auto_pad(const site *s, as_auto_pad *out)
{
    static const char *const names[] = {"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER", NULL};
    static const as_auto_pad values[] = {AS_PAD_EXPLICIT, AS_PAD_VALID, AS_PAD_SAME_UPPER,
                                         AS_PAD_SAME_LOWER};
    int choice = 0;
    assay_code code = take_choice(s, names, &choice);
    if (!code) *out = values[choice];
    return code;
}

static assay_code read_window(const site *s, as_window *w, bool *is_known)
{
    if (is_named(s, "auto_pad")) return read_auto_pad(s, &w->auto_pad);
    if (is_named(s, "kernel_shape")) return take_ints(s, w->kernel, 2);
    if (is_named(s, "strides")) return take_ints(s, w->strides, 2);
    if (is_named(s, "dilations")) return take_ints(s, w->dilations, 2);
    if (is_named(s, "pads")) return take_ints(s, w->pads, 4);
    *is_known = false;
    return ASSAY_OK;
}

static assay_code read_conv(const site *s, bool *is_known)
{
    as_conv_attributes *conv = &s->node->attributes.conv;
    if (is_named(s, "group")) return take_int(s, &conv->group);
    if (s->node->op == AS_OP_CONV_TRANSPOSE) {
        if (is_named(s, "output_padding")) return take_ints(s, conv->output_padding, 2);
        if (is_named(s, "output_shape")) return take_ints(s, conv->output_shape, 2);
    }
    return read_window(s, &conv->window, is_known);
}

static assay_code read_pool(const site *s, bool *is_known)
{
    as_pool_attributes *pool = &s->node->attributes.pool;
    if (is_named(s, "ceil_mode")) return take_bool(s, &pool->ceil_mode);
    if (is_named(s, "storage_order")) return need_int(s, 0);
    if (is_named(s, "count_include_pad")) return take_bool(s, &pool->count_include_pad);
    return read_window(s, &pool->window, is_known);
}

static assay_code read_resize_mode(const site *s, as_resize_attributes *r)
{
    static const char *const names[] = {"nearest", "linear", "bilinear", "cubic", NULL};
    static const as_resize_mode values[] = {AS_RESIZE_NEAREST, AS_RESIZE_LINEAR,
                                            AS_RESIZE_LINEAR, AS_RESIZE_CUBIC};
    int choice = 0;
    assay_code code = take_choice(s, names, &choice);
    if (!code) r->mode = values[choice];
    return code;
}

static assay_code read_coordinate(const site *s, as_resize_attributes *r)
{
    static const char *const names[] = {"half_pixel", "asymmetric", "align_corners",
                                        "pytorch_half_pixel", NULL};
    static const as_resize_coordinate values[] = {
        AS_COORDINATE_HALF_PIXEL, AS_COORDINATE_ASYMMETRIC, AS_COORDINATE_ALIGN_CORNERS,
        AS_COORDINATE_PYTORCH_HALF_PIXEL};
    int choice = 0;
    assay_code code = take_choice(s, names, &choice);
    if (!code) r->coordinate = values[choice];
    return code;
}

static assay_code read_nearest(const site *s, as_resize_attributes *r)
{
    static const char *const names[] = {"round_prefer_floor", "floor", "ceil",
                                        "round_prefer_ceil", NULL};
    static const as_resize_nearest values[] = {AS_NEAREST_ROUND_PREFER_FLOOR, AS_NEAREST_FLOOR,
                                               AS_NEAREST_CEIL, AS_NEAREST_ROUND_PREFER_CEIL};
    int choice = 0;
    assay_code code = take_choice(s, names, &choice);
    if (!code) r->nearest = values[choice];
    return code;
}

/* Upsample's factors before opset 9. */
static assay_code read_scales(const site *s, as_resize_attributes *r)
{
    assay_code code = need_type(s, FLOATS);
    if (code) return code;
    if (s->a->n_floats > AS_MAX_RANK)
        return as_fail(s->err, ASSAY_E_FORMAT,
                       "its attribute 'scales' has %zu values, at most %d fit", s->a->n_floats,
                       AS_MAX_RANK);
    r->n_scales = (int)s->a->n_floats;
    for (int i = 0; i < r->n_scales; i++)
        r->scales[i] = s->a->floats[i];
    return ASSAY_OK;
}

static assay_code read_resize(const site *s, bool *is_known)
{
    static const char *const policies[] = {"stretch", NULL};
    as_resize_attributes *r = &s->node->attributes.resize;
    int ignored;
    if (is_named(s, "mode")) return read_resize_mode(s, r);
    if (s->node->op == AS_OP_UPSAMPLE && is_named(s, "scales")) return read_scales(s, r);
    if (is_named(s, "coordinate_transformation_mode")) return read_coordinate(s, r);
    if (is_named(s, "nearest_mode")) return read_nearest(s, r);
    if (is_named(s, "cubic_coeff_a")) return take_float(s, &r->cubic_a);
    if (is_named(s, "axes")) return take_axes(s, r->axes, &r->n_axes);
    if (is_named(s, "exclude_outside") || is_named(s, "antialias")) return need_int(s, 0);
    if (is_named(s, "keep_aspect_ratio_policy")) return take_choice(s, policies, &ignored);
    if (is_named(s, "extrapolation_value")) return ASSAY_OK; /* of a mode that is not taken */
    *is_known = false;
    return ASSAY_OK;
}

static assay_code read_axis(const site *s, bool *is_known)
{
    *is_known = is_named(s, "axis");
    return *is_known ? take_int(s, &s->node->attributes.axis.axis) : ASSAY_OK;
}

static assay_code read_reshape(const site *s, bool *is_known)
{
    *is_known = is_named(s, "allowzero");
    return *is_known ? take_bool(s, &s->node->attributes.reshape.allow_zero) : ASSAY_OK;
}

static assay_code read_transpose(const site *s, bool *is_known)
{
    as_attributes *a = &s->node->attributes;
    *is_known = is_named(s, "perm");
    return *is_known ? take_axes(s, a->transpose.perm, &a->transpose.n) : ASSAY_OK;
}

static assay_code read_cast(const site *s, bool *is_known)
{
    int to = 0;
    as_dtype dtype;
    if (is_named(s, "saturate") || is_named(s, "round_mode")) return ASSAY_OK; /* of float8 */
    *is_known = is_named(s, "to");
    assay_code code = *is_known ? take_int(s, &to) : ASSAY_OK;
    if (code || !*is_known) return code;
    if (!as_onnx_dtype(to, &dtype))
        return as_fail(s->err, ASSAY_E_UNSUPPORTED,
                       "it casts to type %s (%d), which assay has not", as_onnx_dtype_name(to),
                       to);
    s->node->attributes.cast.to = (int)dtype;
    return ASSAY_OK;
}

static assay_code read_span(const site *s, bool *is_known)
{
    as_attributes *a = &s->node->attributes;
    if (is_named(s, "start")) return take_int(s, &a->span.start);
    if (is_named(s, "end")) return take_int(s, &a->span.end);
    *is_known = false;
    return ASSAY_OK;
}

static reader *const readers[] = {
    [AS_ATTRIBUTES_none] = as_onnx_read_none,
    [AS_ATTRIBUTES_conv] = read_conv,
    [AS_ATTRIBUTES_batch_norm] = as_onnx_read_batch_norm,
    [AS_ATTRIBUTES_pool] = read_pool,
    [AS_ATTRIBUTES_reduce] = as_onnx_read_reduce,
    [AS_ATTRIBUTES_resize] = read_resize,
    [AS_ATTRIBUTES_clip] = as_onnx_read_clip,
    [AS_ATTRIBUTES_activation] = as_onnx_read_activation,
    [AS_ATTRIBUTES_gelu] = as_onnx_read_gelu,
    [AS_ATTRIBUTES_softmax] = as_onnx_read_softmax,
    [AS_ATTRIBUTES_gemm] = as_onnx_read_gemm,
    [AS_ATTRIBUTES_axis] = read_axis,
    [AS_ATTRIBUTES_reshape] = read_reshape,
    [AS_ATTRIBUTES_transpose] = read_transpose,
    [AS_ATTRIBUTES_cast] = read_cast,
    [AS_ATTRIBUTES_span] = read_span,
    [AS_ATTRIBUTES_fill] = as_onnx_read_fill,
    [AS_ATTRIBUTES_norm] = as_onnx_read_norm,
    [AS_ATTRIBUTES_lrn] = as_onnx_read_lrn,
    [AS_ATTRIBUTES_broadcast] = as_onnx_read_broadcast,
    [AS_ATTRIBUTES_arg] = as_onnx_read_arg,
    [AS_ATTRIBUTES_dropout] = as_onnx_read_dropout,
    [AS_ATTRIBUTES_range] = as_onnx_read_range,
};

/* Defaults that changed with the opset. */
static void set_opset_defaults(as_node *node, int opset)
{
    as_attributes *a = &node->attributes;
    if ((node->op == AS_OP_SOFTMAX || node->op == AS_OP_LOG_SOFTMAX) && opset < 13) {
        a->softmax.axis = 1;
        a->softmax.is_flattened = true;
    }
    if (node->op == AS_OP_GROUP_NORM) a->norm.is_per_group = opset < 21;
    if (node->op == AS_OP_BATCH_NORM) a->batch_norm.is_training = opset < 7;
    if (node->op == AS_OP_PRELU && opset < 7) { /* a slope a channel */
        a->broadcast.has_axis = true;
        a->broadcast.axis = 1;
    }
    bool is_old_resize = node->op == AS_OP_RESIZE && opset < 11;
    if (is_old_resize || node->op == AS_OP_UPSAMPLE) {
        a->resize.coordinate = AS_COORDINATE_ASYMMETRIC;
        a->resize.nearest = AS_NEAREST_FLOOR;
    }
}

assay_code as_onnx_read_attributes(const Onnx__NodeProto *proto, int opset, as_node *node,
                                   assay_error *err)
{
    set_opset_defaults(node, opset);
    for (size_t i = 0; i < proto->n_attribute; i++) {
        site s = {.a = proto->attribute[i], .node = node, .opset = opset, .err = err};
        if (!s.a->name || s.a->ref_attr_name)
            return as_fail(err, ASSAY_E_FORMAT, "its attribute %zu has no name or no value", i);
        bool is_known = true;
        assay_code code = readers[as_op_info(node->op)->attributes](&s, &is_known);
        if (!code && !is_known)
            code = as_fail(err, ASSAY_E_UNSUPPORTED, "its attribute '%s' is not known to assay",
                           s.a->name);
        if (code) return code;
    }
    return ASSAY_OK;
}
