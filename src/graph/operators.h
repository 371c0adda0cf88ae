/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_GRAPH_OPERATORS_H
#define ASSAY_GRAPH_OPERATORS_H
/*
 * The operators by number, out of operators.inc, and what is known of each.
 *
 *     as_op op;
 *     if (!as_op_find("Conv", &op)) return refuse();
 *     printf("%s takes at most %d inputs\n", as_op_info(op)->op_type, as_op_info(op)->max_inputs);
 */
#include <limits.h>
#include <stdbool.h>

/** As a count's upper limit: none. */
#define AS_ANY INT_MAX

/** Which operator a node is. */
typedef enum as_op {
#define AS_OPERATOR(name, op_type, min_in, max_in, min_out, max_out, opset, types, signature,  \
                    attributes, shape)                                                         \
    AS_OP_##name,
#include "graph/operators.inc"
#undef AS_OPERATOR
    AS_N_OPS,
    AS_OP_REMOVED = AS_N_OPS /**< A node that is waiting for as_graph_sort to drop it. */
} as_op;

/** Which member of as_attributes a node uses, and which reader fills it. */
typedef enum as_attributes_family {
    AS_ATTRIBUTES_none,
    AS_ATTRIBUTES_conv,
    AS_ATTRIBUTES_batch_norm,
    AS_ATTRIBUTES_norm,
    AS_ATTRIBUTES_lrn,
    AS_ATTRIBUTES_broadcast,
    AS_ATTRIBUTES_pool,
    AS_ATTRIBUTES_reduce,
    AS_ATTRIBUTES_arg,
    AS_ATTRIBUTES_resize,
    AS_ATTRIBUTES_clip,
    AS_ATTRIBUTES_activation,
    AS_ATTRIBUTES_gelu,
    AS_ATTRIBUTES_softmax,
    AS_ATTRIBUTES_gemm,
    AS_ATTRIBUTES_axis,
    AS_ATTRIBUTES_reshape,
    AS_ATTRIBUTES_transpose,
    AS_ATTRIBUTES_cast,
    AS_ATTRIBUTES_fill,
    AS_ATTRIBUTES_range,
    AS_ATTRIBUTES_dropout,
    AS_ATTRIBUTES_span,
    AS_ATTRIBUTES_grid,
    AS_ATTRIBUTES_pad,
    AS_ATTRIBUTES_block
} as_attributes_family;

/** Sets of element types, a bit an as_dtype. */
enum {
    AS_TYPES_FLOAT = 1 << 0,
    AS_TYPES_INTEGER = 1 << 1 | 1 << 2,
    AS_TYPES_NUMBER = AS_TYPES_FLOAT | AS_TYPES_INTEGER,
    AS_TYPES_BOOL = 1 << 3,
    AS_TYPES_ANY = AS_TYPES_NUMBER | AS_TYPES_BOOL
};

/** One operator's line of the table. */
typedef struct as_op_entry {
    const char *op_type; /**< ONNX's name, as in "Conv". */
    int min_inputs, max_inputs;
    int min_outputs, max_outputs;
    int first_opset;       /**< Oldest opset of the default domain whose form is read. */
    unsigned types;        /**< What T may be: AS_TYPES_*. */
    const char *signature; /**< The inputs' and outputs' types: operators.inc. */
    as_attributes_family attributes;
} as_op_entry;

/** What the table says of `op`; never NULL. */
const as_op_entry *as_op_info(as_op op);

/** Find an operator of the default domain by its ONNX name.  @return false when there is none. */
bool as_op_find(const char *op_type, as_op *out);

#endif
