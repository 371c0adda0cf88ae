/* SPDX-License-Identifier: Apache-2.0 */
#include "operators/infer.h"

#include "base/memory.h"
#include "base/size.h"
#include "operators/operators.h"

/* Room for a shape's text in a message. */
#define TEXT 64

/* Extents of one dim. */
#define MOST INT32_MAX

typedef struct inference {
    const as_graph *graph;
    const as_array *inputs; /* or NULL: partial */
    as_shapes shapes;
    as_shape *outs;  /* room for the outputs of one node */
    bool *is_marked; /* [tensor]: the walk back has been there */
    assay_error *err;
} inference;

static assay_code no_memory(const inference *in)
{
    return as_fail(in->err, ASSAY_E_MEMORY, "no memory for the shapes of %d tensors",
                   as_graph_n_tensors(in->graph));
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
        if (given->dims[i] < 0 || given->dims[i] > MOST)
            return as_fail(err, ASSAY_E_ARGUMENT, "input '%s' is %s, dims are 0 to %d",
                           tensor->name, text, MOST);
    *out = *given;
    return ASSAY_OK;
}

static assay_code take_inputs(inference *in, int n_inputs)
{
    const int n = as_graph_n_inputs(in->graph);
    assay_code code = ASSAY_OK;
    if (in->inputs && n_inputs != n)
        return as_fail(in->err, ASSAY_E_ARGUMENT,
                       "%d input shapes given, the network has %d inputs", n_inputs, n);
    for (int i = 0; !code && i < n; i++) {
        const as_tensor *tensor = as_graph_tensor(in->graph, as_graph_inputs(in->graph)[i]);
        as_shape *shape = &in->shapes.of[tensor->id];
        if (in->inputs)
            code = take_input(tensor, &in->inputs[i].shape, shape, in->err);
        else
            *shape = as_tensor_shape(tensor);
    }
    return code;
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

static assay_code make_room(inference *in)
{
    const size_t n = (size_t)as_graph_n_tensors(in->graph);
    as_shapes *s = &in->shapes;
    s->n = (int)n;
    s->of = as_alloc_array(n, sizeof *s->of);
    s->values = as_alloc_array(n, sizeof *s->values);
    s->is_defining = as_alloc_array((size_t)as_graph_n_inputs(in->graph), sizeof(bool));
    s->memory = as_arena_new();
    in->outs = as_alloc_array((size_t)most_outputs(in->graph), sizeof *in->outs);
    in->is_marked = as_alloc_array(n, sizeof *in->is_marked);
    if (!s->of || !s->values || !s->is_defining || !s->memory || !in->outs || !in->is_marked)
        return no_memory(in);
    for (size_t i = 0; i < n; i++) {
        const as_tensor *tensor = as_graph_tensor(in->graph, (int)i);
        s->of[i] = tensor->data ? as_tensor_shape(tensor) : (as_shape){.rank = -1};
    }
    return ASSAY_OK;
}

/* ---- values of the network's inputs ---- */

/* Mark what `tensor` is computed of.  Nodes stand in order, so one sweep back finds it all. */
static void mark_sources(inference *in, int tensor)
{
    in->is_marked[tensor] = true;
    const as_node *first = as_graph_producer(in->graph, tensor);
    for (int i = first ? first->id : -1; i >= 0; i--) {
        const as_node *node = as_graph_node(in->graph, i);
        bool is_needed = false;
        for (int k = 0; k < node->n_outputs; k++)
            is_needed = is_needed || (node->outputs[k] >= 0 && in->is_marked[node->outputs[k]]);
        for (int k = 0; is_needed && k < node->n_inputs; k++)
            if (node->inputs[k] >= 0) in->is_marked[node->inputs[k]] = true;
    }
}

/* Let the value of input `i` be known.  *is_new: it can be and was not. */
static assay_code define_input(inference *in, int i, bool *is_new)
{
    const as_array *given = &in->inputs[i];
    const int tensor = as_graph_inputs(in->graph)[i];
    size_t n = 0;
    if (in->shapes.is_defining[i] || !given->data) return ASSAY_OK;
    if (given->dtype != as_graph_tensor(in->graph, tensor)->dtype) return ASSAY_OK;
    if (!as_shape_elements(&given->shape, &n) || n > AS_MOST_KNOWN) return ASSAY_OK;
    as_known *known = as_arena_alloc(in->shapes.memory, sizeof *known);
    if (!known) return no_memory(in);
    known->array = *given;
    in->shapes.values[tensor] = known;
    in->shapes.is_defining[i] = *is_new = true;
    return ASSAY_OK;
}

/* A rule needs a value: those of the network's inputs on which it may depend. */
static assay_code define_inputs(inference *in, const as_node *node, const as_missing *missing,
                                bool *is_new)
{
    assay_code code = ASSAY_OK;
    *is_new = false;
    if (!in->inputs) return ASSAY_OK;
    for (int i = 0; i < as_graph_n_tensors(in->graph); i++)
        in->is_marked[i] = false;
    if (missing->tensor >= 0) mark_sources(in, missing->tensor);
    for (int i = 1; missing->tensor < 0 && i < node->n_inputs; i++)
        if (node->inputs[i] >= 0) mark_sources(in, node->inputs[i]);
    for (int i = 0; !code && i < as_graph_n_inputs(in->graph); i++)
        if (in->is_marked[as_graph_inputs(in->graph)[i]]) code = define_input(in, i, is_new);
    return code;
}

/* ---- the walk ---- */

/* Whether something that only this inference knows may belong into the attributes. */
static bool has_known_input(const inference *in, const as_node *node)
{
    for (int i = 0; i < node->n_inputs; i++)
        if (node->inputs[i] >= 0 && in->shapes.values[node->inputs[i]]) return true;
    return false;
}

static assay_code infer_node(inference *in, const as_node *node, as_missing *missing)
{
    const bool is_partial = !in->inputs;
    as_node resolved;
    const as_node *use = node;
    assay_code code = ASSAY_OK;
    if (has_known_input(in, node)) {
        resolved = *node;
        use = &resolved;
        code = as_node_resolve(in->graph, &in->shapes, &resolved, in->err);
    }
    if (!code)
        code =
            as_shape_node(in->graph, use, is_partial, &in->shapes, in->outs, missing, in->err);
    return code ? code : as_evaluate(in->graph, use, is_partial, &in->shapes, in->err);
}

/* All nodes in order; again from the start where a value of an input has become known. */
static assay_code walk(inference *in)
{
    assay_code code = ASSAY_OK;
    for (int i = 0; !code && i < as_graph_n_nodes(in->graph); i++) {
        const as_node *node = as_graph_node(in->graph, i);
        as_missing missing = {0};
        bool is_new = false;
        code = infer_node(in, node, &missing);
        if (!code) continue;
        as_error_where(in->err, "node %d '%s' (%s)", i, node->name, node->op_type);
        if (!missing.is_missing) break;
        const assay_code failed = define_inputs(in, node, &missing, &is_new);
        if (failed || is_new) code = failed;
        if (is_new) i = -1;
    }
    return code;
}

assay_code as_infer(const as_graph *graph, const as_array *inputs, int n_inputs, as_shapes *out,
                    assay_error *err)
{
    inference in = {.graph = graph, .inputs = inputs, .err = err};
    *out = (as_shapes){0};
    assay_code code = make_room(&in);
    if (!code) code = take_inputs(&in, n_inputs);
    if (!code) code = walk(&in);
    as_free(in.outs);
    as_free(in.is_marked);
    if (code)
        as_shapes_free(&in.shapes);
    else
        *out = in.shapes;
    return code;
}

assay_code as_shape_infer(const as_graph *graph, const as_shape *inputs, int n_inputs,
                          as_shapes *out, assay_error *err)
{
    if (!inputs) return as_infer(graph, NULL, 0, out, err);
    *out = (as_shapes){0};
    as_array *arrays = as_alloc_array((size_t)n_inputs, sizeof *arrays);
    if (!arrays) return as_fail(err, ASSAY_E_MEMORY, "no memory for %d shapes", n_inputs);
    for (int i = 0; i < n_inputs; i++)
        arrays[i].shape = inputs[i];
    assay_code code = as_infer(graph, arrays, n_inputs, out, err);
    as_free(arrays);
    return code;
}
