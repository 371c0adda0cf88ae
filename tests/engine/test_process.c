/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Engines behind adapters, with toy_adapter.py: one that works, and every way in which one can be
 * broken.  Engines that people use need what tools/engines makes; test_engines does those.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "engine/adapter.h"
#include "engine/engine.h"

#define ADAPTER(MODE) "t=toy,threads=1,adapter=python3 engine/toy_adapter.py " MODE

static char model[64];

static int make_model(void **state)
{
    (void)state;
    strcpy(model, P_tmpdir "/assay-toy-XXXXXX");
    int fd = mkstemp(model);
    if (fd < 0) return -1;
    FILE *file = fdopen(fd, "w");
    fputs("0.25 and so on\n", file);
    return fclose(file);
}

static int remove_model(void **state)
{
    (void)state;
    return remove(model);
}

static as_engine *open_engine(const char *text, as_policy *policy)
{
    as_engine *engine;
    assay_error err = {0};
    if (as_policy_parse(text, policy, &err)) fail_msg("%s", err.message);
    if (as_engine_open(policy, model, &engine, &err)) fail_msg("%s", err.message);
    return engine;
}

/* Open and forward 1x3x2x2; the sentence has to hold `words`. */
static void assert_fails(const char *text, assay_code expected, const char *words)
{
    static const float x[12] = {0};
    const float *map;
    as_shape4 shape;
    as_policy policy;
    as_engine *engine = NULL;
    assay_error err = {0};
    assay_code code = as_policy_parse(text, &policy, &err);
    if (!code) code = as_engine_open(&policy, model, &engine, &err);
    if (!code) code = as_engine_forward(engine, x, (as_shape4){1, 3, 2, 2}, &map, &shape, &err);
    as_engine_close(engine);
    as_policy_free(&policy);
    if (code != expected) fail_msg("%s: code %d, '%s'", text, code, err.message);
    if (!strstr(err.message, words)) fail_msg("'%s' lacks '%s'", err.message, words);
}

static void a_toy_engine_maps_what_it_was_loaded_with(void **state)
{
    (void)state;
    static const float x[24] = {2};
    const float *map;
    as_shape4 shape;
    as_policy policy;
    assay_error err = {0};
    as_engine *engine = open_engine(ADAPTER("good") ",option.add=0.5", &policy);
    if (as_engine_forward(engine, x, (as_shape4){2, 3, 2, 2}, &map, &shape, &err))
        fail_msg("%s", err.message);
    assert_true(shape.n == 2 && shape.c == 1 && shape.h == 2 && shape.w == 2);
    for (size_t i = 0; i < 8; i++)
        assert_true(map[i] == 2.75F);
    as_engine_facts facts;
    as_engine_describe(engine, &facts);
    assert_string_equal(facts.engine, "toy");
    assert_string_equal(facts.version, "7");
    assert_string_equal(facts.device, "cpu");
    assert_string_equal(facts.dtype, "float32");
    assert_string_equal(facts.flags, "add=0.5");
    assert_int_equal(facts.threads, 1);
    assert_int_equal(facts.n_loads, 1);
    assert_int_equal(facts.n_forwards, 1);
    assert_true(as_engine_process(engine) > 0);
    as_engine_close(engine);
    as_policy_free(&policy);
}

static void its_memory_grows_with_the_shapes_and_survives_cleanup(void **state)
{
    (void)state;
    as_policy policy;
    assay_error err = {0};
    as_engine *engine = open_engine(ADAPTER("good"), &policy);
    for (size_t side = 1; side < 2000; side = side * 7 + 1) {
        float *x;
        const float *map;
        as_shape4 shape, in = {1, 3, side, side};
        assert_int_equal(as_engine_input(engine, 3 * side * side, &x, &err), ASSAY_OK);
        assert_non_null(x);
        x[0] = (float)side;
        if (as_engine_forward(engine, x, in, &map, &shape, &err)) fail_msg("%s", err.message);
        assert_int_equal(shape.w, side);
        assert_true(map[0] == (float)side + 0.25F);
        assert_true(map[side * side - 1] == (float)side + 0.25F);
        if (side == 8) as_engine_cleanup(engine);
    }
    as_engine_close(engine);
    as_policy_free(&policy);
}

static void a_part_of_its_memory_is_forwarded_where_it_is(void **state)
{
    (void)state;
    float *x;
    const float *map;
    as_shape4 shape;
    as_policy policy;
    as_engine *engine = open_engine(ADAPTER("good"), &policy);
    assert_int_equal(as_engine_input(engine, 36, &x, NULL), ASSAY_OK);
    for (int i = 0; i < 3; i++)
        x[(size_t)i * 12] = (float)i;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(as_engine_forward(engine, x + (size_t)i * 12, (as_shape4){1, 3, 2, 2},
                                           &map, &shape, NULL),
                         ASSAY_OK);
        assert_true(map[3] == (float)i + 0.25F);
    }
    as_engine_close(engine);
    as_policy_free(&policy);
}

static void runs_are_timed_by_the_adapter(void **state)
{
    (void)state;
    static const float x[12] = {0};
    int64_t ns[5] = {0};
    as_policy policy;
    as_engine_facts facts;
    as_engine *engine = open_engine(ADAPTER("good"), &policy);
    assert_int_equal(as_engine_time(engine, x, (as_shape4){1, 3, 2, 2}, 5, ns, NULL), ASSAY_OK);
    for (int i = 0; i < 5; i++)
        assert_true(ns[i] > 0);
    as_engine_describe(engine, &facts);
    assert_int_equal(facts.n_forwards, 5);
    as_engine_close(engine);
    as_policy_free(&policy);
}

/* Forward twice with a trace; the code of the second. */
static assay_code forward_traced(const char *mode, as_trace **trace, assay_error *err)
{
    static const float x[12] = {0};
    const float *map;
    as_shape4 shape;
    as_policy policy;
    char text[128];
    snprintf(text, sizeof text, "%s%s", ADAPTER(""), mode);
    as_engine *engine = open_engine(text, &policy);
    assert_int_equal(as_engine_forward(engine, x, (as_shape4){1, 3, 2, 2}, &map, &shape, NULL),
                     ASSAY_OK);
    assert_int_equal(as_trace_new(trace, NULL), ASSAY_OK);
    as_engine_trace(engine, *trace);
    assay_code code = as_engine_forward(engine, x, (as_shape4){1, 3, 2, 2}, &map, &shape, err);
    if (!code) assert_true(shape.h == 2 && map[3] == 0.25F);
    as_engine_trace(engine, NULL);
    as_engine_close(engine);
    as_policy_free(&policy);
    return code;
}

static void an_adapter_tells_its_operators(void **state)
{
    (void)state;
    as_trace *trace;
    assay_error err = {0};
    if (forward_traced("traces", &trace, &err)) fail_msg("%s", err.message);
    assert_true(trace->tells_operators);
    assert_int_equal(trace->n_forwards, 1);
    assert_int_equal(trace->n_operators, 2);
    assert_string_equal(trace->operators[0].op, "toy::outer");
    assert_string_equal(trace->operators[0].shape, "[1, 3, 2, 2]");
    assert_string_equal(trace->operators[1].route, "fast");
    assert_true(trace->spans[0].self_ns == 1000 && trace->spans[1].self_ns == 4000);
    assert_int_equal(trace->spans[1].begin_ns - trace->spans[0].begin_ns, 500);
    as_trace_free(trace);
}

static void an_adapter_that_tells_no_operators_is_traced_as_a_whole(void **state)
{
    (void)state;
    as_trace *trace;
    assert_int_equal(forward_traced("good", &trace, NULL), ASSAY_OK);
    assert_false(trace->tells_operators);
    assert_int_equal(trace->n_operators, 0);
    assert_int_equal(trace->n_forwards, 1);
    assert_true(trace->forwards[0].elapsed_ns > 0 && trace->forwards[0].h == 2);
    as_trace_free(trace);
}

static void operators_that_cannot_be_are_the_adapters_fault(void **state)
{
    (void)state;
    as_trace *trace;
    assay_error err = {0};
    assert_int_equal(forward_traced("badtrace", &trace, &err), ASSAY_E_CHILD);
    assert_non_null(strstr(err.message, "the adapter of toy: a trace's operators[1]"));
    as_trace_free(trace);
}

static void each_broken_adapter_has_its_sentence(void **state)
{
    (void)state;
    assert_fails(ADAPTER("crash"), ASSAY_E_CHILD,
                 "ended when it was asked to forward: signal 11");
    assert_fails(ADAPTER("exit"), ASSAY_E_CHILD,
                 "ended when it was asked to forward: exit status 3");
    assert_fails(ADAPTER("nonsense"), ASSAY_E_CHILD, "wrote 'good morning', a JSON object is");
    assert_fails(ADAPTER("protocol"), ASSAY_E_CHILD, "speaks protocol 2, 1 is needed");
    assert_fails(ADAPTER("name"), ASSAY_E_CHILD, "says that it is 'other'");
    assert_fails(ADAPTER("short"), ASSAY_E_CHILD, "the output has 4 bytes, its shape needs 16");
    assert_fails(ADAPTER("rank"), ASSAY_E_UNSUPPORTED, "output of shape [1,1,1,1,1]");
    assert_fails(ADAPTER("small"), ASSAY_E_CHILD,
                 "made its output 0 bytes long, its shape needs 16");
    assert_fails(ADAPTER("shrink"), ASSAY_E_CHILD, "it does not shrink");
    assert_fails(ADAPTER("good") ",option.colour=red", ASSAY_E_ARGUMENT,
                 "option.colour is unknown");
    assert_fails(ADAPTER("good") ",option.add=red", ASSAY_E_ARGUMENT, "could not convert");
}

static void an_adapter_that_hangs_is_ended(void **state)
{
    (void)state;
    static const float x[12] = {0};
    const float *map;
    as_shape4 shape;
    as_policy policy;
    assay_error err = {0};
    as_engine *engine = open_engine(ADAPTER("hang"), &policy);
    setenv("ASSAY_ADAPTER_SECONDS", "0.2", 1);
    assay_code code = as_engine_forward(engine, x, (as_shape4){1, 3, 2, 2}, &map, &shape, &err);
    unsetenv("ASSAY_ADAPTER_SECONDS");
    assert_int_equal(code, ASSAY_E_CHILD);
    assert_non_null(strstr(err.message, "hung: no reply to forward within 0.2 s"));
    assert_int_equal(as_engine_process(engine), 0);
    as_engine_close(engine);
    as_policy_free(&policy);
}

static void a_time_of_nothing_is_not_believed(void **state)
{
    (void)state;
    static const float x[12] = {0};
    int64_t ns[1];
    as_policy policy;
    assay_error err = {0};
    as_engine *engine = open_engine(ADAPTER("timeless"), &policy);
    assert_int_equal(as_engine_time(engine, x, (as_shape4){1, 3, 2, 2}, 1, ns, &err),
                     ASSAY_E_CHILD);
    assert_non_null(strstr(err.message, "all above 0 are needed"));
    as_engine_close(engine);
    as_policy_free(&policy);
}

static void what_is_gone_stays_gone_and_says_nothing_of_itself(void **state)
{
    (void)state;
    static const float x[12] = {0};
    const float *map;
    as_shape4 shape;
    as_policy policy;
    as_engine_facts facts;
    assay_error err = {0};
    as_engine *engine = open_engine(ADAPTER("exit"), &policy);
    for (int i = 0; i < 2; i++)
        assert_int_equal(
            as_engine_forward(engine, x, (as_shape4){1, 3, 2, 2}, &map, &shape, &err),
            ASSAY_E_CHILD);
    assert_non_null(strstr(err.message, "is gone"));
    as_engine_cleanup(engine);
    as_engine_describe(engine, &facts);
    assert_string_equal(facts.device, "");
    assert_int_equal(as_engine_process(engine), 0);
    as_engine_close(engine);
    as_policy_free(&policy);
}

static void a_missing_engine_names_what_installs_it(void **state)
{
    (void)state;
    setenv("ASSAY_ADAPTERS", "../adapters", 1);
    assert_fails("t=warp", ASSAY_E_ENVIRONMENT, "engine 'warp', which is not here");
    assert_fails("t=mnn,python=/no/such/python", ASSAY_E_ENVIRONMENT,
                 "/no/such/python does not");
    assert_fails("t=toy,adapter=no-such-program", ASSAY_E_CHILD, "exit status 127");
    assert_fails(ADAPTER("missing"), ASSAY_E_ENVIRONMENT, "'tools/engines toy' installs it");
    char folder[] = P_tmpdir "/assay-adapters-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char *script = as_path_join(folder, "paper.py");
    assert_int_equal(as_file_write(script, "", 0, NULL), ASSAY_OK);
    setenv("ASSAY_ADAPTERS", folder, 1);
    assert_fails("t=paper", ASSAY_E_ENVIRONMENT, "'tools/engines paper' does it");
    unsetenv("ASSAY_ADAPTERS");
    as_free(script);
    assert_int_equal(as_path_remove(folder, NULL), ASSAY_OK);
}

static void a_missing_model_is_said_before_the_adapter_is_asked(void **state)
{
    (void)state;
    as_policy policy;
    as_engine *engine;
    assay_error err = {0};
    assert_int_equal(as_policy_parse(ADAPTER("good"), &policy, NULL), ASSAY_OK);
    assert_int_equal(as_engine_open(&policy, "no-such-file.onnx", &engine, &err),
                     ASSAY_E_NOT_FOUND);
    assert_null(engine);
    as_policy_free(&policy);
}

static void the_files_of_an_adapter_are_its_words_or_its_scripts(void **state)
{
    (void)state;
    as_policy policy;
    as_names names;
    assert_int_equal(as_policy_parse(ADAPTER("good"), &policy, NULL), ASSAY_OK);
    assert_int_equal(as_adapter_files(&policy, &names, NULL), ASSAY_OK);
    assert_int_equal(names.n, 1);
    assert_string_equal(names.items[0], "engine/toy_adapter.py");
    as_names_free(&names);
    as_policy_free(&policy);
    setenv("ASSAY_ADAPTERS", "../adapters", 1);
    assert_int_equal(as_policy_parse("t=mnn,python=python3", &policy, NULL), ASSAY_OK);
    assert_int_equal(as_adapter_files(&policy, &names, NULL), ASSAY_OK);
    assert_int_equal(names.n, 2);
    assert_string_equal(names.items[0], "../adapters/mnn.py");
    assert_string_equal(names.items[1], "../adapters/protocol.py");
    as_names_free(&names);
    as_policy_free(&policy);
    assert_int_equal(as_policy_parse("t=torch,python=python3", &policy, NULL), ASSAY_OK);
    assert_int_equal(as_adapter_files(&policy, &names, NULL), ASSAY_OK);
    assert_int_equal(names.n, 5);
    assert_string_equal(names.items[1], "../adapters/torch.py");
    assert_string_equal(names.items[4], "../adapters/torch_windows.py");
    as_names_free(&names);
    as_policy_free(&policy);
    unsetenv("ASSAY_ADAPTERS");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_toy_engine_maps_what_it_was_loaded_with),
        cmocka_unit_test(its_memory_grows_with_the_shapes_and_survives_cleanup),
        cmocka_unit_test(a_part_of_its_memory_is_forwarded_where_it_is),
        cmocka_unit_test(runs_are_timed_by_the_adapter),
        cmocka_unit_test(an_adapter_tells_its_operators),
        cmocka_unit_test(an_adapter_that_tells_no_operators_is_traced_as_a_whole),
        cmocka_unit_test(operators_that_cannot_be_are_the_adapters_fault),
        cmocka_unit_test(each_broken_adapter_has_its_sentence),
        cmocka_unit_test(an_adapter_that_hangs_is_ended),
        cmocka_unit_test(a_time_of_nothing_is_not_believed),
        cmocka_unit_test(what_is_gone_stays_gone_and_says_nothing_of_itself),
        cmocka_unit_test(a_missing_engine_names_what_installs_it),
        cmocka_unit_test(a_missing_model_is_said_before_the_adapter_is_asked),
        cmocka_unit_test(the_files_of_an_adapter_are_its_words_or_its_scripts),
    };
    return cmocka_run_group_tests(tests, make_model, remove_model);
}
