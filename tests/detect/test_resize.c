/* SPDX-License-Identifier: Apache-2.0 */
/* Expected bytes come from cv2.resize of opencv-python-headless 5.0.0.93. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "detect/resize.h"

/* Compare every row with expected[3][out_h][out_w], asking for the rows in both orders. */
static void check(const uint8_t *bgr, int h, int w, int out_h, int out_w,
                  const uint8_t *expected)
{
    as_resizer resizer = {0};
    size_t n = (size_t)out_w;
    assert_int_equal(as_resizer_init(&resizer, bgr, h, w, out_h, out_w, NULL), ASSAY_OK);
    for (int i = 0; i < 2 * out_h; i++) {
        int y = i < out_h ? i : 2 * out_h - 1 - i;
        const uint8_t *planes = as_resizer_row(&resizer, y);
        for (size_t c = 0; c < 3; c++)
            assert_memory_equal(planes + c * n, expected + (c * (size_t)out_h + (size_t)y) * n,
                                n);
    }
    as_resizer_free(&resizer);
}

static void ramp(uint8_t *bgr, int n)
{
    for (int i = 0; i < n; i++)
        bgr[i] = (uint8_t)(i * 37 % 251);
}

static void enlarging_interpolates_in_fixed_point(void **state)
{
    (void)state;
    uint8_t bgr[2 * 3 * 3];
    for (int i = 0; i < 18; i++)
        bgr[i] = (uint8_t)(14 * i);
    static const uint8_t expected[3][4][5] = {{{0, 17, 42, 67, 84},
                                               {32, 48, 74, 99, 116},
                                               {95, 111, 137, 162, 179},
                                               {126, 143, 168, 193, 210}},
                                              {{14, 31, 56, 81, 98},
                                               {46, 62, 88, 113, 130},
                                               {109, 125, 151, 176, 193},
                                               {140, 157, 182, 207, 224}},
                                              {{28, 45, 70, 95, 112},
                                               {60, 76, 102, 127, 144},
                                               {123, 139, 165, 190, 207},
                                               {154, 171, 196, 221, 238}}};
    check(bgr, 2, 3, 4, 5, expected[0][0]);
}

static void an_image_one_pixel_wide_is_spread_level(void **state)
{
    (void)state;
    static const uint8_t bgr[2][3] = {{10, 20, 30}, {250, 7, 99}};
    static const uint8_t expected[3][5][2] = {
        {{10, 10}, {34, 34}, {130, 130}, {226, 226}, {250, 250}},
        {{20, 20}, {18, 18}, {14, 14}, {8, 8}, {7, 7}},
        {{30, 30}, {37, 37}, {65, 65}, {92, 92}, {99, 99}}};
    check(bgr[0], 2, 1, 5, 2, expected[0][0]);
}

static void shrinking_takes_two_pixels_each_way(void **state)
{
    (void)state;
    uint8_t bgr[7 * 7 * 3];
    ramp(bgr, sizeof bgr);
    static const uint8_t expected[3][2][3] = {{{104, 112, 120}, {188, 196, 120}},
                                              {{141, 149, 157}, {99, 233, 157}},
                                              {{178, 186, 110}, {95, 19, 194}}};
    check(bgr, 7, 7, 2, 3, expected[0][0]);
}

static void halving_both_sides_is_the_mean_of_four(void **state)
{
    (void)state;
    uint8_t bgr[4 * 6 * 3];
    ramp(bgr, sizeof bgr);
    static const uint8_t expected[3][2][3] = {{{75, 171, 142}, {152, 123, 94}},
                                              {{112, 83, 117}, {126, 160, 131}},
                                              {{149, 120, 91}, {100, 134, 105}}};
    check(bgr, 4, 6, 2, 3, expected[0][0]);
}

static void halving_one_side_interpolates(void **state)
{
    (void)state;
    uint8_t bgr[4 * 6 * 3];
    ramp(bgr, sizeof bgr);
    static const uint8_t expected[3][4][3] = {
        {{56, 152, 123}, {94, 191, 162}, {133, 104, 75}, {171, 142, 113}},
        {{93, 64, 160}, {131, 102, 73}, {170, 141, 112}, {83, 179, 150}},
        {{130, 101, 72}, {168, 139, 110}, {81, 178, 149}, {120, 91, 62}}};
    check(bgr, 4, 6, 4, 3, expected[0][0]);
}

static void equal_sizes_copy(void **state)
{
    (void)state;
    uint8_t bgr[5 * 3 * 3], expected[3][5][3];
    ramp(bgr, sizeof bgr);
    for (int i = 0; i < 15; i++)
        for (int c = 0; c < 3; c++)
            expected[c][i / 3][i % 3] = bgr[3 * i + c];
    check(bgr, 5, 3, 5, 3, expected[0][0]);
}

static void a_resizer_can_be_used_again_for_other_sizes(void **state)
{
    (void)state;
    uint8_t bgr[64 * 64 * 3];
    memset(bgr, 200, sizeof bgr);
    static const int sizes[][4] = {
        {64, 64, 3, 5}, {1, 1, 96, 64}, {64, 64, 32, 32}, {2, 64, 9, 64}};
    as_resizer resizer = {0};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int *s = sizes[i];
        assert_int_equal(as_resizer_init(&resizer, bgr, s[0], s[1], s[2], s[3], NULL),
                         ASSAY_OK);
        for (int y = 0; y < s[2]; y++) {
            const uint8_t *planes = as_resizer_row(&resizer, y);
            for (int x = 0; x < 3 * s[3]; x++)
                assert_int_equal(planes[x], 200);
        }
    }
    as_resizer_free(&resizer);
}

static void without_memory_nothing_starts(void **state)
{
    (void)state;
    static const uint8_t bgr[3] = {1, 2, 3};
    as_resizer resizer = {0};
    assay_error err;
    as_memory_fail_at(1);
    assert_int_equal(as_resizer_init(&resizer, bgr, 1, 1, 32, 32, &err), ASSAY_E_MEMORY);
    as_memory_fail_at(0);
    assert_non_null(strstr(err.message, "no memory for"));
    as_resizer_free(&resizer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(enlarging_interpolates_in_fixed_point),
        cmocka_unit_test(an_image_one_pixel_wide_is_spread_level),
        cmocka_unit_test(shrinking_takes_two_pixels_each_way),
        cmocka_unit_test(halving_both_sides_is_the_mean_of_four),
        cmocka_unit_test(halving_one_side_interpolates),
        cmocka_unit_test(equal_sizes_copy),
        cmocka_unit_test(a_resizer_can_be_used_again_for_other_sizes),
        cmocka_unit_test(without_memory_nothing_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
