/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that are known before the network runs.  Where dims are not known, a value may be known in
 * part: [?, 200, 1, 1] is the shape of an image of a batch that nobody has said yet.
 *
 *     Shape --> [?,200,1,1] --> Slice 0:2 --> [?,200]
 *
 * What is not known has a symbol.  An operator that only moves elements moves the symbols in the same
 * way: it is run a second time on arrays that hold the symbols as its numbers.
 */
#include <string.h>

#include "base/size.h"
#include "operators/infer.h"
#include "operators/operators.h"

/* One node that is being evaluated. */
typedef struct site {
    const as_graph *graph;
    const as_node *node;
    const as_operator *plain;
    as_shapes *shapes;
    as_known *in; /* [n_inputs] */
    as_known *out;
    const as_array **ins; /* [n_inputs]: into `in`, NULL = left out */
    as_array **outs;
} site;

static void *take(const site *s, size_t n, size_t bytes)
{
    return as_arena_array(s->shapes->memory, n, bytes);
}

static bool make_room(site *s)
{
    const size_t n_in = (size_t)s->node->n_inputs, n_out = (size_t)s->node->n_outputs;
    s->in = take(s, n_in, sizeof *s->in);
    s->ins = take(s, n_in, sizeof *s->ins);
    s->out = take(s, n_out, sizeof *s->out);
    s->outs = take(s, n_out, sizeof *s->outs);
    return s->in && s->ins && s->out && s->outs;
}

/* ---- what is there ---- */

/* What is known of input i.  @return false when nothing is, not even its elements' number. */
static bool take_input(const site *s, int i)
{
    const int id = s->node->inputs[i];
    const bool needs_value = s->plain->known != AS_KNOWN_SHAPE;
    const as_tensor *t = as_graph_tensor(s->graph, id);
    s->ins[i] = &s->in[i].array;
    if (as_known_value(s->graph, s->shapes, id, &s->in[i].array)) return true;
    if (needs_value && !s->shapes->values[id]) return false;
    s->in[i].array = (as_array){t->dtype, s->shapes->of[id], NULL};
    if (needs_value) s->in[i] = *s->shapes->values[id];
    return true;
}

static bool take_inputs(const site *s)
{
    for (int i = 0; i < s->node->n_inputs; i++)
        if (s->node->inputs[i] >= 0 && !take_input(s, i)) return false;
    return true;
}

/* Whether it is worth a try, without taking memory. */
static bool may_be_known(const as_graph *graph, const as_node *node, const as_operator *plain,
                         const as_shapes *shapes)
{
    for (int i = 0; i < node->n_inputs; i++) {
        const int id = node->inputs[i];
        if (id < 0) continue;
        if (plain->known == AS_KNOWN_SHAPE
                ? shapes->of[id].rank < 0
                : !shapes->values[id] && !as_graph_tensor(graph, id)->data)
            return false;
    }
    for (int k = 0; k < node->n_outputs; k++) {
        const int id = node->outputs[k];
        size_t n = 0;
        if (id < 0) continue;
        if (!as_shape_elements(&shapes->of[id], &n) || n > AS_MOST_KNOWN) return false;
        if (shapes->values[id] || as_graph_tensor(graph, id)->data) return false; /* it is */
    }
    return true;
}

static bool has_unknown(const site *s)
{
    for (int i = 0; i < s->node->n_inputs; i++)
        if (s->ins[i] && s->in[i].symbols) return true;
    return false;
}

/* Whether a dim is not known that a value of dims depends on. */
static bool has_dynamic_shape(const site *s)
{
    size_t n;
    for (int i = 0; i < s->node->n_inputs; i++)
        if (s->ins[i] && !as_shape_elements(&s->ins[i]->shape, &n)) return true;
    return false;
}

/* ---- the outputs ---- */

static bool make_outputs(const site *s)
{
    for (int k = 0; k < s->node->n_outputs; k++) {
        const int id = s->node->outputs[k];
        if (id < 0) continue;
        as_array *out = &s->out[k].array;
        *out = (as_array){as_graph_tensor(s->graph, id)->dtype, s->shapes->of[id], NULL};
        out->data = take(s, as_array_elements(out) + 1, as_dtype_bytes(out->dtype));
        if (!out->data) return false;
        s->outs[k] = out;
    }
    return true;
}

static void keep_outputs(const site *s)
{
    for (int k = 0; k < s->node->n_outputs; k++)
        if (s->node->outputs[k] >= 0) s->shapes->values[s->node->outputs[k]] = &s->out[k];
}

/* Run on what is known; values that do not suit the operator fail when the network runs. */
static bool run(const site *s)
{
    const as_op_call call = {.node = s->node,
                             .in = s->ins,
                             .out = s->outs,
                             .n_in = s->node->n_inputs,
                             .n_out = s->node->n_outputs};
    return as_op_run_whole(&call, NULL) == ASSAY_OK;
}

/* ---- symbols ---- */

/* Largest number up to which all are floats. */
#define MOST_FLOAT (1 << 24)

/* Symbols out of an array of `dtype` that holds them as its numbers, and the other way; a type that
 * does not hold all of them holds whether there is one. */
static int32_t symbol_of(const as_array *array, size_t i)
{
    switch (array->dtype) {
    case AS_F32:
        return (int32_t)((const float *)array->data)[i];
    case AS_I64:
        return (int32_t)((const int64_t *)array->data)[i];
    case AS_I32:
        return ((const int32_t *)array->data)[i];
    case AS_BOOL:
        break;
    }
    return ((const unsigned char *)array->data)[i] ? AS_SYMBOL_ANY : 0;
}

static void set_symbol(const as_array *array, size_t i, int32_t symbol)
{
    switch (array->dtype) {
    case AS_F32:
        ((float *)array->data)[i] = (float)(symbol < MOST_FLOAT ? symbol : AS_SYMBOL_ANY);
        return;
    case AS_I64:
        ((int64_t *)array->data)[i] = symbol;
        return;
    case AS_I32:
        ((int32_t *)array->data)[i] = symbol;
        return;
    case AS_BOOL:
        ((unsigned char *)array->data)[i] = 1;
        return;
    }
}

/* The dims that are not known of a Shape. */
static bool mark_dims(const site *s)
{
    const as_array *y = &s->out[0].array;
    const as_shape *x = &s->ins[0]->shape;
    const int id = s->node->inputs[0];
    const size_t n = as_array_elements(y);
    int32_t *symbols = take(s, n + 1, sizeof *symbols);
    int64_t first;
    if (!symbols) return false;
    (void)as_slice_range(x->rank, s->node->attributes.span.start, s->node->attributes.span.end,
                         1, &first);
    for (size_t i = 0; i < n; i++)
        if (((const int64_t *)y->data)[i] < 0) symbols[i] = AS_SYMBOL(id, (int)first + (int)i);
    s->out[0].symbols = symbols;
    return true;
}

/* A dim is the same in every integer type. */
static bool keeps_symbols(const site *s)
{
    const as_dtype to = s->out[0].array.dtype;
    return s->node->op == AS_OP_CAST && (to == AS_I64 || to == AS_I32);
}

/* Each element depends on those at its place. */
static bool mark_each(const site *s)
{
    const as_array *y = &s->out[0].array;
    int32_t *symbols = take(s, as_array_elements(y) + 1, sizeof *symbols);
    if (!symbols) return false;
    for (int i = 0; i < s->node->n_inputs; i++) {
        if (!s->ins[i] || !s->in[i].symbols) continue;
        const as_strides strides = as_broadcast_strides(s->ins[i], y->shape.rank);
        for (size_t at = 0; at < as_array_elements(y); at++) {
            const int32_t symbol = s->in[i].symbols[as_strided_index(&y->shape, &strides, at)];
            if (symbol) symbols[at] = keeps_symbols(s) ? symbol : AS_SYMBOL_ANY;
        }
    }
    s->out[0].symbols = symbols;
    return true;
}

/* Let input i be its symbols, as numbers of its type. */
static bool show_symbols(const site *s, int i)
{
    as_array *array = &s->in[i].array;
    const size_t n = as_array_elements(array);
    array->data = take(s, n + 1, as_dtype_bytes(array->dtype)); /* zeroed */
    if (!array->data) return false;
    for (size_t k = 0; s->in[i].symbols && k < n; k++)
        if (s->in[i].symbols[k]) set_symbol(array, k, s->in[i].symbols[k]);
    return true;
}

/* Elements have moved, from input 0 or all: so do their symbols. */
static bool mark_moved(const site *s)
{
    const bool is_joined = s->plain->known == AS_KNOWN_JOINED;
    if (s->node->n_outputs > 1) return false; /* one is what shapes are made with */
    for (int i = 0; i < s->node->n_inputs; i++) {
        if (!s->ins[i]) continue;
        if (i == 0 || is_joined ? !show_symbols(s, i) : s->in[i].symbols != NULL) return false;
    }
    as_array *y = &s->out[0].array;
    void *numbers = y->data;
    const size_t n = as_array_elements(y);
    int32_t *symbols = take(s, n + 1, sizeof *symbols);
    y->data = take(s, n + 1, as_dtype_bytes(y->dtype));
    const bool is_done = y->data && symbols && run(s);
    for (size_t i = 0; is_done && i < n; i++)
        symbols[i] = symbol_of(y, i);
    y->data = numbers;
    s->out[0].symbols = symbols;
    return is_done;
}

static bool mark(const site *s)
{
    switch (s->plain->known) {
    case AS_KNOWN_WHOLE:
        return false;
    case AS_KNOWN_SHAPE:
        return mark_dims(s);
    case AS_KNOWN_MOVED:
    case AS_KNOWN_JOINED:
        return mark_moved(s);
    case AS_KNOWN_EACH:
        break;
    }
    return mark_each(s);
}

assay_code as_evaluate(const as_graph *graph, const as_node *node, bool is_partial,
                       as_shapes *shapes, assay_error *err)
{
    site s = {
        .graph = graph, .node = node, .plain = as_operator_of(node->op), .shapes = shapes};
    if (!s.plain || !may_be_known(graph, node, s.plain, shapes)) return ASSAY_OK;
    if (!make_room(&s)) return as_fail(err, ASSAY_E_MEMORY, "no memory for known values");
    if (!take_inputs(&s)) return ASSAY_OK;
    const bool is_dynamic = s.plain->known == AS_KNOWN_SHAPE && has_dynamic_shape(&s);
    const bool needs_marks = is_dynamic || has_unknown(&s);
    if (needs_marks && (!is_partial || s.plain->known == AS_KNOWN_WHOLE)) return ASSAY_OK;
    if (is_dynamic && node->op != AS_OP_SHAPE) return ASSAY_OK;
    if (!make_outputs(&s)) return as_fail(err, ASSAY_E_MEMORY, "no memory for known values");
    if (run(&s) && (!needs_marks || mark(&s))) keep_outputs(&s);
    return ASSAY_OK;
}
