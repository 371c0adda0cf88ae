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

/*
 * An upper bound of layers: two a node (a mean), one a part of a Concat, one a tensor for its other
 * layout, one an output that is an input.
 */
static size_t count_layers(const as_graph *graph)
{
    size_t n = (size_t)as_graph_n_inputs(graph) + (size_t)as_graph_n_outputs(graph);
    for (int i = 0; i < as_graph_n_nodes(graph); i++) {
        const as_node *node = as_graph_node(graph, i);
        n += 2 + (size_t)node->n_outputs;
        if (node->op == AS_OP_CONCAT) n += (size_t)node->n_inputs;
    }
    return n + 1;
}

static assay_code make_room(as_planner *p, assay_error *err)
{
    const as_graph *graph = p->graph;
    as_plan *plan = p->plan;
    const size_t n_tensors = (size_t)as_graph_n_tensors(graph);
    const size_t n_nodes = (size_t)as_graph_n_nodes(graph);
    plan->n_inputs = as_graph_n_inputs(graph);
    plan->n_outputs = as_graph_n_outputs(graph);
    if (as_mul(count_layers(graph), sizeof *p->layers, &p->layers_bytes))
        plan->layers = p->layers = as_alloc_pages(p->layers_bytes);
    plan->inputs = as_planner_alloc(p, (size_t)plan->n_inputs, sizeof *plan->inputs);
    plan->outputs = as_planner_alloc(p, (size_t)plan->n_outputs, sizeof *plan->outputs);
    p->value_of = as_planner_alloc(p, n_tensors, sizeof *p->value_of);
    p->plain_of = as_planner_alloc(p, n_tensors, sizeof *p->plain_of);
    p->sums_of = as_planner_alloc(p, n_tensors, sizeof *p->sums_of);
    p->is_done = as_planner_alloc(p, n_nodes, sizeof *p->is_done);
    p->is_known = as_planner_alloc(p, n_nodes, sizeof *p->is_known);
    p->nodes = as_planner_alloc(p, n_nodes, sizeof *p->nodes);
    if (!plan->layers || !plan->inputs || !plan->outputs || !p->value_of || !p->plain_of ||
        !p->sums_of || !p->is_done || !p->is_known || !p->nodes)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
    for (size_t i = 0; i < n_tensors; i++)
        p->value_of[i] = p->plain_of[i] = p->sums_of[i] = -1;
    return ASSAY_OK;
}

/* ---- what is known before the run ---- */

static bool is_value_known(const as_planner *p, int tensor)
{
    return tensor < 0 || p->shapes->values[tensor];
}

/* Nodes whose values are known have no layers; others may have known inputs. */
static assay_code take_known(as_planner *p, assay_error *err)
{
    assay_code code = ASSAY_OK;
    for (int i = 0; !code && i < as_graph_n_nodes(p->graph); i++) {
        const as_node *node = as_graph_node(p->graph, i);
        bool is_known = node->n_outputs > 0, has_known = false;
        for (int k = 0; is_known && k < node->n_outputs; k++)
            is_known = is_value_known(p, node->outputs[k]);
        for (int k = 0; !has_known && k < node->n_inputs; k++)
            has_known = node->inputs[k] >= 0 && is_value_known(p, node->inputs[k]);
        p->is_known[i] = p->is_done[i] = is_known;
        if (is_known || !has_known) continue;
        as_node *copy = as_planner_alloc(p, 1, sizeof *copy);
        if (!copy) return as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
        *copy = *node;
        p->nodes[i] = copy;
        code = as_node_resolve(p->graph, p->shapes, copy, err);
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
        case AS_LAYER_INTERPOLATE:
            layer->n_items = k->interpolate_items(&layer->args.interpolate);
            break;
        case AS_LAYER_SOFTMAX:
            layer->n_items = k->softmax_items(&layer->args.softmax);
            break;
        case AS_LAYER_FROM_NCHW:
        case AS_LAYER_TO_NCHW:
            layer->n_items = k->layout_items(&layer->args.layout);
            break;
        case AS_LAYER_PLAIN:
            layer->n_items = as_op_n_items(layer->args.plain.plain, &layer->args.plain.call);
            break;
        }
    }
}

static void *keep(as_planner *p, const void *from, size_t n, size_t bytes)
{
    void *to = as_planner_alloc(p, n, bytes);
    if (to && n) memcpy(to, from, n * bytes);
    return to;
}

/* Where something that lay in the planner's layers lies in the plan's. */
static void *moved(const as_planner *p, void *pointer)
{
    const char *first = (const char *)p->layers, *at = pointer;
    if (!at || at < first || at >= (const char *)(p->layers + p->plan->n_layers))
        return pointer;
    return (char *)p->plan->layers + (at - first);
}

/* The epilogue that a layer's kernel is to run. */
static void join_epilogue(as_layer *layer)
{
    switch (layer->kind) {
    case AS_LAYER_CONV:
    case AS_LAYER_DECONV:
        layer->args.conv.epilogue = &layer->epilogue;
        return;
    case AS_LAYER_MAP:
        layer->args.map.epilogue = &layer->epilogue;
        return;
    case AS_LAYER_MEAN:
        layer->args.mean.epilogue = &layer->epilogue;
        return;
    case AS_LAYER_POOL:
        layer->args.pool.epilogue = &layer->epilogue;
        return;
    case AS_LAYER_INTERPOLATE:
        layer->args.interpolate.epilogue = &layer->epilogue;
        return;
    default:
        return;
    }
}

/* Layers, fixups and borrows move into the plan's own memory, which holds no more than these. */
static assay_code keep_layers(as_planner *p, assay_error *err)
{
    as_plan *plan = p->plan;
    plan->layers = keep(p, p->layers, plan->n_layers, sizeof *plan->layers);
    plan->fixups = keep(p, p->fixups, p->n_fixups, sizeof *p->fixups);
    plan->borrows = keep(p, p->borrows, p->n_borrows, sizeof *p->borrows);
    if (!plan->layers || !plan->fixups || !plan->borrows)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
    plan->n_fixups = p->n_fixups;
    plan->n_borrows = p->n_borrows;
    for (size_t i = 0; i < plan->n_layers; i++)
        join_epilogue(&plan->layers[i]);
    for (size_t i = 0; i < plan->n_fixups; i++) {
        plan->fixups[i].view = moved(p, plan->fixups[i].view);
        plan->fixups[i].pointer = moved(p, plan->fixups[i].pointer);
    }
    for (size_t i = 0; i < plan->n_borrows; i++)
        plan->borrows[i].floats = moved(p, plan->borrows[i].floats);
    return ASSAY_OK;
}

static assay_code make_plan(as_planner *p, const as_array *inputs, assay_error *err)
{
    assay_code code = make_room(p, err);
    if (!code) code = take_known(p, err);
    if (!code) code = as_planner_schedule(p, err);
    if (!code) code = as_planner_inputs(p, inputs, err);
    if (!code) code = as_planner_form(p, err);
    if (!code) code = as_planner_outputs(p, err);
    if (!code) code = as_planner_group(p, err);
    if (!code) code = as_planner_place(p, err);
    if (!code) code = keep_layers(p, err);
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

assay_code as_plan_new_for(const as_graph *graph, const as_array *inputs, int n_inputs,
                           const as_kernels *kernels, const as_plan_options *options,
                           as_weights *weights, as_plan **out, assay_error *err)
{
    *out = NULL;
    as_shapes inferred = {0};
    as_plan *plan = NULL;
    as_planner planner = {0};
    assay_code code = as_infer(graph, inputs, n_inputs, &inferred, err);
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
    code = make_plan(&planner, inputs, err);
    as_weights_pack(weights, options->pool); /* what has been lent goes away, also on failure */
    if (code) goto done;
    *out = plan;
    plan = NULL; /* the caller owns it now */
done:
    as_free(planner.values);
    as_free(planner.fixups);
    as_arena_free(planner.temporary);
    as_free(planner.borrows);
    as_free_pages(planner.layers, planner.layers_bytes);
    as_plan_free(plan);
    as_shapes_free(&inferred);
    return code;
}

assay_code as_plan_new(const as_graph *graph, const as_shape *shapes, int n_inputs,
                       const as_kernels *kernels, const as_plan_options *options,
                       as_weights *weights, as_plan **out, assay_error *err)
{
    *out = NULL;
    as_array *inputs = as_alloc_array((size_t)n_inputs, sizeof *inputs);
    if (!inputs) return as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
    for (int i = 0; i < n_inputs; i++)
        inputs[i].shape = shapes[i];
    assay_code code =
        as_plan_new_for(graph, inputs, n_inputs, kernels, options, weights, out, err);
    as_free(inputs);
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
        else if (fixup->pointer)
            *fixup->pointer = arena + fixup->offset;
        else
            *fixup->array = arena + fixup->offset;
    }
    plan->bound = arena;
}

void as_plan_bind_input(as_plan *plan, int i, const void *data)
{
    for (size_t k = 0; k < plan->n_borrows; k++) {
        const as_borrow *borrow = &plan->borrows[k];
        if (borrow->input != i) continue;
        if (borrow->floats)
            *borrow->floats = (float *)(uintptr_t)data;
        else
            *borrow->array = (void *)(uintptr_t)data;
    }
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
    case AS_LAYER_INTERPOLATE:
        return "interpolate";
    case AS_LAYER_SOFTMAX:
        return "softmax";
    case AS_LAYER_FROM_NCHW:
        return "from-nchw";
    case AS_LAYER_TO_NCHW:
        return "to-nchw";
    case AS_LAYER_PLAIN:
        return "plain";
    }
    return "";
}
