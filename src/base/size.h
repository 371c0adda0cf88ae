/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_BASE_SIZE_H
#define ASSAY_BASE_SIZE_H
/* Sizes computed from a file's or a user's factors go through these, never through bare * or +. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/** *out = a * b.  @return false, with *out untouched, where that does not fit a size_t. */
AS_CHECKED static inline bool as_mul(size_t a, size_t b, size_t *out)
{
    if (b != 0 && a > SIZE_MAX / b) return false;
    *out = a * b;
    return true;
}

/** *out = a + b.  @return false, with *out untouched, where that does not fit a size_t. */
AS_CHECKED static inline bool as_add(size_t a, size_t b, size_t *out)
{
    if (a > SIZE_MAX - b) return false;
    *out = a + b;
    return true;
}

static inline size_t as_min(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t as_max(size_t a, size_t b) { return a > b ? a : b; }

/** The least multiple of `multiple` (not 0) that is at least `n`; n + multiple must not overflow. */
static inline size_t as_round_up(size_t n, size_t multiple)
{
    return (n + multiple - 1) / multiple * multiple;
}

/** Quotient rounded up. */
static inline size_t as_div_up(size_t n, size_t by) { return n / by + (n % by != 0); }

#endif
