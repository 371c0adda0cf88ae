/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order in which nodes become layers: a topological order in which maps are made as late as
 * possible, the largest latest, so that what makes a large map stands beside what reads it.
 *
 *     file:      lateral 160x160, lateral 80x80, ... , add 80x80, add 160x160, 3x3 160x160
 *     schedule:  lateral 80x80, ... , add 80x80, ... , lateral 160x160, add 160x160, 3x3 160x160
 *
 * Neighbours can ride on each other (epilogue.c) and go by bands (group.c).  Built from the end:
 * of all nodes whose readers stand already, the one with the most pixels comes next, and of equals
 * the one that the file has last, so that a plain chain of equal maps keeps the file's order.
 */
#include "base/memory.h"
#include "plan/planner.h"

typedef struct schedule {
    const as_planner *planner;
    int *n_unplaced; /* [node]: uses by nodes that do not stand yet */
    int *ready;
    size_t n_ready;
} schedule;

/* Pixels of an image of what a node makes. */
static uint64_t pixels(const as_planner *p, int id)
{
    const as_node *node = as_graph_node(p->graph, id);
    const as_shape *shape = as_planner_shape(p, node->outputs[0]);
    uint64_t n = 1;
    for (int i = 2; i < shape->rank; i++)
        n *= (uint64_t)shape->dims[i];
    return n;
}

static bool is_later(const as_planner *p, int a, int b)
{
    const uint64_t x = pixels(p, a), y = pixels(p, b);
    return x != y ? x > y : a > b;
}

/* The ready node that comes last, taken out. */
static int take(schedule *s)
{
    size_t best = 0;
    for (size_t i = 1; i < s->n_ready; i++)
        if (is_later(s->planner, s->ready[i], s->ready[best])) best = i;
    const int node = s->ready[best];
    s->ready[best] = s->ready[--s->n_ready];
    return node;
}

static void count_uses(schedule *s)
{
    const as_graph *graph = s->planner->graph;
    for (int i = 0; i < as_graph_n_nodes(graph); i++) {
        const as_node *node = as_graph_node(graph, i);
        for (int k = 0; k < node->n_outputs; k++)
            if (node->outputs[k] >= 0)
                s->n_unplaced[i] += as_graph_consumers(graph, node->outputs[k], NULL);
        if (s->n_unplaced[i] == 0) s->ready[s->n_ready++] = i;
    }
}

/* What `node` reads has one unplaced use less. */
static void place(schedule *s, int id)
{
    const as_graph *graph = s->planner->graph;
    const as_node *node = as_graph_node(graph, id);
    for (int i = 0; i < node->n_inputs; i++) {
        const as_node *writer =
            node->inputs[i] < 0 ? NULL : as_graph_producer(graph, node->inputs[i]);
        if (writer && --s->n_unplaced[writer->id] == 0) s->ready[s->n_ready++] = writer->id;
    }
}

assay_code as_planner_schedule(as_planner *p, assay_error *err)
{
    const size_t n = (size_t)as_graph_n_nodes(p->graph);
    p->order = as_planner_alloc(p, n, sizeof *p->order);
    schedule s = {.planner = p,
                  .n_unplaced = as_alloc_array(n, sizeof *s.n_unplaced),
                  .ready = as_alloc_array(n, sizeof *s.ready)};
    assay_code code = ASSAY_OK;
    if (!p->order || !s.n_unplaced || !s.ready) {
        code = as_fail(err, ASSAY_E_MEMORY, "no memory to schedule %zu nodes", n);
        goto done;
    }
    if (p->options->fuse) count_uses(&s);
    for (size_t i = n; i-- > 0;) {
        p->order[i] = p->options->fuse ? take(&s) : (int)i;
        if (p->options->fuse) place(&s, p->order[i]);
    }
done:
    as_free(s.ready);
    as_free(s.n_unplaced);
    return code;
}
