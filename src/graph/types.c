/* SPDX-License-Identifier: Apache-2.0 */
/* The element types of what nodes compute: the last column of operators.inc. */
#include "graph/graph.h"

/* A family of that column. */
typedef enum type_family {
    TYPE_same,    /* as input 0 */
    TYPE_second,  /* as input 1: input 0 is a condition */
    TYPE_i64,     /* i64 */
    TYPE_boolean, /* bool */
    TYPE_indexed, /* as input 0; output 1 is i64: where those values were */
    TYPE_masked,  /* as input 0; output 1 is bool: which of them were kept */
    TYPE_cast,    /* what the attribute `to` says */
    TYPE_own      /* as the tensor was made */
} type_family;

static const type_family families[AS_N_OPS] = {
#define AS_OPERATOR(name, op_type, min_in, max_in, min_out, max_out, opset, attributes, shape, \
                    type)                                                                      \
    [AS_OP_##name] = TYPE_##type,
#include "graph/operators.inc"
#undef AS_OPERATOR
};

static as_dtype of_input(const as_graph *graph, const as_node *node, int i)
{
    const as_tensor *tensor = as_node_input(graph, node, i);
    return tensor ? tensor->dtype : AS_F32;
}

static as_dtype type_of(const as_graph *graph, const as_node *node, int k)
{
    switch (families[node->op]) {
    case TYPE_same:
        break;
    case TYPE_second:
        return of_input(graph, node, 1);
    case TYPE_i64:
        return AS_I64;
    case TYPE_boolean:
        return AS_BOOL;
    case TYPE_indexed:
        return k == 0 ? of_input(graph, node, 0) : AS_I64;
    case TYPE_masked:
        return k == 0 ? of_input(graph, node, 0) : AS_BOOL;
    case TYPE_cast:
        return (as_dtype)node->attributes.cast.to;
    case TYPE_own:
        return as_graph_tensor(graph, node->outputs[k])->dtype;
    }
    return of_input(graph, node, 0);
}

void as_graph_set_types(as_graph *graph)
{
    for (int i = 0; i < as_graph_n_nodes(graph); i++) {
        const as_node *node = as_graph_node(graph, i);
        for (int k = 0; node->op != AS_OP_REMOVED && k < node->n_outputs; k++)
            if (node->outputs[k] >= 0)
                as_graph_edit_tensor(graph, node->outputs[k])->dtype = type_of(graph, node, k);
    }
}
