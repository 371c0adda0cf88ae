/* SPDX-License-Identifier: Apache-2.0 */
/* Source of names, types and defaults: the ONNX operator specification, opsets 7 to 28. */
#include "onnx/attributes.h"

#include "graph/shape.h"
#include "onnx/attribute_value.h"
#include "onnx/decode.h"
#include "onnx/list_inputs.h"

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

/*
 * A list of one value a spatial axis (or `lists` lists behind each other: pads) in the order of a
 * window's entries.  All lists of a node are for as many axes.
 */
static assay_code take_spatial(const site *s, as_window *w, int lists, int *out)
{
    assay_code code = need_type(s, INTS);
    const size_t n_lists = (size_t)lists, n = s->a->n_ints / n_lists;
    if (code || s->a->n_ints == 0) return code; /* as if it were left out */
    if (s->a->n_ints % n_lists != 0 || n > AS_MAX_SPATIAL)
        return as_fail(s->err, ASSAY_E_UNSUPPORTED,
                       "its attribute '%s' has %zu values, assay takes windows of 1 to %d axes",
                       s->a->name, s->a->n_ints, AS_MAX_SPATIAL);
    if (w->n_axes != 0 && (size_t)w->n_axes != n)
        return as_fail(
            s->err, ASSAY_E_FORMAT,
            "its attribute '%s' needs %zu values, has %zu: another one is for %d axes",
            s->a->name, n_lists * (size_t)w->n_axes, s->a->n_ints, w->n_axes);
    w->n_axes = (int)n;
    if (n == 1) w->kernel[0] = 1;
    for (int list = 0; list < lists; list++)
        for (int axis = 0; !code && axis < w->n_axes; axis++) {
            const int entry = as_window_entry(w->n_axes, axis);
            const int at = lists == 1 ? entry : entry < 2 ? entry + 2 * list : 4 + list;
            code = to_int(s, s->a->ints[list * w->n_axes + axis], &out[at]);
        }
    return code;
}

static assay_code read_window(const site *s, as_window *w, bool *is_known)
{
    if (is_named(s, "auto_pad")) return read_auto_pad(s, &w->auto_pad);
    if (is_named(s, "kernel_shape")) return take_spatial(s, w, 1, w->kernel);
    if (is_named(s, "strides")) return take_spatial(s, w, 1, w->strides);
    if (is_named(s, "dilations")) return take_spatial(s, w, 1, w->dilations);
    if (is_named(s, "pads")) return take_spatial(s, w, 2, w->pads);
    *is_known = false;
    return ASSAY_OK;
}

static assay_code read_conv(const site *s, bool *is_known)
{
    as_conv_attributes *conv = &s->node->attributes.conv;
    as_window *w = &conv->window;
    if (is_named(s, "group")) return take_int(s, &conv->group);
    if (s->node->op == AS_OP_CONV_TRANSPOSE) {
        if (is_named(s, "output_padding")) return take_spatial(s, w, 1, conv->output_padding);
        if (is_named(s, "output_shape")) return take_spatial(s, w, 1, conv->output_shape);
    }
    return read_window(s, w, is_known);
}

static assay_code read_pool(const site *s, bool *is_known)
{
    as_pool_attributes *pool = &s->node->attributes.pool;
    const as_op op = s->node->op;
    const bool is_lp = op == AS_OP_LP_POOL || op == AS_OP_GLOBAL_LP_POOL;
    if (is_lp && is_named(s, "p")) return take_int(s, &pool->p);
    if (op == AS_OP_MAX_POOL && is_named(s, "storage_order"))
        return take_bool(s, &pool->is_column_major);
    if (op == AS_OP_AVERAGE_POOL && is_named(s, "count_include_pad"))
        return take_bool(s, &pool->count_include_pad);
    if (op != AS_OP_GLOBAL_LP_POOL) {
        if (is_named(s, "ceil_mode")) return take_bool(s, &pool->ceil_mode);
        return read_window(s, &pool->window, is_known);
    }
    *is_known = false;
    return ASSAY_OK;
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
    static const char *const names[] = {"half_pixel",           "asymmetric",
                                        "align_corners",        "pytorch_half_pixel",
                                        "half_pixel_symmetric", "tf_crop_and_resize",
                                        "tf_half_pixel_for_nn", NULL};
    static const as_resize_coordinate values[] = {
        AS_COORDINATE_HALF_PIXEL,           AS_COORDINATE_ASYMMETRIC,
        AS_COORDINATE_ALIGN_CORNERS,        AS_COORDINATE_PYTORCH_HALF_PIXEL,
        AS_COORDINATE_HALF_PIXEL_SYMMETRIC, AS_COORDINATE_TF_CROP_AND_RESIZE,
        AS_COORDINATE_TF_HALF_PIXEL};
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

static assay_code read_policy(const site *s, as_resize_attributes *r)
{
    static const char *const names[] = {"stretch", "not_larger", "not_smaller", NULL};
    static const as_resize_policy values[] = {AS_POLICY_STRETCH, AS_POLICY_NOT_LARGER,
                                              AS_POLICY_NOT_SMALLER};
    int choice = 0;
    assay_code code = take_choice(s, names, &choice);
    if (!code) r->policy = values[choice];
    return code;
}

static assay_code read_resize(const site *s, bool *is_known)
{
    as_resize_attributes *r = &s->node->attributes.resize;
    if (is_named(s, "mode")) return read_resize_mode(s, r);
    if (s->node->op == AS_OP_UPSAMPLE && is_named(s, "scales")) return read_scales(s, r);
    if (is_named(s, "coordinate_transformation_mode")) return read_coordinate(s, r);
    if (is_named(s, "nearest_mode")) return read_nearest(s, r);
    if (is_named(s, "cubic_coeff_a")) return take_float(s, &r->cubic_a);
    if (is_named(s, "axes")) return take_axes(s, r->axes, &r->n_axes);
    if (is_named(s, "exclude_outside")) return take_bool(s, &r->excludes_outside);
    if (is_named(s, "antialias")) return take_bool(s, &r->is_antialiased);
    if (is_named(s, "extrapolation_value")) return take_float(s, &r->extrapolation);
    if (is_named(s, "keep_aspect_ratio_policy")) return read_policy(s, r);
    *is_known = false;
    return ASSAY_OK;
}

static assay_code read_grid_mode(const site *s, as_grid_attributes *grid)
{
    /* Opset 16 has bilinear and bicubic, 20 linear and cubic. */
    static const char *const names[] = {"nearest", "linear",  "bilinear",
                                        "cubic",   "bicubic", NULL};
    static const as_resize_mode values[] = {AS_RESIZE_NEAREST, AS_RESIZE_LINEAR,
                                            AS_RESIZE_LINEAR, AS_RESIZE_CUBIC, AS_RESIZE_CUBIC};
    int choice = 0;
    assay_code code = take_choice(s, names, &choice);
    if (!code) grid->mode = values[choice];
    return code;
}

static assay_code read_grid(const site *s, bool *is_known)
{
    static const char *const borders[] = {"zeros", "border", "reflection", NULL};
    static const as_pad_mode values[] = {AS_BORDER_CONSTANT, AS_BORDER_EDGE, AS_BORDER_REFLECT};
    as_grid_attributes *grid = &s->node->attributes.grid;
    if (is_named(s, "mode")) return read_grid_mode(s, grid);
    if (is_named(s, "align_corners")) return take_bool(s, &grid->aligns_corners);
    int choice = 0;
    *is_known = is_named(s, "padding_mode");
    assay_code code = *is_known ? take_choice(s, borders, &choice) : ASSAY_OK;
    if (*is_known && !code) grid->border = values[choice];
    return code;
}

static assay_code read_pad(const site *s, bool *is_known)
{
    static const char *const names[] = {"constant", "reflect", "edge", "wrap", NULL};
    static const as_pad_mode values[] = {AS_BORDER_CONSTANT, AS_BORDER_REFLECT, AS_BORDER_EDGE,
                                         AS_BORDER_WRAP};
    int choice = 0;
    *is_known = is_named(s, "mode");
    assay_code code = *is_known ? take_choice(s, names, &choice) : ASSAY_OK;
    if (*is_known && !code) s->node->attributes.pad.mode = values[choice];
    return code;
}

static assay_code read_block(const site *s, bool *is_known)
{
    static const char *const names[] = {"DCR", "CRD", NULL};
    as_attributes *a = &s->node->attributes;
    if (is_named(s, "blocksize")) return take_int(s, &a->block.size);
    /* SpaceToDepth has it from opset 28 on. */
    int choice = 0;
    *is_known = is_named(s, "mode");
    assay_code code = *is_known ? take_choice(s, names, &choice) : ASSAY_OK;
    a->block.is_channels_first = a->block.is_channels_first || choice == 1;
    return code;
}

static assay_code read_axis(const site *s, bool *is_known)
{
    as_attributes *a = &s->node->attributes;
    if (s->node->op == AS_OP_SPLIT && is_named(s, "num_outputs"))
        return take_int(s, &a->axis.n_outputs);
    *is_known = is_named(s, "axis");
    return *is_known ? take_int(s, &a->axis.axis) : ASSAY_OK;
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
                       "it casts to type %s (%d), which assay has not (opset %d)",
                       as_onnx_dtype_name(to), to, s->opset);
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
    [AS_ATTRIBUTES_grid] = read_grid,
    [AS_ATTRIBUTES_pad] = read_pad,
    [AS_ATTRIBUTES_block] = read_block,
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
        if (as_onnx_is_input(node->op, opset, s.a->name)) continue;
        assay_code code = readers[as_op_info(node->op)->attributes](&s, &is_known);
        if (!code && !is_known)
            code = as_fail(err, ASSAY_E_UNSUPPORTED, "its attribute '%s' is not known to assay",
                           s.a->name);
        if (code) return code;
    }
    return ASSAY_OK;
}
