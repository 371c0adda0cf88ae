/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_PASSES_MATCH_H
#define ASSAY_PASSES_MATCH_H
/* What passes ask of a graph when they look for a pattern, and how they replace one. */
#include "graph/shape.h"

/** Whether a and b are equal within 1e-6 of b: a constant that a file holds rounded to float. */
bool as_match_near(double a, double b);

/** The only reader of `tensor`, when its operator is `op` and nobody else may see the tensor. */
const as_node *as_match_reader(const as_graph *graph, int tensor, as_op op);

/** The node that writes `tensor`, when its operator is `op`. */
const as_node *as_match_writer(const as_graph *graph, int tensor, as_op op);

/** A node of two inputs that are a computed tensor and one constant number. */
typedef struct as_scalar_use {
    int x;          /**< The computed tensor. */
    bool is_second; /**< The number stands second, as in x / 6. */
    double value;
} as_scalar_use;

/**
 * Whether `node` (Add, Sub, Mul, Div) combines a tensor with one f32 number and keeps the tensor's
 * shape; `shapes` as as_shape_infer gives them.
 */
bool as_match_scalar(const as_graph *graph, const as_shapes *shapes, const as_node *node,
                     as_scalar_use *out);

/** x times `factor`: Mul by it on either side, or Div by its inverse.  *x receives the tensor. */
bool as_match_scaled(const as_graph *graph, const as_shapes *shapes, const as_node *node,
                     double factor, int *x);

/** Whether output `k` of `node` is there and has a reader or is the graph's. */
bool as_match_is_seen(const as_graph *graph, const as_node *node, int k);

/** The other input of a node of two, of which one is `tensor`; -1 when it is not so. */
int as_match_other(const as_node *node, int tensor);

/** Whether a convolution's window may lie outside the image. */
bool as_match_has_padding(const as_node *conv);

/**
 * Take `node` out of the way from its input 0 to its output 0.
 * @param is_done  false when it has to stay: it joins a graph's output with an input or constant.
 * @return false without memory.
 */
bool as_rewrite_bypass(as_graph *graph, const as_node *node, bool *is_done) AS_CHECKED;

#endif
