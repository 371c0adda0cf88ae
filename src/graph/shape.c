/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/shape.h"

#include "base/memory.h"
#include "base/size.h"
#include "graph/shape_rules.h"

/* Room for a shape's text in a message. */
#define TEXT 64

static as_shape_rule *const rules[AS_N_OPS] = {
#define AS_OPERATOR(name, op_type, min_in, max_in, min_out, max_out, opset, attributes, shape, \
                    type)                                                                      \
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

bool as_known_value(const as_graph *graph, const as_shapes *shapes, int tensor, as_array *out)
{
    if (tensor < 0) return false;
    const as_tensor *t = as_graph_tensor(graph, tensor);
    const bool is_held = !t->data && shapes && shapes->values && shapes->values[tensor].data;
    if (is_held) *out = shapes->values[tensor];
    /* A graph only lends its data; nobody writes through what is known. */
    if (t->data) *out = (as_array){t->dtype, as_tensor_shape(t), (void *)(uintptr_t)t->data};
    return t->data || is_held;
}

bool as_shape_value(const as_shape_call *call, int i, as_array *out)
{
    const as_node *node = call->node;
    return i < node->n_inputs &&
           as_known_value(call->graph, call->shapes, node->inputs[i], out);
}

assay_code as_shape_integers(const as_shape_call *call, int i, int64_t *out, int room, int *n,
                             bool *is_known)
{
    as_array value;
    *n = 0;
    *is_known = as_shape_value(call, i, &value);
    if (!*is_known || as_array_integers(&value, out, room, n)) return ASSAY_OK;
    return as_fail(call->err, ASSAY_E_FORMAT,
                   "its input '%s' is no list of at most %d integers",
                   as_node_input(call->graph, call->node, i)->name, room);
}

assay_code as_shape_mismatch_code(const as_shape_call *call)
{
    return call->is_partial ? ASSAY_E_FORMAT : ASSAY_E_ARGUMENT;
}

assay_code as_shape_unknown(const as_shape_call *call, const char *what)
{
    for (int k = 0; k < call->node->n_outputs; k++)
        call->out[k] = (as_shape){.rank = -1};
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

/* The bytes of a node's result must be countable. */
static assay_code check_size(const as_shape_call *call, const as_shape *out)
{
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

static bool has_unknown_input(const as_shape_call *call)
{
    for (int i = 0; i < call->node->n_inputs; i++)
        if (call->node->inputs[i] >= 0 && as_shape_in(call, i)->rank < 0) return true;
    return false;
}

/* Take the outputs' shapes over. */
static assay_code keep(const as_shape_call *call, as_shapes *shapes)
{
    assay_code code = ASSAY_OK;
    for (int k = 0; !code && k < call->node->n_outputs; k++) {
        const as_shape *out = call->out[k].rank == AS_SHAPE_UNSET ? call->out : &call->out[k];
        if (call->node->op != AS_OP_CONSTANT)
            code = check_size(call, out); /* [0] is a valid constant */
        if (call->node->outputs[k] >= 0) shapes->of[call->node->outputs[k]] = *out;
    }
    return code;
}

/* `outs` has room for the outputs of every node. */
static assay_code infer_node(const as_graph *graph, const as_node *node, bool is_partial,
                             as_shapes *shapes, as_shape *outs, assay_error *err)
{
    as_node resolved = *node;
    as_shape_call call = {.graph = graph,
                          .node = &resolved,
                          .shapes = shapes,
                          .is_partial = is_partial,
                          .out = outs,
                          .err = err};
    for (int k = 0; k < node->n_outputs; k++)
        outs[k] = (as_shape){.rank = AS_SHAPE_UNSET};
    if (node->op == AS_OP_CONSTANT) outs[0] = shapes->of[node->outputs[0]];
    assay_code code = as_node_resolve(graph, shapes, &resolved, err);
    if (!code)
        code = has_unknown_input(&call) ? as_shape_unknown(&call, "input's shape")
                                        : rules[node->op](&call);
    return code ? code : keep(&call, shapes);
}

static int most_outputs(const as_graph *graph)
{
    int most = 1;
    for (int i = 0; i < as_graph_n_nodes(graph); i++) {
        const int n = as_graph_node(graph, i)->n_outputs;
        most = n > most ? n : most;
    }
    return most;
}

assay_code as_shape_infer(const as_graph *graph, const as_shape *inputs, int n_inputs,
                          as_shapes *out, assay_error *err)
{
    *out = (as_shapes){0};
    int n = as_graph_n_tensors(graph);
    as_shapes shapes = {.of = as_alloc_array((size_t)n, sizeof *shapes.of), .n = n};
    as_shape *outs = as_alloc_array((size_t)most_outputs(graph), sizeof *outs);
    if (!shapes.of || !outs) {
        as_shapes_free(&shapes);
        as_free(outs);
        return as_fail(err, ASSAY_E_MEMORY, "no memory for the shapes of %d tensors", n);
    }
    for (int i = 0; i < n; i++) {
        const as_tensor *tensor = as_graph_tensor(graph, i);
        shapes.of[i] = tensor->data ? as_tensor_shape(tensor) : (as_shape){.rank = -1};
    }
    assay_code code = take_inputs(graph, inputs, n_inputs, &shapes, err);
    for (int i = 0; !code && i < as_graph_n_nodes(graph); i++) {
        const as_node *node = as_graph_node(graph, i);
        code = infer_node(graph, node, inputs == NULL, &shapes, outs, err);
        if (code) as_error_where(err, "node %d '%s' (%s)", i, node->name, node->op_type);
    }
    as_free(outs);
    if (code)
        as_shapes_free(&shapes);
    else
        *out = shapes;
    return code;
}
