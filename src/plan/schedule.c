/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order in which nodes become layers: a topological order in which a map that grows out of a
 * smaller one is made as late as possible, the largest latest, so that what makes a large map
 * stands beside what reads it; and a small one that is drawn from a larger is made while that is at
 * hand.
 *
 *     file:      lateral 160x160, lateral 80x80, ... , add 80x80, add 160x160, 3x3 160x160
 *     schedule:  lateral 80x80, ... , add 80x80, ... , lateral 160x160, add 160x160, 3x3 160x160
 *
 * Neighbours can ride on each other (epilogue.c) and go by bands (group.c).  Built from the end:
 * of all nodes whose readers stand already, the one that shrinks least, of those the one with the
 * most pixels, of those the one that the file has last, so that a chain keeps the file's order.  A
 * node shrinks by what those of its inputs that nobody behind it reads hold more than its output.
 */
#include "base/memory.h"
#include "plan/planner.h"

typedef struct schedule {
    const as_planner *planner;
    int *n_unplaced; /* [node]: uses by nodes that do not stand yet */
    bool *is_read;   /* [tensor]: a node that stands reads it */
    int *ready;
    size_t n_ready;
} schedule;

/* What a node makes first, -1 where nobody wants it. */
static int output_of(const as_node *node)
{
    return node->n_outputs > 0 ? node->outputs[0] : -1;
}

/* Pixels of an image of what a node makes, and elements of a tensor. */
static uint64_t pixels(const as_planner *p, int tensor)
{
    if (tensor < 0) return 0;
    const as_shape *shape = as_planner_shape(p, tensor);
    uint64_t n = 1;
    for (int i = 2; i < shape->rank; i++)
        n *= (uint64_t)shape->dims[i];
    return n;
}

static uint64_t elements(const as_planner *p, int tensor)
{
    size_t n = 0;
    return tensor >= 0 && as_shape_elements(as_planner_shape(p, tensor), &n) ? n : 0;
}

/* By how much it shrinks.  Vectors of one pixel are small whatever they are made of. */
static uint64_t shrinkage(const schedule *s, const as_node *node)
{
    const as_planner *p = s->planner;
    uint64_t in = 0;
    if (pixels(p, output_of(node)) <= 1) return 0;
    for (int i = 0; i < node->n_inputs; i++)
        if (node->inputs[i] >= 0 && as_graph_producer(p->graph, node->inputs[i]) &&
            !s->is_read[node->inputs[i]])
            in += elements(p, node->inputs[i]);
    const uint64_t out = elements(p, output_of(node));
    return in > out ? in - out : 0;
}

static bool is_later(const schedule *s, int a, int b)
{
    const as_node *x = as_graph_node(s->planner->graph, a);
    const as_node *y = as_graph_node(s->planner->graph, b);
    const uint64_t shrinkage_x = shrinkage(s, x), shrinkage_y = shrinkage(s, y);
    if (shrinkage_x != shrinkage_y) return shrinkage_x < shrinkage_y;
    const uint64_t pixels_x = pixels(s->planner, output_of(x));
    const uint64_t pixels_y = pixels(s->planner, output_of(y));
    return pixels_x != pixels_y ? pixels_x > pixels_y : a > b;
}

/* The ready node that comes last, taken out. */
static int take(schedule *s)
{
    size_t best = 0;
    for (size_t i = 1; i < s->n_ready; i++)
        if (is_later(s, s->ready[i], s->ready[best])) best = i;
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
        if (node->inputs[i] < 0) continue;
        const as_node *writer = as_graph_producer(graph, node->inputs[i]);
        s->is_read[node->inputs[i]] = true;
        if (writer && --s->n_unplaced[writer->id] == 0) s->ready[s->n_ready++] = writer->id;
    }
}

assay_code as_planner_schedule(as_planner *p, assay_error *err)
{
    const size_t n = (size_t)as_graph_n_nodes(p->graph);
    p->order = as_planner_alloc(p, n, sizeof *p->order);
    schedule s = {.planner = p,
                  .n_unplaced = as_alloc_array(n, sizeof *s.n_unplaced),
                  .is_read = as_alloc((size_t)as_graph_n_tensors(p->graph)),
                  .ready = as_alloc_array(n, sizeof *s.ready)};
    assay_code code = ASSAY_OK;
    if (!p->order || !s.n_unplaced || !s.is_read || !s.ready) {
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
    as_free(s.is_read);
    as_free(s.n_unplaced);
    return code;
}
