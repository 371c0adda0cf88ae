/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_VERDICT_ESTIMATE_H
#define ASSAY_VERDICT_ESTIMATE_H
/*
 * How much a candidate costs against the baseline, out of paired rounds.
 *
 *     d[r] = ln(candidate's time in round r) - ln(baseline's time in round r)
 *     as_estimate e;
 *     code = as_estimate_ratio(candidate_s, baseline_s, n_rounds, n_candidates, &e, err);
 *     // e.ratio 0.91, and when e.has_interval, e.low .. e.high
 *
 * The ratio is exp of the Hodges-Lehmann estimate, the median of the n(n+1)/2 Walsh averages
 * (d[i] + d[j]) / 2, i <= j.  The interval inverts the Wilcoxon signed-rank test: with W(1) <= ...
 * <= W(M) the sorted Walsh averages it is exp W(k+1) .. exp W(M-k), k the greatest count with
 * P(T <= k) <= alpha / 2 (Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, 3.3).
 * T's distribution is exact up to AS_EXACT_ROUNDS rounds, normal above.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/** Up to so many rounds the signed-rank distribution is counted, not approximated. */
#define AS_EXACT_ROUNDS 50

/** All candidates' intervals hold together with probability 1 - AS_ALPHA. */
#define AS_ALPHA 0.05

/** A candidate's ratio to the baseline; a plain value. */
typedef struct as_estimate {
    size_t n;          /**< Paired rounds. */
    double ratio;      /**< Candidate / baseline; NAN when n is 0. */
    bool has_interval; /**< false when n rounds are too few for `level`. */
    double low, high;  /**< Ends of the interval for the ratio; NAN without one. */
    double level;      /**< The confidence asked for: 1 - AS_ALPHA / number of candidates. */
    size_t n_faster;   /**< Rounds in which the candidate took less than the baseline. */
} as_estimate;

/**
 * Estimate the ratio from n paired times, all > 0.
 * @param n_candidates  how many candidates are compared with this baseline at once, >= 1.
 * @return ASSAY_OK; ASSAY_E_ARGUMENT for a time that is not a finite number above 0 or for no
 *         candidate; ASSAY_E_MEMORY.
 */
assay_code as_estimate_ratio(const double *candidate_s, const double *baseline_s, size_t n,
                             size_t n_candidates, as_estimate *out, assay_error *err);

/** The same with the error `alpha`, in 0..1, of this one interval. */
assay_code as_estimate_at(const double *candidate_s, const double *baseline_s, size_t n,
                          double alpha, as_estimate *out, assay_error *err);

/**
 * The error that one of n_candidates intervals may make: AS_ALPHA / n_candidates.
 *
 * Whoever buys rounds until something is decided looks again and again, and each look is a chance to
 * be wrong.  Look j = 1, 2, ... may spend 1 / (j (j + 1)) of it; these shares add up to 1, however
 * many looks there are, so all intervals of all looks hold together.  `look` 0: the only one.
 */
double as_alpha_of(size_t n_candidates, size_t look);

/** Rounds that an interval with the error `alpha` needs: the least n with 2/2^n <= alpha. */
size_t as_rounds_for_alpha(double alpha);

/** Rounds that an interval for one of n_candidates needs at the only look. */
size_t as_rounds_for_interval(size_t n_candidates);

/**
 * Greatest k with P(T <= k) <= tail for the signed-rank statistic T of n pairs without ties, -1
 * when even P(T <= 0) = 2^-n is more.  n <= AS_EXACT_ROUNDS is exact, above it is normal.
 */
long as_signed_rank_critical(size_t n, double tail);

/**
 * The smallest true reduction, in percent, that an interval as wide as this one would have called
 * faster with margin `margin` (0.01 = 1 %); NAN without an interval.
 */
double as_detectable_percent(const as_estimate *estimate, double margin);

#endif
