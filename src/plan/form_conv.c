/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions, transposed convolutions and matrix products: what has weights and a route. */
#include <string.h>

#include "base/memory.h"
#include "base/size.h"
#include "plan/planner.h"

const as_route *as_plan_choose(const as_route *routes, size_t n_routes,
                               const as_conv_shape *shape, const as_plan_options *options)
{
    const as_route *first = NULL;
    for (size_t i = 0; i < n_routes; i++) {
        const as_route *route = &routes[i];
        if (route->exactness == AS_CLOSE && !options->close_routes) continue;
        if (!route->proposes(shape)) continue;
        if (options->conv && strcmp(route->name, options->conv) == 0) return route;
        if (!first && as_route_suits(route, shape)) first = route;
    }
    return first;
}

/* Weights and bias of a node; both must be constants. */
static assay_code constants_of(as_planner *p, const as_node *node, const float **weights,
                               const float **bias, assay_error *err)
{
    for (int i = 1; i <= 2; i++) {
        const as_tensor *t = as_node_input(p->graph, node, i);
        if (t && (!t->data || t->dtype != AS_F32))
            return as_planner_refuse(p, node, err,
                                     "input %d is computed, weights are constants", i);
        *(i == 1 ? weights : bias) = t ? t->data : NULL;
    }
    return ASSAY_OK;
}

/* The node's own choice, else what as_plan_choose gives. */
static assay_code route_of(const as_planner *p, const as_node *node, const as_conv_shape *shape,
                           const as_route *routes, size_t n_routes, const as_route **out,
                           assay_error *err)
{
    const char *chosen = as_choice_of(&p->options->choices, node->id);
    if (!chosen) {
        *out = as_plan_choose(routes, n_routes, shape, p->options);
        if (*out) return ASSAY_OK;
        return as_planner_refuse(p, node, err, "no route takes %zu to %zu channels by %zux%zu",
                                 shape->ic, shape->oc, shape->kh, shape->kw);
    }
    *out = as_route_find(routes, n_routes, chosen);
    if (*out && (*out)->proposes(shape)) return ASSAY_OK;
    return as_planner_refuse(p, node, err, "the chosen route '%.40s' does not take it", chosen);
}

/* Let the layer read its input: planes lie with the caller, and have no value in the plan. */
static assay_code find_input(as_planner *p, as_layer *layer, const as_node *node,
                             assay_error *err)
{
    as_conv_args *args = &layer->args.conv;
    const as_conv_shape *s = &args->shape;
    int input = -1;
    if (layer->route->reads_planes) {
        args->plane = s->ih * s->iw;
        return as_planner_view(p, layer, &args->in, p->plain_of[node->inputs[0]], err);
    }
    assay_code code = as_planner_input(p, node, 0, &input, err);
    return code ? code : as_planner_view(p, layer, &args->in, input, err);
}

/* The route and packed weights of a layer whose shape is known. */
static assay_code take_route(as_planner *p, as_layer *layer, const as_node *node,
                             const as_route *routes, size_t n_routes, const float *weights,
                             const float *bias, assay_error *err)
{
    as_conv_args *args = &layer->args.conv;
    assay_code code = route_of(p, node, &args->shape, routes, n_routes, &layer->route, err);
    if (code) return code;
    layer->n_items = layer->route->n_items(&args->shape);
    p->plan->scratch_floats =
        as_max(p->plan->scratch_floats, layer->route->scratch_floats(&args->shape));
    return as_weights_get(p->weights, node->id, layer->route, &args->shape, weights, bias,
                          &args->packed, err);
}

/* Finish a layer whose shape is known: its route, weights, views and epilogue. */
static assay_code finish(as_planner *p, as_layer *layer, const as_node *node,
                         const as_route *routes, size_t n_routes, const float *weights,
                         const float *bias, assay_error *err)
{
    as_conv_args *args = &layer->args.conv;
    assay_code code = take_route(p, layer, node, routes, n_routes, weights, bias, err);
    if (!code) code = find_input(p, layer, node, err);
    if (!code) code = as_epilogue_finish(p, layer, node->outputs[0], &args->out, err);
    return code;
}

/* The window and extents that both kinds of convolution share. */
static assay_code window_shape(const as_planner *p, const as_node *node, as_conv_shape *out,
                               assay_error *err)
{
    const as_conv_attributes *conv = &node->attributes.conv;
    const as_shape *x = as_planner_shape(p, node->inputs[0]);
    const as_shape *y = as_planner_shape(p, node->outputs[0]);
    if (x->rank != 3 && x->rank != 4)
        return as_planner_refuse(p, node, err, "its input has rank %d, 3 or 4 is needed",
                                 x->rank);
    const bool has_rows = x->rank == 4; /* over one axis: an image of one row */
    *out = (as_conv_shape){.n = (size_t)x->dims[0],
                           .ic = (size_t)x->dims[1],
                           .ih = has_rows ? (size_t)x->dims[2] : 1,
                           .iw = (size_t)x->dims[x->rank - 1],
                           .oc = (size_t)y->dims[1],
                           .oh = has_rows ? (size_t)y->dims[2] : 1,
                           .ow = (size_t)y->dims[x->rank - 1],
                           .kh = (size_t)conv->window.kernel[0],
                           .kw = (size_t)conv->window.kernel[1],
                           .sh = (size_t)conv->window.strides[0],
                           .sw = (size_t)conv->window.strides[1],
                           .dh = (size_t)conv->window.dilations[0],
                           .dw = (size_t)conv->window.dilations[1],
                           .group = (size_t)conv->group};
    return ASSAY_OK;
}

static bool is_network_input(const as_planner *p, int tensor)
{
    for (int i = 0; i < p->plan->n_inputs; i++)
        if (p->plan->inputs[i].tensor == tensor) return true;
    return false;
}

static assay_code conv_shape(const as_planner *p, const as_node *node, as_conv_shape *shape,
                             assay_error *err)
{
    assay_code code = window_shape(p, node, shape, err);
    if (code) return code;
    int64_t pads[4];
    as_window_pads(&node->attributes.conv.window, (int64_t)shape->ih, (int64_t)shape->iw, pads);
    if (pads[0] < 0 || pads[1] < 0)
        return as_planner_refuse(p, node, err, "it has negative pads");
    shape->pad_top = (size_t)pads[0];
    shape->pad_left = (size_t)pads[1];
    shape->is_input = is_network_input(p, node->inputs[0]) &&
                      as_graph_only_consumer(p->graph, node->inputs[0]) == node;
    return ASSAY_OK;
}

bool as_form_conv_reads_planes(as_planner *p, const as_node *node)
{
    const as_kernels *k = p->plan->kernels;
    const as_route *route = NULL;
    as_conv_shape shape = {0};
    /* What is wrong with the node is said when its layer is formed. */
    if (conv_shape(p, node, &shape, NULL)) return false;
    if (route_of(p, node, &shape, k->conv, k->n_conv, &route, NULL)) return false;
    return route->reads_planes;
}

assay_code as_form_conv(as_planner *p, const as_node *node, assay_error *err)
{
    as_layer *layer = as_planner_layer(p, AS_LAYER_CONV, node);
    as_conv_shape *shape = &layer->args.conv.shape;
    const float *weights = NULL, *bias = NULL;
    assay_code code = constants_of(p, node, &weights, &bias, err);
    if (!code) code = conv_shape(p, node, shape, err);
    if (code) return code;
    layer->macs = as_conv_macs(shape);
    const as_kernels *k = p->plan->kernels;
    return finish(p, layer, node, k->conv, k->n_conv, weights, bias, err);
}

assay_code as_form_conv_transpose(as_planner *p, const as_node *node, assay_error *err)
{
    as_layer *layer = as_planner_layer(p, AS_LAYER_DECONV, node);
    as_conv_shape *shape = &layer->args.conv.shape;
    const float *weights = NULL, *bias = NULL;
    assay_code code = constants_of(p, node, &weights, &bias, err);
    if (!code) code = window_shape(p, node, shape, err);
    if (code) return code;
    int64_t pads[4];
    as_window_transpose_pads(&node->attributes.conv, (int64_t)shape->ih, (int64_t)shape->iw,
                             pads);
    if (pads[0] < 0 || pads[1] < 0)
        return as_planner_refuse(p, node, err, "it has negative pads");
    shape->pad_top = (size_t)pads[0];
    shape->pad_left = (size_t)pads[1];
    layer->macs = as_deconv_macs(shape);
    const as_kernels *k = p->plan->kernels;
    return finish(p, layer, node, k->deconv, k->n_deconv, weights, bias, err);
}

/* Weights[k][n] (or [n][k] when transposed) times alpha, as oihw: out[n][k][1][1]. */
static void transpose_weights(const float *b, bool is_transposed, float alpha, size_t k,
                              size_t n, float *out)
{
    for (size_t row = 0; row < n; row++)
        for (size_t col = 0; col < k; col++)
            out[row * k + col] = alpha * (is_transposed ? b[row * k + col] : b[col * n + row]);
}

/* beta * C of a Gemm as one bias a column; C is a scalar or [n] or [1,n]. */
static assay_code product_bias(as_planner *p, const as_node *node, const as_tensor *c, size_t n,
                               float *out, assay_error *err)
{
    if (!c->data || c->dtype != AS_F32 || (c->n_elements != 1 && c->n_elements != n) ||
        (c->n_elements == n && n > 1 && c->dims[c->rank - 1] != (int64_t)n))
        return as_planner_refuse(p, node, err, "its C is not one constant a column");
    const float *values = c->data;
    for (size_t i = 0; i < n; i++)
        out[i] = node->attributes.gemm.beta * values[c->n_elements == 1 ? 0 : i];
    return ASSAY_OK;
}

/* A product x[m][k] * b[k][n] is a pointwise convolution of m images of one pixel. */
static assay_code form_product(as_planner *p, const as_node *node, as_layer *layer,
                               const as_tensor *b, float *oihw, float *bias, assay_error *err)
{
    const as_conv_shape *shape = &layer->args.conv.shape;
    bool is_gemm = node->op == AS_OP_GEMM;
    transpose_weights(b->data, is_gemm && node->attributes.gemm.is_b_transposed,
                      is_gemm ? node->attributes.gemm.alpha : 1.0F, shape->ic, shape->oc, oihw);
    const as_tensor *c = is_gemm ? as_node_input(p->graph, node, 2) : NULL;
    assay_code code = c ? product_bias(p, node, c, shape->oc, bias, err) : ASSAY_OK;
    if (code) return code;
    const as_kernels *k = p->plan->kernels;
    return finish(p, layer, node, k->conv, k->n_conv, oihw, bias, err);
}

/* A convolution of n images of `pixels` by 1x1. */
static as_conv_shape pointwise(size_t n, size_t pixels, size_t ic, size_t oc)
{
    return (as_conv_shape){.n = n,
                           .ic = ic,
                           .oc = oc,
                           .ih = 1,
                           .iw = pixels,
                           .oh = 1,
                           .ow = pixels,
                           .kh = 1,
                           .kw = 1,
                           .sh = 1,
                           .sw = 1,
                           .dh = 1,
                           .dw = 1,
                           .group = 1};
}

assay_code as_form_product(as_planner *p, const as_node *node, assay_error *err)
{
    const as_shape *x = as_planner_shape(p, node->inputs[0]);
    const as_shape *y = as_planner_shape(p, node->outputs[0]);
    const as_tensor *b = as_node_input(p->graph, node, 1);
    if (x->rank != 2 || b->rank != 2 || !b->data || b->dtype != AS_F32)
        return as_planner_refuse(p, node, err, "it is no product of [m,k] by constants [k,n]");
    if (node->op == AS_OP_GEMM && node->attributes.gemm.is_a_transposed)
        return as_planner_refuse(p, node, err, "its A is transposed");
    as_layer *layer = as_planner_layer(p, AS_LAYER_CONV, node);
    as_conv_shape *shape = &layer->args.conv.shape;
    *shape = pointwise((size_t)x->dims[0], 1, (size_t)x->dims[1], (size_t)y->dims[1]);
    layer->macs = as_conv_macs(shape);
    float *oihw = as_arena_array(p->temporary, b->n_elements, sizeof *oihw);
    float *bias = as_arena_array(p->temporary, shape->oc, sizeof *bias);
    return oihw && bias ? form_product(p, node, layer, b, oihw, bias, err)
                        : as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
}

/* The two ends of a product of rows: C order is one row of pixels. */
static assay_code join_rows(as_planner *p, const as_node *node, as_layer *layer, int in,
                            assay_error *err)
{
    as_conv_args *args = &layer->args.conv;
    const as_conv_shape *s = &args->shape;
    const int output = node->outputs[0];
    int out = -1;
    assay_code code = as_planner_plain_value(p, AS_F32, as_planner_shape(p, output), &out, err);
    if (code) return code;
    args->in = as_view_of(NULL, 1, 1, s->iw, s->ic);
    args->out = as_view_of(NULL, 1, 1, s->ow, s->oc);
    code = as_planner_pointer(p, layer, &args->in.data, in, err);
    if (!code) code = as_planner_pointer(p, layer, &args->out.data, out, err);
    p->plain_of[output] = out;
    return code;
}

assay_code as_form_rows(as_planner *p, const as_node *node, assay_error *err)
{
    const as_tensor *a = as_node_input(p->graph, node, 0);
    const as_tensor *b = as_node_input(p->graph, node, 1);
    if (node->op != AS_OP_MATMUL || a->dtype != AS_F32 || b->rank != 2 || !b->data)
        return as_planner_refuse(p, node, err, "it is no product of rows by constants [k,n]");
    const as_shape *x = as_planner_shape(p, a->id);
    const size_t k = (size_t)b->dims[0], n = (size_t)b->dims[1];
    size_t elements = 0;
    if (!as_shape_elements(x, &elements) || elements == 0 || n == 0)
        return as_planner_refuse(p, node, err, "it has no elements");
    int in = -1; /* what brings it into C order comes before the layer */
    assay_code code = as_planner_plain(p, a->id, &in, err);
    if (code) return code;
    if (in < 0 || p->values[in].data)
        return as_planner_refuse(p, node, err, "its first input is a constant");
    as_layer *layer = as_planner_layer(p, AS_LAYER_CONV, node);
    layer->is_alone = true;
    layer->args.conv.shape = pointwise(1, elements / k, k, n);
    layer->macs = as_conv_macs(&layer->args.conv.shape);
    float *oihw = as_arena_array(p->temporary, b->n_elements, sizeof *oihw);
    if (!oihw) return as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
    transpose_weights(b->data, false, 1.0F, k, n, oihw);
    const as_kernels *kernels = p->plan->kernels;
    code = take_route(p, layer, node, kernels->conv, kernels->n_conv, oihw, NULL, err);
    return code ? code : join_rows(p, node, layer, in, err);
}
