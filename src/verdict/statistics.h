/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_VERDICT_STATISTICS_H
#define ASSAY_VERDICT_STATISTICS_H
/*
 * Few numbers about many: median, quartiles, spread, reduction.  Nothing is dropped by its value.
 *
 *     as_summary s;
 *     code = as_summary_of(seconds, n, &s, err);
 *     printf("%.3f s (%.3f..%.3f, n=%zu)", s.median, s.least, s.greatest, s.n);
 */
#include <stddef.h>

#include "base/error.h"

/** Summary of n samples; all fields 0 when n is 0. */
typedef struct as_summary {
    size_t n;
    double least, lower_quartile, median, upper_quartile, greatest;
} as_summary;

/**
 * Quantile q in 0..1 of `sorted` (ascending, n >= 1): linear between the two nearest order
 * statistics, position q * (n - 1), as numpy.quantile's default (Hyndman and Fan 1996, type 7).
 */
double as_quantile_of_sorted(const double *sorted, size_t n, double q);

/** Sort ascending in place; no value may be NaN. */
void as_sort(double *values, size_t n);

/** Summarise `values`, which stay as they are.  @return ASSAY_OK or ASSAY_E_MEMORY. */
assay_code as_summary_of(const double *values, size_t n, as_summary *out, assay_error *err);

/**
 * Values that percentile `q` in 0..1 (0.9, 0.95, 0.99) needs to be printed at all: the least n with
 * q^n <= 1 %, so that the greatest value lies above it with 99 % (44, 90, 459; MEASURING, "Never").
 */
size_t as_percentile_least(double q);

/** How much less than `baseline` (not 0) `value` is, in percent of it; negative when it is more. */
double as_reduction_percent(double value, double baseline);

#endif
