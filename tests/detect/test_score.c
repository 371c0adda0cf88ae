/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "detect/score.h"

enum { H = 5, W = 7 };

static double score_of(const float *prob, as_quad box)
{
    as_room mask = {0};
    double score = -1;
    assert_int_equal(as_box_score(prob, H, W, &box, &mask, &score, NULL), ASSAY_OK);
    as_room_free(&mask);
    return score;
}

static void the_score_is_the_mean_of_the_pixels_inside(void **state)
{
    (void)state;
    float prob[H * W];
    for (int i = 0; i < H * W; i++)
        prob[i] = (float)i;
    as_quad box = {{{1, 1}, {3, 1}, {3, 2}, {1, 2}}};
    assert_true(score_of(prob, box) == (8 + 9 + 10 + 15 + 16 + 17) * (1. / 6));
    as_quad corner = {{{6.2f, 4.3f}, {6.8f, 4.3f}, {6.8f, 4.9f}, {6.2f, 4.9f}}};
    assert_true(score_of(prob, corner) == 34);
}

static void a_box_over_the_border_counts_the_pixels_of_the_map(void **state)
{
    (void)state;
    float prob[H * W];
    for (int i = 0; i < H * W; i++)
        prob[i] = 0.25f;
    as_quad box = {{{-4, -3}, {20, -3}, {20, 30}, {-4, 30}}};
    assert_true(score_of(prob, box) == 0.25);
}

static void numbers_that_are_none_pass_on(void **state)
{
    (void)state;
    float prob[H * W] = {0};
    as_quad box = {{{0, 0}, {6, 0}, {6, 4}, {0, 4}}};
    prob[9] = INFINITY;
    assert_true(isinf(score_of(prob, box)));
    prob[10] = -INFINITY;
    assert_true(isnan(score_of(prob, box)));
}

static void without_memory_the_score_stays(void **state)
{
    (void)state;
    static const float prob[H * W];
    as_quad box = {{{0, 0}, {6, 0}, {6, 4}, {0, 4}}};
    as_room mask = {0};
    double score = 7;
    as_memory_fail_at(1);
    assert_int_equal(as_box_score(prob, H, W, &box, &mask, &score, NULL), ASSAY_E_MEMORY);
    as_memory_fail_at(0);
    assert_true(score == 7);
    as_room_free(&mask);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_score_is_the_mean_of_the_pixels_inside),
        cmocka_unit_test(a_box_over_the_border_counts_the_pixels_of_the_map),
        cmocka_unit_test(numbers_that_are_none_pass_on),
        cmocka_unit_test(without_memory_the_score_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
