/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/memory.h"
#include "detect/margins.h"

enum { H = 40, W = 60 };

/* A block of value `inside` with the rest at `outside`. */
static void fill(float map[H][W], float inside, float outside)
{
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            map[y][x] = y >= 10 && y < 22 && x >= 8 && x < 48 ? inside : outside;
}

static as_margins margins_of(float map[H][W])
{
    as_margins margins = {0};
    as_detect_scratch *scratch = as_detect_scratch_new();
    as_detect_settings settings = as_detect_settings_defaults();
    assay_error err = {0};
    if (as_margins_of_map(scratch, &settings, &map[0][0], H, W, H, W, &margins, &err))
        fail_msg("%s", err.message);
    as_detect_scratch_free(scratch);
    return margins;
}

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-6)) fail_msg("%g is not %g", value, expected);
}

static void a_box_has_its_nearest_pixel_and_its_score(void **state)
{
    float map[H][W];
    (void)state;
    fill(map, 0.9f, 0.1f);
    map[15][20] = 0.31f;  /* inside */
    map[30][30] = 0.299f; /* elsewhere */
    as_margins m = margins_of(map);
    assert_int_equal(m.n, 2);
    assert_int_equal(m.items[0].box, 0);
    assert_near(m.items[0].pixel, 0.01);
    assert_true(m.items[0].score > 0.29 && m.items[0].score < 0.3);
    assert_int_equal(m.items[1].box, AS_MARGIN_REST);
    assert_near(m.items[1].pixel, 0.001);
    assert_true(isnan(m.items[1].score));
    as_margins_free(&m);
}

static void a_dropped_candidate_tells_what_it_lacked(void **state)
{
    float map[H][W];
    (void)state;
    fill(map, 0.55f, 0);
    as_margins m = margins_of(map);
    assert_int_equal(m.n, 2);
    assert_int_equal(m.items[0].box, AS_MARGIN_DROPPED);
    assert_near(m.items[0].score, -0.05);
    assert_near(m.items[0].pixel, 0.25);
    as_margins_free(&m);
}

static void a_map_without_text_has_its_rest_alone(void **state)
{
    float map[H][W];
    (void)state;
    fill(map, 0.2f, 0.1f);
    as_margins m = margins_of(map);
    assert_int_equal(m.n, 1);
    assert_near(m.items[0].pixel, 0.1);
    as_margins_free(&m);
    fill(map, NAN, NAN);
    m = margins_of(map);
    assert_true(isnan(m.items[0].pixel));
    as_margins_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_has_its_nearest_pixel_and_its_score),
        cmocka_unit_test(a_dropped_candidate_tells_what_it_lacked),
        cmocka_unit_test(a_map_without_text_has_its_rest_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
