/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Activations as exporters write them, and the mean over h and w:
 *
 *     a = x + b;  c = clip(a, 0, m);  d = x * c;  y = d / m     hard-swish when b = 3, m = 6
 *     a = x + b;  c = clip(a, 0, m);  y = c / m                 hard-sigmoid(1 / m, b / m)
 *     h = hard-sigmoid(x; 1/6, 1/2);  y = x * h                 hard-swish
 *     y = clip(x, 0, no bound)                                  ReLU
 *     y = mean(x over h, w), dims kept                          GlobalAveragePool
 *
 * "/ m" may be "* 1/m".  Nobody else may read what lies between x and y.
 */
#include <float.h>

#include "operators/infer.h"
#include "passes/match.h"
#include "passes/passes.h"

/* The state of the pass. */
typedef struct state {
    as_graph *graph;
    const as_shapes *shapes;
    as_pass_stats *stats;
} state;

/* Let `node` be `op` of x alone, and take out what it no longer needs, nearest first. */
static bool become(state *s, const as_node *node, as_op op, int x, const as_node *const *unused,
                   int n_unused)
{
    if (!as_graph_change_node(s->graph, node->id, op, &x, 1)) return false;
    for (int i = 0; i < n_unused; i++)
        as_graph_remove_node(s->graph, unused[i]->id);
    s->stats->n_changes++;
    return true;
}

/* clip(x + b, 0, m): the Add and its x, b. */
static const as_node *match_shifted(const state *s, const as_node *clip, int *x, double *b)
{
    as_scalar_use use;
    const as_node *add = as_match_writer(s->graph, clip->inputs[0], AS_OP_ADD);
    if (!add || as_graph_only_consumer(s->graph, clip->inputs[0]) != clip) return NULL;
    if (!as_match_scalar(s->graph, s->shapes, add, &use)) return NULL;
    *x = use.x;
    *b = use.value;
    return add;
}

/* What begins with a Clip.  @return false without memory. */
static bool rewrite_clip(state *s, const as_node *clip)
{
    if (!clip->attributes.clip.is_resolved || clip->attributes.clip.min != 0) return true;
    double m = (double)clip->attributes.clip.max, b = 0;
    if (m >= (double)FLT_MAX) return become(s, clip, AS_OP_RELU, clip->inputs[0], NULL, 0);
    int x = -1, scaled = -1;
    const as_node *add = m > 0 ? match_shifted(s, clip, &x, &b) : NULL;
    const as_node *next = as_graph_only_consumer(s->graph, clip->outputs[0]);
    if (!add || !next) return true;

    if (next->op == AS_OP_MUL && as_match_other(next, clip->outputs[0]) == x) {
        const as_node *last = as_graph_only_consumer(s->graph, next->outputs[0]);
        if (b != 3 || m != 6 || !last ||
            !as_match_scaled(s->graph, s->shapes, last, 1 / m, &scaled))
            return true;
        const as_node *const unused[] = {next, clip, add};
        return become(s, last, AS_OP_HARD_SWISH, x, unused, 3);
    }
    if (!as_match_scaled(s->graph, s->shapes, next, 1 / m, &scaled)) return true;
    const as_node *const unused[] = {clip, add};
    if (!become(s, next, AS_OP_HARD_SIGMOID, x, unused, 2)) return false;
    as_attributes *a = &as_graph_edit_node(s->graph, next->id)->attributes;
    a->activation.alpha = (float)(1 / m);
    a->activation.beta = (float)(b / m);
    return true;
}

static bool rewrite_hard_sigmoid(state *s, const as_node *h)
{
    if (!as_match_near((double)h->attributes.activation.alpha, 1.0 / 6) ||
        h->attributes.activation.beta != 0.5f)
        return true;
    const as_node *mul = as_match_reader(s->graph, h->outputs[0], AS_OP_MUL);
    int x = h->inputs[0];
    if (!mul || as_match_other(mul, h->outputs[0]) != x) return true;
    return become(s, mul, AS_OP_HARD_SWISH, x, &h, 1);
}

static bool rewrite_mean(state *s, const as_node *mean)
{
    const as_reduce_attributes *r = &mean->attributes.reduce;
    if (!r->is_resolved || !r->keepdims || s->shapes->of[mean->inputs[0]].rank != 4)
        return true;
    bool is_reduced[4] = {false};
    for (int i = 0; i < r->n_axes; i++)
        is_reduced[(r->axes[i] + 4) % 4] = true;
    if (is_reduced[0] || is_reduced[1] || !is_reduced[2] || !is_reduced[3]) return true;
    return become(s, mean, AS_OP_GLOBAL_AVERAGE_POOL, mean->inputs[0], NULL, 0);
}

assay_code as_pass_activations(as_graph *graph, as_pass_stats *stats, assay_error *err)
{
    as_shapes shapes;
    assay_code code = as_shape_infer(graph, NULL, 0, &shapes, err);
    state s = {.graph = graph, .shapes = &shapes, .stats = stats};
    bool has_memory = true;
    for (int i = 0; !code && has_memory && i < as_graph_n_nodes(graph); i++) {
        const as_node *node = as_graph_node(graph, i);
        if (node->op == AS_OP_CLIP) has_memory = rewrite_clip(&s, node);
        if (node->op == AS_OP_REDUCE_MEAN) has_memory = rewrite_mean(&s, node);
        /* A hard-sigmoid that rewrite_clip made stands behind its Clip, so it comes by later. */
        if (node->op == AS_OP_HARD_SIGMOID) has_memory = rewrite_hard_sigmoid(&s, node);
    }
    as_shapes_free(&shapes);
    if (!has_memory) return as_fail(err, ASSAY_E_MEMORY, "no memory to recognise activations");
    return code;
}
