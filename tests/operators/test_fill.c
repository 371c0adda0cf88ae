/* SPDX-License-Identifier: Apache-2.0 */
#include "call.h"

static void size_counts_elements(void **state)
{
    (void)state;
    one_op t = start(AS_OP_SIZE);
    give(&t, BOOL(SHAPE(2, 3), 0, 0, 0, 0, 0, 0));
    run(&t, 1);
    expect(&t, 0, I64(SCALAR, 6));
    stop(&t);
}

static void a_shape_is_filled_with_one_number(void **state)
{
    (void)state;
    const int64_t seven = 7;
    one_op t = start(AS_OP_CONSTANT_OF_SHAPE);
    t.attributes->fill.to = AS_I64;
    memcpy(t.attributes->fill.element, &seven, sizeof seven);
    give(&t, I64(SHAPE(2), 1, 3));
    run(&t, 1);
    expect(&t, 0, I64(SHAPE(1, 3), 7, 7, 7));
    stop(&t);
    t = start(AS_OP_CONSTANT_OF_SHAPE); /* by default a float 0; no dims are a number */
    give(&t, I64(SHAPE(0), 0));
    run(&t, 1);
    expect(&t, 0, F32(SCALAR, 0));
    stop(&t);
    t = start(AS_OP_CONSTANT_OF_SHAPE);
    give(&t, I64(SHAPE(1), -1));
    run(&t, 1);
    expect_failure(&t, ASSAY_E_ARGUMENT, "its dim 0 would be -1, it must be >= 0");
    stop(&t);
}

static void range(as_array start_at, as_array limit, as_array delta, as_array wanted)
{
    one_op t = start(AS_OP_RANGE);
    give(&t, start_at);
    give(&t, limit);
    give(&t, delta);
    run(&t, 1);
    expect(&t, 0, wanted);
    stop(&t);
}

static void ranges_end_before_their_limit(void **state)
{
    (void)state;
    range(I64(SCALAR, 3), I64(SCALAR, 9), I64(SCALAR, 3), I64(SHAPE(2), 3, 6));
    range(I32(SCALAR, 10), I32(SCALAR, 4), I32(SCALAR, -2), I32(SHAPE(3), 10, 8, 6));
    range(F32(SCALAR, 1), F32(SCALAR, 2), F32(SCALAR, 0.4f), F32(SHAPE(3), 1, 1.4f, 1.8f));
    range(F32(SCALAR, 0.1f), F32(SCALAR, 0.5f), F32(SCALAR, 0.2f),
          F32(SHAPE(2), 0.1f, 0.1f + 0.2f));
    range(I64(SCALAR, 1), I64(SCALAR, 0), I64(SCALAR, 1), I64(SHAPE(0), 0));
    one_op t = start(AS_OP_RANGE);
    give(&t, I64(SCALAR, 1));
    give(&t, I64(SCALAR, 2));
    give(&t, I64(SCALAR, 0));
    run(&t, 1);
    expect_failure(&t, ASSAY_E_ARGUMENT, "it goes from 1 to 2 by 0, which has no end");
    stop(&t);
}

static void dropout_does_nothing_unless_it_trains(void **state)
{
    (void)state;
    one_op t = start(AS_OP_DROPOUT);
    give(&t, F32(SHAPE(2), 1, -0.0f));
    run(&t, 2);
    expect(&t, 0, F32(SHAPE(2), 1, -0.0f));
    expect(&t, 1, BOOL(SHAPE(2), 1, 1));
    stop(&t);
}

static void in_training_it_drops_what_the_reference_drops(void **state)
{
    (void)state;
    one_op t = start(AS_OP_DROPOUT);
    t.attributes->dropout.seed = 0;
    give(&t, F32(SHAPE(4), 1, 2, 3, 4));
    give(&t, F32(SCALAR, 0.6f));
    give(&t, BOOL(SCALAR, 1));
    run(&t, 2);
    /* numpy.random.RandomState(0).uniform(size=4): 0.5488 0.7152 0.6028 0.5449 */
    expect(&t, 1, BOOL(SHAPE(4), 0, 1, 1, 0));
    expect_near(&t, 0, F32(SHAPE(4), 0, 5, 7.5f, 0), 1e-5);
    stop(&t);
}

static void a_ratio_of_one_leaves_nothing_and_is_refused(void **state)
{
    (void)state;
    one_op t = start(AS_OP_DROPOUT);
    give(&t, F32(SHAPE(1), 1));
    give(&t, F32(SCALAR, 1));
    give(&t, BOOL(SCALAR, 1));
    run(&t, 1);
    expect_failure(&t, ASSAY_E_ARGUMENT, "its ratio is 1, it must be in [0, 1)");
    stop(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(size_counts_elements),
        cmocka_unit_test(a_shape_is_filled_with_one_number),
        cmocka_unit_test(ranges_end_before_their_limit),
        cmocka_unit_test(dropout_does_nothing_unless_it_trains),
        cmocka_unit_test(in_training_it_drops_what_the_reference_drops),
        cmocka_unit_test(a_ratio_of_one_leaves_nothing_and_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
