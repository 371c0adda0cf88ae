/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_OPERATORS_OPERATORS_H
#define ASSAY_OPERATORS_OPERATORS_H
/*
 * Every operator once in plain C, on dense arrays in C order, as ONNX defines them: any rank to 8,
 * any of our element types, every form of broadcasting.  Nothing here is fast; what has a kernel
 * (plan/form_*.c) runs there, everything else here, and inference evaluates known values with it.
 *
 * A new operator is
 *   1. its line in graph/operators.inc (attributes, shape rule, type of the outputs);
 *   2. one line in operators/table.inc, which names its functions and declares them;
 *   3. those functions in a file of this folder:
 *
 *     void as_plain_relu(const as_op_call *call, size_t begin, size_t end)
 *     {
 *         const float *x = call->in[0]->data;
 *         float *y = call->out[0]->data;
 *         for (size_t i = begin; i < end; i++)
 *             y[i] = x[i] > 0 ? x[i] : 0;
 *     }
 *
 * What a function may count on:
 *   - Shapes and types of all inputs and outputs are right, as shape rule and type rule say, and
 *     `accepts` has said yes.  Inputs that are left out are NULL, as are outputs nobody wants.
 *   - call->node->attributes holds the attributes, and what as_node_resolve knew of inputs (with
 *     is_resolved false the values have to be read from call->in[i]->data, where they always are).
 *   - Outputs' memory is there, uninitialised, and overlaps no input, no other output.
 *   - A dim may be 0: an array without elements, whose data is then not to be read or written.  run is
 *     not called when no output has any.
 * What it must keep:
 *   - run(begin, end) writes what belongs to these items and nothing else: threads share [0, n_items)
 *     in pieces of any size.  An element has the same bits whatever the pieces: never split a sum.
 *   - No allocation, no error: values that cannot be used (an index out of range) are found by
 *     `check`, and types or forms that are not done by `accepts`.
 */
#include "graph/graph.h"

/** One use of an operator.  Everything is borrowed. */
typedef struct as_op_call {
    const as_node *node;
    const as_array *const *in; /**< in[n_in]; NULL = left out. */
    as_array *const *out; /**< out[n_out]; NULL = not wanted; only `data` is written through. */
    int n_in, n_out;
} as_op_call;

/** Input `i` of a call, NULL when it is left out or behind the end. */
static inline const as_array *as_op_in(const as_op_call *call, int i)
{
    return i < call->n_in ? call->in[i] : NULL;
}

/** Elements of an array whose shape is known to be sound; 1 for a scalar. */
size_t as_array_elements(const as_array *array);
/** Product of its dims [from, to). */
size_t as_array_product(const as_array *array, int from, int to);

/** In how many pieces, at most, the work can be cut. */
typedef size_t as_op_items(const as_op_call *call);

/** Do items [begin, end). */
typedef void as_op_run(const as_op_call *call, size_t begin, size_t end);

/**
 * Whether this form is done, asked while planning: shapes and types are there, `data` may be NULL.
 * @return ASSAY_OK, or ASSAY_E_UNSUPPORTED with a sentence that starts with "its" or "it": the
 *         caller adds node, operator and opset.  "its inputs are i32, assay multiplies f32 only"
 */
typedef assay_code as_op_accepts(const as_op_call *call, assay_error *err);

/** Look at the values before a run.  @return ASSAY_OK or ASSAY_E_ARGUMENT with such a sentence. */
typedef assay_code as_op_check(const as_op_call *call, assay_error *err);

/**
 * What becomes of numbers in a value of which only some are known (dims of a dynamic shape) when
 * the graph is looked at without shapes.  Wrong numbers of dims are never guessed: AS_KNOWN_WHOLE is
 * right for every operator, the others let more be known.
 */
typedef enum as_known_rule {
    AS_KNOWN_WHOLE, /**< The output is known when all inputs are, whole. */
    AS_KNOWN_SHAPE, /**< It depends on the shapes of the inputs alone (Shape, Size). */
    AS_KNOWN_MOVED, /**< Elements of input 0 are copied to other places, none is changed (Gather,
                        Reshape, Slice): what is not known moves along; the other inputs are. */
    AS_KNOWN_JOINED, /**< The same with elements of all inputs (Concat). */
    AS_KNOWN_EACH    /**< Elementwise with broadcasting: one depends on those at its place. */
} as_known_rule;

/** An operator's line of the table. */
typedef struct as_operator {
    as_op_run *run;
    as_op_items *n_items;
    as_op_accepts *accepts;
    as_op_check *check;
    as_known_rule known;
} as_operator;

/** The plain operator; NULL when there is none: the node can only run as a kernel. */
const as_operator *as_operator_of(as_op op);

/** Items of a call: the operator's n_items, 0 when no output has an element. */
size_t as_op_n_items(const as_operator *plain, const as_op_call *call);

/**
 * accepts, check and run all of a call on this thread.
 * @return ASSAY_E_UNSUPPORTED when there is no such operator, or what accepts and check say.
 */
assay_code as_op_run_whole(const as_op_call *call, assay_error *err);

/* ---- For the operators' files ---- */

/** Items: one; the elements of output 0; those of output 0 without the last dim. */
as_op_items as_items_one, as_items_elements, as_items_rows;

/** Everything is done; nothing can be wrong with values. */
as_op_accepts as_accepts_all;
as_op_check as_check_nothing;

/** Only f32 inputs (those that are there) are done. */
as_op_accepts as_accepts_f32;

/** Elements that each step along a dim goes on by, in C order; a dim of 1 that is broadcast: 0. */
typedef struct as_strides {
    size_t of[AS_MAX_RANK];
} as_strides;

/** Strides of `array`, for `rank` >= its own dims: missing ones in front and those of 1 are 0. */
as_strides as_broadcast_strides(const as_array *array, int rank);

/** Where element `at` of an array of `shape` lies in one with these strides. */
size_t as_strided_index(const as_shape *shape, const as_strides *strides, size_t at);

/** Copy `n` elements of `bytes` each; n may be 0, pointers NULL then. */
void as_copy_elements(void *to, size_t to_at, const void *from, size_t from_at, size_t n,
                      size_t bytes);

#define AS_PLAIN(name, run, items, accepts, check, known)                                      \
    as_op_run as_plain_##run;                                                                  \
    as_op_items as_items_##items;                                                              \
    as_op_accepts as_accepts_##accepts;                                                        \
    as_op_check as_check_##check;
#include "operators/table.inc"
#undef AS_PLAIN

#endif
