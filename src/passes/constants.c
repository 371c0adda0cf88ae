/* SPDX-License-Identifier: Apache-2.0 */
/* Constant nodes become constant tensors; what has constant inputs alone runs now. */
#include "base/size.h"
#include "operators/infer.h"
#include "operators/operators.h"
#include "passes/passes.h"

/* Larger results are left to be computed: they would cost more memory than time. */
#define MAX_ELEMENTS ((size_t)1 << 22)

/* Inputs of a node that are looked at; one with more is left to inference. */
#define MOST_INPUTS 8

/* Operators whose output has the elements of their input. */
static bool is_copy(const as_node *node, const as_tensor *x)
{
    return node->op == AS_OP_IDENTITY || node->op == AS_OP_RESHAPE ||
           node->op == AS_OP_FLATTEN ||
           (node->op == AS_OP_CAST && x->dtype == (as_dtype)node->attributes.cast.to);
}

static bool has_constant_inputs(const as_graph *graph, const as_node *node)
{
    for (int i = 0; i < node->n_inputs; i++) {
        const as_tensor *tensor = as_node_input(graph, node, i);
        if (!tensor || !tensor->data) return false;
    }
    return node->n_inputs > 0 && node->n_inputs <= MOST_INPUTS && node->n_outputs == 1;
}

static void become_constant(as_graph *graph, const as_node *node, const as_shape *shape,
                            void *data, size_t n)
{
    as_tensor *y = as_graph_edit_tensor(graph, node->outputs[0]);
    y->rank = shape->rank;
    for (int i = 0; i < shape->rank; i++)
        y->dims[i] = shape->dims[i];
    as_graph_set_data(graph, y->id, data, n);
    as_graph_remove_node(graph, node->id);
}

/* Run `node` on its constants into `out`. @return false when its plain operator does not do it. */
static bool compute(const as_graph *graph, const as_node *node, as_array *out)
{
    as_array arrays[MOST_INPUTS];
    const as_array *in[MOST_INPUTS];
    as_array *outs[1] = {out};
    for (int i = 0; i < node->n_inputs; i++) {
        const as_tensor *t = as_node_input(graph, node, i);
        arrays[i] = (as_array){t->dtype, as_tensor_shape(t), (void *)(uintptr_t)t->data};
        in[i] = &arrays[i];
    }
    const as_op_call call = {
        .node = node, .in = in, .out = outs, .n_in = node->n_inputs, .n_out = 1};
    return as_op_run_whole(&call, NULL) == ASSAY_OK;
}

/* Replace a node by its value where that has no more elements than its inputs. */
static assay_code fold(as_graph *graph, const as_node *node, const as_shapes *shapes,
                       as_pass_stats *stats, assay_error *err)
{
    const as_tensor *x = as_node_input(graph, node, 0);
    const as_shape *shape = &shapes->of[node->outputs[0]];
    size_t n = 0, n_in = 0;
    if (!as_shape_elements(shape, &n) || n == 0 || n > MAX_ELEMENTS) return ASSAY_OK;
    if (is_copy(node, x)) {
        become_constant(graph, node, shape, as_graph_edit_data(graph, x->id), n);
        stats->n_changes++;
        return ASSAY_OK;
    }
    for (int i = 0; i < node->n_inputs; i++)
        n_in += as_node_input(graph, node, i)->n_elements;
    if (!as_operator_of(node->op) || (n > n_in && n > AS_MOST_KNOWN)) return ASSAY_OK;
    as_array out = {as_graph_tensor(graph, node->outputs[0])->dtype, *shape, NULL};
    out.data = as_graph_alloc(graph, n * as_dtype_bytes(out.dtype));
    if (!out.data) return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu constants", n);
    if (compute(graph, node, &out)) {
        become_constant(graph, node, shape, out.data, n);
        stats->n_changes++;
    }
    return ASSAY_OK;
}

assay_code as_pass_constants(as_graph *graph, as_pass_stats *stats, assay_error *err)
{
    as_shapes shapes;
    assay_code code = as_shape_infer(graph, NULL, 0, &shapes, err);
    for (int i = 0; !code && i < as_graph_n_nodes(graph); i++) {
        const as_node *node = as_graph_node(graph, i);
        if (node->op == AS_OP_CONSTANT && as_graph_tensor(graph, node->outputs[0])->data) {
            as_graph_remove_node(graph, i);
            stats->n_changes++;
        } else if (has_constant_inputs(graph, node)) {
            code = fold(graph, node, &shapes, stats, err);
        }
    }
    as_shapes_free(&shapes);
    if (!code && stats->n_changes > 0) code = as_graph_resolve(graph, err);
    return code;
}
