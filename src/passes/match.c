/* SPDX-License-Identifier: Apache-2.0 */
#include "passes/match.h"

#include <math.h>

bool as_match_near(double a, double b) { return fabs(a - b) <= 1e-6 * fabs(b); }

const as_node *as_match_reader(const as_graph *graph, int tensor, as_op op)
{
    const as_node *reader = as_graph_only_consumer(graph, tensor);
    return reader && reader->op == op ? reader : NULL;
}

const as_node *as_match_writer(const as_graph *graph, int tensor, as_op op)
{
    const as_node *writer = tensor < 0 ? NULL : as_graph_producer(graph, tensor);
    return writer && writer->op == op ? writer : NULL;
}

bool as_match_scalar(const as_graph *graph, const as_shapes *shapes, const as_node *node,
                     as_scalar_use *out)
{
    bool is_binary = node->op == AS_OP_ADD || node->op == AS_OP_SUB || node->op == AS_OP_MUL ||
                     node->op == AS_OP_DIV;
    if (!is_binary || node->n_inputs != 2) return false;
    for (int i = 0; i < 2; i++) {
        const as_tensor *number = as_node_input(graph, node, i);
        const as_tensor *x = as_node_input(graph, node, 1 - i);
        if (!number || !x || !number->data || x->data || number->n_elements != 1 ||
            number->dtype != AS_F32)
            continue;
        /* A [1,1,1] beside a vector would make the output rank 3. */
        int rank = x->id < shapes->n ? shapes->of[x->id].rank : -1;
        if (number->rank > (rank < 0 ? 0 : rank)) continue;
        *out = (as_scalar_use){
            .x = x->id, .is_second = i == 1, .value = *(const float *)number->data};
        return true;
    }
    return false;
}

bool as_match_scaled(const as_graph *graph, const as_shapes *shapes, const as_node *node,
                     double factor, int *x)
{
    as_scalar_use use;
    if (!as_match_scalar(graph, shapes, node, &use)) return false;
    *x = use.x;
    if (node->op == AS_OP_MUL) return as_match_near(use.value, factor);
    return node->op == AS_OP_DIV && use.is_second && as_match_near(use.value, 1 / factor);
}

bool as_match_is_seen(const as_graph *graph, const as_node *node, int k)
{
    return k < node->n_outputs && node->outputs[k] >= 0 &&
           (as_graph_consumers(graph, node->outputs[k], NULL) > 0 ||
            as_graph_is_output(graph, node->outputs[k]));
}

int as_match_other(const as_node *node, int tensor)
{
    if (node->n_inputs != 2) return -1;
    if (node->inputs[0] == tensor) return node->inputs[1];
    return node->inputs[1] == tensor ? node->inputs[0] : -1;
}

bool as_match_has_padding(const as_node *conv)
{
    const as_window *w = &conv->attributes.conv.window;
    if (w->auto_pad == AS_PAD_VALID) return false;
    if (w->auto_pad != AS_PAD_EXPLICIT) return w->kernel[0] != 1 || w->kernel[1] != 1;
    return w->pads[0] || w->pads[1] || w->pads[2] || w->pads[3];
}

bool as_rewrite_bypass(as_graph *graph, const as_node *node, bool *is_done)
{
    int x = node->inputs[0], y = node->outputs[0];
    *is_done = true;
    if (!as_graph_is_output(graph, y)) {
        as_graph_remove_node(graph, node->id);
        return as_graph_replace_uses(graph, y, x);
    }
    /* A graph's output keeps its tensor: what wrote x writes it. */
    const as_node *writer = as_graph_producer(graph, x);
    if (!writer || writer->outputs[0] != x || as_graph_is_output(graph, x)) {
        *is_done = false;
        return true;
    }
    as_graph_remove_node(graph, node->id);
    as_graph_set_output(graph, writer->id, y);
    return as_graph_replace_uses(graph, x, y);
}
