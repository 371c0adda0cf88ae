/* SPDX-License-Identifier: Apache-2.0 */
/* Expected hulls come from cv2.convexHull(clockwise=False), OpenCV 5.0.0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "detect/hull.h"

static void check(const as_point *points, size_t n, const as_point *expected, size_t n_expected)
{
    as_room room = {0};
    as_points hull = {0};
    assert_int_equal(as_hull_find(points, n, &room, &hull, NULL), ASSAY_OK);
    assert_int_equal(hull.n, n_expected);
    assert_memory_equal(hull.items, expected, n_expected * sizeof *expected);
    as_room_free(&room);
    as_points_free(&hull);
}

static void a_ring_in_order_starts_at_its_own_start(void **state)
{
    (void)state;
    static const as_point p[] = {{0, 0}, {10, 0}, {10, 5}, {0, 5}};
    check(p, 4, p, 4);
    static const as_point q[] = {{5, 9}, {60, 34}, {51, 50}, {-4, 27}, {20, 20}};
    check(q, 5, q, 4);
}

static void points_in_no_order_start_at_the_rightmost(void **state)
{
    (void)state;
    static const as_point p[] = {{109, 949}, {317, 71},  {915, 524}, {663, 184},
                                 {909, 404}, {371, 741}, {753, 713}, {233, 189}};
    static const as_point hull[] = {{915, 524}, {753, 713}, {109, 949}, {233, 189},
                                    {317, 71},  {663, 184}, {909, 404}};
    check(p, 8, hull, 7);
}

static void points_on_a_line_leave_its_ends(void **state)
{
    (void)state;
    static const as_point p[] = {{0, 7}, {0, 0}, {0, 3}};
    static const as_point hull[] = {{0, 7}, {0, 0}};
    check(p, 3, hull, 2);
    static const as_point q[] = {{0, 0}, {10, 3}}, turned[] = {{10, 3}, {0, 0}};
    check(q, 2, turned, 2);
}

static void repeated_points_are_one(void **state)
{
    (void)state;
    static const as_point p[] = {{3, 3}, {3, 3}, {3, 3}};
    check(p, 3, p, 1);
}

/* Sides of a hull turn one way only, and no point is outside: for shapes of many sizes. */
static void every_point_is_inside_whatever_the_number(void **state)
{
    (void)state;
    enum { MOST = 1500 };
    static as_point p[MOST];
    uint32_t seed = 7;
    as_room room = {0};
    as_points hull = {0};
    for (size_t n = 3; n <= MOST; n = n * 3 / 2 + 1) {
        for (size_t i = 0; i < n; i++) {
            seed = seed * 1664525u + 1013904223u;
            p[i] = (as_point){(int32_t)(seed >> 22), (int32_t)((seed >> 12) & 1023)};
        }
        assert_int_equal(as_hull_find(p, n, &room, &hull, NULL), ASSAY_OK);
        for (size_t i = 0; i < hull.n; i++) {
            as_point a = hull.items[i], b = hull.items[(i + 1) % hull.n];
            for (size_t k = 0; k < n; k++) {
                int64_t side = ((int64_t)b.x - a.x) * (p[k].y - a.y) -
                               ((int64_t)b.y - a.y) * (p[k].x - a.x);
                assert_true(side >= 0);
            }
        }
    }
    as_room_free(&room);
    as_points_free(&hull);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ring_in_order_starts_at_its_own_start),
        cmocka_unit_test(points_in_no_order_start_at_the_rightmost),
        cmocka_unit_test(points_on_a_line_leave_its_ends),
        cmocka_unit_test(repeated_points_are_one),
        cmocka_unit_test(every_point_is_inside_whatever_the_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
