/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/graph.h"

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

void as_graph_free(as_graph *graph)
{
    if (!graph) return;
    as_arena_free(graph->arena);
    as_free(graph->nodes);
    as_free(graph->tensors);
    as_free(graph->inputs.items);
    as_free(graph->outputs.items);
    as_free(graph->by_name);
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
           graph->by_name_room * sizeof *graph->by_name +
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

/* FNV-1a, 64 bit: Fowler, Noll and Vo's offset basis and prime. */
static size_t hash_of(const char *name)
{
    uint64_t hash = 14695981039346656037u;
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    return (size_t)(hash ^ (hash >> 32));
}

/* The slot where `name` is or would be. */
static int *slot_of(const as_graph *graph, const char *name)
{
    size_t mask = graph->by_name_room - 1;
    for (size_t at = hash_of(name) & mask;; at = (at + 1) & mask) {
        int *slot = &graph->by_name[at];
        if (*slot == 0 || strcmp(graph->tensors[*slot - 1]->tensor.name, name) == 0)
            return slot;
    }
}

int as_graph_find_tensor(const as_graph *graph, const char *name)
{
    if (!name[0] || graph->by_name_room == 0) return -1;
    return *slot_of(graph, name) - 1;
}

/* Keep the table at most half full, for one more name. */
static bool make_name_room(as_graph *graph)
{
    if (graph->n_tensors + 1 <= graph->by_name_room / 2) return true;
    size_t wanted = 64;
    while (wanted / 2 < graph->n_tensors + 1)
        if (!as_mul(wanted, 2, &wanted)) return false;
    int *larger = as_alloc_array(wanted, sizeof *larger);
    if (!larger) return false;
    as_free(graph->by_name);
    graph->by_name = larger;
    graph->by_name_room = wanted;
    for (size_t i = 0; i < graph->n_tensors; i++) {
        const char *name = graph->tensors[i]->tensor.name;
        if (!name[0]) continue;
        int *slot = slot_of(graph, name);
        if (*slot == 0) *slot = (int)i + 1;
    }
    return true;
}

int as_graph_add_tensor(as_graph *graph, const char *name, as_dtype dtype,
                        const as_shape *shape)
{
    if (graph->n_tensors >= INT_MAX - 1 || !make_name_room(graph)) return -1;
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
    graph->tensors[graph->n_tensors++] = entry;
    if (copy) {
        int *slot = slot_of(graph, copy);
        if (*slot == 0) *slot = id + 1; /* of equal names the first is found */
    }
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
