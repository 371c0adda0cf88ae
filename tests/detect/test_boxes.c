/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "detect/boxes.h"

static void boxes_keep_their_order_while_the_list_grows(void **state)
{
    (void)state;
    as_boxes boxes = {0};
    for (int i = 0; i < 1000; i++) {
        as_box box = {.corners = {{i, 1}, {2, 3}, {4, 5}, {6, -i}}, .score = i / 1000.};
        assert_int_equal(as_boxes_add(&boxes, &box, NULL), ASSAY_OK);
    }
    assert_int_equal(boxes.n, 1000);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(boxes.items[i].corners[0][0], i);
        assert_int_equal(boxes.items[i].corners[3][1], -i);
        assert_true(boxes.items[i].score == i / 1000.);
    }
    as_boxes_free(&boxes);
}

static void a_cleared_list_is_empty_and_a_freed_one_too(void **state)
{
    (void)state;
    as_boxes boxes = {0};
    as_box box = {.score = 1};
    assert_int_equal(as_boxes_add(&boxes, &box, NULL), ASSAY_OK);
    as_boxes_clear(&boxes);
    assert_int_equal(boxes.n, 0);
    as_boxes_free(&boxes);
    as_boxes_free(&boxes);
    assert_null(boxes.items);
}

static void without_memory_the_list_stays_as_it_was(void **state)
{
    (void)state;
    as_boxes boxes = {0};
    as_box box = {0};
    assay_error err;
    as_memory_fail_at(1);
    assert_int_equal(as_boxes_add(&boxes, &box, &err), ASSAY_E_MEMORY);
    as_memory_fail_at(0);
    assert_string_equal(err.message, "no memory for box 1 of a map");
    assert_int_equal(boxes.n, 0);
    as_boxes_free(&boxes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_keep_their_order_while_the_list_grows),
        cmocka_unit_test(a_cleared_list_is_empty_and_a_freed_one_too),
        cmocka_unit_test(without_memory_the_list_stays_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
