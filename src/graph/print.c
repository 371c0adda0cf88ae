/* SPDX-License-Identifier: Apache-2.0 */
/* A graph for people, one node a line. */
#include <inttypes.h>

#include "graph/shape.h"

static void print_tensor(const as_graph *graph, int id, FILE *out)
{
    const as_tensor *tensor = as_graph_tensor(graph, id);
    if (tensor->name[0])
        fprintf(out, "%s", tensor->name);
    else
        fprintf(out, "#%d", id);
    if (!tensor->data) return;
    as_shape shape = as_tensor_shape(tensor);
    char text[64];
    fprintf(out, "%s", as_shape_text(&shape, text, sizeof text));
}

static void print_port(const as_graph *graph, const char *what, int id, FILE *out)
{
    const as_tensor *tensor = as_graph_tensor(graph, id);
    as_shape shape = as_tensor_shape(tensor);
    char text[64];
    fprintf(out, "%s %s %s%s\n", what, tensor->name, as_dtype_name(tensor->dtype),
            as_shape_text(&shape, text, sizeof text));
}

static void print_window(const as_window *w, FILE *out)
{
    static const char *const auto_pads[] = {"", " valid", " same-upper", " same-lower"};
    fprintf(out, "  %dx%d", w->kernel[0], w->kernel[1]);
    if (w->strides[0] != 1 || w->strides[1] != 1)
        fprintf(out, " stride %dx%d", w->strides[0], w->strides[1]);
    if (w->dilations[0] != 1 || w->dilations[1] != 1)
        fprintf(out, " dilation %dx%d", w->dilations[0], w->dilations[1]);
    if (w->pads[0] || w->pads[1] || w->pads[2] || w->pads[3])
        fprintf(out, " pads %d,%d,%d,%d", w->pads[0], w->pads[1], w->pads[2], w->pads[3]);
    fprintf(out, "%s", auto_pads[w->auto_pad]);
}

static void print_attributes(const as_node *node, FILE *out)
{
    const as_attributes *a = &node->attributes;
    switch (as_op_info(node->op)->attributes) {
    case AS_ATTRIBUTES_conv:
        print_window(&a->conv.window, out);
        if (a->conv.group != 1) fprintf(out, " group %d", a->conv.group);
        break;
    case AS_ATTRIBUTES_pool:
        print_window(&a->pool.window, out);
        break;
    case AS_ATTRIBUTES_clip:
        fprintf(out, "  %g..%g", (double)a->clip.min, (double)a->clip.max);
        break;
    case AS_ATTRIBUTES_activation:
        fprintf(out, "  alpha %g", (double)a->activation.alpha);
        if (node->op == AS_OP_HARD_SIGMOID)
            fprintf(out, " beta %g", (double)a->activation.beta);
        break;
    case AS_ATTRIBUTES_axis:
        fprintf(out, "  axis %d", a->axis.axis);
        break;
    default:
        break;
    }
}

static void print_node(const as_graph *graph, const as_shapes *shapes, const as_node *node,
                       FILE *out)
{
    fprintf(out, "%4d %s", node->id, node->op_type);
    if (node->name[0]) fprintf(out, " '%s'", node->name);
    for (int i = 0; i < node->n_inputs; i++) {
        fprintf(out, i ? ", " : "  ");
        if (node->inputs[i] >= 0) print_tensor(graph, node->inputs[i], out);
    }
    for (int i = 0; i < node->n_outputs; i++) {
        fprintf(out, i ? ", " : " -> ");
        if (node->outputs[i] < 0) continue;
        print_tensor(graph, node->outputs[i], out);
        char text[64];
        if (shapes)
            fprintf(out, " %s",
                    as_shape_text(&shapes->of[node->outputs[i]], text, sizeof text));
    }
    print_attributes(node, out);
    if (shapes) {
        as_cost cost = as_node_cost(graph, node, shapes);
        if (cost.macs) fprintf(out, "  %" PRIu64 " MACs", cost.macs);
    }
    fputc('\n', out);
}

void as_graph_print(const as_graph *graph, const as_shapes *shapes, FILE *out)
{
    fprintf(out, "graph '%s' by '%s', opset %d: %d nodes\n", as_graph_name(graph),
            as_graph_producer_name(graph), as_graph_opset(graph), as_graph_n_nodes(graph));
    for (int i = 0; i < as_graph_n_inputs(graph); i++)
        print_port(graph, "input", as_graph_inputs(graph)[i], out);
    for (int i = 0; i < as_graph_n_outputs(graph); i++)
        print_port(graph, "output", as_graph_outputs(graph)[i], out);
    for (int i = 0; i < as_graph_n_nodes(graph); i++)
        print_node(graph, shapes, as_graph_node(graph, i), out);
}
