/* SPDX-License-Identifier: Apache-2.0 */
/* What ONNX passes as a constant input goes into the attributes, one function an operator. */
#include "graph/shape.h"

/* One node that is being resolved. */
typedef struct site {
    const as_graph *graph;
    const as_shapes *shapes; /* what else than constants is known; or NULL */
    as_node *node;
    assay_error *err;
} site;

/* Whether input i is there. */
static bool has_input(const site *s, int i)
{
    return i < s->node->n_inputs && s->node->inputs[i] >= 0;
}

/* The value of input i.  @return false when it is left out or not known. */
static bool take_value(const site *s, int i, as_array *out)
{
    return has_input(s, i) && as_known_value(s->graph, s->shapes, s->node->inputs[i], out);
}

static size_t elements(const as_array *array)
{
    size_t n = 0;
    return as_shape_elements(&array->shape, &n) ? n : 0;
}

static assay_code bad_input(const site *s, int i, const as_array *value, const char *needed)
{
    char text[64];
    return as_fail(s->err, ASSAY_E_FORMAT, "its input '%s' is %s%s, it needs %s",
                   as_node_input(s->graph, s->node, i)->name, as_dtype_name(value->dtype),
                   as_shape_text(&value->shape, text, sizeof text), needed);
}

/* Up to AS_MAX_RANK integers of a known input. */
static assay_code take_integers(const site *s, int i, const as_array *value, int64_t *out,
                                int *n)
{
    if (as_array_integers(value, out, AS_MAX_RANK, n)) return ASSAY_OK;
    return bad_input(s, i, value, "at most 8 integers");
}

/* The kernel that a node does not say is its weights'; computed weights are asked at run time. */
static assay_code resolve_conv(const site *s)
{
    as_window *window = &s->node->attributes.conv.window;
    const as_tensor *weights = as_node_input(s->graph, s->node, 1);
    if (!weights || weights->rank < 3 || weights->rank > 2 + AS_MAX_SPATIAL) return ASSAY_OK;
    if (window->n_axes == 0) window->n_axes = weights->rank - 2;
    as_shape shape = as_tensor_shape(weights);
    as_window_fill(window, &shape);
    return ASSAY_OK;
}

/* One of Clip's bounds, where it is given. */
static assay_code take_bound(const site *s, int input, float *out, bool *is_known)
{
    as_array bound;
    if (!has_input(s, input)) return ASSAY_OK;
    if (!take_value(s, input, &bound)) {
        *is_known = false;
        return ASSAY_OK;
    }
    if (elements(&bound) != 1) return bad_input(s, input, &bound, "one number");
    if (bound.dtype == AS_F32)
        *out = *(const float *)bound.data;
    else
        *is_known = false; /* integers stay where they are */
    return ASSAY_OK;
}

static assay_code resolve_clip(const site *s)
{
    as_attributes *a = &s->node->attributes;
    bool is_known = true;
    assay_code code = take_bound(s, 1, &a->clip.min, &is_known);
    if (!code) code = take_bound(s, 2, &a->clip.max, &is_known);
    a->clip.is_resolved = is_known;
    return code;
}

static assay_code resolve_reduce(const site *s)
{
    as_reduce_attributes *r = &s->node->attributes.reduce;
    as_array axes;
    const bool is_given = take_value(s, 1, &axes);
    r->is_resolved = is_given || !has_input(s, 1);
    if (!is_given) return ASSAY_OK;
    int64_t wanted[AS_MAX_RANK];
    assay_code code = take_integers(s, 1, &axes, wanted, &r->n_axes);
    for (int i = 0; !code && i < r->n_axes; i++) {
        if (wanted[i] < -AS_MAX_RANK || wanted[i] >= AS_MAX_RANK)
            code = bad_input(s, 1, &axes, "axes of its first input");
        r->axes[i] = (int)wanted[i];
    }
    return code;
}

static assay_code take_scales(const site *s, int i, const as_array *scales)
{
    as_resize_attributes *r = &s->node->attributes.resize;
    const size_t n = elements(scales);
    if (scales->dtype != AS_F32 || scales->shape.rank > 1 || n > AS_MAX_RANK)
        return bad_input(s, i, scales, "at most 8 f32");
    r->n_scales = (int)n;
    for (int k = 0; k < r->n_scales; k++)
        r->scales[k] = ((const float *)scales->data)[k];
    return ASSAY_OK;
}

static assay_code resolve_resize(const site *s)
{
    as_resize_attributes *r = &s->node->attributes.resize;
    /* Opset 10 and Upsample have inputs (x, scales), later ones (x, roi, scales, sizes). */
    const int at = s->node->n_inputs == 2 ? 1 : 2;
    as_array scales, sizes;
    const bool has_scales = take_value(s, at, &scales), has_sizes = take_value(s, 3, &sizes);
    assay_code code = ASSAY_OK;
    bool is_computed = (has_input(s, at) && !has_scales) || (has_input(s, 3) && !has_sizes);
    if (has_scales && elements(&scales) > 0) code = take_scales(s, at, &scales);
    if (!code && has_sizes && elements(&sizes) > 0)
        code = take_integers(s, 3, &sizes, r->sizes, &r->n_sizes);
    if (code) return code;
    r->is_resolved = !is_computed && (r->n_scales || r->n_sizes);
    if (!is_computed && !r->is_resolved)
        return as_fail(s->err, ASSAY_E_FORMAT, "it has neither scales nor sizes");
    if (r->n_scales && r->n_sizes)
        return as_fail(s->err, ASSAY_E_FORMAT, "it has both scales and sizes, one is allowed");
    return ASSAY_OK;
}

static assay_code resolve_reshape(const site *s)
{
    as_reshape_attributes *r = &s->node->attributes.reshape;
    as_array dims;
    if (!has_input(s, 1)) return ASSAY_OK;
    r->is_resolved = take_value(s, 1, &dims);
    return r->is_resolved ? take_integers(s, 1, &dims, r->dims, &r->n_dims) : ASSAY_OK;
}

/* Whether it drops anything: only with a training_mode that is not known to be false. */
static assay_code resolve_dropout(const site *s)
{
    as_array training;
    const bool is_known = take_value(s, 2, &training);
    if (is_known && elements(&training) != 1) return bad_input(s, 2, &training, "one bool");
    s->node->attributes.dropout.is_training =
        has_input(s, 2) && !(is_known && !*(const unsigned char *)training.data);
    return ASSAY_OK;
}

static assay_code resolve(const site *s)
{
    switch (as_op_info(s->node->op)->attributes) {
    case AS_ATTRIBUTES_conv:
        return resolve_conv(s);
    case AS_ATTRIBUTES_clip:
        return resolve_clip(s);
    case AS_ATTRIBUTES_reduce:
        return resolve_reduce(s);
    case AS_ATTRIBUTES_resize:
        return resolve_resize(s);
    case AS_ATTRIBUTES_reshape:
        return resolve_reshape(s);
    case AS_ATTRIBUTES_dropout:
        return resolve_dropout(s);
    default:
        return ASSAY_OK;
    }
}

assay_code as_node_resolve(const as_graph *graph, const as_shapes *shapes, as_node *node,
                           assay_error *err)
{
    const site s = {.graph = graph, .shapes = shapes, .node = node, .err = err};
    return resolve(&s);
}

assay_code as_graph_resolve(as_graph *graph, assay_error *err)
{
    assay_code code = as_graph_set_types(graph, err);
    for (int i = 0; !code && i < as_graph_n_nodes(graph); i++) {
        site s = {.graph = graph, .node = as_graph_edit_node(graph, i), .err = err};
        code = resolve(&s);
        if (code) as_error_where(err, "node %d '%s' (%s)", i, s.node->name, s.node->op_type);
    }
    return code;
}
