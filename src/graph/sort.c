/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Topological order by depth-first search from the nodes in their present order: a node comes right
 * after the last of the nodes that it needs, so an order that is already topological stays.
 */
#include <string.h>

#include "base/memory.h"
#include "graph/graph.h"
#include "graph/state.h"

enum { UNSEEN, OPEN, DONE };

/* One node on the search's stack, and which of its inputs comes next. */
typedef struct frame {
    int node;
    int next_input;
} frame;

typedef struct search {
    as_graph *graph;
    unsigned char *state; /* of each node */
    frame *stack;         /* as deep as there are nodes */
    as_node **order;
    size_t depth, n_ordered;
} search;

static assay_code at_node(const as_node *node, assay_error *err)
{
    as_error_where(err, "node %d '%s' (%s)", node->id, node->name, node->op_type);
    return ASSAY_E_FORMAT;
}

/* Look at one input: push what writes it, when that is not done. */
static assay_code visit_input(search *s, const as_node *node, int input, assay_error *err)
{
    if (input < 0) return ASSAY_OK;
    const as_tensor_entry *entry = s->graph->tensors[input];
    int producer = entry->tensor.producer;
    if (producer < 0) {
        if (entry->tensor.data) return ASSAY_OK;
        for (size_t i = 0; i < s->graph->inputs.n; i++)
            if (s->graph->inputs.items[i] == input) return ASSAY_OK;
        as_fail(err, ASSAY_E_FORMAT,
                "it reads the undefined tensor '%s', which no node, input or weight gives",
                entry->tensor.name);
        return at_node(node, err);
    }
    if (s->state[producer] == DONE) return ASSAY_OK;
    if (s->state[producer] == OPEN) {
        as_fail(
            err, ASSAY_E_FORMAT,
            producer == node->id
                ? "it depends on its own output '%s'"
                : "the nodes form a cycle: it reads '%s', which itself depends on this node",
            entry->tensor.name);
        return at_node(node, err);
    }
    s->state[producer] = OPEN;
    s->stack[s->depth++] = (frame){.node = producer};
    return ASSAY_OK;
}

static assay_code search_from(search *s, int root, assay_error *err)
{
    s->state[root] = OPEN;
    s->stack[s->depth++] = (frame){.node = root};
    while (s->depth > 0) {
        frame *top = &s->stack[s->depth - 1];
        as_node *node = s->graph->nodes[top->node];
        if (top->next_input < node->n_inputs) {
            assay_code code = visit_input(s, node, node->inputs[top->next_input++], err);
            if (code) return code;
            continue;
        }
        s->state[top->node] = DONE;
        s->order[s->n_ordered++] = node;
        s->depth--;
    }
    return ASSAY_OK;
}

static assay_code check_outputs(const as_graph *graph, assay_error *err)
{
    for (size_t i = 0; i < graph->outputs.n; i++) {
        int id = graph->outputs.items[i];
        const as_tensor *tensor = as_graph_tensor(graph, id);
        bool is_given = tensor->producer >= 0 || tensor->data;
        for (size_t j = 0; j < graph->inputs.n; j++)
            is_given = is_given || graph->inputs.items[j] == id;
        if (!is_given)
            return as_fail(err, ASSAY_E_FORMAT, "graph output '%s' is not produced by any node",
                           tensor->name);
    }
    return ASSAY_OK;
}

/* Make `order` the graph's nodes, their positions the ids, and collect every use again. */
static assay_code renumber(as_graph *graph, as_node **order, size_t n, assay_error *err)
{
    for (size_t t = 0; t < graph->n_tensors; t++) {
        graph->tensors[t]->uses.n = 0;
        graph->tensors[t]->tensor.producer = -1;
    }
    memcpy(graph->nodes, order, n * sizeof *order);
    graph->n_nodes = n;
    for (size_t i = 0; i < n; i++) {
        as_node *node = order[i];
        node->id = (int)i;
        for (int k = 0; k < node->n_outputs; k++)
            if (node->outputs[k] >= 0)
                graph->tensors[node->outputs[k]]->tensor.producer = node->id;
        for (int k = 0; k < node->n_inputs; k++)
            if (!as_graph_add_use(graph, node->inputs[k], node->id))
                return as_fail(err, ASSAY_E_MEMORY, "no memory to sort %zu nodes", n);
    }
    return ASSAY_OK;
}

assay_code as_graph_sort(as_graph *graph, assay_error *err)
{
    size_t n = graph->n_nodes;
    if (n == 0) return check_outputs(graph, err);
    search s = {.graph = graph,
                .state = as_alloc(n),
                .stack = as_alloc_array(n, sizeof *s.stack),
                .order = as_alloc_array(n, sizeof *s.order)};
    assay_code code = ASSAY_OK;
    if (!s.state || !s.stack || !s.order)
        code = as_fail(err, ASSAY_E_MEMORY, "no memory to sort %zu nodes", n);
    for (size_t i = 0; !code && i < n; i++)
        if (s.state[i] == UNSEEN && graph->nodes[i]->op != AS_OP_REMOVED)
            code = search_from(&s, (int)i, err);
    if (!code) code = check_outputs(graph, err);
    if (!code) code = renumber(graph, s.order, s.n_ordered, err);
    as_free(s.state);
    as_free(s.stack);
    as_free(s.order);
    return code;
}
