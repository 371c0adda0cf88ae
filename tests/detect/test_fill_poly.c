/* SPDX-License-Identifier: Apache-2.0 */
/* Expected pixels come from cv2.fillPoly, OpenCV 5.0.0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "detect/fill_poly.h"

/* `rows` of '#' and '.' follow one another; the ring must give them from each of its corners. */
static void check(int h, int w, const as_point corners[4], const char *rows)
{
    uint8_t mask[300];
    assert_int_equal(strlen(rows), (size_t)h * (size_t)w);
    for (int start = 0; start < 4; start++) {
        as_point ring[4];
        for (int i = 0; i < 4; i++)
            ring[i] = corners[(start + i) % 4];
        memset(mask, 0, sizeof mask);
        as_fill_quad(mask, h, w, ring);
        for (int i = 0; i < h * w; i++)
            if (mask[i] != (rows[i] == '#'))
                fail_msg("start %d: row %d, x %d", start, i / w, i % w);
        for (size_t i = (size_t)h * (size_t)w; i < sizeof mask; i++)
            assert_int_equal(mask[i], 0);
    }
}

static void edges_belong_to_the_shape(void **state)
{
    (void)state;
    check(12, 23, (as_point[]){{0, 0}, {21, 2}, {20, 10}, {0, 8}},
          "######................."
          "################......."
          "######################."
          "######################."
          "######################."
          "######################."
          "#####################.."
          "#####################.."
          "#####################.."
          "......###############.."
          "................#####.."
          ".......................");
}

static void a_shape_around_the_mask_fills_it(void **state)
{
    (void)state;
    check(6, 6, (as_point[]){{-3, 2}, {2, -3}, {8, 3}, {3, 8}},
          "######"
          "######"
          "######"
          "######"
          "######"
          "######");
}

static void clipped_edges_run_between_their_clipped_ends(void **state)
{
    (void)state;
    check(10, 13, (as_point[]){{-4, 0}, {12, 6}, {10, 9}, {-6, 3}},
          "............."
          "##..........."
          "####........."
          "#######......"
          "#########...."
          "###########.."
          "..###########"
          "....########."
          ".......#####."
          ".........##..");
}

static void an_edge_clipped_to_one_pixel_stands_upright(void **state)
{
    (void)state;
    check(7, 1, (as_point[]){{1, 0}, {8, 1}, {7, 5}, {0, 5}}, "######.");
}

static void a_shape_outside_leaves_the_mask(void **state)
{
    (void)state;
    check(4, 4, (as_point[]){{10, 10}, {14, 10}, {14, 14}, {10, 14}}, "................");
    check(4, 4, (as_point[]){{-9, -9}, {-5, -9}, {-5, -5}, {-9, -5}}, "................");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_belong_to_the_shape),
        cmocka_unit_test(a_shape_around_the_mask_fills_it),
        cmocka_unit_test(clipped_edges_run_between_their_clipped_ends),
        cmocka_unit_test(an_edge_clipped_to_one_pixel_stands_upright),
        cmocka_unit_test(a_shape_outside_leaves_the_mask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
