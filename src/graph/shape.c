/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/shape.h"

#include "base/memory.h"
#include "base/size.h"
#include "graph/shape_rules.h"

/* Room for a shape's text in a message. */
#define TEXT 64

static as_shape_rule *const rules[AS_N_OPS] = {
#define AS_OPERATOR(name, op_type, min_in, max_in, min_out, max_out, opset, attributes, shape) \
    [AS_OP_##name] = as_shape_##shape,
#include "graph/operators.inc"
#undef AS_OPERATOR
};

void as_shapes_free(as_shapes *shapes)
{
    as_free(shapes->of);
    *shapes = (as_shapes){0};
}

const as_shape *as_shape_in(const as_shape_call *call, int i)
{
    const as_node *node = call->node;
    return i < node->n_inputs && node->inputs[i] >= 0 ? &call->shapes->of[node->inputs[i]]
                                                      : NULL;
}

assay_code as_shape_mismatch_code(const as_shape_call *call)
{
    return call->is_partial ? ASSAY_E_FORMAT : ASSAY_E_ARGUMENT;
}

assay_code as_shape_unknown(const as_shape_call *call, const char *what)
{
    *call->out = (as_shape){.rank = -1};
    if (call->is_partial) return ASSAY_OK;
    return as_fail(call->err, ASSAY_E_UNSUPPORTED,
                   "its %s is computed while the network runs, assay needs a constant", what);
}

assay_code as_shape_axis(const as_shape_call *call, int axis, int rank, int *out)
{
    if (axis < -rank || axis >= rank)
        return as_fail(call->err, as_shape_mismatch_code(call),
                       "its axis %d is not among the %d axes of its input", axis, rank);
    *out = axis < 0 ? axis + rank : axis;
    return ASSAY_OK;
}

assay_code as_shape_need_rank(const as_shape_call *call, int i, int rank)
{
    const as_shape *in = as_shape_in(call, i);
    if (in->rank == rank) return ASSAY_OK;
    char text[TEXT];
    return as_fail(call->err, as_shape_mismatch_code(call),
                   "its input %d is %s, it needs %d dims", i,
                   as_shape_text(in, text, sizeof text), rank);
}

/* Take one input's shape over, after a look at what the graph declares. */
static assay_code take_input(const as_tensor *tensor, const as_shape *given, as_shape *out,
                             assay_error *err)
{
    as_shape declared = as_tensor_shape(tensor);
    char text[TEXT], wanted[TEXT];
    as_shape_text(given, text, sizeof text);
    as_shape_text(&declared, wanted, sizeof wanted);
    bool fits = given->rank >= 0 && (declared.rank < 0 || declared.rank == given->rank);
    for (int i = 0; fits && i < declared.rank; i++)
        fits = declared.dims[i] < 0 || declared.dims[i] == given->dims[i];
    if (!fits)
        return as_fail(err, ASSAY_E_ARGUMENT, "input '%s' is %s, the network takes %s",
                       tensor->name, text, wanted);
    for (int i = 0; i < given->rank; i++)
        if (given->dims[i] < 1 || given->dims[i] > AS_MAX_DIM)
            return as_fail(err, ASSAY_E_ARGUMENT, "input '%s' is %s, dims are 1 to %d",
                           tensor->name, text, AS_MAX_DIM);
    *out = *given;
    return ASSAY_OK;
}

static assay_code take_inputs(const as_graph *graph, const as_shape *inputs, int n_inputs,
                              as_shapes *shapes, assay_error *err)
{
    int n = as_graph_n_inputs(graph);
    if (inputs && n_inputs != n)
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "%d input shapes given, the network has %d inputs", n_inputs, n);
    for (int i = 0; i < n; i++) {
        const as_tensor *tensor = as_graph_tensor(graph, as_graph_inputs(graph)[i]);
        if (!inputs) {
            shapes->of[tensor->id] = as_tensor_shape(tensor);
            continue;
        }
        assay_code code = take_input(tensor, &inputs[i], &shapes->of[tensor->id], err);
        if (code) return code;
    }
    return ASSAY_OK;
}

/* A node's result must have elements, and their bytes must be countable. */
static assay_code check_size(const as_shape_call *call)
{
    const as_shape *out = call->out;
    char text[TEXT];
    size_t n = 1;
    bool fits = true;
    for (int i = 0; i < out->rank; i++) {
        if (out->dims[i] < 0) continue;
        if (out->dims[i] == 0)
            return as_fail(call->err, as_shape_mismatch_code(call),
                           "its output would be %s, without elements",
                           as_shape_text(out, text, sizeof text));
        fits = fits && out->dims[i] <= AS_MAX_DIM && as_mul(n, (size_t)out->dims[i], &n);
    }
    if (fits && n <= SIZE_MAX / 16) return ASSAY_OK;
    return as_fail(call->err, as_shape_mismatch_code(call),
                   "its output would be %s, more than memory can hold",
                   as_shape_text(out, text, sizeof text));
}

static assay_code infer_node(const as_graph *graph, const as_node *node, bool is_partial,
                             as_shapes *shapes, assay_error *err)
{
    as_shape unused = {.rank = -1};
    int output = node->n_outputs > 0 ? node->outputs[0] : -1;
    as_shape_call call = {.graph = graph,
                          .node = node,
                          .shapes = shapes,
                          .is_partial = is_partial,
                          .out = output >= 0 ? &shapes->of[output] : &unused,
                          .err = err};
    for (int i = 0; i < node->n_inputs; i++)
        if (node->inputs[i] >= 0 && shapes->of[node->inputs[i]].rank < 0)
            return as_shape_unknown(&call, "input's shape");
    assay_code code = rules[node->op](&call);
    if (!code && node->op != AS_OP_CONSTANT)
        code = check_size(&call); /* [0] is a valid constant */
    /* The second output of the one operator that has one, Dropout's mask, is as the first. */
    for (int i = 1; !code && i < node->n_outputs; i++)
        if (node->outputs[i] >= 0) shapes->of[node->outputs[i]] = *call.out;
    return code;
}

assay_code as_shape_infer(const as_graph *graph, const as_shape *inputs, int n_inputs,
                          as_shapes *out, assay_error *err)
{
    *out = (as_shapes){0};
    int n = as_graph_n_tensors(graph);
    as_shapes shapes = {.of = as_alloc_array((size_t)n, sizeof *shapes.of), .n = n};
    if (!shapes.of)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for the shapes of %d tensors", n);
    for (int i = 0; i < n; i++) {
        const as_tensor *tensor = as_graph_tensor(graph, i);
        shapes.of[i] = tensor->data ? as_tensor_shape(tensor) : (as_shape){.rank = -1};
    }
    assay_code code = take_inputs(graph, inputs, n_inputs, &shapes, err);
    for (int i = 0; !code && i < as_graph_n_nodes(graph); i++) {
        const as_node *node = as_graph_node(graph, i);
        code = infer_node(graph, node, inputs == NULL, &shapes, err);
        if (code) as_error_where(err, "node %d '%s' (%s)", i, node->name, node->op_type);
    }
    if (code)
        as_shapes_free(&shapes);
    else
        *out = shapes;
    return code;
}
