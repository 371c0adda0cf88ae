/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/memory.h"
#include "verdict/statistics.h"

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-12 * fmax(1, fabs(expected))))
        fail_msg("%.17g is not %.17g", value, expected);
}

/* Expected values: numpy 2, numpy.quantile(values, q) with its default method. */
static void quartiles_are_numpys(void **state)
{
    (void)state;
    static const double odd[] = {2.31, 2.27, 2.40, 2.35, 2.29};
    static const double even[] = {2.31, 2.27, 2.40, 2.35, 2.29, 2.33,
                                  2.38, 2.30, 2.36, 2.28, 2.34, 2.32};
    as_summary s;
    assert_int_equal(as_summary_of(odd, 5, &s, NULL), ASSAY_OK);
    assert_int_equal(s.n, 5);
    assert_near(s.least, 2.27);
    assert_near(s.lower_quartile, 2.29);
    assert_near(s.median, 2.31);
    assert_near(s.upper_quartile, 2.35);
    assert_near(s.greatest, 2.40);
    assert_int_equal(as_summary_of(even, 12, &s, NULL), ASSAY_OK);
    assert_near(s.lower_quartile, 2.2975);
    assert_near(s.median, 2.325);
    assert_near(s.upper_quartile, 2.3525);
    assert_true(odd[0] == 2.31 && even[1] == 2.27); /* samples keep their order */
}

static void one_sample_is_every_quantile_and_none_is_zero(void **state)
{
    (void)state;
    as_summary s;
    assert_int_equal(as_summary_of((const double[]){7}, 1, &s, NULL), ASSAY_OK);
    assert_true(s.least == 7 && s.lower_quartile == 7 && s.median == 7 && s.greatest == 7);
    assert_int_equal(as_summary_of(NULL, 0, &s, NULL), ASSAY_OK);
    assert_int_equal(s.n, 0);
}

static void reduction_is_in_percent_of_the_baseline(void **state)
{
    (void)state;
    assert_near(as_reduction_percent(75, 100), 25);
    assert_near(as_reduction_percent(110, 100), -10);
}

static void a_percentile_needs_enough_values(void **state)
{
    (void)state;
    assert_int_equal(as_percentile_least(0.9), 44);
    assert_int_equal(as_percentile_least(0.95), 90);
    assert_int_equal(as_percentile_least(0.99), 459);
}

static void a_failed_allocation_is_reported(void **state)
{
    (void)state;
    assay_error err = {0};
    as_summary s;
    as_memory_fail_at(1);
    assert_int_equal(as_summary_of((const double[]){1, 2}, 2, &s, &err), ASSAY_E_MEMORY);
    as_memory_fail_at(0);
    assert_string_equal(err.message, "no memory to sort 2 samples");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quartiles_are_numpys),
        cmocka_unit_test(one_sample_is_every_quantile_and_none_is_zero),
        cmocka_unit_test(reduction_is_in_percent_of_the_baseline),
        cmocka_unit_test(a_percentile_needs_enough_values),
        cmocka_unit_test(a_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
