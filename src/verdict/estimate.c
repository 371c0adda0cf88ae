/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/estimate.h"

#include <math.h>

#include "base/memory.h"
#include "base/size.h"
#include "verdict/statistics.h"

#define EXACT_SUM_MAX (AS_EXACT_ROUNDS * (AS_EXACT_ROUNDS + 1) / 2)

/** Walk up from T = 0, adding probabilities, until the tail is full. */
static long critical_exact(size_t n, double tail)
{
    /* ways[s]: subsets of {1..n} with sum s; below 2^50, so every double is exact. */
    double ways[EXACT_SUM_MAX + 1] = {1};
    size_t sum_max = 0;
    for (size_t rank = 1; rank <= n; rank++) {
        sum_max += rank;
        for (size_t s = sum_max; s >= rank; s--)
            ways[s] += ways[s - rank];
    }
    double limit = ldexp(tail, (int)n), cumulated = 0;
    long k = -1;
    for (size_t s = 0; s <= sum_max; s++) {
        cumulated += ways[s];
        if (cumulated > limit) break;
        k = (long)s;
    }
    return k;
}

/** P(Z <= z) of the standard normal distribution. */
static double normal_below(double z) { return 0.5 * erfc(-z / sqrt(2.0)); }

/** As critical_exact with T normal: mean n(n+1)/4, variance n(n+1)(2n+1)/24, continuity 1/2. */
static long critical_normal(size_t n, double tail)
{
    double count = (double)n;
    double mean = count * (count + 1) / 4;
    double deviation = sqrt(count * (count + 1) * (2 * count + 1) / 24);
    long low = -1, high = (long)mean; /* P(T <= low) <= tail always; search the last such k */
    while (low < high) {
        long middle = low + (high - low + 1) / 2;
        if (normal_below(((double)middle + 0.5 - mean) / deviation) <= tail)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

long as_signed_rank_critical(size_t n, double tail)
{
    return n <= AS_EXACT_ROUNDS ? critical_exact(n, tail) : critical_normal(n, tail);
}

double as_alpha_of(size_t n_candidates, size_t look)
{
    double share = look > 0 ? 1 / ((double)look * ((double)look + 1)) : 1;
    return AS_ALPHA * share / (double)as_max(n_candidates, 1);
}

size_t as_rounds_for_alpha(double alpha)
{
    size_t n = 1;
    while (ldexp(2, -(int)n) > alpha)
        n++;
    return n;
}

size_t as_rounds_for_interval(size_t n_candidates)
{
    return as_rounds_for_alpha(as_alpha_of(n_candidates, 0));
}

/** d[r] = ln(candidate / baseline), and in how many rounds the candidate was faster. */
static assay_code log_ratios(const double *candidate_s, const double *baseline_s, size_t n,
                             double *d, size_t *n_faster, assay_error *err)
{
    for (size_t r = 0; r < n; r++) {
        double c = candidate_s[r], b = baseline_s[r];
        if (!(c > 0) || !(b > 0) || !isfinite(c) || !isfinite(b))
            return as_fail(
                err, ASSAY_E_ARGUMENT,
                "round %zu has times %g s and %g s, a ratio needs finite times above 0", r + 1,
                c, b);
        d[r] = log(c) - log(b);
        *n_faster += c < b;
    }
    return ASSAY_OK;
}

/** All (d[i] + d[j]) / 2 with i <= j, ascending. */
static void walsh_averages(const double *d, size_t n, double *walsh)
{
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++)
            walsh[k++] = (d[i] + d[j]) / 2;
    as_sort(walsh, k);
}

assay_code as_estimate_at(const double *candidate_s, const double *baseline_s, size_t n,
                          double alpha, as_estimate *out, assay_error *err)
{
    *out = (as_estimate){.n = n, .ratio = NAN, .low = NAN, .high = NAN, .level = 1 - alpha};
    if (n == 0) return ASSAY_OK;

    double *d = as_alloc_array(n, sizeof *d), *walsh = NULL;
    size_t n_walsh = 0;
    if (as_mul(n, n + 1, &n_walsh)) walsh = as_alloc_array(n_walsh /= 2, sizeof *walsh);
    assay_code code = ASSAY_OK;
    if (!d || !walsh) {
        code = as_fail(err, ASSAY_E_MEMORY, "no memory for the averages of %zu rounds", n);
        goto done;
    }
    code = log_ratios(candidate_s, baseline_s, n, d, &out->n_faster, err);
    if (code) goto done;
    walsh_averages(d, n, walsh);
    out->ratio = exp(as_quantile_of_sorted(walsh, n_walsh, 0.5));
    long k = as_signed_rank_critical(n, alpha / 2);
    if (k >= 0) {
        out->has_interval = true;
        out->low = exp(walsh[k]);
        out->high = exp(walsh[n_walsh - 1 - (size_t)k]);
    }
done:
    as_free(d);
    as_free(walsh);
    return code;
}

assay_code as_estimate_ratio(const double *candidate_s, const double *baseline_s, size_t n,
                             size_t n_candidates, as_estimate *out, assay_error *err)
{
    if (n_candidates > 0)
        return as_estimate_at(candidate_s, baseline_s, n, as_alpha_of(n_candidates, 0), out,
                              err);
    *out = (as_estimate){.n = n, .ratio = NAN, .low = NAN, .high = NAN};
    return as_fail(err, ASSAY_E_ARGUMENT, "an estimate for 0 candidates, 1 or more needed");
}

double as_detectable_percent(const as_estimate *estimate, double margin)
{
    if (!estimate->has_interval) return NAN;
    return (1 - (1 - margin) * estimate->ratio / estimate->high) * 100;
}
