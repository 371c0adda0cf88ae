/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/graph.h"

#include <limits.h>
#include <search.h>
#include <string.h>

#include "base/memory.h"
#include "base/size.h"
#include "graph/state.h"

as_graph *as_graph_new(void)
{
    as_graph *graph = as_alloc(sizeof *graph);
    if (!graph) return NULL;
    graph->arena = as_arena_new();
    graph->name = graph->producer = "";
    if (graph->arena) return graph;
    as_free(graph);
    return NULL;
}

/* A name's node holds a tensor of the arena. */
static void leave(void *tensor) { (void)tensor; }

void as_graph_free(as_graph *graph)
{
    if (!graph) return;
    tdestroy(graph->by_name, leave);
    as_arena_free(graph->arena);
    as_free(graph->nodes);
    as_free(graph->tensors);
    as_free(graph->inputs.items);
    as_free(graph->outputs.items);
    as_free(graph);
}

int as_graph_n_nodes(const as_graph *graph) { return (int)graph->n_nodes; }
const as_node *as_graph_node(const as_graph *graph, int id) { return graph->nodes[id]; }
as_node *as_graph_edit_node(as_graph *graph, int id) { return graph->nodes[id]; }

int as_graph_n_tensors(const as_graph *graph) { return (int)graph->n_tensors; }
const as_tensor *as_graph_tensor(const as_graph *graph, int id)
{
    return &graph->tensors[id]->tensor;
}
as_tensor *as_graph_edit_tensor(as_graph *graph, int id) { return &graph->tensors[id]->tensor; }

int as_graph_n_inputs(const as_graph *graph) { return (int)graph->inputs.n; }
const int *as_graph_inputs(const as_graph *graph) { return graph->inputs.items; }
int as_graph_n_outputs(const as_graph *graph) { return (int)graph->outputs.n; }
const int *as_graph_outputs(const as_graph *graph) { return graph->outputs.items; }
bool as_graph_is_output(const as_graph *graph, int tensor)
{
    return graph->tensors[tensor]->is_output;
}

const char *as_graph_name(const as_graph *graph) { return graph->name; }
const char *as_graph_producer_name(const as_graph *graph) { return graph->producer; }
int as_graph_opset(const as_graph *graph) { return graph->opset; }

size_t as_graph_bytes(const as_graph *graph)
{
    return as_arena_bytes(graph->arena) + sizeof *graph +
           graph->nodes_room * sizeof *graph->nodes +
           graph->tensors_room * sizeof *graph->tensors +
           (graph->inputs.room + graph->outputs.room) * sizeof *graph->inputs.items;
}

int as_graph_consumers(const as_graph *graph, int tensor, const int **nodes)
{
    const as_uses *uses = &graph->tensors[tensor]->uses;
    if (nodes) *nodes = uses->nodes;
    return uses->n;
}

const as_node *as_graph_producer(const as_graph *graph, int tensor)
{
    int producer = graph->tensors[tensor]->tensor.producer;
    return producer < 0 ? NULL : graph->nodes[producer];
}

const as_node *as_graph_only_consumer(const as_graph *graph, int tensor)
{
    const as_tensor_entry *entry = graph->tensors[tensor];
    return entry->uses.n == 1 && !entry->is_output ? graph->nodes[entry->uses.nodes[0]] : NULL;
}

const as_tensor *as_node_input(const as_graph *graph, const as_node *node, int i)
{
    return i < node->n_inputs && node->inputs[i] >= 0 ? as_graph_tensor(graph, node->inputs[i])
                                                      : NULL;
}

bool as_graph_set_info(as_graph *graph, const char *name, const char *producer, int opset)
{
    char *name_copy = as_arena_strdup(graph->arena, name);
    char *producer_copy = as_arena_strdup(graph->arena, producer);
    if (!name_copy || !producer_copy) return false;
    graph->name = name_copy;
    graph->producer = producer_copy;
    graph->opset = opset;
    return true;
}

void *as_graph_alloc(as_graph *graph, size_t bytes)
{
    return as_arena_alloc(graph->arena, bytes);
}

bool as_graph_reserve(as_graph *graph, size_t bytes)
{
    return as_arena_reserve(graph->arena, bytes);
}

/* By name: the libc's balanced tree, whose depth no choice of names can spoil. */
static int by_name(const void *a, const void *b)
{
    const as_tensor *x = a, *y = b;
    return strcmp(x->name, y->name);
}

int as_graph_find_tensor(const as_graph *graph, const char *name)
{
    const as_tensor wanted = {.name = name};
    as_tensor *const *found = name[0] ? tfind(&wanted, &graph->by_name, by_name) : NULL;
    return found ? (*found)->id : -1;
}

int as_graph_add_tensor(as_graph *graph, const char *name, as_dtype dtype,
                        const as_shape *shape)
{
    if (graph->n_tensors >= INT_MAX) return -1;
    as_tensor_entry **tensors =
        as_grow(graph->tensors, graph->n_tensors, &graph->tensors_room, sizeof *graph->tensors);
    if (!tensors) return -1;
    graph->tensors = tensors;
    as_tensor_entry *entry = as_arena_alloc(graph->arena, sizeof *entry);
    char *copy = name[0] ? as_arena_strdup(graph->arena, name) : NULL;
    if (!entry || (name[0] && !copy)) return -1;

    int id = (int)graph->n_tensors;
    as_tensor *tensor = &entry->tensor;
    *tensor = (as_tensor){
        .id = id, .name = copy ? copy : "", .dtype = dtype, .rank = -1, .producer = -1};
    if (shape) {
        tensor->rank = shape->rank;
        for (int i = 0; i < shape->rank; i++)
            tensor->dims[i] = shape->dims[i];
    }
    for (int i = 0; i < AS_MAX_RANK; i++)
        tensor->dim_names[i] = "";
    /* of equal names the first is found */
    if (copy && !tsearch(tensor, &graph->by_name, by_name)) return -1;
    graph->tensors[graph->n_tensors++] = entry;
    return id;
}

int as_graph_add_constant(as_graph *graph, const char *name, as_dtype dtype,
                          const as_shape *shape, const void *data)
{
    size_t n = 0, bytes = 0;
    if (!as_shape_elements(shape, &n) || !as_mul(n, as_dtype_bytes(dtype), &bytes)) return -1;
    void *copy = as_arena_alloc(graph->arena, bytes);
    if (!copy) return -1;
    if (data && bytes) memcpy(copy, data, bytes);
    int id = as_graph_add_tensor(graph, name, dtype, shape);
    if (id >= 0) as_graph_set_data(graph, id, copy, n);
    return id;
}

void as_graph_set_data(as_graph *graph, int tensor, void *data, size_t n_elements)
{
    graph->tensors[tensor]->tensor.data = data;
    graph->tensors[tensor]->tensor.n_elements = n_elements;
}

void *as_graph_edit_data(as_graph *graph, int tensor)
{
    return (void *)(uintptr_t)graph->tensors[tensor]->tensor.data; /* the arena's own bytes */
}

static bool add_id(as_ids *ids, int id)
{
    int *grown = as_grow(ids->items, ids->n, &ids->room, sizeof *ids->items);
    if (!grown) return false;
    ids->items = grown;
    ids->items[ids->n++] = id;
    return true;
}

bool as_graph_add_input(as_graph *graph, int tensor) { return add_id(&graph->inputs, tensor); }

bool as_graph_add_output(as_graph *graph, int tensor)
{
    if (!add_id(&graph->outputs, tensor)) return false;
    graph->tensors[tensor]->is_output = true;
    return true;
}
