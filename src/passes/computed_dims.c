/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exporters write a Reshape whose dims are computed from shapes, since a dim may be dynamic:
 *
 *     x --> Shape --> Slice [0:1] --> Concat --> Reshape(x, .)       x [n,200,1,1] -> [n,200]
 *                                 200 --^
 *
 * Inference knows such a list number by number, or which dim of which tensor a number is.  Dim i of
 * x itself at place i is what Reshape's 0 means; any other unknown dim is the one that -1 leaves to be
 * found, since all others being known there is but one that fits.  A plan would find all of them, too;
 * but what reads a shape keeps the passes behind from what they look for.
 */
#include "operators/infer.h"
#include "passes/passes.h"

/* As Reshape's constant dims.  @return false when more than one dim would be left to be found. */
static bool to_dims(const as_node *reshape, const as_known *known, int64_t dims[AS_MAX_RANK],
                    int *n)
{
    int n_rest = 0;
    if (!as_array_integers(&known->array, dims, AS_MAX_RANK, n)) return false;
    for (int i = 0; i < *n; i++) {
        const int32_t symbol = known->symbols ? known->symbols[i] : 0;
        const bool is_own = symbol == AS_SYMBOL(reshape->inputs[0], i) &&
                            !reshape->attributes.reshape.allow_zero;
        if (symbol) dims[i] = is_own ? 0 : -1;
        n_rest += dims[i] == -1;
    }
    return n_rest <= 1;
}

/* Give one Reshape its dims.  @return ASSAY_E_MEMORY. */
static assay_code fold(as_graph *graph, const as_shapes *shapes, const as_node *node,
                       as_pass_stats *stats, assay_error *err)
{
    int64_t dims[AS_MAX_RANK];
    int n = 0;
    const as_known *known = shapes->values[node->inputs[1]];
    if (!known || !to_dims(node, known, dims, &n)) return ASSAY_OK;
    const as_shape list = {.rank = 1, .dims = {n}};
    int constant = as_graph_add_constant(graph, "", AS_I64, &list, dims);
    if (constant < 0 || !as_graph_set_input(graph, node->id, 1, constant))
        return as_fail(err, ASSAY_E_MEMORY, "no memory for the dims of node %d", node->id);
    stats->n_changes++;
    return ASSAY_OK;
}

/* All Reshapes as inference sees them now: more is known behind those that have got their dims. */
static assay_code fold_all(as_graph *graph, as_pass_stats *stats, assay_error *err)
{
    as_shapes shapes;
    assay_code code = as_shape_infer(graph, NULL, 0, &shapes, err);
    for (int i = 0; !code && i < as_graph_n_nodes(graph); i++) {
        const as_node *node = as_graph_node(graph, i);
        if (node->op == AS_OP_RESHAPE && !node->attributes.reshape.is_resolved)
            code = fold(graph, &shapes, node, stats, err);
    }
    as_shapes_free(&shapes);
    return code;
}

assay_code as_pass_computed_dims(as_graph *graph, as_pass_stats *stats, assay_error *err)
{
    assay_code code = ASSAY_OK;
    for (int n_before = -1; !code && n_before != stats->n_changes;) {
        n_before = stats->n_changes;
        code = fold_all(graph, stats, err);
        if (!code && n_before != stats->n_changes) code = as_graph_resolve(graph, err);
    }
    return code;
}
