/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "verdict/estimate.h"

static const double baseline[] = {2.31, 2.27, 2.40, 2.35, 2.29, 2.33,
                                  2.38, 2.30, 2.36, 2.28, 2.34, 2.32};
static const double candidate[] = {2.10, 2.11, 2.19, 2.12, 2.08, 2.17,
                                   2.15, 2.09, 2.20, 2.05, 2.13, 2.14};

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-12 * fmax(1, fabs(expected))))
        fail_msg("%.17g is not %.17g", value, expected);
}

/* Two-sided 5 % of the published tables of the signed-rank test: reject at T <= 0 for 6 pairs, 2
 * for 7, 3 for 8, 8 for 10, 13 for 12, 52 for 20, 89 for 25, 137 for 30, 434 for 50 (Wilcoxon and
 * Wilcox 1964, table 2).  The other tails: counted with exact fractions in Python. */
static void critical_values_are_the_tables(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        double tail;
        long k;
    } table[] = {{5, 0.025, -1},   {6, 0.025, 0},    {7, 0.025, 2},    {8, 0.025, 3},
                 {10, 0.025, 8},   {12, 0.025, 13},  {20, 0.025, 52},  {25, 0.025, 89},
                 {30, 0.025, 137}, {50, 0.025, 434}, {12, 0.0125, 10}, {3, 0.0125, -1},
                 {50, 0.005, 373}};
    for (size_t i = 0; i < AS_COUNT_OF(table); i++)
        if (as_signed_rank_critical(table[i].n, table[i].tail) != table[i].k)
            fail_msg("n %zu tail %g: %ld is not %ld", table[i].n, table[i].tail,
                     as_signed_rank_critical(table[i].n, table[i].tail), table[i].k);
}

/* scipy 1.x, norm.cdf((k + 1/2 - 915) / sqrt(18452.5)) <= 0.025 for k up to 648. */
static void above_fifty_rounds_the_normal_approximation_is_used(void **state)
{
    (void)state;
    assert_int_equal(as_signed_rank_critical(60, 0.025), 648);
}

/* Ratios: numpy, exp of the median of the averages.  Intervals: where scipy.stats.wilcoxon(d - mu,
 * method='exact').pvalue crosses 0.05 and 0.05 / 2, found by bisection. */
static void twelve_rounds_give_scipys_interval(void **state)
{
    (void)state;
    as_estimate e;
    assert_int_equal(as_estimate_ratio(candidate, baseline, 12, 1, &e, NULL), ASSAY_OK);
    assert_near(e.ratio, 0.9135150903788216);
    assert_true(e.has_interval);
    assert_near(e.low, 0.9057867085597519);
    assert_near(e.high, 0.9209684138901072);
    assert_near(e.level, 0.95);
    assert_int_equal(e.n, 12);
    assert_int_equal(e.n_faster, 12);
    assert_int_equal(as_estimate_ratio(candidate, baseline, 12, 2, &e, NULL), ASSAY_OK);
    assert_near(e.ratio, 0.9135150903788216);
    assert_near(e.low, 0.9052070457061321);
    assert_near(e.high, 0.9222990801363401);
    assert_near(e.level, 0.975);
}

static void too_few_rounds_give_a_ratio_without_an_interval(void **state)
{
    (void)state;
    as_estimate e;
    assert_int_equal(as_estimate_ratio(candidate, baseline, 3, 1, &e, NULL), ASSAY_OK);
    assert_near(e.ratio, 0.9158670079144003);
    assert_false(e.has_interval);
    assert_true(isnan(e.low) && isnan(e.high));
    assert_int_equal(as_estimate_ratio(candidate, baseline, 6, 1, &e, NULL), ASSAY_OK);
    assert_true(e.has_interval); /* 2/64 <= 0.05 */
    assert_near(e.low, 0.9021276595744682);
    assert_near(e.high, 0.9313304721030042);
    assert_int_equal(as_estimate_ratio(candidate, baseline, 6, 2, &e, NULL), ASSAY_OK);
    assert_false(e.has_interval); /* 2/64 > 0.05 / 2 */
    assert_int_equal(as_estimate_ratio(NULL, NULL, 0, 1, &e, NULL), ASSAY_OK);
    assert_true(isnan(e.ratio));
}

static void the_rounds_needed_are_the_first_with_an_interval(void **state)
{
    (void)state;
    for (size_t m = 1; m <= 20; m++) {
        size_t n = as_rounds_for_interval(m);
        assert_true(as_signed_rank_critical(n, AS_ALPHA / (double)m / 2) >= 0);
        assert_true(as_signed_rank_critical(n - 1, AS_ALPHA / (double)m / 2) < 0);
    }
    assert_int_equal(as_rounds_for_interval(1), 6);
    assert_int_equal(as_rounds_for_interval(2), 7);
}

static void looks_share_one_error_however_many_there_are(void **state)
{
    (void)state;
    double spent = 0;
    for (size_t look = 1; look <= 1000; look++)
        spent += as_alpha_of(2, look);
    assert_true(spent < AS_ALPHA / 2 && spent > 0.99 * AS_ALPHA / 2);
    assert_near(as_alpha_of(2, 0), AS_ALPHA / 2);
    assert_near(as_alpha_of(2, 1), AS_ALPHA / 4);
    assert_int_equal(as_rounds_for_alpha(as_alpha_of(2, 1)), 8); /* 2/256 <= 0.0125 */
    as_estimate first, only;
    assert_int_equal(as_estimate_at(candidate, baseline, 12, as_alpha_of(1, 1), &first, NULL),
                     ASSAY_OK);
    assert_int_equal(as_estimate_ratio(candidate, baseline, 12, 2, &only, NULL), ASSAY_OK);
    assert_near(first.low, only.low); /* half the error either way */
    assert_near(first.level, 0.975);
}

static void one_wild_round_moves_the_ratio_little(void **state)
{
    (void)state;
    double wild[12];
    for (size_t i = 0; i < 12; i++)
        wild[i] = i == 4 ? 100 : candidate[i];
    as_estimate e;
    assert_int_equal(as_estimate_ratio(wild, baseline, 12, 1, &e, NULL), ASSAY_OK);
    assert_true(e.ratio > 0.913 && e.ratio < 0.925);
    assert_int_equal(e.n_faster, 11);
}

static void swapping_the_sides_inverts_everything(void **state)
{
    (void)state;
    as_estimate a, b;
    assert_int_equal(as_estimate_ratio(candidate, baseline, 12, 1, &a, NULL), ASSAY_OK);
    assert_int_equal(as_estimate_ratio(baseline, candidate, 12, 1, &b, NULL), ASSAY_OK);
    assert_near(b.ratio, 1 / a.ratio);
    assert_near(b.low, 1 / a.high);
    assert_near(b.high, 1 / a.low);
}

static void times_that_are_no_durations_are_refused(void **state)
{
    (void)state;
    assay_error err = {0};
    as_estimate e;
    static const double zero[] = {1, 0}, one[] = {1, 1}, bad[] = {1, NAN};
    assert_int_equal(as_estimate_ratio(zero, one, 2, 1, &e, &err), ASSAY_E_ARGUMENT);
    assert_string_equal(err.message,
                        "round 2 has times 0 s and 1 s, a ratio needs finite times above 0");
    assert_int_equal(as_estimate_ratio(one, bad, 2, 1, &e, &err), ASSAY_E_ARGUMENT);
    assert_int_equal(as_estimate_ratio(one, one, 2, 0, &e, &err), ASSAY_E_ARGUMENT);
    assert_string_equal(err.message, "an estimate for 0 candidates, 1 or more needed");
}

static void detectable_is_what_the_width_allows(void **state)
{
    (void)state;
    as_estimate e = {.n = 12, .ratio = 1, .has_interval = true, .low = 0.97, .high = 1.03};
    /* A true ratio q would have the upper end q * 1.03; it is below 0.99 for q < 0.96117. */
    assert_near(as_detectable_percent(&e, 0.01), (1 - 0.99 / 1.03) * 100);
    e.has_interval = false;
    assert_true(isnan(as_detectable_percent(&e, 0.01)));
}

static void a_failed_allocation_is_reported(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 2; n++) {
        assay_error err = {0};
        as_estimate e;
        as_memory_fail_at(n);
        assert_int_equal(as_estimate_ratio(candidate, baseline, 12, 1, &e, &err),
                         ASSAY_E_MEMORY);
        as_memory_fail_at(0);
        assert_string_equal(err.message, "no memory for the averages of 12 rounds");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(critical_values_are_the_tables),
        cmocka_unit_test(above_fifty_rounds_the_normal_approximation_is_used),
        cmocka_unit_test(twelve_rounds_give_scipys_interval),
        cmocka_unit_test(too_few_rounds_give_a_ratio_without_an_interval),
        cmocka_unit_test(the_rounds_needed_are_the_first_with_an_interval),
        cmocka_unit_test(looks_share_one_error_however_many_there_are),
        cmocka_unit_test(one_wild_round_moves_the_ratio_little),
        cmocka_unit_test(swapping_the_sides_inverts_everything),
        cmocka_unit_test(times_that_are_no_durations_are_refused),
        cmocka_unit_test(detectable_is_what_the_width_allows),
        cmocka_unit_test(a_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
