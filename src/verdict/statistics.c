/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

double as_quantile_of_sorted(const double *sorted, size_t n, double q)
{
    double position = q * (double)(n - 1);
    double floor_position = floor(position);
    size_t below = (size_t)floor_position;
    size_t above = below + 1 < n ? below + 1 : below;
    return sorted[below] + (position - floor_position) * (sorted[above] - sorted[below]);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void as_sort(double *values, size_t n)
{
    if (n > 1) qsort(values, n, sizeof *values, by_value);
}

assay_code as_summary_of(const double *values, size_t n, as_summary *out, assay_error *err)
{
    *out = (as_summary){0};
    if (n == 0) return ASSAY_OK;
    double *sorted = as_alloc_array(n, sizeof *sorted);
    if (!sorted) return as_fail(err, ASSAY_E_MEMORY, "no memory to sort %zu samples", n);
    memcpy(sorted, values, n * sizeof *sorted);
    as_sort(sorted, n);
    *out = (as_summary){.n = n,
                        .least = sorted[0],
                        .lower_quartile = as_quantile_of_sorted(sorted, n, 0.25),
                        .median = as_quantile_of_sorted(sorted, n, 0.5),
                        .upper_quartile = as_quantile_of_sorted(sorted, n, 0.75),
                        .greatest = sorted[n - 1]};
    as_free(sorted);
    return ASSAY_OK;
}

size_t as_percentile_least(double q) { return (size_t)ceil(log(0.01) / log(q)); }

double as_reduction_percent(double value, double baseline)
{
    return (1 - value / baseline) * 100;
}
