/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GELU in the Erf form, gelu(x) = x/2 (1 + erf(x / sqrt(2))), in the three orders in which its
 * product is written:
 *
 *     u = x / sqrt(2);  e = erf(u);  s = e + 1;  then
 *         p = x * s;        y = p * 0.5
 *         h = x * 0.5;      y = h * s
 *         p = s * 0.5;      y = p * x
 *
 * Source: Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016, section 2.
 */
#include "operators/infer.h"
#include "passes/match.h"
#include "passes/passes.h"

/* 1 / sqrt(2) */
#define RSQRT2 0.70710678118654752440

/* The nodes of one GELU. */
typedef struct pattern {
    int x;
    const as_node *last;      /* writes y */
    const as_node *unused[4]; /* nearest to y first */
    int n_unused;
} pattern;

/* The product: from s, whose writer is `add`, to y. */
static bool match_product(const as_graph *graph, const as_shapes *shapes, const as_node *add,
                          pattern *p)
{
    int s = add->outputs[0], scaled = -1;
    const as_node *first = as_match_reader(graph, s, AS_OP_MUL);
    if (!first) {
        first = as_match_reader(graph, s, AS_OP_DIV); /* s / 2 */
        if (!first) return false;
    }
    const as_node *second = as_graph_only_consumer(graph, first->outputs[0]);
    if (first->op == AS_OP_MUL && as_match_other(first, s) == p->x) {
        if (!second || !as_match_scaled(graph, shapes, second, 0.5, &scaled)) return false;
        p->last = second;
        p->unused[p->n_unused++] = first;
        return true;
    }
    if (as_match_scaled(graph, shapes, first, 0.5, &scaled)) {
        if (!second || second->op != AS_OP_MUL ||
            as_match_other(second, first->outputs[0]) != p->x)
            return false;
        p->last = second;
        p->unused[p->n_unused++] = first;
        return true;
    }
    int h = first->op == AS_OP_MUL ? as_match_other(first, s) : -1;
    const as_node *half = h < 0 ? NULL : as_graph_producer(graph, h);
    if (!half || as_graph_only_consumer(graph, h) != first ||
        !as_match_scaled(graph, shapes, half, 0.5, &scaled) || scaled != p->x)
        return false;
    p->last = first;
    p->unused[p->n_unused++] = half;
    return true;
}

static bool match_gelu(const as_graph *graph, const as_shapes *shapes, const as_node *erf,
                       pattern *p)
{
    *p = (pattern){0};
    int u = erf->inputs[0];
    as_scalar_use one;
    const as_node *scale = as_graph_producer(graph, u);
    const as_node *add = as_match_reader(graph, erf->outputs[0], AS_OP_ADD);
    if (!scale || !add || as_graph_only_consumer(graph, u) != erf ||
        !as_match_scaled(graph, shapes, scale, RSQRT2, &p->x))
        return false;
    if (!as_match_scalar(graph, shapes, add, &one) || one.value != 1) return false;
    if (!match_product(graph, shapes, add, p)) return false;
    p->unused[p->n_unused++] = add;
    p->unused[p->n_unused++] = erf;
    p->unused[p->n_unused++] = scale;
    return true;
}

assay_code as_pass_gelu(as_graph *graph, as_pass_stats *stats, assay_error *err)
{
    as_shapes shapes;
    assay_code code = as_shape_infer(graph, NULL, 0, &shapes, err);
    for (int i = 0; !code && i < as_graph_n_nodes(graph); i++) {
        pattern p;
        const as_node *node = as_graph_node(graph, i);
        if (node->op != AS_OP_ERF || !match_gelu(graph, &shapes, node, &p)) continue;
        if (!as_graph_change_node(graph, p.last->id, AS_OP_GELU, &p.x, 1)) {
            code = as_fail(err, ASSAY_E_MEMORY, "no memory to recognise GELU");
            break;
        }
        for (int k = 0; k < p.n_unused; k++)
            as_graph_remove_node(graph, p.unused[k]->id);
        stats->n_changes++;
    }
    as_shapes_free(&shapes);
    return code;
}
