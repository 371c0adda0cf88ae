/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes become layers: by a kernel where a former of form_*.c does the node, else by the plain
 * operator.  A former that finds that it cannot do a node may have made layers before: the plan goes
 * back to where it was.
 */
#include <string.h>

#include "plan/planner.h"

/* Who makes the layers of an operator by kernels; NULL where nobody does. */
static as_former former_of(const as_node *node)
{
    switch (node->op) {
    case AS_OP_CONV:
        return as_form_conv;
    case AS_OP_CONV_TRANSPOSE:
        return as_form_conv_transpose;
    case AS_OP_GEMM:
    case AS_OP_MATMUL:
        return as_form_product;
    case AS_OP_RESIZE:
    case AS_OP_UPSAMPLE:
        return as_form_resize;
    case AS_OP_CONCAT:
        return as_form_concat;
    case AS_OP_MAX_POOL:
    case AS_OP_AVERAGE_POOL:
        return as_form_pool;
    case AS_OP_GLOBAL_AVERAGE_POOL:
    case AS_OP_REDUCE_MEAN:
        return as_form_mean;
    case AS_OP_SOFTMAX:
        return as_form_softmax;
    case AS_OP_FLATTEN:
    case AS_OP_RESHAPE:
        return as_form_reshape;
    default:
        return as_epilogue_has_step(node) ? as_form_elementwise : NULL;
    }
}

/* How far the plan had come, to go back to. */
typedef struct mark {
    size_t n_layers, n_values, n_fixups, n_borrows, scratch_floats;
} mark;

static mark mark_of(const as_planner *p)
{
    return (mark){p->plan->n_layers, p->n_values, p->n_fixups, p->n_borrows,
                  p->plan->scratch_floats};
}

static void go_back(as_planner *p, const mark *to)
{
    memset(&p->plan->layers[to->n_layers], 0,
           (p->plan->n_layers - to->n_layers) * sizeof *p->plan->layers);
    p->plan->n_layers = to->n_layers;
    p->n_fixups = to->n_fixups;
    p->n_borrows = to->n_borrows;
    p->plan->scratch_floats = to->scratch_floats;
    if (p->n_values == to->n_values) return; /* no tensor has one of those that go */
    p->n_values = to->n_values;
    for (int i = 0; i < as_graph_n_tensors(p->graph); i++) {
        if (p->value_of[i] >= (int)to->n_values) p->value_of[i] = -1;
        if (p->plain_of[i] >= (int)to->n_values) p->plain_of[i] = -1;
        if (p->sums_of[i] >= (int)to->n_values) p->sums_of[i] = -1;
    }
}

/* Whether it is computed and has no elements; constants may well have none (Resize's roi). */
static bool is_empty(const as_planner *p, int tensor)
{
    if (as_graph_tensor(p->graph, tensor)->data) return false;
    const as_shape *shape = as_planner_shape(p, tensor);
    for (int i = 0; i < shape->rank; i++)
        if (shape->dims[i] == 0) return true;
    return false;
}

/* Kernels have one output, and know no tensors without elements. */
static bool is_for_kernels(const as_planner *p, const as_node *node)
{
    if (!former_of(node) || node->n_outputs < 1 || node->outputs[0] < 0 ||
        is_empty(p, node->outputs[0]))
        return false;
    for (int i = 0; i < node->n_inputs; i++)
        if (node->inputs[i] >= 0 && is_empty(p, node->inputs[i])) return false;
    return as_planner_has_one_output(p, node);
}

/* Operands of the nodes that may ride on `node` are to be there as pixels before it. */
static assay_code prepare_riders(as_planner *p, const as_node *node, assay_error *err)
{
    assay_code code = ASSAY_OK;
    int tensor = node->outputs[0], unused;
    for (int i = 0; !code && p->options->fuse && i < AS_EPILOGUE_STEPS; i++) {
        const as_node *next = as_planner_only_reader(p, tensor);
        if (!next || former_of(next) != as_form_elementwise || next->n_outputs < 1) break;
        for (int k = 0; !code && k < next->n_inputs; k++)
            if (next->inputs[k] >= 0)
                code = as_planner_pixels(p, next->inputs[k], &unused, err);
        tensor = next->outputs[0];
        if (tensor < 0) break;
    }
    return code;
}

/* What the node reads as pixels; a network input that a route reads in planes stays as it is. */
static assay_code prepare(as_planner *p, const as_node *node, assay_error *err)
{
    assay_code code = ASSAY_OK;
    int unused;
    const bool reads_planes = node->op == AS_OP_CONV && as_form_conv_reads_planes(p, node);
    for (int i = 0; !code && !reads_planes && i < node->n_inputs; i++)
        if (node->inputs[i] >= 0) code = as_planner_pixels(p, node->inputs[i], &unused, err);
    return code ? code : prepare_riders(p, node, err);
}

/* By kernels.  @return ASSAY_E_UNSUPPORTED, with the plan as it was and `reason`, where none do it. */
static assay_code form_by_kernels(as_planner *p, const as_node *node, assay_error *reason)
{
    const as_former formers[] = {former_of(node),
                                 node->op == AS_OP_MATMUL ? as_form_rows : NULL};
    const mark start = mark_of(p);
    assay_code code = ASSAY_E_UNSUPPORTED;
    if (!is_for_kernels(p, node)) return code;
    for (size_t i = 0; code == ASSAY_E_UNSUPPORTED && i < AS_COUNT_OF(formers); i++) {
        if (!formers[i]) continue;
        code = i == 0 ? prepare(p, node, reason) : ASSAY_OK; /* rows are plain values */
        if (!code) code = formers[i](p, node, reason);
        if (code == ASSAY_E_UNSUPPORTED) go_back(p, &start);
    }
    return code;
}

/* By kernels where they do it, else by the plain operator. */
static assay_code form_node(as_planner *p, const as_node *node, assay_error *err)
{
    const bool is_chosen = as_choice_of(&p->options->choices, node->id) != NULL;
    assay_error reason = {0};
    assay_code code = form_by_kernels(p, node, &reason);
    if (code == ASSAY_E_UNSUPPORTED && !is_chosen && (as_operator_of(node->op) || !reason.code))
        return as_form_plain(p, node, err);
    if (code && err) *err = reason; /* why the kernels do not do it says more */
    return code;
}

assay_code as_planner_form(as_planner *p, assay_error *err)
{
    assay_code code = ASSAY_OK;
    for (int i = 0; !code && i < as_graph_n_nodes(p->graph); i++) {
        const as_node *node = as_graph_node(p->graph, p->order[i]);
        if (!p->is_done[node->id]) code = form_node(p, as_planner_node(p, node), err);
    }
    return code;
}
