/* SPDX-License-Identifier: Apache-2.0 */
/* Changing a graph's nodes, with the readers of each tensor kept up to date. */
#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "graph/graph.h"
#include "graph/state.h"

bool as_graph_add_use(as_graph *graph, int tensor, int node)
{
    if (tensor < 0) return true;
    as_uses *uses = &graph->tensors[tensor]->uses;
    if (uses->n == uses->room) {
        int room = uses->room ? 2 * uses->room : 4;
        int *larger = as_arena_array(graph->arena, (size_t)room, sizeof *larger);
        if (!larger) return false;
        if (uses->n) memcpy(larger, uses->nodes, (size_t)uses->n * sizeof *larger);
        uses->nodes = larger;
        uses->room = room;
    }
    uses->nodes[uses->n++] = node;
    return true;
}

void as_graph_drop_use(as_graph *graph, int tensor, int node)
{
    if (tensor < 0) return;
    as_uses *uses = &graph->tensors[tensor]->uses;
    int at = 0;
    while (at < uses->n && uses->nodes[at] != node)
        at++;
    assert(at < uses->n);
    memmove(uses->nodes + at, uses->nodes + at + 1,
            (size_t)(uses->n - at - 1) * sizeof *uses->nodes);
    uses->n--;
}

static int *copy_ids(as_graph *graph, const int *ids, int n)
{
    int *copy = as_arena_array(graph->arena, (size_t)n, sizeof *copy);
    if (copy && n) memcpy(copy, ids, (size_t)n * sizeof *copy);
    return copy;
}

int as_graph_add_node(as_graph *graph, as_op op, const char *name, const int *inputs,
                      int n_inputs, const int *outputs, int n_outputs)
{
    if (graph->n_nodes >= INT_MAX - 1) return -1;
    as_node **nodes =
        as_grow(graph->nodes, graph->n_nodes, &graph->nodes_room, sizeof *graph->nodes);
    if (!nodes) return -1;
    graph->nodes = nodes;
    as_node *node = as_arena_alloc(graph->arena, sizeof *node);
    const char *copy = name[0] ? as_arena_strdup(graph->arena, name) : "";
    if (!node || !copy) return -1;
    *node = (as_node){.id = (int)graph->n_nodes,
                      .op = op,
                      .name = copy,
                      .op_type = as_op_info(op)->op_type,
                      .n_inputs = n_inputs,
                      .n_outputs = n_outputs,
                      .inputs = copy_ids(graph, inputs, n_inputs),
                      .outputs = copy_ids(graph, outputs, n_outputs)};
    if (!node->inputs || !node->outputs) return -1;
    as_attributes_init(&node->attributes, op);
    for (int i = 0; i < n_inputs; i++)
        if (!as_graph_add_use(graph, inputs[i], node->id)) return -1;
    for (int i = 0; i < n_outputs; i++)
        if (outputs[i] >= 0) graph->tensors[outputs[i]]->tensor.producer = node->id;
    graph->nodes[graph->n_nodes++] = node;
    return node->id;
}

bool as_graph_change_node(as_graph *graph, int id, as_op op, const int *inputs, int n_inputs)
{
    as_node *node = graph->nodes[id];
    int *copy = copy_ids(graph, inputs, n_inputs);
    if (!copy) return false;
    for (int i = 0; i < n_inputs; i++)
        if (!as_graph_add_use(graph, copy[i], id)) return false;
    for (int i = 0; i < node->n_inputs; i++)
        as_graph_drop_use(graph, node->inputs[i], id);
    node->op = op;
    node->op_type = as_op_info(op)->op_type;
    node->inputs = copy;
    node->n_inputs = n_inputs;
    as_attributes_init(&node->attributes, op);
    return true;
}

bool as_graph_set_input(as_graph *graph, int node, int i, int tensor)
{
    as_node *n = graph->nodes[node];
    if (!as_graph_add_use(graph, tensor, node)) return false;
    as_graph_drop_use(graph, n->inputs[i], node);
    n->inputs[i] = tensor;
    return true;
}

bool as_graph_replace_uses(as_graph *graph, int from, int to)
{
    if (from == to) return true;
    as_uses *uses = &graph->tensors[from]->uses;
    for (int u = 0; u < uses->n; u++) {
        as_node *node = graph->nodes[uses->nodes[u]];
        for (int i = 0; i < node->n_inputs; i++) {
            if (node->inputs[i] != from) continue;
            if (!as_graph_add_use(graph, to, node->id)) return false;
            node->inputs[i] = to;
            break; /* a second use by this node has its own entry */
        }
    }
    uses->n = 0;
    return true;
}

void as_graph_set_output(as_graph *graph, int node, int tensor)
{
    as_node *n = graph->nodes[node];
    as_tensor *old = &graph->tensors[n->outputs[0]]->tensor;
    if (old->producer == node) old->producer = -1;
    n->outputs[0] = tensor;
    graph->tensors[tensor]->tensor.producer = node;
}

void as_graph_remove_node(as_graph *graph, int id)
{
    as_node *node = graph->nodes[id];
    for (int i = 0; i < node->n_inputs; i++)
        as_graph_drop_use(graph, node->inputs[i], id);
    for (int i = 0; i < node->n_outputs; i++) {
        if (node->outputs[i] < 0) continue;
        as_tensor *output = &graph->tensors[node->outputs[i]]->tensor;
        if (output->producer == id) output->producer = -1;
    }
    node->op = AS_OP_REMOVED;
    node->op_type = as_op_info(AS_OP_REMOVED)->op_type;
    node->n_inputs = node->n_outputs = 0;
}
