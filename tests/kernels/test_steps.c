/* SPDX-License-Identifier: Apache-2.0 */
/* The errors that simd/math.h states, and the small functions of kernels.h. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/denormals.h"
#include "kernels/ref/ref.h"

static float step(as_step_kind kind, float x)
{
    const as_epilogue e = {1, {{.kind = kind}}};
    return as_ref_steps(&e, x, 0, 0, 0, 0);
}

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double gelu(double x) { return 0.5 * x * erfc(-x / sqrt(2)); }

/* Largest |got - want| / (relative |want| + absolute) over x in [low, high]. */
static double worst(as_step_kind kind, double (*want)(double), double low, double high,
                    double relative, double absolute)
{
    const int n = 400000;
    double top = 0;
    for (int i = 0; i <= n; i++) {
        const float x = (float)(low + (high - low) * i / n);
        const double w = want((double)x);
        const double error = fabs((double)step(kind, x) - w) / (relative * fabs(w) + absolute);
        if (!(error <= top)) top = error; /* a NaN counts as worst */
    }
    return top;
}

static void exp_is_within_2e_7_of_its_value(void **state)
{
    (void)state;
    assert_true(worst(AS_STEP_EXP, exp, -86.9, 88.7, 2e-7, 0) <= 1);
    assert_true(step(AS_STEP_EXP, 89.0f) == INFINITY);
    assert_true(step(AS_STEP_EXP, INFINITY) == INFINITY);
    assert_true(step(AS_STEP_EXP, -INFINITY) == 0.0f);
    assert_true(step(AS_STEP_EXP, -88.0f) == 0.0f);
    assert_true(isnan(step(AS_STEP_EXP, NAN)));
}

static void erf_is_within_4e_7_of_its_value_and_ends_at_one(void **state)
{
    (void)state;
    assert_true(worst(AS_STEP_ERF, erf, -6, 6, 4e-7, 1e-30) <= 1);
    assert_true(step(AS_STEP_ERF, 4.0f) == 1.0f);
    assert_true(step(AS_STEP_ERF, 100.0f) == 1.0f);
    assert_true(step(AS_STEP_ERF, -INFINITY) == -1.0f);
    assert_true(isnan(step(AS_STEP_ERF, NAN)));
}

static void gelu_is_within_2e_7_of_its_value_and_ends_at_zero_and_x(void **state)
{
    (void)state;
    assert_true(worst(AS_STEP_GELU, gelu, -1, 1, 0, 2e-7) <= 1);
    assert_true(worst(AS_STEP_GELU, gelu, 1, 30, 2e-7, 0) <= 1);
    for (float x = -1.0f; x > -40.0f; x -= 0.0001f)
        assert_true(fabs((double)step(AS_STEP_GELU, x) - gelu((double)x)) <=
                    2e-7 * fabs((double)x));
    assert_true(step(AS_STEP_GELU, -5.6f) == 0.0f && step(AS_STEP_GELU, -1000.0f) == 0.0f);
    assert_true(step(AS_STEP_GELU, 5.6f) == 5.6f && step(AS_STEP_GELU, 1000.0f) == 1000.0f);
    assert_true(step(AS_STEP_GELU, -INFINITY) == 0.0f);
    assert_true(step(AS_STEP_GELU, INFINITY) == INFINITY);
    assert_true(isnan(step(AS_STEP_GELU, NAN)));
}

static void sigmoid_is_within_4e_7_of_its_value(void **state)
{
    (void)state;
    assert_true(worst(AS_STEP_SIGMOID, sigmoid, -86, 40, 4e-7, 0) <= 1);
    assert_true(step(AS_STEP_SIGMOID, -200.0f) == 0.0f);
    assert_true(step(AS_STEP_SIGMOID, 200.0f) == 1.0f);
}

static void tanh_is_within_5e_7_of_its_value(void **state)
{
    (void)state;
    assert_true(worst(AS_STEP_TANH, tanh, -20, 20, 5e-7, 1e-30) <= 1);
    assert_true(step(AS_STEP_TANH, -INFINITY) == -1.0f);
    assert_true(step(AS_STEP_TANH, 0.0f) == 0.0f);
}

static void simple_steps_are_what_their_names_say(void **state)
{
    (void)state;
    assert_true(step(AS_STEP_RELU, -2.0f) == 0.0f && step(AS_STEP_RELU, 2.0f) == 2.0f);
    assert_true(step(AS_STEP_HARD_SWISH, 3.0f) == 3.0f &&
                step(AS_STEP_HARD_SWISH, -3.0f) == 0.0f);
    const as_epilogue e = {3,
                           {{.kind = AS_STEP_LEAKY, .a = 0.5f},
                            {.kind = AS_STEP_RDIV, .operand = AS_OPERAND_SCALAR, .a = 6.0f},
                            {.kind = AS_STEP_CLIP, .a = -1.0f, .b = 1.0f}}};
    assert_true(as_ref_steps(&e, -24.0f, 0, 0, 0, 0) == -0.5f);
    assert_true(as_ref_steps(&e, 4.0f, 0, 0, 0, 0) == 1.0f);
    assert_true(isnan(step(AS_STEP_RELU, NAN)));
}

static void every_isa_has_every_route_under_one_name(void **state)
{
    (void)state;
    const as_kernels *scalar = as_kernels_get(AS_ISA_SCALAR);
    for (as_isa isa = 0; isa < AS_ISA_N; isa++) {
        const as_kernels *k = as_kernels_get(isa);
        if (!k) { /* an ISA of another architecture */
            assert_false(as_isa_available(isa));
            continue;
        }
        assert_int_equal(k->isa, isa);
        assert_int_equal(k->n_conv, scalar->n_conv);
        for (size_t i = 0; i < scalar->n_conv; i++)
            assert_non_null(as_route_find(k->conv, k->n_conv, scalar->conv[i].name));
        assert_int_equal(k->n_lines, scalar->n_lines);
        assert_non_null(as_route_find(k->deconv, k->n_deconv, "gather"));
        assert_null(as_route_find(k->conv, k->n_conv, "magic"));
    }
    assert_null(as_kernels_get(AS_ISA_N));
}

static void routes_propose_themselves_for_what_they_can_do(void **state)
{
    (void)state;
    const as_kernels *k = as_kernels_get(AS_ISA_SCALAR);
    as_conv_shape s = {.n = 1,
                       .ih = 4,
                       .iw = 4,
                       .ic = 6,
                       .oh = 4,
                       .ow = 4,
                       .oc = 6,
                       .kh = 1,
                       .kw = 1,
                       .sh = 1,
                       .sw = 1,
                       .dh = 1,
                       .dw = 1,
                       .group = 6};
    assert_true(as_route_find(k->conv, k->n_conv, "depthwise")->proposes(&s));
    assert_false(as_route_find(k->conv, k->n_conv, "gemm")->proposes(&s));
    assert_true(as_route_find(k->conv, k->n_conv, "direct")->proposes(&s));
    s.oc = 12; /* two outputs a channel */
    assert_false(as_route_find(k->conv, k->n_conv, "depthwise")->proposes(&s));
    s.group = 1;
    assert_true(as_route_find(k->conv, k->n_conv, "gemm")->proposes(&s));
}

static void every_step_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (as_step_kind a = 0; a < AS_STEP_N; a++) {
        assert_non_null(as_step_name(a));
        for (as_step_kind b = 0; b < a; b++)
            assert_string_not_equal(as_step_name(a), as_step_name(b));
    }
}

static void nearest_maps_repeat_and_skip(void **state)
{
    (void)state;
    uint32_t map[7];
    const uint32_t twice[6] = {0, 0, 1, 1, 2, 2}, half[2] = {0, 2},
                   odd[7] = {0, 0, 0, 1, 1, 2, 2};
    as_nearest_map(map, 3, 6);
    assert_memory_equal(map, twice, sizeof twice);
    as_nearest_map(map, 4, 2);
    assert_memory_equal(map, half, sizeof half);
    as_nearest_map(map, 3, 7);
    assert_memory_equal(map, odd, sizeof odd);
}

static void macs_count_every_tap(void **state)
{
    (void)state;
    const as_conv_shape s = {.n = 2,
                             .ih = 5,
                             .iw = 7,
                             .ic = 6,
                             .oh = 10,
                             .ow = 14,
                             .oc = 4,
                             .kh = 2,
                             .kw = 2,
                             .sh = 2,
                             .sw = 2,
                             .dh = 1,
                             .dw = 1,
                             .group = 2};
    assert_int_equal(as_conv_macs(&s), 2 * 10 * 14 * 4 * 4 * 3);
    assert_int_equal(as_deconv_macs(&s), 2 * 5 * 7 * 6 * 4 * 2);
}

int main(void)
{
    const unsigned saved = as_denormals_flush();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_is_within_2e_7_of_its_value),
        cmocka_unit_test(erf_is_within_4e_7_of_its_value_and_ends_at_one),
        cmocka_unit_test(gelu_is_within_2e_7_of_its_value_and_ends_at_zero_and_x),
        cmocka_unit_test(sigmoid_is_within_4e_7_of_its_value),
        cmocka_unit_test(tanh_is_within_5e_7_of_its_value),
        cmocka_unit_test(simple_steps_are_what_their_names_say),
        cmocka_unit_test(every_isa_has_every_route_under_one_name),
        cmocka_unit_test(routes_propose_themselves_for_what_they_can_do),
        cmocka_unit_test(every_step_has_a_name_of_its_own),
        cmocka_unit_test(nearest_maps_repeat_and_skip),
        cmocka_unit_test(macs_count_every_tap),
    };
    const int n_failed = cmocka_run_group_tests(tests, NULL, NULL);
    as_denormals_restore(saved);
    return n_failed;
}
