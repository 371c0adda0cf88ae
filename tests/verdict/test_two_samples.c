/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "verdict/two_samples.h"

static const double then_s[] = {2.31, 2.27, 2.40, 2.35, 2.29};
static const double now_s[] = {2.10, 2.11, 2.19, 2.12, 2.08, 2.17};

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%.17g is not %.17g", value, expected);
}

/* Two-sided 5 % of the published tables of the rank-sum test; all are counted with whole numbers in
 * Python, too (Gaussian binomials). */
static void critical_values_are_the_tables(void **state)
{
    (void)state;
    static const struct {
        size_t n, m;
        double tail;
        long k;
    } table[] = {{3, 3, 0.025, -1},   {4, 4, 0.025, 0},     {5, 5, 0.025, 2},
                 {5, 8, 0.025, 6},    {6, 6, 0.025, 5},     {8, 8, 0.025, 13},
                 {10, 10, 0.025, 23}, {12, 12, 0.025, 37},  {20, 20, 0.025, 127},
                 {12, 5, 0.005, 6},   {12, 12, 0.0125, 33}, {50, 50, 0.025, 965}};
    for (size_t i = 0; i < AS_COUNT_OF(table); i++) {
        long k, swapped;
        size_t n = table[i].n, m = table[i].m;
        assert_int_equal(as_rank_sum_critical(n, m, table[i].tail, &k, NULL), ASSAY_OK);
        assert_int_equal(as_rank_sum_critical(m, n, table[i].tail, &swapped, NULL), ASSAY_OK);
        if (k != table[i].k || swapped != k)
            fail_msg("%zu and %zu at %g: %ld, %ld, not %ld", n, m, table[i].tail, k, swapped,
                     table[i].k);
    }
}

/* Where Phi((k + 1/2 - 1800) / sqrt(60 60 121 / 12)) <= 0.025 ends, in Python. */
static void above_the_exact_pairs_the_normal_approximation_is_used(void **state)
{
    (void)state;
    long k;
    assert_int_equal(as_rank_sum_critical(60, 60, 0.025, &k, NULL), ASSAY_OK);
    assert_int_equal(k, 1426);
}

/* Python: the median and the fourth of the 30 sorted differences from both ends. */
static void six_and_five_rounds_give_the_shift_and_its_interval(void **state)
{
    (void)state;
    as_estimate e;
    assert_int_equal(as_estimate_two_samples(now_s, 6, then_s, 5, 1, &e, NULL), ASSAY_OK);
    assert_near(e.ratio, 0.9166649907093005);
    assert_true(e.has_interval);
    assert_near(e.low, 0.8833333333333335);
    assert_near(e.high, 0.9480519480519479);
    assert_near(e.level, 0.95);
    assert_int_equal(e.n, 5);
}

static void the_rounds_needed_are_the_first_with_an_interval(void **state)
{
    (void)state;
    for (size_t m = 1; m <= 20; m++) {
        size_t n = as_rounds_for_two_samples(m);
        long k, before;
        double tail = AS_ALPHA / (double)m / 2;
        assert_int_equal(as_rank_sum_critical(n, n, tail, &k, NULL), ASSAY_OK);
        assert_int_equal(as_rank_sum_critical(n - 1, n - 1, tail, &before, NULL), ASSAY_OK);
        assert_true(k >= 0 && before < 0);
    }
    assert_int_equal(as_rounds_for_two_samples(1), 4);
}

static void too_few_rounds_and_bad_times_are_told(void **state)
{
    (void)state;
    as_estimate e;
    assay_error err = {0};
    assert_int_equal(as_estimate_two_samples(now_s, 3, then_s, 3, 1, &e, &err), ASSAY_OK);
    assert_false(e.has_interval);
    assert_true(e.ratio < 1);
    assert_int_equal(as_estimate_two_samples(now_s, 0, then_s, 3, 1, &e, &err), ASSAY_OK);
    assert_true(isnan(e.ratio));
    const double bad[] = {1, 0};
    assert_int_equal(as_estimate_two_samples(now_s, 3, bad, 2, 1, &e, &err), ASSAY_E_ARGUMENT);
    assert_non_null(strstr(err.message, "round 2 of the earlier run took 0 s"));
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    for (size_t i = 1; i <= 2; i++) {
        as_estimate e;
        as_memory_fail_at(i);
        assay_code code = as_estimate_two_samples(now_s, 6, then_s, 5, 1, &e, NULL);
        as_memory_fail_at(0);
        assert_int_equal(code, ASSAY_E_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(critical_values_are_the_tables),
        cmocka_unit_test(above_the_exact_pairs_the_normal_approximation_is_used),
        cmocka_unit_test(six_and_five_rounds_give_the_shift_and_its_interval),
        cmocka_unit_test(the_rounds_needed_are_the_first_with_an_interval),
        cmocka_unit_test(too_few_rounds_and_bad_times_are_told),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
