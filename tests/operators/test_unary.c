/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>

#include "call.h"

/* One operator on a list of floats, against the right numbers. */
static void check(as_op op, float alpha, float beta, as_array x, as_array wanted, double bound)
{
    one_op t = start(op);
    if (as_op_info(op)->attributes == AS_ATTRIBUTES_activation) {
        t.attributes->activation.alpha = alpha;
        t.attributes->activation.beta = beta;
    }
    give(&t, x);
    run(&t, 1);
    if (bound == 0)
        expect(&t, 0, wanted);
    else
        expect_near(&t, 0, wanted, bound);
    stop(&t);
}

#define X3 F32(SHAPE(3), -2, 0, 1.5f)

static void activations_are_as_specified(void **state)
{
    (void)state;
    /* numbers from the formulas of the specification, in double */
    check(AS_OP_LEAKY_RELU, 0.1f, 0, X3, F32(SHAPE(3), -0.2f, 0, 1.5f), 1e-6);
    check(AS_OP_ELU, 2, 0, X3, F32(SHAPE(3), -1.7293294f, 0, 1.5f), 1e-6);
    check(AS_OP_SELU, 2, 3, X3, F32(SHAPE(3), -5.1879883f, 0, 4.5f), 1e-6);
    check(AS_OP_CELU, 2, 0, X3, F32(SHAPE(3), -1.2642411f, 0, 1.5f), 1e-6);
    check(AS_OP_THRESHOLDED_RELU, 1.5f, 0, X3, F32(SHAPE(3), 0, 0, 0), 0);
    check(AS_OP_THRESHOLDED_RELU, 1, 0, X3, F32(SHAPE(3), 0, 0, 1.5f), 0);
    check(AS_OP_SIGMOID, 0, 0, X3, F32(SHAPE(3), 0.11920292f, 0.5f, 0.81757448f), 1e-7);
    check(AS_OP_HARD_SIGMOID, 0.5f, 0.6f, X3, F32(SHAPE(3), 0, 0.6f, 1), 1e-7);
    check(AS_OP_HARD_SWISH, 0, 0, X3, F32(SHAPE(3), -1 / 3.0f, 0, 1.125f), 1e-6);
    check(AS_OP_MISH, 0, 0, X3, F32(SHAPE(3), -0.25250148f, 0, 1.40337773f), 1e-6);
    check(AS_OP_SOFTPLUS, 0, 0, X3, F32(SHAPE(3), 0.12692801f, 0.69314718f, 1.70141328f), 1e-6);
    check(AS_OP_SOFTSIGN, 0, 0, X3, F32(SHAPE(3), -2 / 3.0f, 0, 0.6f), 1e-6);
    check(AS_OP_GELU, 0, 0, X3, F32(SHAPE(3), -0.04550026f, 0, 1.39978919f), 1e-6);
}

static void gelus_tanh_form_is_another(void **state)
{
    (void)state;
    one_op t = start(AS_OP_GELU);
    t.attributes->gelu.is_tanh = true;
    give(&t, X3);
    run(&t, 1);
    expect_near(&t, 0, F32(SHAPE(3), -0.04540229f, 0, 1.39957217f), 1e-6);
    stop(&t);
}

static void large_inputs_neither_overflow_nor_vanish(void **state)
{
    (void)state;
    const as_array x = F32(SHAPE(2), -200, 200);
    check(AS_OP_SOFTPLUS, 0, 0, x, F32(SHAPE(2), 0, 200), 1e-6);
    check(AS_OP_SIGMOID, 0, 0, x, F32(SHAPE(2), 0, 1), 1e-6);
    check(AS_OP_MISH, 0, 0, x, F32(SHAPE(2), 0, 200), 1e-6);
    check(AS_OP_GELU, 0, 0, x, F32(SHAPE(2), 0, 200), 1e-6);
}

static void halves_are_rounded_to_even(void **state)
{
    (void)state;
    check(AS_OP_ROUND, 0, 0, F32(SHAPE(6), 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 0.9f),
          F32(SHAPE(6), 0, 2, 2, -0.0f, -2, 1), 0);
}

static void nan_goes_through_and_zero_keeps_its_sign(void **state)
{
    (void)state;
    static const as_op ops[] = {
        AS_OP_RELU,     AS_OP_LEAKY_RELU, AS_OP_ELU,          AS_OP_SELU,       AS_OP_CELU,
        AS_OP_SIGMOID,  AS_OP_TANH,       AS_OP_HARD_SIGMOID, AS_OP_HARD_SWISH, AS_OP_MISH,
        AS_OP_SOFTPLUS, AS_OP_GELU,       AS_OP_ERF};
    for (size_t i = 0; i < AS_COUNT_OF(ops); i++) {
        one_op t = start(ops[i]);
        give(&t, F32(SHAPE(1), NAN));
        run(&t, 1);
        assert_int_equal(t.code, ASSAY_OK);
        assert_true(isnan(((float *)t.out[0].data)[0]));
        stop(&t);
    }
    /* ... but what is not above the threshold is 0 */
    check(AS_OP_THRESHOLDED_RELU, 1, 0, F32(SHAPE(1), NAN), F32(SHAPE(1), 0), 0);
    check(AS_OP_NEG, 0, 0, F32(SHAPE(2), 0, -0.0f), F32(SHAPE(2), -0.0f, 0), 0);
    check(AS_OP_RELU, 0, 0, F32(SHAPE(1), -0.0f), F32(SHAPE(1), -0.0f), 0);
    check(AS_OP_RECIPROCAL, 0, 0, F32(SHAPE(2), -0.0f, 4), F32(SHAPE(2), -INFINITY, 0.25f), 0);
}

static void integers_wrap(void **state)
{
    (void)state;
    check(AS_OP_NEG, 0, 0, I32(SHAPE(3), INT32_MIN, 5, 0), I32(SHAPE(3), INT32_MIN, -5, 0), 0);
    check(AS_OP_ABS, 0, 0, I64(SHAPE(3), INT64_MIN, -5, 7), I64(SHAPE(3), INT64_MIN, 5, 7), 0);
    check(AS_OP_RELU, 0, 0, I32(SHAPE(2), -3, 3), I32(SHAPE(2), 0, 3), 0);
}

static void not_turns_bools(void **state)
{
    (void)state;
    check(AS_OP_NOT, 0, 0, BOOL(SHAPE(2), 0, 1), BOOL(SHAPE(2), 1, 0), 0);
}

static void a_type_that_the_operator_has_not_is_refused(void **state)
{
    (void)state;
    one_op t = start(AS_OP_SQRT);
    give(&t, I64(SHAPE(1), 4));
    run(&t, 1);
    expect_failure(&t, ASSAY_E_UNSUPPORTED, "its input 0 is i64, assay runs Sqrt");
    stop(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(activations_are_as_specified),
        cmocka_unit_test(gelus_tanh_form_is_another),
        cmocka_unit_test(large_inputs_neither_overflow_nor_vanish),
        cmocka_unit_test(halves_are_rounded_to_even),
        cmocka_unit_test(nan_goes_through_and_zero_keeps_its_sign),
        cmocka_unit_test(integers_wrap),
        cmocka_unit_test(not_turns_bools),
        cmocka_unit_test(a_type_that_the_operator_has_not_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
