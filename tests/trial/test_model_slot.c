/* SPDX-License-Identifier: Apache-2.0 */
/* Latencies of a small network, in this process and in fresh ones; assay's path is the argument. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "trial/model_slot.h"

#define MODEL "data/digits.onnx"

enum { MODELS = 3, ROUNDS = 2, REPEATS = 7 };

static const char *assay;

static const char *const paths[MODELS] = {MODEL, MODEL, MODEL};
static const as_latency_protocol protocol = {
    .n_warm_up = 3, .n_rounds = ROUNDS, .n_repeats = REPEATS, .seed = 1};

static as_latency_models models(void)
{
    return (as_latency_models){
        .paths = paths, .n = MODELS, .shape = {1, 1, 8, 8}, .policy = "ours=native,threads=1"};
}

static void every_call_of_every_network_is_timed(void **state)
{
    (void)state;
    const as_latency_models m = models();
    double us[MODELS][ROUNDS][REPEATS];
    assay_error err = {0};
    memset(us, 0, sizeof us);
    if (as_models_measure(&m, &protocol, &us[0][0][0], &err)) fail_msg("%s", err.message);
    for (int i = 0; i < MODELS; i++)
        for (int round = 0; round < ROUNDS; round++)
            for (int call = 0; call < REPEATS; call++)
                assert_true(us[i][round][call] > 0);
}

static bool always(void *context)
{
    (void)context;
    return true;
}

static void a_stop_ends_the_measurement(void **state)
{
    (void)state;
    as_latency_models m = models();
    double us[MODELS * ROUNDS * REPEATS];
    assay_error err = {0};
    m.stop = always;
    assert_int_equal(as_models_measure(&m, &protocol, us, &err), ASSAY_E_INTERRUPTED);
}

static void a_shape_that_does_not_fit_is_told(void **state)
{
    (void)state;
    as_latency_models m = models();
    double us[MODELS * ROUNDS * REPEATS];
    assay_error err = {0};
    m.shape.c = 5;
    assert_int_not_equal(as_models_measure(&m, &protocol, us, &err), ASSAY_OK);
    assert_true(err.message[0]);
}

static void a_fresh_process_tells_its_median_and_engine(void **state)
{
    (void)state;
    const as_latency_models m = models();
    const char *const argv[] = {assay, "worker", NULL};
    as_model_slot slot;
    assay_error err = {0};
    if (as_model_slot_run(&m, 1, &protocol, argv, &slot, &err)) fail_msg("%s", err.message);
    assert_true(slot.least_us > 0 && slot.least_us <= slot.median_us);
    assert_true(slot.total_s > 0 && slot.noise.wall_s > 0);
    assert_string_equal(slot.engine, "native");
    assert_int_equal(slot.threads, 1);
}

static void slot_fails(as_latency_models m, const char *const *argv, assay_code code,
                       const char *words)
{
    as_model_slot slot;
    assay_error err = {0};
    assert_int_equal(as_model_slot_run(&m, 0, &protocol, argv, &slot, &err), code);
    if (!strstr(err.message, words)) fail_msg("'%s' lacks '%s'", err.message, words);
}

static void a_process_that_fails_is_told_by_its_code(void **state)
{
    (void)state;
    const char *const argv[] = {assay, "worker", NULL};
    static const char *const none[] = {"no-such.onnx"};
    as_latency_models m = models();
    m.paths = none;
    slot_fails(m, argv, ASSAY_E_NOT_FOUND, "no-such.onnx");
    m = models();
    m.policy = "x=nobody";
    slot_fails(m, argv, ASSAY_E_ENVIRONMENT, "nobody");
    m = models();
    m.shape.h = 0;
    slot_fails(m, argv, ASSAY_E_ARGUMENT, "8");
}

static void a_process_that_breaks_is_told(void **state)
{
    (void)state;
    slot_fails(models(), (const char *const[]){"/bin/false", NULL}, ASSAY_E_CHILD,
               "exit status 1");
    slot_fails(models(), (const char *const[]){"/bin/echo", NULL}, ASSAY_E_CHILD,
               "told no time: --model");
    slot_fails(models(), (const char *const[]){"/bin/echo", "{}", NULL}, ASSAY_E_CHILD,
               "told no time");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_of_every_network_is_timed),
        cmocka_unit_test(a_stop_ends_the_measurement),
        cmocka_unit_test(a_shape_that_does_not_fit_is_told),
        cmocka_unit_test(a_fresh_process_tells_its_median_and_engine),
        cmocka_unit_test(a_process_that_fails_is_told_by_its_code),
        cmocka_unit_test(a_process_that_breaks_is_told),
    };
    if (argc != 2) return 2;
    assay = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
