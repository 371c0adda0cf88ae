/* SPDX-License-Identifier: Apache-2.0 */
/* assay inspect: what a network is made of, what it costs, and how it would run. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "operators/infer.h"
#include "report/text.h"
#include "run/run.h"

/* Extents that a dynamic dimension gets where --shape does not say: one image of this side. */
#define DYNAMIC_SIDE 640

typedef struct inspect_options {
    const char *shape;
    bool json, no_fuse;
} inspect_options;

static const as_option options[] = {
    AS_TEXT(inspect_options, shape, "shape", "NxCxHxW",
            "input shape; default: the model's, dynamic sides 640"),
    AS_FLAG(inspect_options, no_fuse, "no-fuse", "show the graph as the file has it"),
    AS_FLAG(inspect_options, json, "json", "print JSON"),
    AS_OPTIONS_END,
};

typedef struct inspection {
    assay_model *model;
    const as_graph *graph; /* of the model */
    as_shape *inputs;      /* owns */
    as_shapes shapes;      /* owns */
    as_plan *plan;         /* owns; NULL when no plan can be made */
    assay_error why_no_plan;
    uint64_t macs, n_parameters;
} inspection;

static as_shape default_shape(const as_tensor *tensor)
{
    as_shape shape = as_tensor_shape(tensor);
    for (int i = 0; i < shape.rank; i++)
        if (shape.dims[i] < 0) shape.dims[i] = i == 0 ? 1 : DYNAMIC_SIDE;
    return shape;
}

static assay_code choose_shapes(inspection *in, const char *text, assay_error *err)
{
    int n = as_graph_n_inputs(in->graph);
    in->inputs = as_alloc_array((size_t)n, sizeof *in->inputs);
    if (!in->inputs) return as_fail(err, ASSAY_E_MEMORY, "no memory for %d shapes", n);
    for (int i = 0; i < n; i++)
        in->inputs[i] =
            default_shape(as_graph_tensor(in->graph, as_graph_inputs(in->graph)[i]));
    if (!text) return ASSAY_OK;
    if (n != 1)
        return as_fail(err, ASSAY_E_ARGUMENT, "--shape is for one input, the model has %d", n);
    size_t rank = 0;
    assay_code code =
        as_parse_shape("--shape", text, AS_MAX_RANK, in->inputs[0].dims, &rank, err);
    in->inputs[0].rank = (int)rank;
    return code;
}

/* Shapes as chosen, or, where they depend on values of inputs, as far as they are known. */
static assay_code infer(inspection *in, bool *needs_values, assay_error *err)
{
    const int n = as_graph_n_inputs(in->graph);
    assay_code code = as_shape_infer(in->graph, in->inputs, n, &in->shapes, err);
    *needs_values = code == ASSAY_E_UNSUPPORTED;
    if (!*needs_values) return code;
    in->why_no_plan = *err;
    return as_shape_infer(in->graph, NULL, 0, &in->shapes, err);
}

static assay_code look(inspection *in, const char *path, const inspect_options *o,
                       assay_error *err)
{
    assay_model_options how = assay_model_options_defaults();
    how.fuse = !o->no_fuse;
    assay_code code = assay_model_load(path, &how, &in->model, err);
    if (code) return code;
    in->graph = as_model_graph(in->model);
    code = choose_shapes(in, o->shape, err);
    int n = as_graph_n_inputs(in->graph);
    bool needs_values = false;
    if (!code) code = infer(in, &needs_values, err);
    if (code) return code;
    for (int i = 0; i < as_graph_n_nodes(in->graph); i++) {
        as_cost cost = as_node_cost(in->graph, as_graph_node(in->graph, i), &in->shapes);
        in->macs += cost.macs;
        in->n_parameters += cost.n_parameters;
    }
    if (needs_values) return ASSAY_OK;
    code = as_plan_new(in->graph, in->inputs, n, as_model_kernels(in->model),
                       as_model_options(in->model), as_model_weights(in->model), &in->plan,
                       &in->why_no_plan);
    return code == ASSAY_E_MEMORY ? as_fail(err, code, "%s", in->why_no_plan.message)
                                  : ASSAY_OK;
}

/* Names of all routes that propose themselves for a layer, the chosen one first: "gemm direct". */
static void offered(const inspection *in, const as_layer *layer, char *text, size_t room)
{
    snprintf(text, room, "%s", as_layer_route(layer));
    if (layer->kind != AS_LAYER_CONV && layer->kind != AS_LAYER_DECONV) return;
    const as_kernels *k = as_model_kernels(in->model);
    bool is_conv = layer->kind == AS_LAYER_CONV;
    const as_route *routes = is_conv ? k->conv : k->deconv;
    size_t n = is_conv ? k->n_conv : k->n_deconv;
    for (size_t i = 0; i < n; i++) {
        size_t used = strlen(text);
        if (&routes[i] != layer->route && routes[i].proposes(&layer->args.conv.shape))
            snprintf(text + used, room - used, " (%s)", routes[i].name);
    }
}

static void steps_text(const as_layer *layer, char *text, size_t room)
{
    text[0] = '\0';
    for (size_t i = 0; i < layer->epilogue.n_steps; i++) {
        size_t used = strlen(text);
        snprintf(text + used, room - used, "%s%s", i ? "," : "",
                 as_step_name(layer->epilogue.steps[i].kind));
    }
}

static void print_layers(const inspection *in)
{
    printf("\n%-4s %-18s %-24s %5s %12s  %-34s %s\n", "#", "operator", "route (others offered)",
           "nodes", "MACs", "rides on it", "name");
    for (size_t i = 0; i < in->plan->n_layers; i++) {
        const as_layer *layer = &in->plan->layers[i];
        char routes[64], steps[96];
        offered(in, layer, routes, sizeof routes);
        steps_text(layer, steps, sizeof steps);
        printf("%-4zu %-18.18s %-24.24s %5d %12llu  %-34.34s %.40s\n", i, layer->op_type,
               routes, layer->n_nodes, (unsigned long long)layer->macs, steps, layer->name);
    }
}

static void print_text(const inspection *in)
{
    printf("%s, made by %s, opset %d\n", as_graph_name(in->graph),
           as_graph_producer_name(in->graph), as_graph_opset(in->graph));
    as_graph_print(in->graph, &in->shapes, stdout);
    int n_passes = 0;
    const as_pass_record *passes = as_model_passes(in->model, &n_passes);
    printf("\npasses:");
    for (int i = 0; i < n_passes; i++)
        printf(" %s %d->%d", passes[i].name, passes[i].n_before, passes[i].n_after);
    printf("\nparameters %llu, multiply-adds %llu\n", (unsigned long long)in->n_parameters,
           (unsigned long long)in->macs);
    if (!in->plan) {
        printf("cannot be run: %s: %s\n", in->why_no_plan.where, in->why_no_plan.message);
        return;
    }
    printf("memory: graph %.1f MiB, packed weights %.1f MiB, arena %.1f MiB\n",
           (double)as_model_graph_bytes(in->model) / 1048576.0,
           (double)as_model_weight_bytes(in->model) / 1048576.0,
           (double)in->plan->arena_floats * sizeof(float) / 1048576.0);
    print_layers(in);
}

static json_t *layers_json(const inspection *in)
{
    json_t *list = json_array();
    for (size_t i = 0; i < in->plan->n_layers; i++) {
        const as_layer *layer = &in->plan->layers[i];
        char routes[64], steps[96];
        offered(in, layer, routes, sizeof routes);
        steps_text(layer, steps, sizeof steps);
        as_json_append(
            &list, json_pack("{s:o, s:o, s:s, s:s, s:s, s:i, s:I}", "name",
                             as_json_name(layer->name), "op", as_json_name(layer->op_type),
                             "route", as_layer_route(layer), "offered", routes, "epilogue",
                             steps, "nodes", layer->n_nodes, "macs", (json_int_t)layer->macs));
    }
    return list;
}

static json_t *nodes_json(const inspection *in)
{
    json_t *list = json_array();
    for (int i = 0; i < as_graph_n_nodes(in->graph); i++) {
        const as_node *node = as_graph_node(in->graph, i);
        as_cost cost = as_node_cost(in->graph, node, &in->shapes);
        char shape[96] = "";
        if (node->outputs[0] >= 0)
            as_shape_text(&in->shapes.of[node->outputs[0]], shape, sizeof shape);
        as_json_append(&list,
                       json_pack("{s:o, s:o, s:s, s:I, s:I}", "name", as_json_name(node->name),
                                 "op", as_json_name(node->op_type), "shape", shape, "macs",
                                 (json_int_t)cost.macs, "parameters",
                                 (json_int_t)cost.n_parameters));
    }
    return list;
}

static assay_code print_json(const inspection *in, assay_error *err)
{
    json_t *root = json_pack(
        "{s:o, s:o, s:i, s:I, s:I, s:o}", "model", as_json_name(as_graph_name(in->graph)),
        "producer", as_json_name(as_graph_producer_name(in->graph)), "opset",
        as_graph_opset(in->graph), "parameters", (json_int_t)in->n_parameters, "macs",
        (json_int_t)in->macs, "nodes", nodes_json(in));
    if (in->plan) {
        as_json_set(&root, "layers", layers_json(in));
        as_json_set(&root, "arena_bytes",
                    json_integer((json_int_t)(in->plan->arena_floats * sizeof(float))));
        as_json_set(&root, "weight_bytes",
                    json_integer((json_int_t)as_model_weight_bytes(in->model)));
    } else {
        as_json_set(&root, "unsupported", as_json_name(in->why_no_plan.message));
        as_json_set(&root, "unsupported_at", as_json_name(in->why_no_plan.where));
    }
    assay_code code = as_output_json(root, false, err);
    json_decref(root);
    return code;
}

static int run(const as_cli *cli, const void *values)
{
    const inspect_options *o = values;
    inspection in = {0};
    assay_error err = {0};
    assay_code code = look(&in, cli->arguments.items[0], o, &err);
    if (!code && o->json)
        code = print_json(&in, &err);
    else if (!code)
        print_text(&in);
    int status = code ? as_cli_fail(cli, &err) : in.plan ? AS_EXIT_DONE : AS_EXIT_INPUT;
    as_plan_free(in.plan);
    as_shapes_free(&in.shapes);
    as_free(in.inputs);
    assay_model_free(in.model);
    return status;
}

const as_verb as_verb_inspect = {
    .name = "inspect",
    .summary = "show a network's layers, cost, memory and routes",
    .usage = "MODEL [--shape NxCxHxW]",
    .description =
        "Prints every node with its shape, parameters and multiply-adds, then the "
        "layers as they would run: which route, which others offer themselves, which "
        "nodes ride on which. A network that cannot be run says why; exit status 4.",
    .example = "assay inspect models/ch_PP-OCRv4_det_infer.onnx --shape 1x3x320x320",
    .options = options,
    .values_bytes = sizeof(inspect_options),
    .least_arguments = 1,
    .most_arguments = 1,
    .run = run,
};
