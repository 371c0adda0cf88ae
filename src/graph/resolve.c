/* SPDX-License-Identifier: Apache-2.0 */
/* What ONNX passes as a constant input goes into the attributes, one function an operator. */
#include "graph/shape.h"

/* One node that is being resolved. */
typedef struct site {
    const as_graph *graph;
    as_node *node;
    assay_error *err;
} site;

static assay_code bad_input(const site *s, const as_tensor *tensor, const char *needed)
{
    as_shape shape = as_tensor_shape(tensor);
    char text[64];
    return as_fail(s->err, ASSAY_E_FORMAT, "its input '%s' is %s%s, it needs %s", tensor->name,
                   as_dtype_name(tensor->dtype), as_shape_text(&shape, text, sizeof text),
                   needed);
}

/* Up to AS_MAX_RANK integers of a constant. */
static assay_code take_integers(const site *s, const as_tensor *tensor, int64_t *out, int *n)
{
    if (as_tensor_integers(tensor, out, n)) return ASSAY_OK;
    return bad_input(s, tensor, "at most 8 integers");
}

static assay_code resolve_conv(const site *s)
{
    as_window *window = &s->node->attributes.conv.window;
    const as_tensor *weights = as_node_input(s->graph, s->node, 1);
    if (window->kernel[0] != 0) return ASSAY_OK;
    if (!weights || weights->rank != 4 || weights->dims[2] < 1 || weights->dims[3] < 1 ||
        weights->dims[2] > INT_MAX || weights->dims[3] > INT_MAX)
        return as_fail(s->err, ASSAY_E_UNSUPPORTED,
                       "it has no kernel_shape, and its weights are no [oc,ic,kh,kw] constant");
    window->kernel[0] = (int)weights->dims[2];
    window->kernel[1] = (int)weights->dims[3];
    return ASSAY_OK;
}

/* One of Clip's bounds, where it is given. */
static assay_code take_bound(const site *s, int input, float *out, bool *is_known)
{
    const as_tensor *bound = as_node_input(s->graph, s->node, input);
    if (!bound) return ASSAY_OK;
    if (!bound->data) {
        *is_known = false;
        return ASSAY_OK;
    }
    if (bound->dtype != AS_F32 || bound->n_elements != 1) return bad_input(s, bound, "one f32");
    *out = *(const float *)bound->data;
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
    const as_tensor *axes = as_node_input(s->graph, s->node, 1);
    r->is_resolved = !axes || axes->data;
    if (!axes || !axes->data) return ASSAY_OK;
    int64_t wanted[AS_MAX_RANK];
    assay_code code = take_integers(s, axes, wanted, &r->n_axes);
    for (int i = 0; !code && i < r->n_axes; i++) {
        if (wanted[i] < -AS_MAX_RANK || wanted[i] >= AS_MAX_RANK)
            code = bad_input(s, axes, "axes of its first input");
        r->axes[i] = (int)wanted[i];
    }
    return code;
}

static assay_code take_scales(const site *s, const as_tensor *scales)
{
    as_resize_attributes *r = &s->node->attributes.resize;
    if (scales->dtype != AS_F32 || scales->rank > 1 || scales->n_elements > AS_MAX_RANK)
        return bad_input(s, scales, "at most 8 f32");
    r->n_scales = (int)scales->n_elements;
    for (int i = 0; i < r->n_scales; i++)
        r->scales[i] = ((const float *)scales->data)[i];
    return ASSAY_OK;
}

static assay_code resolve_resize(const site *s)
{
    as_resize_attributes *r = &s->node->attributes.resize;
    /* Opset 10 and Upsample have inputs (x, scales), later ones (x, roi, scales, sizes). */
    const as_tensor *scales = as_node_input(s->graph, s->node, s->node->n_inputs == 2 ? 1 : 2);
    const as_tensor *sizes = as_node_input(s->graph, s->node, 3);
    assay_code code = ASSAY_OK;
    bool is_computed = (scales && !scales->data) || (sizes && !sizes->data);
    if (scales && scales->data && scales->n_elements > 0) code = take_scales(s, scales);
    if (!code && sizes && sizes->data && sizes->n_elements > 0)
        code = take_integers(s, sizes, r->sizes, &r->n_sizes);
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
    const as_tensor *shape = as_node_input(s->graph, s->node, 1);
    r->is_resolved = shape && shape->data;
    return r->is_resolved ? take_integers(s, shape, r->dims, &r->n_dims) : ASSAY_OK;
}

static assay_code resolve_dropout(const site *s)
{
    const as_tensor *training = as_node_input(s->graph, s->node, 2);
    if (!training) return ASSAY_OK;
    if (training->data && training->dtype == AS_BOOL && training->n_elements == 1 &&
        !*(const unsigned char *)training->data)
        return ASSAY_OK;
    return as_fail(s->err, ASSAY_E_UNSUPPORTED,
                   "its training_mode is not false, assay runs trained networks only");
}

static assay_code resolve(const site *s)
{
    switch (s->node->op) {
    case AS_OP_CONV:
    case AS_OP_CONV_TRANSPOSE:
        return resolve_conv(s);
    case AS_OP_CLIP:
        return resolve_clip(s);
    case AS_OP_REDUCE_MEAN:
    case AS_OP_SQUEEZE:
    case AS_OP_UNSQUEEZE:
        return resolve_reduce(s);
    case AS_OP_RESIZE:
    case AS_OP_UPSAMPLE:
        return resolve_resize(s);
    case AS_OP_RESHAPE:
        return resolve_reshape(s);
    case AS_OP_DROPOUT:
        return resolve_dropout(s);
    default:
        return ASSAY_OK;
    }
}

assay_code as_graph_resolve(as_graph *graph, assay_error *err)
{
    for (int i = 0; i < as_graph_n_nodes(graph); i++) {
        site s = {.graph = graph, .node = as_graph_edit_node(graph, i), .err = err};
        assay_code code = resolve(&s);
        if (!code) continue;
        as_error_where(err, "node %d '%s' (%s)", i, s.node->name, s.node->op_type);
        return code;
    }
    return ASSAY_OK;
}
