/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_VERDICT_TWO_SAMPLES_H
#define ASSAY_VERDICT_TWO_SAMPLES_H
/*
 * How much one run costs against another, out of rounds that are no pairs.
 *
 *     code = as_estimate_two_samples(now_s, n_now, then_s, n_then, n_comparisons, &e, err);
 *
 * With d = ln(now[i]) - ln(then[j]) for all n m pairs, the ratio is exp of their median, the
 * Hodges-Lehmann estimate of a shift.  The interval inverts the rank-sum test: with D(1) <= ... <= D(nm)
 * it is exp D(k+1) .. exp D(nm-k), k the greatest count with P(U <= k) <= alpha / 2 (Hollander,
 * Wolfe and Chicken, Nonparametric Statistical Methods, 4.2 and 4.3).  U's distribution is exact while
 * n m <= AS_EXACT_PAIRS, normal above.
 */
#include "verdict/estimate.h"

/** Up to so many pairs the rank-sum distribution is counted, not approximated. */
#define AS_EXACT_PAIRS 2500

/**
 * Estimate now / then; all times finite and above 0.
 * @param n_comparisons  how many such intervals hold together at 1 - AS_ALPHA, >= 1.
 * @param out  n is the lesser of both counts; n_faster stays 0, since there are no pairs.
 * @return ASSAY_OK; ASSAY_E_ARGUMENT, ASSAY_E_MEMORY as as_estimate_ratio.
 */
assay_code as_estimate_two_samples(const double *now_s, size_t n_now, const double *then_s,
                                   size_t n_then, size_t n_comparisons, as_estimate *out,
                                   assay_error *err);

/**
 * Greatest k with P(U <= k) <= tail for the rank-sum statistic U of n and m values without ties; -1 when
 * even P(U <= 0) is more.  *out is filled.  @return ASSAY_E_MEMORY.
 */
assay_code as_rank_sum_critical(size_t n, size_t m, double tail, long *out, assay_error *err);

/** Rounds that each of two runs needs for an interval of one of n_comparisons. */
size_t as_rounds_for_two_samples(size_t n_comparisons);

#endif
