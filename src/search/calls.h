/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_SEARCH_CALLS_H
#define ASSAY_SEARCH_CALLS_H
/*
 * Which calls of a corpus stand for all of it: one of each of the shapes that take most of the
 * time.  A network's time grows with its input's pixels, so a shape's part is its calls times
 * n h w; that needs no clock, and the same corpus always gives the same calls.
 *
 *     size_t n = as_calls_choose(corpus, calls, &share);
 */
#include "corpus/corpus.h"

/** Shapes that are measured, at most, and the share of pixels at which fewer do. */
#define AS_SEARCH_CALLS 4
#define AS_CALLS_SHARE  0.9

/** A call and what it stands for. */
typedef struct as_search_call {
    size_t call;    /**< Index in the corpus: the first of its shape. */
    size_t n_calls; /**< Calls of its shape: its weight. */
    double share;   /**< Of all pixels. */
} as_search_call;

/**
 * Choose; the largest share first, equal shares in the corpus' order.
 * @param share  receives the sum of the shares.
 * @return how many were chosen; 0 for a corpus without calls.
 */
size_t as_calls_choose(const as_corpus *corpus, as_search_call calls[AS_SEARCH_CALLS],
                       double *share);

#endif
