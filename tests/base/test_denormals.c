/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/denormals.h"

/* Through memory, so that the sums are done while the test runs. */
static volatile float least = 0x1p-126f, half = 0.5f, one = 1.0f, tiny = 0x1p-130f;

static void results_and_operands_become_zeros_of_their_sign(void **state)
{
    (void)state;
    const unsigned saved = as_denormals_flush();
    const float result = least * half, negative = -least * half;
    const float operand = tiny * one, sum = tiny + tiny;
    as_denormals_restore(saved);
    assert_true(result == 0.0f && !signbit(result));
    assert_true(negative == 0.0f && signbit(negative));
    assert_true(operand == 0.0f);
    assert_true(sum == 0.0f);
}

static void restoring_brings_denormals_back(void **state)
{
    (void)state;
    as_denormals_restore(as_denormals_flush());
    const float result = least * half, operand = tiny * one;
    assert_true(result == 0x1p-127f);
    assert_true(operand == 0x1p-130f);
}

static void an_inner_pair_leaves_the_outer_mode(void **state)
{
    (void)state;
    const unsigned outer = as_denormals_flush();
    as_denormals_restore(as_denormals_flush());
    const float result = least * half;
    as_denormals_restore(outer);
    assert_true(result == 0.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_and_operands_become_zeros_of_their_sign),
        cmocka_unit_test(restoring_brings_denormals_back),
        cmocka_unit_test(an_inner_pair_leaves_the_outer_mode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
