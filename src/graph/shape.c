/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/shape.h"

#include "base/memory.h"
#include "base/size.h"
#include "graph/shape_rules.h"

/* Room for a shape's text in a message. */
#define TEXT 64

static as_shape_rule *const rules[AS_N_OPS] = {
#define AS_OPERATOR(name, op_type, min_in, max_in, min_out, max_out, opset, types, signature,  \
                    attributes, shape)                                                         \
    [AS_OP_##name] = as_shape_##shape,
#include "graph/operators.inc"
#undef AS_OPERATOR
};

void as_shapes_free(as_shapes *shapes)
{
    as_free(shapes->of);
    as_free(shapes->values);
    as_free(shapes->is_defining);
    as_arena_free(shapes->memory);
    *shapes = (as_shapes){0};
}

const as_shape *as_shape_in(const as_shape_call *call, int i)
{
    const as_node *node = call->node;
    return i < node->n_inputs && node->inputs[i] >= 0 ? &call->shapes->of[node->inputs[i]]
                                                      : NULL;
}

/* What is known of a tensor.  A graph only lends its data; nobody writes through what is known. */
static bool find_known(const as_graph *graph, const as_shapes *shapes, int tensor,
                       as_known *out)
{
    if (tensor < 0) return false;
    const as_tensor *t = as_graph_tensor(graph, tensor);
    const as_known *held = shapes && shapes->values ? shapes->values[tensor] : NULL;
    *out = (as_known){0};
    if (t->data)
        out->array = (as_array){t->dtype, as_tensor_shape(t), (void *)(uintptr_t)t->data};
    else if (held)
        *out = *held;
    return t->data || held;
}

bool as_known_value(const as_graph *graph, const as_shapes *shapes, int tensor, as_array *out)
{
    as_known known;
    if (!find_known(graph, shapes, tensor, &known) || known.symbols) return false;
    *out = known.array;
    return true;
}

bool as_shape_value(const as_shape_call *call, int i, as_array *out)
{
    const as_node *node = call->node;
    if (i >= node->n_inputs || node->inputs[i] < 0) return false;
    if (as_known_value(call->graph, call->shapes, node->inputs[i], out)) return true;
    call->missing->tensor = node->inputs[i];
    return false;
}

static assay_code no_integers(const as_shape_call *call, int i, int room)
{
    return as_fail(call->err, ASSAY_E_FORMAT,
                   "its input '%s' is no list of at most %d integers",
                   as_node_input(call->graph, call->node, i)->name, room);
}

assay_code as_shape_integers(const as_shape_call *call, int i, int64_t *out, int room, int *n,
                             bool *is_known)
{
    as_array value;
    *n = 0;
    *is_known = as_shape_value(call, i, &value);
    if (!*is_known || as_array_integers(&value, out, room, n)) return ASSAY_OK;
    return no_integers(call, i, room);
}

assay_code as_shape_some_integers(const as_shape_call *call, int i, int64_t *out,
                                  int32_t *symbols, int room, int *n, bool *is_known)
{
    const as_node *node = call->node;
    as_known known = {0};
    for (int k = 0; k < room; k++)
        symbols[k] = 0;
    *is_known = i < node->n_inputs &&
                find_known(call->graph, call->shapes, node->inputs[i], &known) &&
                (call->is_partial || !known.symbols);
    if (!*is_known) return as_shape_integers(call, i, out, room, n, is_known);
    if (!as_array_integers(&known.array, out, room, n)) return no_integers(call, i, room);
    for (int k = 0; known.symbols && k < *n; k++)
        symbols[k] = known.symbols[k];
    return ASSAY_OK;
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
    call->missing->is_missing = true;
    return as_fail(call->err, ASSAY_E_UNSUPPORTED,
                   "its %s is computed while the network runs, assay has to know it before",
                   what);
}

assay_code as_shape_axis(const as_shape_call *call, int axis, int rank, int *out)
{
    if (axis < -rank || axis >= rank)
        return as_fail(call->err, as_shape_mismatch_code(call),
                       "its axis %d is not among the axes of its input of rank %d", axis, rank);
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

/* A window that takes nothing of something, or an image of no rows, is a mistake, no empty result. */
static bool may_be_empty(const as_shape_call *call)
{
    const as_attributes_family family = as_op_info(call->node->op)->attributes;
    if (family != AS_ATTRIBUTES_conv && family != AS_ATTRIBUTES_pool &&
        family != AS_ATTRIBUTES_resize)
        return true;
    for (int i = 0; i < call->node->n_inputs; i++) {
        const as_shape *in = as_shape_in(call, i);
        for (int d = 0; in && d < in->rank; d++)
            if (in->dims[d] == 0) return true;
    }
    return false;
}

/* The bytes of a node's result must be countable. */
static assay_code check_size(const as_shape_call *call, const as_shape *out)
{
    char text[TEXT];
    size_t n = 1;
    bool fits = true, is_empty = false;
    for (int i = 0; i < out->rank; i++) {
        if (out->dims[i] < 0 && call->is_partial) continue;
        is_empty = is_empty || out->dims[i] <= 0;
        fits = fits && out->dims[i] >= 0 && out->dims[i] <= AS_MAX_DIM &&
               as_mul(n, (size_t)as_max((size_t)out->dims[i], 1), &n);
    }
    if (is_empty && !may_be_empty(call))
        return as_fail(call->err, as_shape_mismatch_code(call),
                       "its output would be %s, without elements",
                       as_shape_text(out, text, sizeof text));
    if (fits && n <= SIZE_MAX / 16) return ASSAY_OK;
    return as_fail(call->err, as_shape_mismatch_code(call),
                   "its output would be %s: too large, more than memory can hold",
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
        code = check_size(call, out);
        if (call->node->outputs[k] >= 0) shapes->of[call->node->outputs[k]] = *out;
    }
    return code;
}

assay_code as_shape_node(const as_graph *graph, const as_node *node, bool is_partial,
                         as_shapes *shapes, as_shape *outs, as_missing *missing,
                         assay_error *err)
{
    const as_shape_call call = {.graph = graph,
                                .node = node,
                                .shapes = shapes,
                                .is_partial = is_partial,
                                .out = outs,
                                .missing = missing,
                                .err = err};
    *missing = (as_missing){.tensor = -1};
    for (int k = 0; k < node->n_outputs; k++)
        outs[k] = (as_shape){.rank = AS_SHAPE_UNSET};
    if (node->op == AS_OP_CONSTANT) outs[0] = shapes->of[node->outputs[0]];
    assay_code code = has_unknown_input(&call) ? as_shape_unknown(&call, "input's shape")
                                               : rules[node->op](&call);
    return code ? code : keep(&call, shapes);
}
