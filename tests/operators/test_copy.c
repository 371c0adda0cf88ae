/* SPDX-License-Identifier: Apache-2.0 */
#include "call.h"

static void reshape_gives_the_same_elements_another_shape(void **state)
{
    (void)state;
    one_op t = start(AS_OP_RESHAPE);
    give(&t, F32(SHAPE(2, 3), 1, 2, 3, 4, 5, 6));
    give(&t, I64(SHAPE(3), 3, 1, -1));
    run(&t, 1);
    expect(&t, 0, F32(SHAPE(3, 1, 2), 1, 2, 3, 4, 5, 6));
    stop(&t);
}

static void copies_are_made_of_every_type(void **state)
{
    (void)state;
    const as_array arrays[] = {I64(SHAPE(2), INT64_MAX, -1), I32(SHAPE(2), INT32_MIN, 7),
                               BOOL(SHAPE(3), 1, 0, 1), F32(SCALAR, 2.5f)};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        one_op t = start(AS_OP_IDENTITY);
        give(&t, arrays[i]);
        run(&t, 1);
        expect(&t, 0, arrays[i]);
        stop(&t);
    }
}

static void shape_takes_a_span_of_the_dims(void **state)
{
    (void)state;
    one_op t = start(AS_OP_SHAPE);
    t.attributes->span.start = -3;
    t.attributes->span.end = -1;
    give(&t, F32(SHAPE(1, 2, 1, 2), 1, 2, 3, 4));
    run(&t, 1);
    expect(&t, 0, I64(SHAPE(2), 2, 1));
    stop(&t);
}

static void reshape_to_another_number_of_elements_is_refused(void **state)
{
    (void)state;
    one_op t = start(AS_OP_RESHAPE);
    give(&t, F32(SHAPE(2), 1, 2));
    give(&t, I64(SHAPE(1), 3));
    run(&t, 1);
    expect_failure(&t, ASSAY_E_ARGUMENT,
                   "its input [2] has 2 elements, which cannot be shaped [3]");
    stop(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reshape_gives_the_same_elements_another_shape),
        cmocka_unit_test(copies_are_made_of_every_type),
        cmocka_unit_test(shape_takes_a_span_of_the_dims),
        cmocka_unit_test(reshape_to_another_number_of_elements_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
