/* SPDX-License-Identifier: Apache-2.0 */
/* Expected bits come from cv2.minAreaRect and cv2.boxPoints, OpenCV 5.0.0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "detect/min_area_rect.h"

static void check(const as_point *points, size_t n, as_rect expected, as_quad corners)
{
    as_rect_room room = {0};
    as_rect rect;
    assert_int_equal(as_min_area_rect(points, n, &room, &rect, NULL), ASSAY_OK);
    assert_memory_equal(&rect, &expected, sizeof rect);
    as_quad quad = as_rect_corners(&rect);
    for (int i = 0; i < 4; i++) {
        assert_true(quad.corners[i][0] == corners.corners[i][0]);
        assert_true(quad.corners[i][1] == corners.corners[i][1]);
    }
    as_rect_room_free(&room);
}

static void an_upright_rectangle_has_minus_90_degrees(void **state)
{
    (void)state;
    static const as_point p[] = {{0, 0}, {10, 0}, {10, 5}, {0, 5}};
    check(p, 4, (as_rect){5, 2.5f, 5, 10, -90},
          (as_quad){{{10, 5}, {-0x1.60fafcp-53f, 5}, {0x1.60fafcp-53f, 0}, {10, 0}}});
}

static void a_rotated_shape_has_opencvs_bits(void **state)
{
    (void)state;
    static const as_point p[] = {{5, 9}, {60, 34}, {51, 50}, {-4, 27}, {20, 20}};
    check(p, 5,
          (as_rect){0x1.c00002p+4f, 0x1.e8p+4f, 0x1.41c5fp+4f, 0x1.e947dap+5f, -0x1.063964p+6f},
          (as_quad){{{0x1.9d6cb8p+5f, 0x1.a2773ep+5f},
                     {-0x1.000008p+2f, 0x1.affffep+4f},
                     {0x1.149a48p+2f, 0x1.16230cp+3f},
                     {0x1.e00004p+5f, 0x1.100002p+5f}}});
    static const as_point q[] = {{109, 949}, {317, 71},  {915, 524}, {663, 184},
                                 {909, 404}, {371, 741}, {753, 713}, {233, 189}};
    check(q, 8,
          (as_rect){0x1.0e1f36p+9f, 0x1.19b23ap+9f, 0x1.c20494p+9f, 0x1.6b85a8p+9f,
                    -0x1.42eefep+6f},
          (as_quad){{{0x1.9d472ep+9f, 0x1.0a84ccp+10f},
                     {0x1.b40002p+6f, 0x1.da7ffep+9f},
                     {0x1.fbdcf8p+7f, 0x1.e5adep+5f},
                     {0x1.e5be6ap+9f, 0x1.6391d8p+7f}}});
}

static void a_diamond_has_minus_45_degrees(void **state)
{
    (void)state;
    static const as_point p[] = {{5, 0}, {10, 5}, {5, 10}, {0, 5}};
    check(
        p, 4, (as_rect){5, 0x1.400002p+2f, 0x1.c48c62p+2f, 0x1.c48c62p+2f, -45},
        (as_quad){
            {{5, 0x1.400002p+3f}, {-0x1p-21f, 0x1.400002p+2f}, {5, 0}, {10, 0x1.400004p+2f}}});
}

static void points_and_segments_have_no_area(void **state)
{
    (void)state;
    static const as_point point[] = {{3, 3}, {3, 3}};
    check(point, 2, (as_rect){3, 3, 0, 0, -90}, (as_quad){{{3, 3}, {3, 3}, {3, 3}, {3, 3}}});
    static const as_point segment[] = {{0, 0}, {10, 3}};
    check(segment, 2, (as_rect){5, 1.5f, 0, 0x1.4e16fep+3f, -0x1.2533fap+6f},
          (as_quad){{{10, 3}, {0, 0x1p-23f}, {0, 0x1p-23f}, {10, 3}}});
    static const as_point upright[] = {{0, 7}, {0, 0}, {0, 3}};
    check(upright, 3, (as_rect){0, 3.5f, 7, 0, -90},
          (as_quad){{{-0x1.ee2c3p-53f, 7},
                     {-0x1.ee2c3p-53f, 7},
                     {0x1.ee2c3p-53f, 0},
                     {0x1.ee2c3p-53f, 0}}});
    static const as_point falling[] = {{979, 1958}, {22, 44}};
    check(falling, 2, (as_rect){500.5f, 1001, 0, 0x1.0b7d58p+11f, -0x1.a90a74p+4f},
          (as_quad){{{979, 1958}, {22, 0x1.60002p+5f}, {22, 0x1.60002p+5f}, {979, 1958}}});
}

static void each_failing_allocation_is_reported(void **state)
{
    (void)state;
    static const as_point p[] = {{0, 0}, {10, 0}, {10, 5}, {0, 5}};
    for (size_t n = 1;; n++) {
        as_rect_room room = {0};
        as_rect rect = {.width = 77};
        as_memory_fail_at(n);
        assay_code code = as_min_area_rect(p, 4, &room, &rect, NULL);
        as_memory_fail_at(0);
        as_rect_room_free(&room);
        if (code == ASSAY_OK) {
            assert_true(n > 3);
            break;
        }
        assert_int_equal(code, ASSAY_E_MEMORY);
        assert_true(rect.width == 77);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_upright_rectangle_has_minus_90_degrees),
        cmocka_unit_test(a_rotated_shape_has_opencvs_bits),
        cmocka_unit_test(a_diamond_has_minus_45_degrees),
        cmocka_unit_test(points_and_segments_have_no_area),
        cmocka_unit_test(each_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
