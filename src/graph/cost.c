/* SPDX-License-Identifier: Apache-2.0 */
/* What a node costs: multiply-adds and parameters. */
#include "base/size.h"
#include "graph/shape.h"

/* a * b, or the largest number where that does not fit. */
static size_t times(size_t a, size_t b)
{
    size_t product = 0;
    return as_mul(a, b, &product) ? product : SIZE_MAX;
}

/* Elements of a tensor (-1: left out) from dim `from` on; 0 when they are not known. */
static size_t elements(const as_shapes *shapes, int tensor, int from)
{
    if (tensor < 0) return 0;
    as_shape shape = shapes->of[tensor], rest = {.rank = shape.rank - from};
    for (int i = from; i < shape.rank; i++)
        rest.dims[i - from] = shape.dims[i];
    size_t n = 0;
    return as_shape_elements(&rest, &n) ? n : 0;
}

static size_t macs(const as_node *node, const as_shapes *shapes)
{
    const int *in = node->inputs;
    int rank;
    switch (node->op) {
    case AS_OP_CONV: /* each output: one row of the weights */
        return times(elements(shapes, node->outputs[0], 0), elements(shapes, in[1], 1));
    case AS_OP_CONV_TRANSPOSE: /* each input: one row of the weights */
        return times(elements(shapes, in[0], 0), elements(shapes, in[1], 1));
    case AS_OP_GEMM: {
        bool is_transposed = node->attributes.gemm.is_a_transposed;
        int64_t k = shapes->of[in[0]].dims[is_transposed ? 0 : 1];
        return k < 0 ? 0 : times(elements(shapes, node->outputs[0], 0), (size_t)k);
    }
    case AS_OP_MATMUL:
        rank = shapes->of[in[0]].rank;
        return rank < 1 ? 0
                        : times(elements(shapes, node->outputs[0], 0),
                                elements(shapes, in[0], rank - 1));
    default:
        return 0;
    }
}

as_cost as_node_cost(const as_graph *graph, const as_node *node, const as_shapes *shapes)
{
    as_cost cost = {.macs = macs(node, shapes)};
    for (int i = 0; i < node->n_inputs; i++) {
        const as_tensor *tensor = as_node_input(graph, node, i);
        if (tensor && tensor->data && tensor->dtype == AS_F32)
            cost.n_parameters += tensor->n_elements;
    }
    return cost;
}
