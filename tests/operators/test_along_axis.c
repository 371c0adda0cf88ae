/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "call.h"

static void softmax(as_op op, int axis, bool is_flattened, as_array x, as_array wanted)
{
    one_op t = start(op);
    t.attributes->softmax.axis = axis;
    t.attributes->softmax.is_flattened = is_flattened;
    give(&t, x);
    run(&t, 1);
    expect_near(&t, 0, wanted, 1e-6);
    stop(&t);
}

static void softmax_is_along_its_axis(void **state)
{
    (void)state;
    const as_array x = F32(SHAPE(2, 2), 0, 1, 2, 1000);
    softmax(AS_OP_SOFTMAX, -1, false, x, F32(SHAPE(2, 2), 0.26894143f, 0.73105860f, 0, 1));
    softmax(AS_OP_SOFTMAX, 0, false, x, F32(SHAPE(2, 2), 0.11920292f, 0, 0.88079703f, 1));
    softmax(AS_OP_LOG_SOFTMAX, 1, false, x,
            F32(SHAPE(2, 2), -1.3132617f, -0.31326169f, -998, 0));
}

static void of_old_softmax_is_over_all_dims_from_its_axis_on(void **state)
{
    (void)state;
    softmax(AS_OP_SOFTMAX, 1, true, F32(SHAPE(1, 2, 2), 0, 0, 0, 0),
            F32(SHAPE(1, 2, 2), 0.25f, 0.25f, 0.25f, 0.25f));
    softmax(AS_OP_SOFTMAX, -1, true, F32(SHAPE(1, 2, 2), 0, 0, 0, 0),
            F32(SHAPE(1, 2, 2), 0.5f, 0.5f, 0.5f, 0.5f));
}

static void arg(as_op op, int axis, bool is_last, as_array x, as_array wanted)
{
    one_op t = start(op);
    t.attributes->arg.axis = axis;
    t.attributes->arg.is_last = is_last;
    t.attributes->arg.keepdims = wanted.shape.rank == x.shape.rank;
    give(&t, x);
    run(&t, 1);
    expect(&t, 0, wanted);
    stop(&t);
}

static void the_first_or_the_last_of_equals_is_told(void **state)
{
    (void)state;
    const as_array x = F32(SHAPE(2, 3), 2, 1, 2, 3, 3, 1);
    arg(AS_OP_ARG_MAX, 1, false, x, I64(SHAPE(2, 1), 0, 0));
    arg(AS_OP_ARG_MAX, -1, true, x, I64(SHAPE(2), 2, 1));
    arg(AS_OP_ARG_MIN, 0, false, x, I64(SHAPE(3), 0, 0, 1));
    arg(AS_OP_ARG_MIN, 0, true, I32(SHAPE(2, 1), 4, 4), I64(SHAPE(1), 1));
    arg(AS_OP_ARG_MAX, 0, false, I64(SHAPE(2), INT64_MAX - 1, INT64_MAX), I64(SCALAR, 1));
}

static void the_first_nan_is_told_before_all_numbers(void **state)
{
    (void)state;
    arg(AS_OP_ARG_MAX, 0, false, F32(SHAPE(4), 9, NAN, INFINITY, NAN), I64(SCALAR, 1));
    arg(AS_OP_ARG_MIN, 0, false, F32(SHAPE(3), 9, -INFINITY, NAN), I64(SCALAR, 2));
}

static void nothing_has_no_place(void **state)
{
    (void)state;
    one_op t = start(AS_OP_ARG_MAX);
    give(&t, F32(SHAPE(0, 2), 0));
    run(&t, 1);
    expect_failure(&t, ASSAY_E_ARGUMENT, "its input has no elements along axis 0");
    stop(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(softmax_is_along_its_axis),
        cmocka_unit_test(of_old_softmax_is_over_all_dims_from_its_axis_on),
        cmocka_unit_test(the_first_or_the_last_of_equals_is_told),
        cmocka_unit_test(the_first_nan_is_told_before_all_numbers),
        cmocka_unit_test(nothing_has_no_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
