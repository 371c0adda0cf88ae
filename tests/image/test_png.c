/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "image/image.h"

/* A picture whose pixels all differ from their neighbours. */
static as_image make_picture(int h, int w, bool grey)
{
    as_image image;
    uint32_t seed = 7;
    assert_int_equal(as_image_init(&image, h, w, NULL), ASSAY_OK);
    for (int i = 0; i < h * w; i++)
        for (int c = 0; c < 3; c++) {
            if (c == 0 || !grey) seed = seed * 1664525u + 1013904223u;
            image.bgr[3 * i + c] = (uint8_t)(seed >> 24);
        }
    return image;
}

static void pixels_survive_writing_and_reading(void **state)
{
    (void)state;
    static const int sides[][2] = {{1, 1}, {1, 31}, {31, 1}, {7, 33}, {64, 65}};
    char path[] = P_tmpdir "/assay-png-XXXXXX";
    close(mkstemp(path));
    for (size_t i = 0; i < AS_COUNT_OF(sides); i++)
        for (int grey = 0; grey < 2; grey++) {
            as_image image = make_picture(sides[i][0], sides[i][1], grey), again;
            assert_int_equal(as_image_write_png(&image, path, NULL), ASSAY_OK);
            assert_int_equal(as_image_read(path, &again, NULL), ASSAY_OK);
            assert_int_equal(again.h, image.h);
            assert_int_equal(again.w, image.w);
            assert_memory_equal(again.bgr, image.bgr, (size_t)image.h * (size_t)image.w * 3);
            as_image_free(&image);
            as_image_free(&again);
        }
    assert_int_equal(as_path_remove(path, NULL), ASSAY_OK);
}

static void same_pixels_give_the_same_bytes_without_a_time(void **state)
{
    (void)state;
    as_image image = make_picture(40, 50, false);
    as_bytes a, b;
    assert_int_equal(as_image_encode_png(&image, &a, NULL), ASSAY_OK);
    assert_int_equal(as_image_encode_png(&image, &b, NULL), ASSAY_OK);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    for (size_t i = 0; i + 4 <= a.size; i++)
        assert_memory_not_equal(a.data + i, "tIME", 4);
    as_bytes_free(&a);
    as_bytes_free(&b);
    as_image_free(&image);
}

static void grey_pictures_take_one_sample_a_pixel(void **state)
{
    (void)state;
    as_image image = make_picture(40, 50, true);
    as_bytes png;
    assert_int_equal(as_image_encode_png(&image, &png, NULL), ASSAY_OK);
    assert_int_equal(png.data[24], 8); /* bits a sample */
    assert_int_equal(png.data[25], 0); /* colour type: grey */
    as_bytes_free(&png);
    as_image_free(&image);
}

static void a_crop_holds_the_rectangle_and_nothing_outside_is_cut(void **state)
{
    (void)state;
    as_image image = make_picture(10, 12, false), crop;
    assay_error err;
    assert_int_equal(as_image_crop(&image, 3, 2, 9, 8, &crop, NULL), ASSAY_OK);
    for (int y = 0; y < 8; y++)
        assert_memory_equal(crop.bgr + y * 27, image.bgr + ((y + 2) * 12 + 3) * 3, 27);
    as_image_free(&crop);
    assert_int_equal(as_image_crop(&image, 3, 2, 10, 8, &crop, &err), ASSAY_E_ARGUMENT);
    assert_string_equal(err.message, "the rectangle 3,2 of 10x8 pixels is not inside 12x10");
    assert_int_equal(as_image_crop(&image, -1, 0, 1, 1, &crop, NULL), ASSAY_E_ARGUMENT);
    assert_int_equal(as_image_init(&crop, 0, 4, &err), ASSAY_E_ARGUMENT);
    as_image_free(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pixels_survive_writing_and_reading),
        cmocka_unit_test(same_pixels_give_the_same_bytes_without_a_time),
        cmocka_unit_test(grey_pictures_take_one_sample_a_pixel),
        cmocka_unit_test(a_crop_holds_the_rectangle_and_nothing_outside_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
