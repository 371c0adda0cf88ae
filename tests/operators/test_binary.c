/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "call.h"

/* One operator of two inputs. */
static void check(as_op op, as_array a, as_array b, as_array wanted)
{
    one_op t = start(op);
    give(&t, a);
    give(&t, b);
    run(&t, 1);
    expect(&t, 0, wanted);
    stop(&t);
}

static void operands_spread_in_both_directions(void **state)
{
    (void)state;
    check(AS_OP_ADD, F32(SHAPE(2, 1), 10, 20), F32(SHAPE(3), 1, 2, 3),
          F32(SHAPE(2, 3), 11, 12, 13, 21, 22, 23));
    check(AS_OP_SUB, F32(SHAPE(1, 2, 1, 2), 1, 2, 3, 4), F32(SHAPE(2, 1, 2, 1), 10, 20, 30, 40),
          F32(SHAPE(2, 2, 2, 2), -9, -8, -19, -18, -7, -6, -17, -16, -29, -28, -39, -38, -27,
              -26, -37, -36));
    check(AS_OP_MUL, I64(SCALAR, 3), I64(SHAPE(1, 1), 5), I64(SHAPE(1, 1), 15));
}

static void ranks_of_eight_are_walked(void **state)
{
    (void)state;
    check(AS_OP_MUL, F32(SHAPE(2, 1, 1, 2, 1, 1, 1, 1), 1, 2, 3, 4),
          F32(SHAPE(1, 1, 2, 1, 1, 1, 1, 2), 1, 10, 100, 1000),
          F32(SHAPE(2, 1, 2, 2, 1, 1, 1, 2), 1, 10, 2, 20, 100, 1000, 200, 2000, 3, 30, 4, 40,
              300, 3000, 400, 4000));
}

static void an_empty_operand_gives_an_empty_result(void **state)
{
    (void)state;
    one_op t = start(AS_OP_ADD);
    give(&t, F32(SHAPE(2, 0), 0));
    give(&t, F32(SHAPE(1, 1), 5));
    run(&t, 1);
    assert_int_equal(t.code, ASSAY_OK);
    assert_int_equal(as_array_elements(&t.out[0]), 0);
    stop(&t);
}

static void integers_are_cut_towards_zero_and_wrap(void **state)
{
    (void)state;
    check(AS_OP_DIV, I32(SHAPE(5), 7, -7, 7, -7, INT32_MIN), I32(SHAPE(5), 2, 2, -2, -2, -1),
          I32(SHAPE(5), 3, -3, -3, 3, INT32_MIN));
    check(AS_OP_DIV, I64(SHAPE(2), -1, INT64_MIN), I64(SHAPE(2), 2, -1),
          I64(SHAPE(2), 0, INT64_MIN));
    check(AS_OP_ADD, I32(SHAPE(1), INT32_MAX), I32(SHAPE(1), 1), I32(SHAPE(1), INT32_MIN));
    check(AS_OP_MUL, I64(SHAPE(1), INT64_MAX), I64(SHAPE(1), 2), I64(SHAPE(1), -2));
}

static void division_by_an_integer_zero_is_an_error(void **state)
{
    (void)state;
    one_op t = start(AS_OP_DIV);
    give(&t, I32(SHAPE(1), 7));
    give(&t, I32(SHAPE(2), 1, 0));
    run(&t, 1);
    expect_failure(&t, ASSAY_E_ARGUMENT, "its divisor's element 1 is the integer 0");
    stop(&t);
    check(AS_OP_DIV, F32(SHAPE(2), 1, -1), F32(SHAPE(2), 0, 0),
          F32(SHAPE(2), INFINITY, -INFINITY));
}

static void powers_keep_the_bases_type(void **state)
{
    (void)state;
    check(AS_OP_POW, F32(SHAPE(3), 2, 9, -2), F32(SHAPE(3), 3, 0.5f, 2),
          F32(SHAPE(3), 8, 3, 4));
    check(AS_OP_POW, F32(SHAPE(2), 1.5f, -2), I64(SHAPE(2), 2, 3), F32(SHAPE(2), 2.25f, -8));
    check(AS_OP_POW, I64(SHAPE(3), 3, -3, 2), F32(SHAPE(3), 2, 3, 0.5f),
          I64(SHAPE(3), 9, -27, 1));
    check(AS_OP_POW, I32(SHAPE(4), 3, -2, 2, -1), I64(SHAPE(4), 4, 31, -1, -3),
          I32(SHAPE(4), 81, INT32_MIN, 0, -1));
    check(AS_OP_POW, I64(SHAPE(1), 3), I32(SHAPE(1), 39), I64(SHAPE(1), 4052555153018976267));
}

static void min_and_max_hand_nan_on(void **state)
{
    (void)state;
    for (int place = 0; place < 3; place++)
        for (int op = 0; op < 2; op++) {
            one_op t = start(op ? AS_OP_MAX : AS_OP_MIN);
            for (int i = 0; i < 3; i++)
                give(&t, F32(SHAPE(1), i == place ? NAN : (float)i));
            run(&t, 1);
            assert_int_equal(t.code, ASSAY_OK);
            assert_true(isnan(((float *)t.out[0].data)[0]));
            stop(&t);
        }
    check(AS_OP_MAX, I64(SHAPE(2), -5, 5), I64(SCALAR, 0), I64(SHAPE(2), 0, 5));
    check(AS_OP_MIN, I32(SHAPE(2), -5, 5), I32(SCALAR, 0), I32(SHAPE(2), -5, 0));
}

static void any_number_of_inputs_is_joined(void **state)
{
    (void)state;
    for (int op = 0; op < 2; op++) {
        one_op t = start(op ? AS_OP_MEAN : AS_OP_SUM);
        give(&t, F32(SCALAR, 1));
        give(&t, F32(SHAPE(2, 1), 2, 4));
        give(&t, F32(SHAPE(2), 3, 9));
        run(&t, 1);
        if (op)
            expect(&t, 0, F32(SHAPE(2, 2), 2, 4, 8 / 3.0f, 14 / 3.0f));
        else
            expect(&t, 0, F32(SHAPE(2, 2), 6, 12, 8, 14));
        stop(&t);
    }
    one_op t = start(AS_OP_SUM);
    give(&t, F32(SHAPE(1), -0.0f));
    run(&t, 1);
    expect(&t, 0, F32(SHAPE(1), -0.0f));
    stop(&t);
}

static void comparisons_give_bools(void **state)
{
    (void)state;
    const as_array a = F32(SHAPE(4), 1, 2, NAN, -0.0f), b = F32(SHAPE(4), 2, 2, NAN, 0);
    check(AS_OP_LESS, a, b, BOOL(SHAPE(4), 1, 0, 0, 0));
    check(AS_OP_LESS_OR_EQUAL, a, b, BOOL(SHAPE(4), 1, 1, 0, 1));
    check(AS_OP_GREATER, b, a, BOOL(SHAPE(4), 1, 0, 0, 0));
    check(AS_OP_GREATER_OR_EQUAL, b, a, BOOL(SHAPE(4), 1, 1, 0, 1));
    check(AS_OP_EQUAL, a, b, BOOL(SHAPE(4), 0, 1, 0, 1));
    check(AS_OP_EQUAL, I64(SHAPE(2), INT64_MAX, 3), I64(SHAPE(2), INT64_MAX - 1, 3),
          BOOL(SHAPE(2), 0, 1));
    check(AS_OP_EQUAL, BOOL(SHAPE(2), 0, 1), BOOL(SHAPE(2), 1, 1), BOOL(SHAPE(2), 0, 1));
}

static void logic_is_of_bools(void **state)
{
    (void)state;
    const as_array a = BOOL(SHAPE(2, 1), 0, 1), b = BOOL(SHAPE(2), 0, 1);
    check(AS_OP_AND, a, b, BOOL(SHAPE(2, 2), 0, 0, 0, 1));
    check(AS_OP_OR, a, b, BOOL(SHAPE(2, 2), 0, 1, 1, 1));
    check(AS_OP_XOR, a, b, BOOL(SHAPE(2, 2), 0, 1, 1, 0));
}

static void prelus_slope_spreads_over_its_input_alone(void **state)
{
    (void)state;
    check(AS_OP_PRELU, F32(SHAPE(2, 2), -1, 2, -3, -4), F32(SHAPE(2, 1), 2, 0.5f),
          F32(SHAPE(2, 2), -2, 2, -1.5f, -2));
    one_op t = start(AS_OP_PRELU);
    give(&t, F32(SHAPE(2), -1, 2));
    give(&t, F32(SHAPE(2, 2), 1, 2, 3, 4));
    run(&t, 1);
    expect_failure(&t, ASSAY_E_ARGUMENT, "its input 1 is [2,2], it must spread over [2]");
    stop(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands_spread_in_both_directions),
        cmocka_unit_test(ranks_of_eight_are_walked),
        cmocka_unit_test(an_empty_operand_gives_an_empty_result),
        cmocka_unit_test(integers_are_cut_towards_zero_and_wrap),
        cmocka_unit_test(division_by_an_integer_zero_is_an_error),
        cmocka_unit_test(powers_keep_the_bases_type),
        cmocka_unit_test(min_and_max_hand_nan_on),
        cmocka_unit_test(any_number_of_inputs_is_joined),
        cmocka_unit_test(comparisons_give_bools),
        cmocka_unit_test(logic_is_of_bools),
        cmocka_unit_test(prelus_slope_spreads_over_its_input_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
