/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "verdict/tensor.h"

static as_tensor_comparison compare(const char *layout, const void *truth, const void *answer,
                                    size_t bytes, as_compare_kind kind, as_tensor_bounds bounds)
{
    as_tensor_comparison c;
    assay_error err = {0};
    if (as_tensor_compare(layout, truth, answer, bytes, kind, &bounds, &c, &err))
        fail_msg("%s: %s", layout, err.message);
    return c;
}

#define COMPARE(LAYOUT, TRUTH, ANSWER, ...)                                                    \
    compare(LAYOUT, TRUTH, ANSWER, sizeof(TRUTH), AS_COMPARE_TENSOR,                           \
            (as_tensor_bounds){__VA_ARGS__})

static void ulps_are_the_floats_between(void **state)
{
    (void)state;
    assert_int_equal(as_ulp_distance(1, nextafterf(1, 2)), 1);
    assert_int_equal(as_ulp_distance(0.0f, -0.0f), 0);
    assert_int_equal(as_ulp_distance(FLT_TRUE_MIN, -FLT_TRUE_MIN), 2);
    assert_int_equal(as_ulp_distance(FLT_MAX, INFINITY), 1);
    assert_int_equal(as_ulp_distance(1, 2), 1 << 23);
    assert_int_equal(as_ulp_distance(-INFINITY, INFINITY), 2LL * 0x7f800000);
    assert_true(as_ulp_distance(NAN, 1) == INT64_MAX && as_ulp_distance(NAN, NAN) == 0);
}

static void the_smallest_bounds_pass_and_the_next_smaller_do_not(void **state)
{
    (void)state;
    const float truth[] = {1, 100, -4, 0.5f}, answer[] = {1.25f, 101, -4, 0.5f};
    as_tensor_comparison c = COMPARE("f4[2,2]", truth, answer, 0, 0, 0);
    assert_false(c.equal);
    assert_int_equal(c.n, 4);
    assert_int_equal(c.n_beyond, 2);
    assert_int_equal(c.first, 0);
    assert_true(c.max_absolute == 1 && c.max_relative == 0.25);
    assert_true(c.answer_value == 1.25 && c.truth_value == 1);
    assert_true(COMPARE("f4[2,2]", truth, answer, c.max_absolute, 0, 0).equal);
    assert_true(COMPARE("f4[2,2]", truth, answer, 0, c.max_relative, 0).equal);
    assert_true(COMPARE("f4[2,2]", truth, answer, 0, 0, c.max_ulp).equal);
    assert_false(COMPARE("f4[2,2]", truth, answer, nextafter(1, 0), 0, 0).equal);
    assert_false(COMPARE("f4[2,2]", truth, answer, 0, nextafter(0.25, 0), 0).equal);
    assert_false(COMPARE("f4[2,2]", truth, answer, 0, 0, c.max_ulp - 1).equal);
    /* Each element may go by another bound: 1.25 by the relative one, 101 by the absolute one. */
    assert_true(COMPARE("f4[2,2]", truth, answer, 1, 0.25, 0).equal);
}

static void values_that_are_no_numbers_equal_themselves_alone(void **state)
{
    (void)state;
    const float truth[] = {NAN, INFINITY, -INFINITY, 0},
                same[] = {NAN, INFINITY, -INFINITY, -0.0f};
    const float other[] = {NAN, INFINITY, INFINITY, 0}, none[] = {1, INFINITY, -INFINITY, 0};
    assert_true(COMPARE("f4[4]", truth, same, 0, 0, 0).equal);
    as_tensor_comparison c = COMPARE("f4[4]", truth, other, 1e300, 1e300, 0);
    assert_false(c.equal);
    assert_int_equal(c.first, 2);
    c = COMPARE("f4[4]", truth, none, 1e300, 1e300, 1 << 30);
    assert_false(c.equal);
    assert_true(isinf(c.max_absolute) && c.max_ulp == INT64_MAX);
}

static void whole_numbers_have_no_bound(void **state)
{
    (void)state;
    struct {
        float f[2];
        int64_t i;
    } truth = {{1, 2}, 7}, answer = {{1, 2}, 8};
    as_tensor_comparison c = compare("f4[2];i8[1]", &truth, &answer, sizeof truth,
                                     AS_COMPARE_TENSOR, (as_tensor_bounds){1e9, 1e9, 1 << 30});
    assert_false(c.equal);
    assert_int_equal(c.first, 2);
    assert_true(c.truth_value == 7 && c.answer_value == 8);
}

static void the_top_class_is_along_axis_1(void **state)
{
    (void)state;
    /* [2][3][2]: rows are (n, position). */
    const float truth[] = {1, 5, 3, 2, 2, 9, 4, 4, 4, 1, 0, 7};
    float answer[AS_COUNT_OF(truth)];
    memcpy(answer, truth, sizeof truth);
    for (size_t i = 0; i < AS_COUNT_OF(answer); i++)
        answer[i] *= 10; /* other numbers, the same classes */
    as_tensor_comparison c = compare("f4[2,3,2]", truth, answer, sizeof truth, AS_COMPARE_TOP1,
                                     (as_tensor_bounds){0});
    assert_true(c.equal);
    assert_int_equal(c.n, 4);
    answer[8] = 41; /* n 1, class 1, position 0: was a tie that class 0 won */
    c = compare("f4[2,3,2]", truth, answer, sizeof truth, AS_COMPARE_TOP1,
                (as_tensor_bounds){0});
    assert_int_equal(c.n_beyond, 1);
    assert_int_equal(c.first, 2);
    assert_true(c.truth_value == 0 && c.answer_value == 1);
    char text[AS_TENSOR_TEXT];
    as_tensor_describe(&c, AS_COMPARE_TOP1, text);
    assert_string_equal(text, "row 3 of 4 has class 1 at the top where the truth has 0; 1 rows "
                              "differ");
}

static void layouts_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "f4[3]", "f4[1]",       "f4[2",  "f8[2]", "f4[2]x",
        "f4",    "f4[2];f4[1]", "i8[2]", "",      "f4[18446744073709551615,2]"};
    const float two[2] = {0};
    for (size_t i = 0; i < AS_COUNT_OF(bad); i++) {
        as_tensor_comparison c;
        as_tensor_bounds bounds = {0};
        if (as_tensor_compare(bad[i], two, two, sizeof two, AS_COMPARE_TENSOR, &bounds, &c,
                              NULL) != ASSAY_E_FORMAT)
            fail_msg("'%s' is taken", bad[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ulps_are_the_floats_between),
        cmocka_unit_test(the_smallest_bounds_pass_and_the_next_smaller_do_not),
        cmocka_unit_test(values_that_are_no_numbers_equal_themselves_alone),
        cmocka_unit_test(whole_numbers_have_no_bound),
        cmocka_unit_test(the_top_class_is_along_axis_1),
        cmocka_unit_test(layouts_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
