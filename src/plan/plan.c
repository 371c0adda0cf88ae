/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/plan.h"

#include <string.h>

#include "base/memory.h"
#include "base/size.h"
#include "operators/infer.h"
#include "plan/planner.h"

as_plan_options as_plan_options_defaults(void)
{
    return (as_plan_options){.fuse = true, .close_routes = true, .groups = true, .threads = 1};
}

/* Who makes the layers of an operator; whatever is not here is elementwise or nothing. */
static as_former former_of(as_op op)
{
    switch (op) {
    case AS_OP_CONV:
        return as_form_conv;
    case AS_OP_CONV_TRANSPOSE:
        return as_form_conv_transpose;
    case AS_OP_GEMM:
    case AS_OP_MATMUL:
        return as_form_product;
    case AS_OP_RESIZE:
    case AS_OP_UPSAMPLE:
        return as_form_resize;
    case AS_OP_CONCAT:
        return as_form_concat;
    case AS_OP_MAX_POOL:
    case AS_OP_AVERAGE_POOL:
        return as_form_pool;
    case AS_OP_GLOBAL_AVERAGE_POOL:
    case AS_OP_REDUCE_MEAN:
        return as_form_mean;
    case AS_OP_SOFTMAX:
        return as_form_softmax;
    case AS_OP_FLATTEN:
    case AS_OP_RESHAPE:
        return as_form_reshape;
    default:
        return as_form_elementwise;
    }
}

/* An upper bound of layers: two a node (a mean), one a part of a Concat, one a network input or
 * output. */
static size_t count_layers(const as_graph *graph)
{
    size_t n = (size_t)as_graph_n_inputs(graph) + (size_t)as_graph_n_outputs(graph);
    for (int i = 0; i < as_graph_n_nodes(graph); i++) {
        const as_node *node = as_graph_node(graph, i);
        n += node->op == AS_OP_CONCAT ? (size_t)node->n_inputs : 2;
    }
    return n;
}

static assay_code make_room(as_planner *p, assay_error *err)
{
    const as_graph *graph = p->graph;
    as_plan *plan = p->plan;
    size_t n_tensors = (size_t)as_graph_n_tensors(graph);
    plan->n_inputs = as_graph_n_inputs(graph);
    plan->n_outputs = as_graph_n_outputs(graph);
    plan->layers = as_planner_alloc(p, count_layers(graph), sizeof *plan->layers);
    plan->inputs = as_planner_alloc(p, (size_t)plan->n_inputs, sizeof *plan->inputs);
    plan->outputs = as_planner_alloc(p, (size_t)plan->n_outputs, sizeof *plan->outputs);
    p->value_of = as_planner_alloc(p, n_tensors, sizeof *p->value_of);
    p->sums_of = as_planner_alloc(p, n_tensors, sizeof *p->sums_of);
    p->is_done = as_planner_alloc(p, (size_t)as_graph_n_nodes(graph), sizeof *p->is_done);
    if (!plan->layers || !plan->inputs || !plan->outputs || !p->value_of || !p->sums_of ||
        !p->is_done)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
    for (size_t i = 0; i < n_tensors; i++)
        p->value_of[i] = p->sums_of[i] = -1;
    return ASSAY_OK;
}

static size_t layout_items(const as_planner *p, const as_layer *layer)
{
    return p->plan->kernels->layout_items(&layer->args.layout);
}

/* An input becomes NHWC in a layer of its own, unless its only reader takes it as it is. */
static assay_code form_input(as_planner *p, as_plan_port *port, assay_error *err)
{
    const as_tensor *tensor = as_graph_tensor(p->graph, port->tensor);
    const as_node *reader = as_graph_only_consumer(p->graph, port->tensor);
    if (tensor->dtype != AS_F32)
        return as_fail(err, ASSAY_E_UNSUPPORTED,
                       "input '%.60s' is of type %s, float32 is needed", tensor->name,
                       as_dtype_name(tensor->dtype));
    if (reader && reader->op == AS_OP_CONV && as_form_conv_reads_planes(p, reader))
        return ASSAY_OK;
    int value = -1;
    assay_code code = as_planner_value(p, &port->shape, &value, err);
    if (code) return code;
    as_layer *layer = as_planner_layer(p, AS_LAYER_FROM_NCHW, NULL);
    layer->name = tensor->name;
    port->data = &layer->args.layout.nchw;
    p->value_of[port->tensor] = value;
    return as_planner_view(p, layer, &layer->args.layout.view, value, err);
}

static assay_code form_inputs(as_planner *p, assay_error *err)
{
    assay_code code = ASSAY_OK;
    for (int i = 0; i < p->plan->n_inputs; i++)
        p->plan->inputs[i].tensor = as_graph_inputs(p->graph)[i];
    for (int i = 0; !code && i < p->plan->n_inputs; i++) {
        as_plan_port *port = &p->plan->inputs[i];
        port->shape = *as_planner_shape(p, port->tensor);
        code = form_input(p, port, err);
    }
    return code;
}

/* One pixel or one channel: NHWC and NCHW are the same floats. */
static bool is_c_order(const as_value *v) { return v->c == 1 || v->h * v->w == 1; }

static assay_code form_output(as_planner *p, as_plan_port *port, assay_error *err)
{
    const as_tensor *tensor = as_graph_tensor(p->graph, port->tensor);
    int value = p->value_of[port->tensor];
    if (value < 0)
        return as_fail(err, ASSAY_E_UNSUPPORTED,
                       "output '%.60s' is a constant, it must be computed", tensor->name);
    port->shape = p->values[value].shape;
    if (is_c_order(&p->values[value]) && p->values[value].parent < 0)
        return as_planner_view(p, NULL, &port->view, value, err);
    as_layer *layer = as_planner_layer(p, AS_LAYER_TO_NCHW, NULL);
    layer->name = tensor->name;
    int flat = -1;
    assay_code code = as_planner_value(p, &port->shape, &flat, err);
    if (!code) p->values[flat].is_tight = true;
    if (!code) code = as_planner_view(p, layer, &layer->args.layout.view, value, err);
    if (!code) code = as_planner_pointer(p, layer, &layer->args.layout.nchw, flat, err);
    if (!code) code = as_planner_view(p, NULL, &port->view, flat, err);
    return code;
}

static assay_code form_layers(as_planner *p, assay_error *err)
{
    assay_code code = form_inputs(p, err);
    for (int i = 0; !code && i < as_graph_n_nodes(p->graph); i++) {
        const as_node *node = as_graph_node(p->graph, p->order[i]);
        if (!p->is_done[node->id]) code = former_of(node->op)(p, node, err);
    }
    for (int i = 0; !code && i < p->plan->n_outputs; i++) {
        p->plan->outputs[i].tensor = as_graph_outputs(p->graph)[i];
        code = form_output(p, &p->plan->outputs[i], err);
    }
    return code;
}

/* Units of work of the layers without a route, now that their views are known. */
static void count_items(as_planner *p)
{
    const as_kernels *k = p->plan->kernels;
    for (size_t i = 0; i < p->plan->n_layers; i++) {
        as_layer *layer = &p->plan->layers[i];
        switch (layer->kind) {
        case AS_LAYER_CONV:
        case AS_LAYER_DECONV:
            break;
        case AS_LAYER_MAP:
            layer->n_items = k->map_items(&layer->args.map);
            break;
        case AS_LAYER_MEAN:
            layer->n_items = k->mean_items(&layer->args.mean);
            break;
        case AS_LAYER_ROW_SUM:
            layer->n_items = k->row_sum_items(&layer->args.mean);
            break;
        case AS_LAYER_POOL:
            layer->n_items = k->pool_items(&layer->args.pool);
            break;
        case AS_LAYER_SOFTMAX:
            layer->n_items = k->softmax_items(&layer->args.softmax);
            break;
        case AS_LAYER_FROM_NCHW:
        case AS_LAYER_TO_NCHW:
            layer->n_items = layout_items(p, layer);
            break;
        }
    }
}

/* The fixups move into the plan's own memory. */
static assay_code keep_fixups(as_planner *p, assay_error *err)
{
    p->plan->fixups = as_planner_alloc(p, p->n_fixups, sizeof *p->fixups);
    if (!p->plan->fixups) return as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
    memcpy(p->plan->fixups, p->fixups, p->n_fixups * sizeof *p->fixups);
    p->plan->n_fixups = p->n_fixups;
    return ASSAY_OK;
}

static assay_code make_plan(as_planner *p, assay_error *err)
{
    assay_code code = make_room(p, err);
    if (!code) code = as_planner_schedule(p, err);
    if (!code) code = form_layers(p, err);
    if (!code) code = as_planner_group(p, err);
    if (!code) code = as_planner_place(p, err);
    if (!code) code = keep_fixups(p, err);
    if (!code) count_items(p);
    return code;
}

static as_plan *new_plan(const as_kernels *kernels)
{
    as_arena *memory = as_arena_new();
    as_plan *plan = memory ? as_arena_alloc(memory, sizeof *plan) : NULL;
    if (!plan) {
        as_arena_free(memory);
        return NULL;
    }
    plan->memory = memory;
    plan->kernels = kernels;
    return plan;
}

assay_code as_plan_new(const as_graph *graph, const as_shape *shapes, int n_inputs,
                       const as_kernels *kernels, const as_plan_options *options,
                       as_weights *weights, as_plan **out, assay_error *err)
{
    *out = NULL;
    as_shapes inferred = {0};
    as_plan *plan = NULL;
    as_planner planner = {0};
    assay_code code = as_shape_infer(graph, shapes, n_inputs, &inferred, err);
    if (code) goto done;
    plan = new_plan(kernels);
    planner.temporary = as_arena_new();
    if (!plan || !planner.temporary) {
        code = as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
        goto done;
    }
    planner.graph = graph;
    planner.shapes = &inferred;
    planner.options = options;
    planner.weights = weights;
    planner.plan = plan;
    code = make_plan(&planner, err);
    as_weights_pack(weights, options->pool); /* what has been lent goes away, also on failure */
    if (code) goto done;
    *out = plan;
    plan = NULL; /* the caller owns it now */
done:
    as_free(planner.values);
    as_free(planner.fixups);
    as_arena_free(planner.temporary);
    as_plan_free(plan);
    as_shapes_free(&inferred);
    return code;
}

void as_plan_free(as_plan *plan)
{
    if (plan) as_arena_free(plan->memory); /* the plan itself lies in there */
}

void as_plan_bind(as_plan *plan, float *arena)
{
    if (plan->bound == arena) return;
    for (size_t i = 0; i < plan->n_fixups; i++) {
        const as_fixup *fixup = &plan->fixups[i];
        if (fixup->offset == AS_NO_PLACE) continue;
        if (fixup->view)
            fixup->view->data = arena + fixup->offset;
        else
            *fixup->pointer = arena + fixup->offset;
    }
    plan->bound = arena;
}

size_t as_plan_bytes(const as_plan *plan) { return as_arena_bytes(plan->memory); }

const char *as_layer_route(const as_layer *layer)
{
    switch (layer->kind) {
    case AS_LAYER_CONV:
    case AS_LAYER_DECONV:
        return layer->route->name;
    case AS_LAYER_MAP:
        return "map";
    case AS_LAYER_MEAN:
        return "mean";
    case AS_LAYER_ROW_SUM:
        return "row-sum";
    case AS_LAYER_POOL:
        return "pool";
    case AS_LAYER_SOFTMAX:
        return "softmax";
    case AS_LAYER_FROM_NCHW:
        return "from-nchw";
    case AS_LAYER_TO_NCHW:
        return "to-nchw";
    }
    return "";
}
