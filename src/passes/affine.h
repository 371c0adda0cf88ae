/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_PASSES_AFFINE_H
#define ASSAY_PASSES_AFFINE_H
/*
 * y = x * scale[c] + shift[c] with c the channel, axis 1: what Mul, Add, Sub and Div by constants,
 * BatchNormalization and Affine all are.  Kept in double, so that a chain of them is rounded once.
 */
#include "graph/shape.h"

/** One such function of a tensor. */
typedef struct as_affine {
    int x;         /**< The tensor that it is of. */
    size_t n;      /**< Channels; 1 = the same for all. */
    double *scale; /**< double scale[n]; owns. */
    double *shift; /**< double shift[n]; owns. */
} as_affine;

/** Free the arrays and make `affine` empty; takes an empty value. */
void as_affine_free(as_affine *affine);

/**
 * Read `node` as an affine function.
 * @param is_affine  false when it is none: then *out is empty.
 * @return ASSAY_E_MEMORY alone.
 */
assay_code as_affine_read(const as_graph *graph, const as_shapes *shapes, const as_node *node,
                          as_affine *out, bool *is_affine, assay_error *err);

/** Let `first` become second(first(x)).  @return ASSAY_E_MEMORY alone. */
assay_code as_affine_compose(as_affine *first, const as_affine *second, assay_error *err);

/** Channel `c` of either array. */
static inline double as_affine_at(const double *values, size_t n, size_t c)
{
    return values[n == 1 ? 0 : c];
}

/** Whether a Conv or ConvTranspose has constant weights and, if any, a constant bias. */
bool as_affine_can_edit(const as_graph *graph, const as_node *conv);

/**
 * Whether `affine` in front of `conv`, as its input 0, can go into its weights exactly: without
 * padding, or without a shift, since padding adds zeros behind the affine.
 */
bool as_affine_can_fold_ahead(const as_graph *graph, const as_node *conv,
                              const as_affine *affine);

/** weights and bias of `conv` become those of affine(conv(x)).  @return ASSAY_E_MEMORY alone. */
assay_code as_affine_fold_behind(as_graph *graph, int conv, const as_affine *affine,
                                 assay_error *err);

/** weights and bias of `conv` become those of conv(affine(x)).  @return ASSAY_E_MEMORY alone. */
assay_code as_affine_fold_ahead(as_graph *graph, int conv, const as_affine *affine,
                                assay_error *err);

#endif
