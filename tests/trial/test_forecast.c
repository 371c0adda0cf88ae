/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "trial/forecast.h"

#define MODEL "data/tiny_detector.onnx" /* the toy only opens it */

/* 3 calls of 2048, 16384 and 4096 pixels: their mean is 7509, so the last one is the middle. */
static as_call_row calls[] = {
    {.shape = {2, 3, 32, 32}},
    {.shape = {8, 3, 32, 64}},
    {.shape = {4, 3, 32, 32}},
};
static const as_replay replay = {.calls = calls, .n_calls = 3};

/* Forecast under `text`. @return the forward passes that it took. */
static size_t forecast(const char *text, as_forecast *out)
{
    as_policy policy;
    as_engine *engine;
    as_engine_facts facts;
    assay_error err = {0};
    if (as_policy_parse(text, &policy, &err)) fail_msg("%s", err.message);
    if (as_engine_open(&policy, MODEL, &engine, &err)) fail_msg("%s", err.message);
    if (as_forecast_policy(engine, 0.5, &policy, &replay, out, &err))
        fail_msg("%s", err.message);
    as_engine_describe(engine, &facts);
    as_engine_close(engine);
    as_policy_free(&policy);
    return facts.n_forwards;
}

static void the_middle_call_runs_twice_as_the_policy_has_it(void **state)
{
    (void)state;
    as_forecast f;
    assert_int_equal(forecast("t=toy,adapter=python3 engine/toy_adapter.py good", &f), 2);
    assert_int_equal(forecast("t=toy,adapter=python3 engine/toy_adapter.py good,split-at=4,"
                              "split-to=3",
                              &f),
                     4);
    assert_int_equal(forecast("t=toy,adapter=python3 engine/toy_adapter.py good,bucket=64", &f),
                     2);
}

static void the_rest_costs_as_much_a_pixel(void **state)
{
    (void)state;
    as_forecast f;
    forecast("t=toy,adapter=python3 engine/toy_adapter.py good", &f);
    assert_true(f.load_s == 0.5 && f.call_s > 0);
    assert_float_equal(f.pass_s / f.call_s, (2048 + 16384 + 4096) / 4096.0, 1e-6);
    assert_true(f.smoke_s == f.pass_s); /* there are fewer calls than the smoke phase has */
}

static void a_run_is_its_slots(void **state)
{
    (void)state;
    as_forecast f = {.load_s = 2, .call_s = 1, .smoke_s = 10, .pass_s = 100};
    assert_float_equal(as_forecast_run(&f, 3, 1), 2 + 10 + 2 + 1 + 3 * 102, 1e-9);
    assert_float_equal(as_forecast_run(&f, 2, 5), 2 + 10 + 2 + 1 + 2 * 502, 1e-9);
}

static void an_engine_that_fails_says_so(void **state)
{
    (void)state;
    as_forecast f;
    as_policy policy;
    as_engine *engine;
    assay_error err = {0};
    assert_int_equal(
        as_policy_parse("t=toy,adapter=python3 engine/toy_adapter.py exit", &policy, NULL),
        ASSAY_OK);
    assert_int_equal(as_engine_open(&policy, MODEL, &engine, NULL), ASSAY_OK);
    assert_int_equal(as_forecast_policy(engine, 0, &policy, &replay, &f, &err), ASSAY_E_CHILD);
    as_engine_close(engine);
    as_policy_free(&policy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_middle_call_runs_twice_as_the_policy_has_it),
        cmocka_unit_test(the_rest_costs_as_much_a_pixel),
        cmocka_unit_test(a_run_is_its_slots),
        cmocka_unit_test(an_engine_that_fails_says_so),
    };
    return cmocka_run_group_tests_name("forecast", tests, NULL, NULL);
}
