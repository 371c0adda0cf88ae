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

/* Nodes whose readers all stand, as a heap: the first comes last of all. */
typedef struct schedule {
    const as_planner *planner;
    int *n_unplaced; /* [node]: uses by nodes that do not stand yet */
    bool *is_read;   /* [tensor]: a node that stands reads it */
    int *ready;      /* the heap */
    int *place_of;   /* [node]: in the heap, -1 outside */
    uint64_t
        *unread; /* [node]: elements of inputs that no node that stands reads; once ready */
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
    if (pixels(s->planner, output_of(node)) <= 1) return 0;
    const uint64_t in = s->unread[node->id], out = elements(s->planner, output_of(node));
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

/* ---- the heap ---- */

static void set(schedule *s, size_t at, int node)
{
    s->ready[at] = node;
    s->place_of[node] = (int)at;
}

/* Let `node` rise from `at` above those that it is later than. */
static void rise(schedule *s, size_t at, int node)
{
    for (; at > 0 && is_later(s, node, s->ready[(at - 1) / 2]); at = (at - 1) / 2)
        set(s, at, s->ready[(at - 1) / 2]);
    set(s, at, node);
}

/* Let `node` sink from the top. */
static void sink(schedule *s, int node)
{
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < s->n_ready; at = child) {
        if (child + 1 < s->n_ready && is_later(s, s->ready[child + 1], s->ready[child]))
            child++;
        if (!is_later(s, s->ready[child], node)) break;
        set(s, at, s->ready[child]);
    }
    set(s, at, node);
}

static void add(schedule *s, int id)
{
    const as_graph *graph = s->planner->graph;
    const as_node *node = as_graph_node(graph, id);
    for (int i = 0; i < node->n_inputs; i++)
        if (node->inputs[i] >= 0 && as_graph_producer(graph, node->inputs[i]) &&
            !s->is_read[node->inputs[i]])
            s->unread[id] += elements(s->planner, node->inputs[i]);
    rise(s, s->n_ready++, id);
}

/* The ready node that comes last, taken out. */
static int take(schedule *s)
{
    const int node = s->ready[0], last = s->ready[--s->n_ready];
    s->place_of[node] = -1;
    if (s->n_ready > 0) sink(s, last);
    return node;
}

/* A node that stands reads `tensor`: the ready ones that read it too shrink less from now on. */
static void mark_read(schedule *s, int tensor)
{
    const int *readers = NULL;
    const int n = as_graph_consumers(s->planner->graph, tensor, &readers);
    if (s->is_read[tensor]) return;
    s->is_read[tensor] = true;
    for (int i = 0; i < n; i++) {
        const int at = s->place_of[readers[i]];
        if (at < 0) continue;
        s->unread[readers[i]] -= elements(s->planner, tensor);
        rise(s, (size_t)at, readers[i]);
    }
}

static void count_uses(schedule *s)
{
    const as_graph *graph = s->planner->graph;
    for (int i = 0; i < as_graph_n_nodes(graph); i++) {
        const as_node *node = as_graph_node(graph, i);
        for (int k = 0; k < node->n_outputs; k++)
            if (node->outputs[k] >= 0)
                s->n_unplaced[i] += as_graph_consumers(graph, node->outputs[k], NULL);
        if (s->n_unplaced[i] == 0) add(s, i);
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
        if (!writer) continue;
        mark_read(s, node->inputs[i]);
        if (--s->n_unplaced[writer->id] == 0) add(s, writer->id);
    }
}

assay_code as_planner_schedule(as_planner *p, assay_error *err)
{
    const size_t n = (size_t)as_graph_n_nodes(p->graph);
    p->order = as_planner_alloc(p, n, sizeof *p->order);
    schedule s = {.planner = p,
                  .n_unplaced = as_alloc_array(n, sizeof *s.n_unplaced),
                  .is_read = as_alloc((size_t)as_graph_n_tensors(p->graph)),
                  .ready = as_alloc_array(n, sizeof *s.ready),
                  .place_of = as_alloc_array(n, sizeof *s.place_of),
                  .unread = as_alloc_array(n, sizeof *s.unread)};
    assay_code code = ASSAY_OK;
    if (!p->order || !s.n_unplaced || !s.is_read || !s.ready || !s.place_of || !s.unread) {
        code = as_fail(err, ASSAY_E_MEMORY, "no memory to schedule %zu nodes", n);
        goto done;
    }
    for (size_t i = 0; i < n; i++)
        s.place_of[i] = -1;
    if (p->options->fuse) count_uses(&s);
    for (size_t i = n; i-- > 0;) {
        p->order[i] = p->options->fuse ? take(&s) : (int)i;
        if (p->options->fuse) place(&s, p->order[i]);
    }
done:
    as_free(s.unread);
    as_free(s.place_of);
    as_free(s.ready);
    as_free(s.is_read);
    as_free(s.n_unplaced);
    return code;
}
