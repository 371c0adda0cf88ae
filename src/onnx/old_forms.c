/* SPDX-License-Identifier: Apache-2.0 */
/*
 *     Add(x [n,c,h,w], b [c], axis 1)   is now   Add(x, Reshape(b, [0,1,1]))
 */
#include "onnx/old_forms.h"

#include "operators/infer.h"

static assay_code no_memory(assay_error *err)
{
    return as_fail(err, ASSAY_E_MEMORY, "no memory for an operand's shape");
}

/* Put `behind` dims of 1 behind the `rank` dims of the second input. */
static assay_code reshape_second(as_graph *graph, int id, int rank, int behind,
                                 assay_error *err)
{
    const int second = as_graph_node(graph, id)->inputs[1];
    const as_shape list = {.rank = 1, .dims = {rank + behind}};
    int64_t dims[AS_MAX_RANK] = {0}; /* 0 is as it was */
    for (int i = rank; i < rank + behind; i++)
        dims[i] = 1;
    const int inputs[2] = {second, as_graph_add_constant(graph, "", AS_I64, &list, dims)};
    const int output =
        as_graph_add_tensor(graph, "", as_graph_tensor(graph, second)->dtype, NULL);
    if (inputs[1] < 0 || output < 0) return no_memory(err);
    if (as_graph_add_node(graph, AS_OP_RESHAPE, "", inputs, 2, &output, 1) < 0 ||
        !as_graph_set_input(graph, id, 1, output))
        return no_memory(err);
    return ASSAY_OK;
}

static assay_code renew(as_graph *graph, const as_shapes *shapes, int id, assay_error *err)
{
    as_node *node = as_graph_edit_node(graph, id);
    const int ra = shapes->of[node->inputs[0]].rank, rb = shapes->of[node->inputs[1]].rank;
    if (ra < 0 || rb < 0)
        return as_fail(err, ASSAY_E_UNSUPPORTED,
                       "its axis is of an input whose rank is not known");
    int axis = node->attributes.broadcast.axis;
    node->attributes.broadcast.has_axis = false;
    if (axis < 0) axis += ra;
    if (rb == 0 || axis + rb == ra || (node->op == AS_OP_PRELU && ra < 2)) return ASSAY_OK;
    if (axis < 0 || axis + rb > ra)
        return as_fail(err, ASSAY_E_FORMAT, "its axis is %d, its inputs have %d and %d dims",
                       axis, ra, rb);
    return reshape_second(graph, id, rb, ra - rb - axis, err);
}

assay_code as_onnx_renew_broadcasts(as_graph *graph, assay_error *err)
{
    as_shapes shapes = {0};
    const int n = as_graph_n_nodes(graph);
    assay_code code = as_shape_infer(graph, NULL, 0, &shapes, err);
    for (int i = 0; !code && i < n; i++) {
        const as_node *node = as_graph_node(graph, i);
        if (as_op_info(node->op)->attributes != AS_ATTRIBUTES_broadcast ||
            !node->attributes.broadcast.has_axis)
            continue;
        code = renew(graph, &shapes, i, err);
        if (code) as_error_where(err, "node %d '%s' (%s)", i, node->name, node->op_type);
    }
    as_shapes_free(&shapes);
    if (!code) code = as_graph_sort(graph, err);
    if (!code) code = as_graph_resolve(graph, err);
    return code;
}
