/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A map and its multiple by one factor a channel, as residual squeeze-excite adds them:
 *
 *     p = x * s;  y = x + p     ->     t = s + 1;  y = x * t
 *
 * s has one pixel, so the sum costs nothing, and y needs x once: it can ride on what makes x.
 */
#include "operators/infer.h"
#include "passes/match.h"
#include "passes/passes.h"

/* Whether a tensor is one value a channel: [n,c,1,1]. */
static bool is_vector(const as_shapes *shapes, int tensor)
{
    const as_shape *s = &shapes->of[tensor];
    return s->rank == 4 && s->dims[2] == 1 && s->dims[3] == 1;
}

/* x and s of Add(x, Mul(x, s)).  @return the Mul, or NULL. */
static const as_node *match(const as_graph *graph, const as_shapes *shapes, const as_node *add,
                            int *x, int *s)
{
    for (int i = 0; i < 2; i++) {
        const as_node *mul = as_match_writer(graph, add->inputs[i], AS_OP_MUL);
        if (!mul || as_match_reader(graph, mul->outputs[0], AS_OP_ADD) != add) continue;
        *x = add->inputs[1 - i];
        *s = as_match_other(mul, *x);
        if (*s >= 0 && !as_graph_tensor(graph, *s)->data && is_vector(shapes, *s) &&
            !is_vector(shapes, *x) && shapes->of[*x].rank == 4)
            return mul;
    }
    return NULL;
}

/* s + 1 in a node of its own.  @return its output, -1 without memory. */
static int add_one(as_graph *graph, const as_node *mul, int s)
{
    const float one = 1.0F;
    const as_shape scalar = {.rank = 0};
    const int number = as_graph_add_constant(graph, "", AS_F32, &scalar, &one);
    const int output = as_graph_add_tensor(graph, "", AS_F32, NULL);
    if (number < 0 || output < 0) return -1;
    const int inputs[2] = {s, number};
    return as_graph_add_node(graph, AS_OP_ADD, mul->name, inputs, 2, &output, 1) < 0 ? -1
                                                                                     : output;
}

assay_code as_pass_common_factor(as_graph *graph, as_pass_stats *stats, assay_error *err)
{
    as_shapes shapes;
    assay_code code = as_shape_infer(graph, NULL, 0, &shapes, err);
    const int n = as_graph_n_nodes(graph);
    for (int i = 0; !code && i < n; i++) {
        int x = -1, s = -1;
        const as_node *add = as_graph_node(graph, i);
        const as_node *mul = add->op == AS_OP_ADD && add->n_inputs == 2
                                 ? match(graph, &shapes, add, &x, &s)
                                 : NULL;
        if (!mul) continue;
        const int inputs[2] = {x, add_one(graph, mul, s)};
        if (inputs[1] < 0 || !as_graph_change_node(graph, i, AS_OP_MUL, inputs, 2)) {
            code = as_fail(err, ASSAY_E_MEMORY, "no memory to join node %d and its product", i);
            break;
        }
        as_graph_remove_node(graph, mul->id);
        stats->n_changes++;
    }
    as_shapes_free(&shapes);
    return code;
}
