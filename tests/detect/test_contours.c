/* SPDX-License-Identifier: Apache-2.0 */
/* Expected contours come from cv2.findContours(RETR_LIST, CHAIN_APPROX_SIMPLE), OpenCV 5.0.0. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "detect/contours.h"

enum { SIDE = 16 };

/* Rows of '#' and '.', parted by '/', to a map; returns its height. */
static int draw(const char *rows, float *prob, int *w)
{
    int n = 0, h = 1;
    for (const char *c = rows; *c != '\0'; c++) {
        if (*c == '/')
            h++;
        else
            prob[n++] = *c == '#' ? 1.f : 0.f;
    }
    *w = n / h;
    return h;
}

/* Contours as "x,y x,y; x,y" in OpenCV's order. */
static void print(const as_contours *contours, char *text, size_t room)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < contours->n; i++) {
        const as_point *p = as_contours_points(contours, i);
        size_t n = as_contours_size(contours, i);
        for (size_t k = 0; k < n; k++) {
            const char *before = k > 0 ? " " : i > 0 ? "; " : "";
            used +=
                (size_t)snprintf(text + used, room - used, "%s%d,%d", before, p[k].x, p[k].y);
            assert_true(used < room);
        }
    }
}

static void check(const char *rows, const char *expected)
{
    float prob[SIDE * SIDE];
    char text[1024];
    int w, h = draw(rows, prob, &w);
    as_contours contours = {0};
    assert_int_equal(as_contours_find(&contours, prob, h, w, 0.5f, NULL), ASSAY_OK);
    print(&contours, text, sizeof text);
    if (strcmp(text, expected) != 0) fail_msg("%s: %s, needed %s", rows, text, expected);
    as_contours_free(&contours);
}

static void outer_borders_go_down_first_from_their_first_pixel(void **state)
{
    (void)state;
    check("..../.##./.##./....", "1,1 1,2 2,2 2,1");
    check("##../##../..##/..##", "0,0 0,1 1,1 2,2 2,3 3,3 3,2 2,2 1,1 1,0");
}

static void single_pixels_and_lines_have_one_and_two_points(void **state)
{
    (void)state;
    check("#", "0,0");
    check("####", "0,0 3,0");
    check("#../.#./..#", "0,0 2,2");
    check("#.../..../..##", "2,2 3,2; 0,0");
}

static void holes_are_contours_of_their_own(void **state)
{
    (void)state;
    check("###/#.#/###", "0,1 1,0 2,1 1,2; 0,0 0,2 2,2 2,0");
    check("#####/#...#/#.#.#/#...#/#####",
          "2,2; 0,1 1,0 3,0 4,1 4,3 3,4 1,4 0,3; 0,0 0,4 4,4 4,0");
}

static void the_last_contour_of_the_scan_comes_first(void **state)
{
    (void)state;
    check("#.#.#.#.#.#/.........../..#########", "2,2 10,2; 10,0; 8,0; 6,0; 4,0; 2,0; 0,0");
}

static void only_pixels_above_the_threshold_in_float32_count(void **state)
{
    (void)state;
    static const float prob[] = {0.3f, 0.30000004f, NAN, INFINITY, -INFINITY};
    char text[64];
    as_contours contours = {0};
    assert_int_equal(as_contours_find(&contours, prob, 1, 5, 0.3f, NULL), ASSAY_OK);
    print(&contours, text, sizeof text);
    assert_string_equal(text, "3,0; 1,0");
    as_contours_free(&contours);
}

static void each_failing_allocation_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    float prob[SIDE * SIDE];
    int w, h = draw("#####/#...#/#.#.#/#...#/#####", prob, &w);
    for (size_t n = 1;; n++) {
        assay_error err;
        as_contours contours = {0};
        as_memory_fail_at(n);
        assay_code code = as_contours_find(&contours, prob, h, w, 0.5f, &err);
        as_memory_fail_at(0);
        size_t found = contours.n;
        as_contours_free(&contours);
        if (code == ASSAY_OK) {
            assert_true(n > 3);
            break;
        }
        assert_int_equal(code, ASSAY_E_MEMORY);
        assert_int_equal(found, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outer_borders_go_down_first_from_their_first_pixel),
        cmocka_unit_test(single_pixels_and_lines_have_one_and_two_points),
        cmocka_unit_test(holes_are_contours_of_their_own),
        cmocka_unit_test(the_last_contour_of_the_scan_comes_first),
        cmocka_unit_test(only_pixels_above_the_threshold_in_float32_count),
        cmocka_unit_test(each_failing_allocation_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
