/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BatchNormalization right behind a Conv or ConvTranspose goes into its weights and bias:
 *
 *     s[c] = gamma[c] / sqrt(variance[c] + epsilon)
 *     w'[c] = w[c] s[c],  b'[c] = (b[c] - mean[c]) s[c] + beta[c]
 *
 * One that stands elsewhere is a link of fold_affine's chains.  Source: Ioffe and Szegedy, "Batch
 * Normalization", 2015, algorithm 2 (inference).
 */
#include "operators/infer.h"
#include "passes/affine.h"
#include "passes/passes.h"

/* Fold one node, where it can be.  @return ASSAY_E_MEMORY alone. */
static assay_code fold(as_graph *graph, const as_shapes *shapes, const as_node *norm,
                       as_pass_stats *stats, assay_error *err)
{
    const as_node *conv = as_graph_producer(graph, norm->inputs[0]);
    if (!conv || !as_affine_can_edit(graph, conv) ||
        as_graph_only_consumer(graph, norm->inputs[0]) != norm)
        return ASSAY_OK;
    as_affine affine;
    bool is_affine = false;
    assay_code code = as_affine_read(graph, shapes, norm, &affine, &is_affine, err);
    if (code || !is_affine) return code;
    code = as_affine_fold_behind(graph, conv->id, &affine, err);
    as_affine_free(&affine);
    if (code) return code;
    int y = norm->outputs[0];
    as_graph_remove_node(graph, norm->id);
    as_graph_set_output(graph, conv->id, y);
    stats->n_changes++;
    return ASSAY_OK;
}

assay_code as_pass_fold_batchnorm(as_graph *graph, as_pass_stats *stats, assay_error *err)
{
    as_shapes shapes;
    assay_code code = as_shape_infer(graph, NULL, 0, &shapes, err);
    for (int i = 0; !code && i < as_graph_n_nodes(graph); i++) {
        const as_node *node = as_graph_node(graph, i);
        if (node->op == AS_OP_BATCH_NORM) code = fold(graph, &shapes, node, stats, err);
    }
    as_shapes_free(&shapes);
    return code;
}
