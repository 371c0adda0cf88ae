/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "detect/detect.h"
#include "detect/normalise.h"

static void planes_are_blue_green_red_and_rows_are_tight(void **state)
{
    (void)state;
    enum { H = 32, W = 64 };
    static uint8_t bgr[H][W][3];
    static float input[3][H][W];
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            for (int c = 0; c < 3; c++)
                bgr[y][x][c] = (uint8_t)(y * 7 + x * 3 + c * 50);
    as_detect_scratch *scratch = as_detect_scratch_new();
    assert_non_null(scratch);
    assert_int_equal(as_preprocess(scratch, bgr[0][0], H, W, H, W, input[0][0], NULL),
                     ASSAY_OK);
    for (int c = 0; c < 3; c++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                float expected;
                as_normalise_row(c, &bgr[y][x][c], 1, &expected);
                assert_true(input[c][y][x] == expected);
            }
    as_detect_scratch_free(scratch);
}

static void sides_out_of_range_are_refused(void **state)
{
    (void)state;
    static const int sides[][4] = {
        {0, 5, 32, 32}, {5, -1, 32, 32}, {5, 65536, 32, 32}, {5, 5, 0, 32}};
    static const uint8_t bgr[3];
    float input;
    as_detect_scratch *scratch = as_detect_scratch_new();
    assay_error err;
    for (size_t i = 0; i < 4; i++) {
        const int *s = sides[i];
        assert_int_equal(as_preprocess(scratch, bgr, s[0], s[1], s[2], s[3], &input, &err),
                         ASSAY_E_ARGUMENT);
        assert_non_null(strstr(err.message, "sides have to be in 1..65535"));
    }
    as_detect_scratch_free(scratch);
}

static void a_second_image_of_the_same_size_allocates_nothing(void **state)
{
    (void)state;
    static uint8_t bgr[40 * 50 * 3];
    static float input[3 * 64 * 64];
    as_detect_scratch *scratch = as_detect_scratch_new();
    assert_int_equal(as_preprocess(scratch, bgr, 40, 50, 64, 64, input, NULL), ASSAY_OK);
    size_t before = as_memory_count();
    assert_int_equal(as_preprocess(scratch, bgr, 40, 50, 64, 64, input, NULL), ASSAY_OK);
    assert_int_equal(as_memory_count(), before);
    as_detect_scratch_free(scratch);
}

static void each_failing_allocation_is_reported(void **state)
{
    (void)state;
    static const uint8_t bgr[3];
    static float input[3 * 32 * 32];
    as_memory_fail_at(1);
    as_detect_scratch *scratch = as_detect_scratch_new();
    as_memory_fail_at(0);
    assert_null(scratch);
    scratch = as_detect_scratch_new();
    as_memory_fail_at(1);
    assert_int_equal(as_preprocess(scratch, bgr, 1, 1, 32, 32, input, NULL), ASSAY_E_MEMORY);
    as_memory_fail_at(0);
    assert_int_equal(as_preprocess(scratch, bgr, 1, 1, 32, 32, input, NULL), ASSAY_OK);
    as_detect_scratch_free(scratch);
    as_detect_scratch_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_are_blue_green_red_and_rows_are_tight),
        cmocka_unit_test(sides_out_of_range_are_refused),
        cmocka_unit_test(a_second_image_of_the_same_size_allocates_nothing),
        cmocka_unit_test(each_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
