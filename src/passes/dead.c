/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes whose outputs nobody reads, last ones first, so that their inputs' writers follow. */
#include "passes/passes.h"

static bool is_read(const as_graph *graph, const as_node *node)
{
    for (int i = 0; i < node->n_outputs; i++)
        if (node->outputs[i] >= 0 && (as_graph_consumers(graph, node->outputs[i], NULL) > 0 ||
                                      as_graph_is_output(graph, node->outputs[i])))
            return true;
    return false;
}

assay_code as_pass_dead(as_graph *graph, as_pass_stats *stats, assay_error *err)
{
    (void)err;
    for (int i = as_graph_n_nodes(graph) - 1; i >= 0; i--) {
        const as_node *node = as_graph_node(graph, i);
        if (node->op == AS_OP_REMOVED || is_read(graph, node)) continue;
        as_graph_remove_node(graph, i);
        stats->n_changes++;
    }
    return ASSAY_OK;
}
