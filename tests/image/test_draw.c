/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "image/image.h"

static const as_bgr green = {.b = 10, .g = 200, .r = 30};

static bool is_green(const as_image *image, int x, int y)
{
    const uint8_t *at = image->bgr + (y * image->w + x) * 3;
    return at[0] == green.b && at[1] == green.g && at[2] == green.r;
}

static int count_green(const as_image *image)
{
    int n = 0;
    for (int y = 0; y < image->h; y++)
        for (int x = 0; x < image->w; x++)
            n += is_green(image, x, y);
    return n;
}

static void an_upright_box_of_one_pixel_is_its_outline(void **state)
{
    (void)state;
    as_image image;
    const int32_t box[4][2] = {{3, 2}, {12, 2}, {12, 8}, {3, 8}};
    assert_int_equal(as_image_init(&image, 11, 17, NULL), ASSAY_OK);
    as_image_draw_quad(&image, box, green, 1);
    for (int y = 0; y < 11; y++)
        for (int x = 0; x < 17; x++) {
            bool is_inside = x >= 3 && x <= 12 && y >= 2 && y <= 8;
            bool is_edge = is_inside && (x == 3 || x == 12 || y == 2 || y == 8);
            assert_int_equal(is_green(&image, x, y), is_edge);
        }
    as_image_free(&image);
}

static void three_pixels_are_centred_on_the_edge(void **state)
{
    (void)state;
    as_image image;
    const int32_t box[4][2] = {{5, 5}, {20, 5}, {20, 15}, {5, 15}};
    assert_int_equal(as_image_init(&image, 21, 26, NULL), ASSAY_OK);
    as_image_draw_quad(&image, box, green, 3);
    for (int y = 0; y < 21; y++)
        assert_int_equal(is_green(&image, 12, y), (y >= 4 && y <= 6) || (y >= 14 && y <= 16));
    as_image_free(&image);
}

static void a_turned_box_is_closed(void **state)
{
    (void)state;
    as_image image;
    const int32_t box[4][2] = {{10, 0}, {20, 10}, {10, 20}, {0, 10}};
    assert_int_equal(as_image_init(&image, 21, 21, NULL), ASSAY_OK);
    as_image_draw_quad(&image, box, green, 1);
    assert_int_equal(count_green(&image), 40);
    for (int i = 0; i <= 10; i++)
        assert_true(is_green(&image, 10 + i, i) && is_green(&image, i, 10 + i));
    as_image_free(&image);
}

static void corners_far_outside_draw_what_is_inside(void **state)
{
    (void)state;
    as_image image;
    const int32_t box[4][2] = {
        {INT32_MIN, 5}, {INT32_MAX, 5}, {INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MAX}};
    const int32_t away[4][2] = {{100, 100}, {200, 100}, {200, 200}, {100, 200}};
    assert_int_equal(as_image_init(&image, 11, 13, NULL), ASSAY_OK);
    as_image_draw_quad(&image, away, green, 3);
    assert_int_equal(count_green(&image), 0);
    as_image_draw_quad(&image, box, green, 1);
    assert_int_equal(count_green(&image), 13);
    assert_true(is_green(&image, 0, 5) && is_green(&image, 12, 5));
    as_image_free(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_upright_box_of_one_pixel_is_its_outline),
        cmocka_unit_test(three_pixels_are_centred_on_the_edge),
        cmocka_unit_test(a_turned_box_is_closed),
        cmocka_unit_test(corners_far_outside_draw_what_is_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
