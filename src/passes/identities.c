/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that give their input on as it is. */
#include "passes/match.h"
#include "passes/passes.h"

static bool is_identity(const as_graph *graph, const as_node *node)
{
    switch (node->op) {
    case AS_OP_IDENTITY:
        return true;
    case AS_OP_CAST:
        return as_graph_tensor(graph, node->inputs[0])->dtype ==
               (as_dtype)node->attributes.cast.to;
    case AS_OP_DROPOUT: /* its mask must be of no interest */
        return !node->attributes.dropout.is_training && !as_match_is_seen(graph, node, 1);
    default:
        return false;
    }
}

assay_code as_pass_identities(as_graph *graph, as_pass_stats *stats, assay_error *err)
{
    for (int i = 0; i < as_graph_n_nodes(graph); i++) {
        const as_node *node = as_graph_node(graph, i);
        if (!is_identity(graph, node)) continue;
        bool is_done = false;
        if (!as_rewrite_bypass(graph, node, &is_done))
            return as_fail(err, ASSAY_E_MEMORY, "no memory to take out node %d", i);
        stats->n_changes += is_done;
    }
    return ASSAY_OK;
}
