/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/two_samples.h"

#include <math.h>

#include "base/memory.h"
#include "base/size.h"
#include "verdict/statistics.h"

/*
 * Shares of the orders of n and m values in which U is s, for all s, by Mann and Whitney's recurrence:
 * the greatest value is one of the n, above all m others, or one of the m.
 *     p(n, m, s) = n / (n + m) p(n - 1, m, s - m) + m / (n + m) p(n, m - 1, s)
 * `p` is double p[m + 1][n m + 1]: row j holds the shares for i and j, i growing.
 */
static void fill_shares(size_t n, size_t m, double *p)
{
    size_t width = n * m + 1;
    for (size_t j = 0; j <= m; j++)
        p[j * width] = 1; /* i is 0: U is 0 */
    for (size_t i = 1; i <= n; i++) {
        for (size_t j = 1; j <= m; j++) {
            double of_n = (double)i / (double)(i + j);
            double *row = p + j * width;
            for (size_t s = i * j + 1; s-- > 0;)
                row[s] = (s >= j ? of_n * row[s - j] : 0) + (1 - of_n) * (row - width)[s];
        }
    }
}

static assay_code critical_exact(size_t n, size_t m, double tail, long *out, assay_error *err)
{
    size_t width = n * m + 1;
    double *p = as_alloc_array((m + 1) * width, sizeof *p), sum = 0;
    *out = -1;
    if (!p) return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu and %zu rounds", n, m);
    fill_shares(n, m, p);
    /* Sums of products round: a share that is a tail's very limit counts as within it. */
    for (size_t s = 0; s < width; s++) {
        sum += p[m * width + s];
        if (sum > tail * (1 + 1e-12)) break;
        *out = (long)s;
    }
    as_free(p);
    return ASSAY_OK;
}

/* U normal: mean n m / 2, variance n m (n + m + 1) / 12, continuity 1/2. */
static long critical_normal(size_t n, size_t m, double tail)
{
    double pairs = (double)n * (double)m;
    double deviation = sqrt(pairs * ((double)n + (double)m + 1) / 12);
    long k = (long)(pairs / 2);
    while (k >= 0 && 0.5 * erfc(-((double)k + 0.5 - pairs / 2) / deviation / sqrt(2)) > tail)
        k--;
    return k;
}

assay_code as_rank_sum_critical(size_t n, size_t m, double tail, long *out, assay_error *err)
{
    *out = -1;
    if (n == 0 || m == 0) return ASSAY_OK;
    if (n <= AS_EXACT_PAIRS / m) return critical_exact(n, m, tail, out, err);
    *out = critical_normal(n, m, tail);
    return ASSAY_OK;
}

size_t as_rounds_for_two_samples(size_t n_comparisons)
{
    double tail = AS_ALPHA / (double)as_max(n_comparisons, 1) / 2, share = 1;
    size_t n = 0;
    while (share > tail) { /* P(U = 0) = n! n! / (2 n)! */
        n++;
        share *= (double)n / (2 * (2 * (double)n - 1));
    }
    return n;
}

static assay_code check_times(const char *which, const double *times, size_t n,
                              assay_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (!(times[i] > 0) || !isfinite(times[i]))
            return as_fail(
                err, ASSAY_E_ARGUMENT,
                "round %zu of the %s run took %g s, a ratio needs a finite time above 0", i + 1,
                which, times[i]);
    return ASSAY_OK;
}

assay_code as_estimate_two_samples(const double *now_s, size_t n_now, const double *then_s,
                                   size_t n_then, size_t n_comparisons, as_estimate *out,
                                   assay_error *err)
{
    *out = (as_estimate){.n = as_min(n_now, n_then), .ratio = NAN, .low = NAN, .high = NAN};
    if (n_comparisons == 0)
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "an estimate for 0 comparisons, 1 or more needed");
    out->level = 1 - AS_ALPHA / (double)n_comparisons;
    assay_code code = check_times("later", now_s, n_now, err);
    if (!code) code = check_times("earlier", then_s, n_then, err);
    if (code || out->n == 0) return code;
    size_t n_pairs = 0, at = 0;
    double *d = as_mul(n_now, n_then, &n_pairs) ? as_alloc_array(n_pairs, sizeof *d) : NULL;
    if (!d)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu times %zu rounds", n_now,
                       n_then);
    for (size_t i = 0; i < n_now; i++)
        for (size_t j = 0; j < n_then; j++)
            d[at++] = log(now_s[i]) - log(then_s[j]);
    as_sort(d, n_pairs);
    out->ratio = exp(as_quantile_of_sorted(d, n_pairs, 0.5));
    long k;
    code = as_rank_sum_critical(n_now, n_then, AS_ALPHA / (double)n_comparisons / 2, &k, err);
    if (!code && k >= 0) {
        out->has_interval = true;
        out->low = exp(d[k]);
        out->high = exp(d[n_pairs - 1 - (size_t)k]);
    }
    as_free(d);
    return code;
}
