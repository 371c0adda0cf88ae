/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "detect/order.h"

#define SCALES "cases/B14-rounding-half-even-and-limit-side/coordinate_scale.csv"

static void corners_are_sorted_by_x_and_the_pairs_by_y(void **state)
{
    (void)state;
    static const float ring[4][2] = {{0, 1}, {10, 0}, {11, 5}, {1, 6}};
    for (int start = 0; start < 4; start++) {
        as_quad quad;
        for (int i = 0; i < 4; i++)
            for (int axis = 0; axis < 2; axis++)
                quad.corners[i][axis] = ring[(i + start) % 4][axis];
        as_quad ordered = as_quad_order(&quad);
        assert_memory_equal(ordered.corners, ring, sizeof ring);
    }
}

static void coordinates_round_halves_to_even_in_float32(void **state)
{
    (void)state;
    char line[256];
    FILE *file = fopen(SCALES, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file)); /* the head */
    int n_rows = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        float x;
        int net_w, image_w, expected;
        assert_int_equal(sscanf(line, "%f,%d,%d,%*f,%d", &x, &net_w, &image_w, &expected), 4);
        bool is_right = x > (float)net_w / 2;
        float low = is_right ? 0 : x, high = is_right ? x : (float)net_w;
        as_quad quad = {{{low, 0}, {high, 0}, {high, 64}, {low, 64}}};
        as_box box = {0};
        assert_true(as_box_scale(&quad, 64, net_w, 64, image_w, &box));
        if (expected > image_w - 1) expected = image_w - 1;
        int32_t found = box.corners[is_right ? 1 : 0][0];
        if (found != expected) fail_msg("%s: x is %d", line, found);
        assert_int_equal(box.corners[2][1], 63);
        n_rows++;
    }
    fclose(file);
    assert_true(n_rows >= 60);
}

static void boxes_outside_the_image_are_held_on_it(void **state)
{
    (void)state;
    as_quad quad = {{{-9, -7}, {90, -7}, {90, 70}, {-9, 70}}};
    as_box box = {0};
    assert_true(as_box_scale(&quad, 64, 64, 50, 40, &box));
    static const int32_t expected[4][2] = {{0, 0}, {39, 0}, {39, 49}, {0, 49}};
    assert_memory_equal(box.corners, expected, sizeof expected);
}

static void sides_of_three_pixels_are_dropped_and_of_four_kept(void **state)
{
    (void)state;
    as_box box = {0};
    as_quad flat = {{{5, 5}, {30, 5}, {30, 8}, {5, 8}}},
            narrow = {{{5, 5}, {8, 5}, {8, 30}, {5, 30}}};
    assert_false(as_box_scale(&flat, 64, 64, 64, 64, &box));
    assert_false(as_box_scale(&narrow, 64, 64, 64, 64, &box));
    as_quad kept = {{{5, 5}, {30, 5}, {30, 9}, {5, 9}}};
    assert_true(as_box_scale(&kept, 64, 64, 64, 64, &box));
    /* A slanting side of 3.6 pixels is cut to 3. */
    as_quad slanting = {{{5, 8}, {7, 5}, {31, 21}, {29, 24}}};
    assert_false(as_box_scale(&slanting, 64, 64, 64, 64, &box));
}

/* numpy's int16 wraps, which the oracle lets it do beyond 32767 pixels. */
static void coordinates_beyond_int16_wrap_as_in_the_oracle(void **state)
{
    (void)state;
    as_quad quad = {{{10, 10}, {20, 10}, {20, 20}, {10, 20}}};
    as_box box = {0};
    assert_true(as_box_scale(&quad, 32, 32, 32, 60000, &box));
    /* 18750 and 37500, which is -28036, sorted and held on the image */
    static const int32_t expected[4][2] = {{0, 10}, {18750, 10}, {18750, 20}, {0, 20}};
    assert_memory_equal(box.corners, expected, sizeof expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corners_are_sorted_by_x_and_the_pairs_by_y),
        cmocka_unit_test(coordinates_round_halves_to_even_in_float32),
        cmocka_unit_test(boxes_outside_the_image_are_held_on_it),
        cmocka_unit_test(sides_of_three_pixels_are_dropped_and_of_four_kept),
        cmocka_unit_test(coordinates_beyond_int16_wrap_as_in_the_oracle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
