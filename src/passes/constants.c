/* SPDX-License-Identifier: Apache-2.0 */
/* Constant nodes become constant tensors; float operators all of whose inputs are constant run now. */
#include <math.h>
#include <string.h>

#include "base/size.h"
#include "graph/shape.h"
#include "operators/infer.h"
#include "passes/passes.h"

/* Larger results are left to be computed: they would cost more memory than time. */
#define MAX_ELEMENTS ((size_t)1 << 22)

static bool unary(as_op op, float x, float *y)
{
    switch (op) {
    case AS_OP_NEG:
        *y = -x;
        return true;
    case AS_OP_ABS:
        *y = fabsf(x);
        return true;
    case AS_OP_SQRT:
        *y = sqrtf(x);
        return true;
    case AS_OP_EXP:
        *y = expf(x);
        return true;
    case AS_OP_RELU:
        *y = x > 0 ? x : 0;
        return true;
    default:
        return false;
    }
}

static bool binary(as_op op, float a, float b, float *y)
{
    switch (op) {
    case AS_OP_ADD:
        *y = a + b;
        return true;
    case AS_OP_SUB:
        *y = a - b;
        return true;
    case AS_OP_MUL:
        *y = a * b;
        return true;
    case AS_OP_DIV:
        *y = a / b;
        return true;
    case AS_OP_POW:
        *y = powf(a, b);
        return true;
    default:
        return false;
    }
}

/* Where element `at` of an output of shape `out` lies in an input that is broadcast to it. */
static size_t broadcast_index(const as_shape *out, const as_tensor *in, size_t at)
{
    size_t index = 0, stride = 1;
    for (int i = 1; i <= out->rank; i++) {
        size_t extent = (size_t)out->dims[out->rank - i], place = at % extent;
        at /= extent;
        if (i > in->rank) continue;
        size_t own = (size_t)in->dims[in->rank - i];
        index += (own == 1 ? 0 : place) * stride;
        stride *= own;
    }
    return index;
}

/* Compute `node` into `y`, float y[n].  @return false when it is no operator that this can do. */
static bool compute(const as_graph *graph, const as_node *node, const as_shape *out, size_t n,
                    float *y)
{
    const as_tensor *a = as_node_input(graph, node, 0), *b = as_node_input(graph, node, 1);
    const float *ax = a->data, *bx = b ? b->data : NULL;
    for (size_t i = 0; i < n; i++) {
        bool is_known = b ? binary(node->op, ax[broadcast_index(out, a, i)],
                                   bx[broadcast_index(out, b, i)], &y[i])
                          : unary(node->op, ax[i], &y[i]);
        if (!is_known) return false;
    }
    return true;
}

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
    return node->n_inputs > 0 && node->n_outputs == 1;
}

static void become_constant(as_graph *graph, const as_node *node, const as_shape *shape,
                            void *data, size_t n)
{
    const as_dtype dtype = as_node_input(graph, node, 0)->dtype;
    as_tensor *y = as_graph_edit_tensor(graph, node->outputs[0]);
    y->dtype = dtype;
    y->rank = shape->rank;
    for (int i = 0; i < shape->rank; i++)
        y->dims[i] = shape->dims[i];
    as_graph_set_data(graph, y->id, data, n);
    as_graph_remove_node(graph, node->id);
}

/* Replace a node by its value where that is simple. */
static assay_code fold(as_graph *graph, const as_node *node, const as_shapes *shapes,
                       as_pass_stats *stats, assay_error *err)
{
    const as_tensor *x = as_node_input(graph, node, 0), *second = as_node_input(graph, node, 1);
    const as_shape *shape = &shapes->of[node->outputs[0]];
    size_t n = 0;
    if (!as_shape_elements(shape, &n) || n == 0 || n > MAX_ELEMENTS) return ASSAY_OK;
    if (is_copy(node, x)) {
        become_constant(graph, node, shape, as_graph_edit_data(graph, x->id), n);
        stats->n_changes++;
        return ASSAY_OK;
    }
    float probe;
    bool is_float = x->dtype == AS_F32 && (!second || second->dtype == AS_F32);
    bool can_do = second ? binary(node->op, 1, 1, &probe) : unary(node->op, 1, &probe);
    if (!is_float || !can_do || node->n_inputs > 2) return ASSAY_OK;
    float *y = as_graph_alloc(graph, n * sizeof *y);
    if (!y) return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu constants", n);
    if (compute(graph, node, shape, n, y)) {
        become_constant(graph, node, shape, y, n);
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
    return code;
}
