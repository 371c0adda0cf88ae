/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_ORDER_H
#define ASSAY_TRIAL_ORDER_H
/*
 * In which order the policies of each round run, so that drift, warming up and what the one before
 * leaves behind fall on all of them alike.
 *
 *     latin, 3 policies      0 1 2     row r is the list rotated right r times: every policy is
 *                            2 0 1     at every place once
 *                            1 2 0
 *
 *     williams, 4 policies   0 1 3 2   row 0 is 0, 1, k-1, 2, k-2, ...; row r adds r mod k; every
 *                            1 2 0 3   ordered pair is adjacent once.  For an odd k the square is
 *                            2 3 1 0   followed by its mirror: 2k rows, every ordered pair twice.
 *                            3 0 2 1
 *
 * Source: E. J. Williams, Experimental designs balanced for the estimation of residual effects of
 * treatments, Australian Journal of Scientific Research A 2 (1949).
 */
#include <stdint.h>

#include "base/error.h"
#include "evidence/rows.h"

typedef enum as_order_kind { AS_ORDER_LATIN, AS_ORDER_WILLIAMS } as_order_kind;

/** "latin", "williams". */
const char *as_order_name(as_order_kind kind);

/** Rounds of one whole design for `k` policies: k, or 2k for williams with an odd k > 1. */
size_t as_order_design_rounds(as_order_kind kind, size_t k);

/**
 * The turns of `n_rounds` rounds of `k` policies.
 * @param seed  shuffles the rows of each williams design; latin's rows are not shuffled.
 * @param out   as_order_row out[n_rounds * k], by round and position; caller's memory.
 * @return ASSAY_E_ARGUMENT for williams when n_rounds is no multiple of its design.
 */
assay_code as_order_fill(as_order_kind kind, size_t k, size_t n_rounds, int64_t seed,
                         as_order_row *out, assay_error *err);

#endif
