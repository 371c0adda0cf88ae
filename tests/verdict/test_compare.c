/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "verdict/compare.h"

/** An upright box with its top left corner at (x, y), 10 pixels wide and 4 high. */
static as_box box_at(int32_t x, int32_t y, double score)
{
    return (as_box){{{x, y}, {x + 10, y}, {x + 10, y + 4}, {x, y + 4}}, score};
}

static as_comparison compare(as_box *a, size_t n_a, as_box *b, size_t n_b)
{
    as_boxes reference = {.items = a, .n = n_a, .room = n_a};
    as_boxes answer = {.items = b, .n = n_b, .room = n_b};
    return as_boxes_compare(&reference, &answer);
}

static void equal_answers_are_equal(void **state)
{
    (void)state;
    as_box a[] = {box_at(0, 0, 0.9), box_at(0, 20, 0.8)};
    as_comparison c = compare(a, 2, a, 2);
    assert_true(c.equal);
    assert_int_equal(c.kind, AS_DIFFERENCE_NONE);
    assert_int_equal(c.n_differing, 0);
    assert_true(c.max_corner_px == 0 && c.max_score == 0);
    assert_true(compare(NULL, 0, NULL, 0).equal);
}

static void a_score_may_move_by_the_tolerance_and_no_more(void **state)
{
    (void)state;
    as_box a[] = {box_at(0, 0, 0.5)};
    as_box near[] = {box_at(0, 0, 0.5 + 0.9e-5)};
    as_box far[] = {box_at(0, 0, 0.5 + 1.1e-5)};
    assert_true(compare(a, 1, near, 1).equal);
    as_comparison c = compare(a, 1, far, 1);
    assert_false(c.equal);
    assert_int_equal(c.kind, AS_DIFFERENCE_SCORE);
    assert_true(fabs(c.max_score - 1.1e-5) < 1e-12);
    char text[AS_COMPARISON_TEXT];
    as_comparison_describe(&c, text);
    assert_string_equal(text, "box 1 of 1 scores 0.500011 where the truth has 0.5");
}

static void scores_that_are_not_finite_equal_only_themselves(void **state)
{
    (void)state;
    as_box a[] = {box_at(0, 0, NAN), box_at(0, 9, INFINITY)};
    assert_true(compare(a, 2, a, 2).equal);
    as_box b[] = {box_at(0, 0, NAN), box_at(0, 9, -INFINITY)};
    as_comparison c = compare(a, 2, b, 2);
    assert_int_equal(c.kind, AS_DIFFERENCE_SCORE);
    assert_int_equal(c.first, 1);
    assert_true(isinf(c.max_score));
    as_box d[] = {box_at(0, 0, 0.5), box_at(0, 9, INFINITY)};
    assert_int_equal(compare(a, 2, d, 2).first, 0);
}

static void one_moved_corner_is_found_and_measured(void **state)
{
    (void)state;
    as_box a[] = {box_at(0, 0, 0.9), box_at(0, 20, 0.8), box_at(0, 40, 0.7)};
    as_box b[] = {a[0], a[1], a[2]};
    b[1].corners[2][0] += 3;
    b[1].corners[2][1] -= 4;
    as_comparison c = compare(a, 3, b, 3);
    assert_int_equal(c.kind, AS_DIFFERENCE_CORNERS);
    assert_int_equal(c.first, 1);
    assert_int_equal(c.n_differing, 1);
    assert_int_equal(c.n_missing, 1);
    assert_int_equal(c.n_added, 1);
    assert_true(c.max_corner_px == 5);
    char text[AS_COMPARISON_TEXT];
    as_comparison_describe(&c, text);
    assert_string_equal(text, "box 2 of 3 is (0,20) (10,20) (13,20) (0,24) where the truth has "
                              "(0,20) (10,20) (10,24) (0,24)");
}

static void corners_weigh_more_than_an_earlier_score(void **state)
{
    (void)state;
    as_box a[] = {box_at(0, 0, 0.9), box_at(0, 20, 0.8)};
    as_box b[] = {box_at(0, 0, 0.7), box_at(1, 20, 0.8)};
    as_comparison c = compare(a, 2, b, 2);
    assert_int_equal(c.kind, AS_DIFFERENCE_CORNERS);
    assert_int_equal(c.first, 1);
    assert_int_equal(c.n_differing, 2);
}

static void another_order_is_not_equal(void **state)
{
    (void)state;
    as_box a[] = {box_at(0, 0, 0.9), box_at(0, 20, 0.8), box_at(0, 40, 0.7)};
    as_box b[] = {a[0], a[2], a[1]};
    as_comparison c = compare(a, 3, b, 3);
    assert_int_equal(c.kind, AS_DIFFERENCE_ORDER);
    assert_int_equal(c.first, 1);
    assert_int_equal(c.n_differing, 2);
    assert_int_equal(c.n_missing + c.n_added, 0);
    assert_true(c.max_corner_px == 0);
}

static void a_missing_box_shifts_no_distance(void **state)
{
    (void)state;
    as_box a[] = {box_at(0, 0, 0.9), box_at(0, 20, 0.8), box_at(0, 40, 0.7)};
    as_box b[] = {a[1], a[2]};
    as_comparison c = compare(a, 3, b, 2);
    assert_int_equal(c.kind, AS_DIFFERENCE_COUNT);
    assert_int_equal(c.first, 0);
    assert_int_equal(c.n_differing, 3);
    assert_int_equal(c.n_missing, 1);
    assert_int_equal(c.n_added, 0);
    assert_true(c.max_corner_px == 20); /* to the box below it, not to a far one */
    char text[AS_COMPARISON_TEXT];
    as_comparison_describe(&c, text);
    assert_string_equal(text, "2 boxes where the truth has 3; box 1 is the first that differs");
}

static void an_empty_answer_is_infinitely_far_from_boxes(void **state)
{
    (void)state;
    as_box a[] = {box_at(0, 0, 0.9)};
    assert_true(isinf(compare(a, 1, NULL, 0).max_corner_px));
    as_comparison c = compare(NULL, 0, a, 1);
    assert_int_equal(c.n_added, 1);
    assert_true(isinf(c.max_corner_px));
}

static void the_widest_corners_fit_the_description(void **state)
{
    (void)state;
    as_box a[1], b[1];
    memset(a, 0x80, sizeof a); /* corners of -2139062144 */
    memset(b, 0x81, sizeof b);
    as_comparison c = compare(a, 1, b, 1);
    char text[AS_COMPARISON_TEXT];
    as_comparison_describe(&c, text);
    assert_non_null(strstr(text, "(-2122219135,-2122219135) where the truth has"));
    assert_int_equal(text[strlen(text) - 1], ')');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_answers_are_equal),
        cmocka_unit_test(a_score_may_move_by_the_tolerance_and_no_more),
        cmocka_unit_test(scores_that_are_not_finite_equal_only_themselves),
        cmocka_unit_test(one_moved_corner_is_found_and_measured),
        cmocka_unit_test(corners_weigh_more_than_an_earlier_score),
        cmocka_unit_test(another_order_is_not_equal),
        cmocka_unit_test(a_missing_box_shifts_no_distance),
        cmocka_unit_test(an_empty_answer_is_infinitely_far_from_boxes),
        cmocka_unit_test(the_widest_corners_fit_the_description),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
