/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "call.h"

#define X F32(SHAPE(2, 3, 2), 1, 2, 3, 4, 5, 6, -7, 8, 9, -10, 11, 12)

static void give_axes(one_op *t, int n, int a, int b)
{
    t->attributes->reduce.n_axes = n;
    t->attributes->reduce.axes[0] = a;
    t->attributes->reduce.axes[1] = b;
}

static void check(as_op op, int n, int a, int b, as_array x, as_array wanted)
{
    one_op t = start(op);
    give_axes(&t, n, a, b);
    t.attributes->reduce.keepdims = false;
    give(&t, x);
    run(&t, 1);
    if (wanted.dtype == AS_F32)
        expect_near(&t, 0, wanted, 1e-5);
    else
        expect(&t, 0, wanted);
    stop(&t);
}

static void axes_are_reduced_wherever_they_lie(void **state)
{
    (void)state;
    check(AS_OP_REDUCE_SUM, 1, 1, 0, X, F32(SHAPE(2, 2), 9, 12, 13, 10));
    check(AS_OP_REDUCE_SUM, 2, -3, 2, X, F32(SHAPE(3), 4, 6, 34));
    check(AS_OP_REDUCE_SUM, 2, 1, 2, X, F32(SHAPE(2), 21, 23));
    check(AS_OP_REDUCE_SUM, 0, 0, 0, X, F32(SCALAR, 44));
    check(AS_OP_REDUCE_MEAN, 1, 2, 0, X,
          F32(SHAPE(2, 3), 1.5f, 3.5f, 5.5f, 0.5f, -0.5f, 11.5f));
}

static void each_operator_has_its_own_total(void **state)
{
    (void)state;
    const as_array x = F32(SHAPE(3), -1, 2, 4);
    check(AS_OP_REDUCE_PROD, 0, 0, 0, x, F32(SCALAR, -8));
    check(AS_OP_REDUCE_L1, 0, 0, 0, x, F32(SCALAR, 7));
    check(AS_OP_REDUCE_L2, 0, 0, 0, x, F32(SCALAR, 4.5825757f));
    check(AS_OP_REDUCE_SUM_SQUARE, 0, 0, 0, x, F32(SCALAR, 21));
    check(AS_OP_REDUCE_LOG_SUM, 0, 0, 0, x, F32(SCALAR, 1.6094379f));
    check(AS_OP_REDUCE_LOG_SUM_EXP, 0, 0, 0, x, F32(SCALAR, 4.1328452f));
    check(AS_OP_REDUCE_MAX, 0, 0, 0, x, F32(SCALAR, 4));
    check(AS_OP_REDUCE_MIN, 0, 0, 0, x, F32(SCALAR, -1));
}

static void exponentials_do_not_overflow(void **state)
{
    (void)state;
    check(AS_OP_REDUCE_LOG_SUM_EXP, 0, 0, 0, F32(SHAPE(2), 1000, 1000),
          F32(SCALAR, 1000.6931f));
    check(AS_OP_REDUCE_LOG_SUM_EXP, 0, 0, 0, F32(SHAPE(3), -INFINITY, 2, -INFINITY),
          F32(SCALAR, 2));
    check(AS_OP_REDUCE_LOG_SUM_EXP, 0, 0, 0, F32(SHAPE(2), -INFINITY, -INFINITY),
          F32(SCALAR, -INFINITY));
}

static void dims_stay_as_one_unless_they_are_dropped(void **state)
{
    (void)state;
    one_op t = start(AS_OP_REDUCE_MAX);
    give_axes(&t, 1, 1, 0);
    give(&t, X);
    run(&t, 1);
    expect(&t, 0, F32(SHAPE(2, 1, 2), 5, 6, 11, 12));
    stop(&t);
}

static void axes_may_be_an_input(void **state)
{
    (void)state;
    one_op t = start(AS_OP_REDUCE_MIN);
    give(&t, X);
    give(&t, I64(SHAPE(1), -1));
    run(&t, 1);
    expect(&t, 0, F32(SHAPE(2, 3, 1), 1, 3, 5, -7, -10, 11));
    stop(&t);
}

static void no_axes_is_all_or_none(void **state)
{
    (void)state;
    one_op t = start(AS_OP_REDUCE_SUM_SQUARE);
    t.attributes->reduce.is_noop_when_empty = true;
    give(&t, F32(SHAPE(2), 3, -4));
    give(&t, I64(SHAPE(0), 0));
    run(&t, 1);
    expect(&t, 0, F32(SHAPE(2), 9, 16)); /* each element is a sum of one square */
    stop(&t);
}

static void of_nothing_there_is_the_neutral_number(void **state)
{
    (void)state;
    const as_array none = F32(SHAPE(2, 0), 0);
    check(AS_OP_REDUCE_SUM, 1, 1, 0, none, F32(SHAPE(2), 0, 0));
    check(AS_OP_REDUCE_PROD, 1, 1, 0, none, F32(SHAPE(2), 1, 1));
    check(AS_OP_REDUCE_MAX, 1, 1, 0, none, F32(SHAPE(2), -INFINITY, -INFINITY));
    check(AS_OP_REDUCE_MIN, 1, 1, 0, none, F32(SHAPE(2), INFINITY, INFINITY));
    check(AS_OP_REDUCE_LOG_SUM, 1, 1, 0, none, F32(SHAPE(2), -INFINITY, -INFINITY));
    check(AS_OP_REDUCE_LOG_SUM_EXP, 1, 1, 0, none, F32(SHAPE(2), -INFINITY, -INFINITY));
    check(AS_OP_REDUCE_L2, 1, 1, 0, none, F32(SHAPE(2), 0, 0));
    check(AS_OP_REDUCE_MAX, 1, 0, 0, I32(SHAPE(0), 0), I32(SCALAR, INT32_MIN));
    check(AS_OP_REDUCE_MIN, 1, 0, 0, BOOL(SHAPE(0), 0), BOOL(SCALAR, 1));
}

static void integers_and_bools_keep_their_type(void **state)
{
    (void)state;
    const as_array x = I64(SHAPE(2), ((int64_t)1 << 53) + 1, -2);
    check(AS_OP_REDUCE_SUM, 0, 0, 0, x, I64(SCALAR, ((int64_t)1 << 53) - 1));
    check(AS_OP_REDUCE_MAX, 0, 0, 0, x, I64(SCALAR, ((int64_t)1 << 53) + 1));
    check(AS_OP_REDUCE_L1, 0, 0, 0, I32(SHAPE(2), -3, 4), I32(SCALAR, 7));
    check(AS_OP_REDUCE_L2, 0, 0, 0, I32(SHAPE(2), -3, 4), I32(SCALAR, 5));
    check(AS_OP_REDUCE_MEAN, 0, 0, 0, I32(SHAPE(2), -3, 0), I32(SCALAR, -1));
    check(AS_OP_REDUCE_MAX, 1, 1, 0, BOOL(SHAPE(2, 2), 0, 0, 0, 1), BOOL(SHAPE(2), 0, 1));
    check(AS_OP_REDUCE_MIN, 1, 1, 0, BOOL(SHAPE(2, 2), 1, 1, 0, 1), BOOL(SHAPE(2), 1, 0));
}

static void nan_is_the_greatest_and_the_least(void **state)
{
    (void)state;
    for (int place = 0; place < 3; place++)
        for (int op = 0; op < 2; op++) {
            float x[3] = {1, 2, 3};
            x[place] = NAN;
            one_op t = start(op ? AS_OP_REDUCE_MAX : AS_OP_REDUCE_MIN);
            give(&t, (as_array){AS_F32, SHAPE(3), x});
            run(&t, 1);
            assert_int_equal(t.code, ASSAY_OK);
            assert_true(isnan(((float *)t.out[0].data)[0]));
            stop(&t);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_are_reduced_wherever_they_lie),
        cmocka_unit_test(each_operator_has_its_own_total),
        cmocka_unit_test(exponentials_do_not_overflow),
        cmocka_unit_test(dims_stay_as_one_unless_they_are_dropped),
        cmocka_unit_test(axes_may_be_an_input),
        cmocka_unit_test(no_axes_is_all_or_none),
        cmocka_unit_test(of_nothing_there_is_the_neutral_number),
        cmocka_unit_test(integers_and_bools_keep_their_type),
        cmocka_unit_test(nan_is_the_greatest_and_the_least),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
