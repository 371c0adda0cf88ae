/* SPDX-License-Identifier: Apache-2.0 */
/* Expected outlines come from pyclipper 1.4.0 (Clipper 6.4.2), as tests/oracle/detect.py calls it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/memory.h"
#include "detect/unclip.h"

#define POLYGONS "cases/B11-db-degenerate-contours-unclip/unclip_polygons.json"

static void check(as_quad box, double ratio, const as_point *expected, size_t n)
{
    as_points out = {0};
    assert_int_equal(as_unclip(&box, ratio, &out, NULL), ASSAY_OK);
    assert_int_equal(out.n, n);
    assert_memory_equal(out.items, expected, n * sizeof *expected);
    as_points_free(&out);
}

static void an_upright_box_gets_round_corners_and_starts_below_its_top(void **state)
{
    (void)state;
    static const as_point wide[] = {{53, 5},  {55, 8},  {56, 10}, {56, 20}, {55, 23}, {52, 25},
                                    {50, 26}, {10, 26}, {7, 25},  {5, 22},  {4, 20},  {4, 10},
                                    {5, 7},   {8, 5},   {10, 4},  {50, 4}};
    check((as_quad){{{10, 10}, {50, 10}, {50, 20}, {10, 20}}}, 1.5, wide, 16);
    /* The other way round, from another corner: the same outline. */
    check((as_quad){{{50, 20}, {50, 10}, {10, 10}, {10, 20}}}, 1.5, wide, 16);
    static const as_point small[] = {{10, 3}, {10, 7}, {8, 9}, {4, 9},
                                     {3, 7},  {3, 3},  {4, 2}, {8, 2}};
    check((as_quad){{{4, 3}, {8, 3}, {8, 7}, {4, 7}}}, 1.5, small, 8);
}

static void corners_are_truncated_to_integers_first(void **state)
{
    (void)state;
    static const as_point outline[] = {
        {42, 14}, {45, 16}, {46, 20}, {46, 22}, {42, 33}, {40, 36}, {37, 37}, {34, 37},
        {6, 25},  {3, 23},  {2, 19},  {2, 17},  {6, 6},   {8, 3},   {11, 2},  {14, 2}};
    check((as_quad){{{12.3f, 8.9f}, {40.7f, 20.2f}, {36.4f, 31.f}, {8.f, 19.7f}}}, 1.5, outline,
          16);
}

/* Below one pixel of distance Clipper skips corners and may dent the outline. */
static void small_ratios_give_clippers_dented_outlines(void **state)
{
    (void)state;
    static const as_point unchanged[] = {{8, 7}, {4, 7}, {4, 3}, {8, 3}};
    check((as_quad){{{4, 3}, {8, 3}, {8, 7}, {4, 7}}}, 0.01, unchanged, 4);
    check((as_quad){{{4, 3}, {8, 3}, {8, 7}, {4, 7}}}, 1e-30, unchanged, 4);
    static const as_point two_tops[] = {{98, 8},  {97, 12}, {92, 11}, {90, 12},
                                        {90, 11}, {91, 7},  {96, 8},  {98, 7}};
    check((as_quad){{{92.00000762939453f, 7.999999046325684f},
                     {97.00000762939453f, 8.999999046325684f},
                     {96.3846206665039f, 12.076922416687012f},
                     {91.3846206665039f, 11.076922416687012f}}},
          1.0, two_tops, 8);
    static const as_point turned_back[] = {{-39, -152}, {60, 177},   {41, 184},
                                           {39, 184},   {-60, -146}, {-40, -153}};
    check((as_quad){{{-40.01682662963867f, -152.05551147460938f},
                     {59.999996185302734f, 177.99996948242188f},
                     {40.01682662963867f, 184.05548095703125f},
                     {-59.999996185302734f, -146.0f}}},
          0.1, turned_back, 6);
}

static double signed_area(const as_points *ring)
{
    double sum = 0;
    for (size_t i = 0; i < ring->n; i++) {
        as_point a = ring->items[i], b = ring->items[(i + 1) % ring->n];
        sum += (double)a.x * b.y - (double)b.x * a.y;
    }
    return sum / 2;
}

/* The quadrilaterals of the case; one that crosses itself cannot be a rectangle and gives nothing. */
static void the_cases_quadrilaterals_have_its_areas(void **state)
{
    (void)state;
    json_t *polygons = json_load_file(POLYGONS, 0, NULL);
    assert_non_null(polygons);
    size_t i, n_checked = 0;
    json_t *item;
    json_array_foreach(polygons, i, item)
    {
        json_t *points = json_object_get(item, "points");
        const char *name = json_string_value(json_object_get(item, "name"));
        if (json_array_size(points) != 4) continue;
        as_quad quad;
        for (size_t k = 0; k < 8; k++)
            quad.corners[k / 2][k % 2] =
                (float)json_integer_value(json_array_get(json_array_get(points, k / 2), k % 2));
        as_points out = {0};
        double ratio = json_number_value(json_object_get(item, "unclip_ratio"));
        assert_int_equal(as_unclip(&quad, ratio, &out, NULL), ASSAY_OK);
        json_t *areas = json_object_get(item, "signed_areas");
        if (json_array_size(areas) == 0 || strcmp(name, "figure_eight") == 0)
            assert_int_equal(out.n, 0);
        else
            assert_true(signed_area(&out) == json_number_value(json_array_get(areas, 0)));
        as_points_free(&out);
        n_checked++;
    }
    json_decref(polygons);
    assert_int_equal(n_checked, 5);
}

static void each_failing_allocation_is_reported(void **state)
{
    (void)state;
    as_quad box = {{{10, 10}, {50, 10}, {50, 20}, {10, 20}}};
    as_points out = {0};
    as_memory_fail_at(1);
    assert_int_equal(as_unclip(&box, 1.5, &out, NULL), ASSAY_E_MEMORY);
    as_memory_fail_at(0);
    as_points_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_upright_box_gets_round_corners_and_starts_below_its_top),
        cmocka_unit_test(corners_are_truncated_to_integers_first),
        cmocka_unit_test(small_ratios_give_clippers_dented_outlines),
        cmocka_unit_test(the_cases_quadrilaterals_have_its_areas),
        cmocka_unit_test(each_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
