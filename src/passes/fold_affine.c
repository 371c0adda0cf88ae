/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains of affines, x -> a1 -> a2 -> ... -> y, in which nobody else reads what lies between:
 *
 *     conv -> x -> chain -> y          into the conv, when nobody else reads x
 *     x -> chain -> y -> convs         into each conv, when all can take it exactly
 *     x -> chain -> y                  one Affine node
 *
 * The chain is composed in double and rounded once, into the weights or into the Affine.
 */
#include <string.h>

#include "base/memory.h"
#include "operators/infer.h"
#include "passes/affine.h"
#include "passes/passes.h"

/* The state of the pass. */
typedef struct state {
    as_graph *graph;
    const as_shapes *shapes;
    int *chain; /* owns; node ids from x to y; room for all nodes */
    int n_chain;
    as_affine affine; /* owns; of the whole chain */
    as_pass_stats *stats;
    assay_error *err;
} state;

/* Collect the chain that begins at `head`; n_chain = 0 when that is no affine. */
static assay_code collect(state *s, const as_node *head)
{
    bool is_affine = false;
    s->n_chain = 0;
    assay_code code = as_affine_read(s->graph, s->shapes, head, &s->affine, &is_affine, s->err);
    if (code || !is_affine) return code;
    const as_node *last = head;
    while (!code && is_affine) {
        s->chain[s->n_chain++] = last->id;
        const as_node *next = as_graph_only_consumer(s->graph, last->outputs[0]);
        if (!next) break;
        as_affine link;
        code = as_affine_read(s->graph, s->shapes, next, &link, &is_affine, s->err);
        if (code || !is_affine) break;
        code = as_affine_compose(&s->affine, &link, s->err);
        as_affine_free(&link);
        last = next;
    }
    return code;
}

static int chain_end(const state *s)
{
    return as_graph_node(s->graph, s->chain[s->n_chain - 1])->outputs[0];
}

static void remove_chain(state *s)
{
    for (int i = s->n_chain - 1; i >= 0; i--)
        as_graph_remove_node(s->graph, s->chain[i]);
    s->stats->n_changes += s->n_chain;
}

/* Into the convolution that writes x. */
static assay_code fold_behind(state *s, bool *is_done)
{
    int x = s->affine.x, y = chain_end(s);
    const as_node *conv = as_graph_producer(s->graph, x);
    const as_node *reader = as_graph_only_consumer(s->graph, x);
    *is_done =
        conv && reader && reader->id == s->chain[0] && as_affine_can_edit(s->graph, conv);
    if (!*is_done) return ASSAY_OK;
    assay_code code = as_affine_fold_behind(s->graph, conv->id, &s->affine, s->err);
    if (code) return code;
    remove_chain(s);
    as_graph_set_output(s->graph, conv->id, y);
    return ASSAY_OK;
}

/* Into all convolutions that read y. */
static assay_code fold_ahead(state *s, bool *is_done)
{
    const int *readers;
    int y = chain_end(s), n = as_graph_consumers(s->graph, y, &readers);
    *is_done = n > 0 && !as_graph_is_output(s->graph, y);
    for (int i = 0; *is_done && i < n; i++) {
        const as_node *conv = as_graph_node(s->graph, readers[i]);
        *is_done = conv->n_inputs > 0 && conv->inputs[0] == y &&
                   as_affine_can_fold_ahead(s->graph, conv, &s->affine);
    }
    if (!*is_done) return ASSAY_OK;
    /* A fold may add a bias and so edit the list of readers; chain and readers are all different. */
    int *convs = s->chain + s->n_chain;
    memcpy(convs, readers, (size_t)n * sizeof *convs);
    assay_code code = ASSAY_OK;
    for (int i = 0; !code && i < n; i++)
        code = as_affine_fold_ahead(s->graph, convs[i], &s->affine, s->err);
    if (code) return code;
    int x = s->affine.x;
    remove_chain(s);
    return as_graph_replace_uses(s->graph, y, x)
               ? ASSAY_OK
               : as_fail(s->err, ASSAY_E_MEMORY, "no memory to fold an affine");
}

/* One row of an Affine's constants: rounded, one a channel. */
static int add_row(state *s, const double *values, size_t n_channels)
{
    as_shape shape = {.rank = 1, .dims = {(int64_t)n_channels}};
    int id = as_graph_add_constant(s->graph, "", AS_F32, &shape, NULL);
    if (id < 0) return -1;
    float *row = as_graph_edit_data(s->graph, id);
    for (size_t c = 0; c < n_channels; c++)
        row[c] = (float)as_affine_at(values, s->affine.n, c);
    return id;
}

/* Let the chain's last node be an Affine of x. */
static assay_code become_affine(state *s)
{
    const as_node *last = as_graph_node(s->graph, s->chain[s->n_chain - 1]);
    const as_shape *x = &s->shapes->of[s->affine.x];
    if (last->op == AS_OP_AFFINE && s->n_chain == 1) return ASSAY_OK;
    bool has_channels = x->rank >= 2 && x->dims[1] > 0;
    if (!has_channels) return ASSAY_OK; /* nothing says how long its constants would be */
    int inputs[3] = {s->affine.x, add_row(s, s->affine.scale, (size_t)x->dims[1]), -1};
    inputs[2] = inputs[1] < 0 ? -1 : add_row(s, s->affine.shift, (size_t)x->dims[1]);
    if (inputs[2] < 0 || !as_graph_change_node(s->graph, last->id, AS_OP_AFFINE, inputs, 3))
        return as_fail(s->err, ASSAY_E_MEMORY, "no memory for an affine node");
    for (int i = s->n_chain - 2; i >= 0; i--)
        as_graph_remove_node(s->graph, s->chain[i]);
    s->stats->n_changes += s->n_chain;
    return ASSAY_OK;
}

static assay_code rewrite(state *s, const as_node *head)
{
    assay_code code = collect(s, head);
    bool is_done = s->n_chain == 0;
    if (!code && !is_done) code = fold_behind(s, &is_done);
    if (!code && !is_done) code = fold_ahead(s, &is_done);
    if (!code && !is_done) code = become_affine(s);
    as_affine_free(&s->affine);
    return code;
}

assay_code as_pass_fold_affine(as_graph *graph, as_pass_stats *stats, assay_error *err)
{
    int n = as_graph_n_nodes(graph);
    as_shapes shapes;
    assay_code code = as_shape_infer(graph, NULL, 0, &shapes, err);
    if (code) return code;
    state s = {.graph = graph,
               .shapes = &shapes,
               .chain = as_alloc_array((size_t)n, sizeof *s.chain),
               .stats = stats,
               .err = err};
    if (!s.chain) code = as_fail(err, ASSAY_E_MEMORY, "no memory for chains of %d nodes", n);
    for (int i = 0; !code && i < n; i++) {
        const as_node *node = as_graph_node(graph, i);
        if (node->op != AS_OP_REMOVED) code = rewrite(&s, node);
    }
    as_free(s.chain);
    as_shapes_free(&shapes);
    return code;
}
