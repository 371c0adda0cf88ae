/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "detect/settings.h"

#define B13 "cases/B13-tiny-and-extreme-aspect-images/network_size.csv"
#define B14 "cases/B14-rounding-half-even-and-limit-side/resize_dims.csv"

static as_network_size size_of(int h, int w, const char *limit_type, int limit_side)
{
    as_detect_settings settings = as_detect_settings_defaults();
    settings.limit_side = limit_side;
    settings.limit_type = strcmp(limit_type, "min") == 0 ? AS_LIMIT_MIN : AS_LIMIT_MAX;
    return as_network_size_of(&settings, h, w);
}

static void check(int h, int w, const char *limit_type, int limit_side, int net_h, int net_w,
                  bool scaled_down)
{
    as_network_size size = size_of(h, w, limit_type, limit_side);
    if (size.h != net_h || size.w != net_w || size.scaled_down != scaled_down)
        fail_msg("%d x %d, %s %d: %d x %d scaled_down %d, needed %d x %d scaled_down %d", h, w,
                 limit_type, limit_side, size.h, size.w, size.scaled_down, net_h, net_w,
                 scaled_down);
}

static FILE *open_table(const char *path)
{
    char line[512];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file)); /* the head */
    return file;
}

static void tiny_and_extreme_images_get_the_sizes_of_the_case(void **state)
{
    (void)state;
    FILE *file = open_table(B13);
    char line[512], name[64], type[8];
    int h, w, limit, net_h, net_w, n_rows = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        assert_int_equal(sscanf(line, "%63[^,],%d,%d,%7[^,],%d,%d,%d", name, &h, &w, type,
                                &limit, &net_h, &net_w),
                         7);
        n_rows++;
        /* The table has what an unlimited program would ask for; the literals below have ours. */
        if (net_h > AS_SIDE_MAX || net_w > AS_SIDE_MAX)
            assert_true(size_of(h, w, type, limit).scaled_down);
        else
            check(h, w, type, limit, net_h, net_w, false);
    }
    fclose(file);
    assert_true(n_rows >= 40);
}

static void halves_go_to_the_even_multiple(void **state)
{
    (void)state;
    FILE *file = open_table(B14);
    char line[512], type[8];
    int h, w, limit, net_h, net_w, n_rows = 0, n_differs = 0, differs;
    while (fgets(line, sizeof line, file) != NULL) {
        assert_int_equal(sscanf(line, "%d,%d,%7[^,],%d,%*f,%*d,%*d,%d,%d,%*d,%*d,%d", &h, &w,
                                type, &limit, &net_h, &net_w, &differs),
                         7);
        n_rows++;
        n_differs += differs;
        check(h, w, type, limit, net_h, net_w, false);
    }
    fclose(file);
    assert_true(n_rows >= 30 && n_differs >= 5);
    check(80, 112, "max", 960, 64, 128, false);
}

/* From tests/oracle/detect.py. */
static void sides_above_the_limit_are_scaled_down_and_reported(void **state)
{
    (void)state;
    check(1, 200, "min", 736, 32, 4000, true);
    check(200, 1, "min", 736, 4000, 32, true);
    check(17, 300, "min", 736, 224, 4000, true);
    check(1, 200, "min", 64, 32, 4000, true);
    check(9000, 10000, "min", 960, 3584, 4000, true);
    check(5000, 100, "max", 4000, 4000, 64, false);
    check(4000, 4000, "max", 960, 960, 960, false);
}

static void the_default_settings_are_the_documented_ones_and_valid(void **state)
{
    (void)state;
    as_detect_settings s = as_detect_settings_defaults();
    assert_true(s.thresh == 0.3f && s.box_thresh == 0.6 && s.unclip == 1.5);
    assert_int_equal(s.limit_side, 960);
    assert_int_equal(s.limit_type, AS_LIMIT_MAX);
    assert_int_equal(as_detect_settings_check(&s, NULL), ASSAY_OK);
}

static void refuse(as_detect_settings settings, const char *message)
{
    assay_error err;
    assert_int_equal(as_detect_settings_check(&settings, &err), ASSAY_E_ARGUMENT);
    assert_string_equal(err.message, message);
}

static void every_setting_out_of_range_is_refused_by_name(void **state)
{
    (void)state;
    as_detect_settings s = as_detect_settings_defaults();
    s.thresh = 1e38f * 10;
    refuse(s, "thresh is inf, it has to be a finite number");
    s = as_detect_settings_defaults();
    s.box_thresh = -1e308 * 10;
    refuse(s, "box-thresh is -inf, it has to be a finite number");
    s = as_detect_settings_defaults();
    s.unclip = 0;
    refuse(s, "unclip is 0, it has to be above 0 and at most 100");
    s.unclip = 100.5;
    refuse(s, "unclip is 100.5, it has to be above 0 and at most 100");
    s = as_detect_settings_defaults();
    s.limit_side = 4001;
    refuse(s, "limit-side is 4001, it has to be in 1..4000");
    s.limit_side = 0;
    refuse(s, "limit-side is 0, it has to be in 1..4000");
    s = as_detect_settings_defaults();
    s.limit_type = (as_limit_type)7;
    refuse(s, "limit-type is 7, it has to be max or min");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiny_and_extreme_images_get_the_sizes_of_the_case),
        cmocka_unit_test(halves_go_to_the_even_multiple),
        cmocka_unit_test(sides_above_the_limit_are_scaled_down_and_reported),
        cmocka_unit_test(the_default_settings_are_the_documented_ones_and_valid),
        cmocka_unit_test(every_setting_out_of_range_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
