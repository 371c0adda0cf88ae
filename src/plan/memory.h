/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_PLAN_MEMORY_H
#define ASSAY_PLAN_MEMORY_H
/*
 * The layout of a plan's arena by live ranges: two buffers that are never needed at the same time
 * may lie in the same place.
 *
 *     step      0    1    2    3
 *     buffer a  [=========]                 a and c share, b lies behind them
 *     buffer b       [=========]
 *     buffer c                 [====]
 */
#include <stddef.h>

#include "base/error.h"

/** One buffer's need; `offset` is the answer. */
typedef struct as_live_range {
    size_t n_floats; /**< Size in floats; 0 takes no room. */
    int first, last; /**< Steps that write it first and touch it last, first <= last. */
    size_t offset;   /**< Filled: floats from the arena's start, a multiple of 16. */
} as_live_range;

/**
 * Place every range so that no two that overlap in time overlap in space: largest first, each in
 * the lowest gap that fits it.  The same ranges always give the same layout.
 * @param total_floats  receives the arena's size in floats.
 * @return ASSAY_E_MEMORY when there is no memory or the sum does not fit.
 */
assay_code as_memory_layout(as_live_range *ranges, size_t n, size_t *total_floats,
                            assay_error *err);

#endif
