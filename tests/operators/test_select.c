/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>

#include "call.h"

static void cast(as_array x, as_array wanted)
{
    one_op t = start(AS_OP_CAST);
    t.attributes->cast.to = (int)wanted.dtype;
    give(&t, x);
    run(&t, 1);
    expect(&t, 0, wanted);
    stop(&t);
}

static void floats_are_cut_towards_zero(void **state)
{
    (void)state;
    cast(F32(SHAPE(4), 1.9f, -1.9f, 0.5f, -0.5f), I64(SHAPE(4), 1, -1, 0, 0));
    cast(F32(SHAPE(4), 1.9f, -1.9f, 3e9f, NAN), I32(SHAPE(4), 1, -1, INT32_MIN, INT32_MIN));
    cast(F32(SHAPE(3), 1e19f, -0x1p63f, INFINITY),
         I64(SHAPE(3), INT64_MIN, INT64_MIN, INT64_MIN));
    cast(F32(SHAPE(1), -0x1p31f), I32(SHAPE(1), INT32_MIN));
}

static void bools_are_what_is_not_zero(void **state)
{
    (void)state;
    cast(F32(SHAPE(4), 0, -0.0f, 0.1f, NAN), BOOL(SHAPE(4), 0, 0, 1, 1));
    cast(I64(SHAPE(2), (int64_t)1 << 40, 0), BOOL(SHAPE(2), 1, 0));
    cast(BOOL(SHAPE(2), 1, 0), F32(SHAPE(2), 1, 0));
    cast(BOOL(SHAPE(2), 1, 0), I32(SHAPE(2), 1, 0));
}

static void wide_integers_lose_their_upper_half(void **state)
{
    (void)state;
    cast(I64(SHAPE(2), ((int64_t)1 << 40) + 7, -3), I32(SHAPE(2), 7, -3));
    cast(I32(SHAPE(1), -3), I64(SHAPE(1), -3));
    cast(I64(SHAPE(1), 16777217), F32(SHAPE(1), 16777216));
}

static void bounds_may_be_left_out_and_the_upper_one_wins(void **state)
{
    (void)state;
    one_op t = start(AS_OP_CLIP);
    give(&t, F32(SHAPE(4), -3, 0, 3, NAN));
    leave_out(&t);
    give(&t, F32(SCALAR, 1));
    run(&t, 1);
    expect(&t, 0, F32(SHAPE(4), -3, 0, 1, NAN));
    stop(&t);
    t = start(AS_OP_CLIP);
    give(&t, F32(SHAPE(3), -3, 0, 3));
    give(&t, F32(SCALAR, 2));
    give(&t, F32(SCALAR, 1));
    run(&t, 1);
    expect(&t, 0, F32(SHAPE(3), 1, 1, 1));
    stop(&t);
}

static void integers_are_clipped_as_integers(void **state)
{
    (void)state;
    one_op t = start(AS_OP_CLIP);
    give(&t, I64(SHAPE(3), INT64_MIN, ((int64_t)1 << 53) + 1, 9));
    give(&t, I64(SCALAR, -1));
    run(&t, 1);
    expect(&t, 0, I64(SHAPE(3), -1, ((int64_t)1 << 53) + 1, 9));
    stop(&t);
    t = start(AS_OP_CLIP);
    give(&t, I32(SHAPE(2), -9, 9));
    leave_out(&t);
    give(&t, I32(SCALAR, 5));
    run(&t, 1);
    expect(&t, 0, I32(SHAPE(2), -9, 5));
    stop(&t);
}

static void where_spreads_all_three(void **state)
{
    (void)state;
    one_op t = start(AS_OP_WHERE);
    give(&t, BOOL(SHAPE(2, 1), 1, 0));
    give(&t, I64(SHAPE(3), 1, 2, 3));
    give(&t, I64(SCALAR, INT64_MIN));
    run(&t, 1);
    expect(&t, 0, I64(SHAPE(2, 3), 1, 2, 3, INT64_MIN, INT64_MIN, INT64_MIN));
    stop(&t);
    t = start(AS_OP_WHERE);
    give(&t, BOOL(SHAPE(2), 1, 0));
    give(&t, BOOL(SHAPE(1), 1));
    give(&t, BOOL(SHAPE(1), 0));
    run(&t, 1);
    expect(&t, 0, BOOL(SHAPE(2), 1, 0));
    stop(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_are_cut_towards_zero),
        cmocka_unit_test(bools_are_what_is_not_zero),
        cmocka_unit_test(wide_integers_lose_their_upper_half),
        cmocka_unit_test(bounds_may_be_left_out_and_the_upper_one_wins),
        cmocka_unit_test(integers_are_clipped_as_integers),
        cmocka_unit_test(where_spreads_all_three),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
