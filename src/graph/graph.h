/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_GRAPH_GRAPH_H
#define ASSAY_GRAPH_GRAPH_H
/*
 * A network as a graph: tensors by id, nodes by id in topological order.  One arena holds it all.
 *
 *     input --> [node 0: Conv] --> tensor 7 --> [node 1: Relu] --> tensor 8 = output
 *                   ^
 *                constant tensors (weights): `data` is not NULL
 *
 *     for (int i = 0; i < as_graph_n_nodes(graph); i++) {
 *         const as_node *node = as_graph_node(graph, i);      // node->id == i
 *         const as_tensor *x = as_graph_tensor(graph, node->inputs[0]);
 *     }
 *
 * Tensor ids never change.  Node ids are positions in the order; as_graph_sort, which the importer
 * and the passes call when they are done, gives them again.  A graph that nobody edits can be read
 * by any number of threads.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "graph/attributes.h"
#include "graph/operators.h"

/** What a tensor's elements are.  Files' float16 and double weights become AS_F32 on import. */
typedef enum as_dtype { AS_F32, AS_I64, AS_I32, AS_BOOL } as_dtype;

/** Largest extent of a dim: products of two such numbers fit an int64. */
#define AS_MAX_DIM INT32_MAX

/** Concrete dims of one tensor; a plain value.  rank 0 is a scalar; rank -1 is "not known". */
typedef struct as_shape {
    int rank;
    int64_t dims[AS_MAX_RANK];
} as_shape;

/** A dense tensor in C order, as ONNX has it: a scalar has one element, a dim of 0 none. */
typedef struct as_array {
    as_dtype dtype;
    as_shape shape;
    void *data; /**< Borrowed; NULL = not known (yet).  AS_BOOL is one byte, 0 or 1. */
} as_array;

/** One value of the graph.  Everything it points to is borrowed from the graph's arena. */
typedef struct as_tensor {
    int id;
    const char *name; /**< As in the file; never NULL, unique when not "". */
    as_dtype dtype;
    int rank;                           /**< -1 = the file does not say. */
    int64_t dims[AS_MAX_RANK];          /**< -1 = dynamic. */
    const char *dim_names[AS_MAX_RANK]; /**< A dynamic dim's name or ""; never NULL. */
    const void
        *data; /**< A constant's elements in C order, 64-byte aligned; NULL if computed. */
    size_t n_elements; /**< Elements at `data`; 0 if computed. */
    int producer;      /**< The node that writes it; -1 for inputs and constants. */
} as_tensor;

/** One operation. */
typedef struct as_node {
    int id;
    as_op op;
    const char *name;    /**< As in the file; may be "". */
    const char *op_type; /**< ONNX's name of the operator. */
    int n_inputs, n_outputs;
    int *inputs;  /**< Tensor ids; -1 = an optional one that is left out. */
    int *outputs; /**< Tensor ids; -1 = an optional one that is left out. */
    as_attributes attributes;
} as_node;

typedef struct as_graph as_graph;

/* ---- Create and free ---- */

/** A new, empty graph; NULL when there is no memory. */
as_graph *as_graph_new(void) AS_CHECKED;

/** Free the graph with all its tensors' data; takes NULL. */
void as_graph_free(as_graph *graph);

/* ---- Read ---- */

int as_graph_n_nodes(const as_graph *graph);
/** Node by id (position in topological order), 0 <= id < as_graph_n_nodes. */
const as_node *as_graph_node(const as_graph *graph, int id);

int as_graph_n_tensors(const as_graph *graph);
/** Tensor by id, 0 <= id < as_graph_n_tensors. */
const as_tensor *as_graph_tensor(const as_graph *graph, int id);
/** Tensor id by name, -1 when there is none. */
int as_graph_find_tensor(const as_graph *graph, const char *name);

/** Tensor ids of the network's inputs and outputs, in the file's order; borrowed. */
int as_graph_n_inputs(const as_graph *graph);
const int *as_graph_inputs(const as_graph *graph);
int as_graph_n_outputs(const as_graph *graph);
const int *as_graph_outputs(const as_graph *graph);
bool as_graph_is_output(const as_graph *graph, int tensor);

/**
 * Nodes that read `tensor`, one entry a use (a node that reads it twice is there twice).
 * @param nodes  receives a borrowed list of node ids, valid until the next edit; may be NULL.
 * @return how many; being an output of the graph does not count.
 */
int as_graph_consumers(const as_graph *graph, int tensor, const int **nodes);

/** The node that writes `tensor`, or NULL. */
const as_node *as_graph_producer(const as_graph *graph, int tensor);

/** The one node that reads `tensor`, which is no graph output; else NULL. */
const as_node *as_graph_only_consumer(const as_graph *graph, int tensor);

/** Input `i` of `node` as a tensor; NULL when it is left out or behind the end. */
const as_tensor *as_node_input(const as_graph *graph, const as_node *node, int i);

/** The name and version of what made the file, for people; never NULL. */
const char *as_graph_name(const as_graph *graph);
const char *as_graph_producer_name(const as_graph *graph);
/** The default domain's opset of the file; 0 for a built graph. */
int as_graph_opset(const as_graph *graph);

/** Bytes that the graph holds from the system. */
size_t as_graph_bytes(const as_graph *graph);

/** "f32", "i64", "i32", "bool"; and bytes of one element. */
const char *as_dtype_name(as_dtype dtype);
size_t as_dtype_bytes(as_dtype dtype);

/**
 * Elements of `shape`.
 * @return false when a dim is negative or the product does not fit; *out is untouched then.
 */
bool as_shape_elements(const as_shape *shape, size_t *out) AS_CHECKED;

/** "[1,3,640,640]" into `text`, which holds `room` bytes; returns `text`. */
const char *as_shape_text(const as_shape *shape, char *text, size_t room);

/** The tensor's rank and dims (-1 = dynamic) as a shape. */
as_shape as_tensor_shape(const as_tensor *tensor);

/** Print the graph for people, one node a line; `shapes` of as_shape_infer or NULL. */
struct as_shapes;
void as_graph_print(const as_graph *graph, const struct as_shapes *shapes, FILE *out);

/* ---- Build and edit: the importer, the passes and tests ---- */

/** Set what the file says about itself; copies the strings.  @return false without memory. */
bool as_graph_set_info(as_graph *graph, const char *name, const char *producer,
                       int opset) AS_CHECKED;

/** `bytes` of the graph's arena, zeroed, aligned; NULL without memory. */
void *as_graph_alloc(as_graph *graph, size_t bytes) AS_CHECKED;

/** Let the next `bytes` of as_graph_alloc lie in one piece.  @return false without memory. */
bool as_graph_reserve(as_graph *graph, size_t bytes) AS_CHECKED;

/**
 * Add a tensor that is computed or fed.  `shape` NULL = not known.  Copies the name.
 * @return its id, -1 without memory.
 */
int as_graph_add_tensor(as_graph *graph, const char *name, as_dtype dtype,
                        const as_shape *shape) AS_CHECKED;

/**
 * Add a constant.  Copies `data`; NULL leaves zeros, to be filled through as_graph_edit_data.
 * @return its id, -1 without memory or when the shape has no size.
 */
int as_graph_add_constant(as_graph *graph, const char *name, as_dtype dtype,
                          const as_shape *shape, const void *data) AS_CHECKED;

/** Make `tensor` a constant of these elements; `data` is the graph's own (as_graph_alloc). */
void as_graph_set_data(as_graph *graph, int tensor, void *data, size_t n_elements);

/** A constant's elements for writing; whoever else reads the tensor sees the change. */
void *as_graph_edit_data(as_graph *graph, int tensor);

/** A tensor for editing its dtype, dims and names. */
as_tensor *as_graph_edit_tensor(as_graph *graph, int id);

/** Append to the graph's inputs or outputs.  @return false without memory. */
bool as_graph_add_input(as_graph *graph, int tensor) AS_CHECKED;
bool as_graph_add_output(as_graph *graph, int tensor) AS_CHECKED;

/**
 * Append a node with its attributes at their defaults (as_attributes_init).  Copies the lists.
 * @return its id, -1 without memory.
 */
int as_graph_add_node(as_graph *graph, as_op op, const char *name, const int *inputs,
                      int n_inputs, const int *outputs, int n_outputs) AS_CHECKED;

/** The defaults of ONNX for `op`: strides 1, no pads, alpha 1, no bounds. */
void as_attributes_init(as_attributes *attributes, as_op op);

/** A node for editing its op_type, name and attributes; inputs go through as_graph_set_input. */
as_node *as_graph_edit_node(as_graph *graph, int id);

/** Let `node` become another operator, with that one's default attributes and these inputs. */
bool as_graph_change_node(as_graph *graph, int id, as_op op, const int *inputs,
                          int n_inputs) AS_CHECKED;

/** Let input `i` of a node, which it has, be `tensor`.  @return false without memory. */
bool as_graph_set_input(as_graph *graph, int node, int i, int tensor) AS_CHECKED;

/** Let every reader of `from` read `to`; graph outputs stay.  @return false without memory. */
bool as_graph_replace_uses(as_graph *graph, int from, int to) AS_CHECKED;

/**
 * Let `node` write `tensor` in place of its output 0; what wrote `tensor` before must be removed.
 * The old output has no producer then.  For a pass that keeps a graph output's tensor.
 */
void as_graph_set_output(as_graph *graph, int node, int tensor);

/** Take a node out: its uses end, its outputs have no producer, its op is AS_OP_REMOVED. */
void as_graph_remove_node(as_graph *graph, int id);

/**
 * Drop removed nodes, order the rest topologically (stable: the file's order where it is one) and
 * number them again.
 * @return ASSAY_E_FORMAT for a cycle or a tensor that nobody writes, ASSAY_E_MEMORY.
 */
assay_code as_graph_sort(as_graph *graph, assay_error *err);

/**
 * Give every computed tensor the element type that operators.inc says; the graph is sorted.
 * @return ASSAY_E_UNSUPPORTED for an input of a type that its operator does not take.
 */
assay_code as_graph_set_types(as_graph *graph, assay_error *err);

/**
 * Set the types (as_graph_set_types) and put inputs that are constants into the attributes: Clip's
 * bounds, Resize's scales and sizes, Reshape's dims, ReduceMean's axes.  What is computed stays
 * unresolved; as_node_resolve (shape.h) does the same where more values are known.
 * @return ASSAY_E_FORMAT when such a constant does not fit its operator.
 */
assay_code as_graph_resolve(as_graph *graph, assay_error *err);

#endif
