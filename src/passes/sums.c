/* SPDX-License-Identifier: Apache-2.0 */
/* A Sum of two is an Add, which kernels know; a Sum of one gives it on as it is. */
#include "passes/match.h"
#include "passes/passes.h"

assay_code as_pass_sums(as_graph *graph, as_pass_stats *stats, assay_error *err)
{
    for (int i = 0; i < as_graph_n_nodes(graph); i++) {
        const as_node *node = as_graph_node(graph, i);
        bool is_done = false;
        if (node->op != AS_OP_SUM || node->n_inputs > 2) continue;
        const int inputs[2] = {node->inputs[0], node->n_inputs > 1 ? node->inputs[1] : -1};
        const bool has_memory = node->n_inputs > 1
                                    ? as_graph_change_node(graph, i, AS_OP_ADD, inputs, 2)
                                    : as_rewrite_bypass(graph, node, &is_done);
        if (!has_memory) return as_fail(err, ASSAY_E_MEMORY, "no memory to change node %d", i);
        stats->n_changes += inputs[1] >= 0 || is_done;
    }
    return ASSAY_OK;
}
