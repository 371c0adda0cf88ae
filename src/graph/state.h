/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_GRAPH_STATE_H
#define ASSAY_GRAPH_STATE_H
/* What a graph is made of, for the files of this folder alone. */
#include "base/arena.h"
#include "graph/graph.h"

/** Nodes that read one tensor, one entry a use. */
typedef struct as_uses {
    int *nodes; /**< Borrows the arena; grows by doubling. */
    int n, room;
} as_uses;

/** A tensor with its readers. */
typedef struct as_tensor_entry {
    as_tensor tensor;
    as_uses uses;
    bool is_output;
} as_tensor_entry;

/** A list of ids on the heap. */
typedef struct as_ids {
    int *items; /**< Owns. */
    size_t n, room;
} as_ids;

struct as_graph {
    as_arena *arena; /**< Owns; everything below but the tables lives in it. */
    const char *name, *producer;
    int opset;
    as_node **nodes; /**< Owns the table; nodes[id]. */
    size_t n_nodes, nodes_room;
    as_tensor_entry **tensors; /**< Owns the table; tensors[id]. */
    size_t n_tensors, tensors_room;
    as_ids inputs, outputs;
    void *by_name; /**< Owns: a tree of tsearch(3) over the tensors that have a name. */
};

/** Note that `node` reads `tensor` (-1: nothing).  @return false without memory. */
bool as_graph_add_use(as_graph *graph, int tensor, int node) AS_CHECKED;

/** Take one such use back. */
void as_graph_drop_use(as_graph *graph, int tensor, int node);

#endif
