/* SPDX-License-Identifier: Apache-2.0 */
/* Both halves of what is said between experiment and worker: jobs, and lines told of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "trial/protocol.h"
#include "trial/yield.h"

static const int first_inputs[] = {1, 0};
static const as_input_row inputs[] = {
    {"a", "regions/a.png", "aa", 0, 1, 31, 17, 32, 64, 0.30000001192092896, 0.6, 1.5, 960,
     "max", ""},
    {"b", "regions/ü \"b\".png", "bb", 0, 2, 33, 19, 32, 64, 0.2, 0.1, 2.0, 736, "min", ""}};
static const as_call_row calls[] = {{"c1", 0, {2, 3, 32, 64}, first_inputs}};
static const as_job job = {.policy_text = "p=native,conv=gemm",
                           .n_cycles = 2,
                           .inputs = inputs,
                           .n_inputs = 2,
                           .calls = calls,
                           .n_calls = 1};

static FILE *file_of(const char *text)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fputs(text, file);
    rewind(file);
    return file;
}

static void a_job_arrives_as_it_was_sent(void **state)
{
    (void)state;
    char *text;
    as_job read;
    assert_int_equal(as_job_write(&job, &text, NULL), ASSAY_OK);
    as_arena *arena = as_arena_new();
    FILE *file = file_of(text);
    assert_int_equal(as_job_read(file, arena, &read, NULL), ASSAY_OK);
    assert_string_equal(read.policy_text, job.policy_text);
    assert_int_equal(read.n_cycles, 2);
    assert_int_equal(read.n_inputs, 2);
    assert_string_equal(read.inputs[1].file, inputs[1].file);
    assert_true(read.inputs[0].thresh == inputs[0].thresh);
    assert_int_equal(read.inputs[1].height_px, 19);
    assert_string_equal(read.inputs[1].limit_type, "min");
    assert_int_equal(read.n_calls, 1);
    assert_memory_equal(&read.calls[0].shape, &calls[0].shape, sizeof calls[0].shape);
    assert_memory_equal(read.calls[0].inputs, first_inputs, sizeof first_inputs);
    fclose(file);
    as_arena_free(arena);
    as_free(text);
}

static void a_bad_job_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "{",
        "[]",
        "{\"policy\":\"p\"}",
        "{\"policy\":\"p\",\"cycles\":0,\"inputs\":[],\"calls\":[]}",
        "{\"policy\":\"p\",\"cycles\":1,\"inputs\":[],\"calls\":[{\"id\":\"c\",\"document\":0,"
        "\"shape\":[1,3,32,32],\"inputs\":[0]}]}",
        "{\"policy\":\"p\",\"cycles\":1,\"inputs\":[],\"calls\":[{\"id\":\"c\",\"document\":0,"
        "\"shape\":[-1,3,32,32],\"inputs\":[]}]}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        as_job read;
        as_arena *arena = as_arena_new();
        FILE *file = file_of(bad[i]);
        assert_int_equal(as_job_read(file, arena, &read, NULL), ASSAY_E_FORMAT);
        fclose(file);
        as_arena_free(arena);
    }
}

/* What a worker writes for a call with scores of every kind. */
static const int64_t many_ns = INT64_C(9007199254740993); /* no double holds it */

static void tell_call(FILE *out, int cycle, const double *scores, int64_t forward_ns,
                      as_clock_fault clock)
{
    as_boxes boxes[2] = {{0}};
    as_call_report report = {.call = {2, 3, 32, 64},
                             .n_pieces = 2,
                             .pieces = {{1, 3, 32, 64}, {1, 3, 64, 64}},
                             .preprocess_ns = 1,
                             .forward_ns = forward_ns,
                             .transfer_ns = 0,
                             .postprocess_ns = 4,
                             .clock = clock,
                             .n_not_finite = 5};
    memset(report.map_sha256, 'f', sizeof report.map_sha256 - 1);
    for (int i = 0; i < 4; i++) {
        as_box box = {.corners = {{INT32_MIN, INT32_MAX}, {2, -3}, {4, 5}, {6, 7}},
                      .score = scores[i]};
        assert_int_equal(as_boxes_add(&boxes[1], &box, NULL), ASSAY_OK);
    }
    assert_int_equal(as_protocol_call(out, cycle, 0, &report, boxes, NULL), ASSAY_OK);
    as_boxes_free(&boxes[1]);
}

static void what_is_told_arrives_bit_for_bit(void **state)
{
    (void)state;
    const double scores[4] = {0.1 + 0.2, NAN, INFINITY, -INFINITY};
    const as_engine_facts facts = {.engine = "native", .n_loads = 1, .n_forwards = 4};
    const as_worker_usage usage = {.user_s = 1.0 / 3, .major_faults = 2};
    const as_memory_sample sample = {1000, -1, 800, 1200, 0};
    FILE *stream = tmpfile();
    assert_non_null(stream);
    as_protocol_loaded(stream, 250, &facts, NULL);
    as_protocol_memory(stream, &(as_memory_moment){"loaded", -1, -1, -1, "worker"}, &sample,
                       NULL);
    const as_noise noise = {.wall_s = 2.5,
                            .cpu_s = NAN,
                            .run_delay_s = 1.0 / 3,
                            .psi_cpu_s = 0,
                            .n_throttled = -1,
                            .major_faults = 7,
                            .cycles = INT64_C(9007199254740993),
                            .probe_after = 2.5};
    tell_call(stream, 0, scores, many_ns, AS_CLOCK_GOOD);
    tell_call(stream, 1, scores, many_ns, AS_CLOCK_GOOD);
    as_protocol_cleanup(stream, 1, 0, 500000000, NULL);
    as_protocol_noise(stream, &noise, NULL);
    as_protocol_end(stream, 250000000, &facts, &usage, NULL);
    rewind(stream);
    as_yield *yield = as_yield_new(&job);
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stream) > 0) {
        assay_error err = {0};
        if (as_yield_take(yield, line, &err)) fail_msg("%s", err.message);
    }
    free(line);
    fclose(stream);
    assert_true(as_yield_is_whole(yield));
    assert_int_equal(as_yield_calls(yield), 2);
    as_slot_record record = {0};
    as_yield_record(yield, &record);
    assert_true(record.slot.cleanup_s == 0.75 && record.slot.user_s == 1.0 / 3);
    assert_int_equal(record.n_samples, 2);
    assert_true(record.samples[1].forward_ns == many_ns);
    assert_int_equal(record.samples[1].cycle, 1);
    assert_int_equal(record.samples[0].pieces[1].h, 64);
    assert_int_equal(record.n_answers, 4);
    assert_int_equal(record.answers[0].input, 1); /* the call's first input */
    assert_int_equal(record.answers[0].n, 0);
    assert_int_equal(record.answers[1].n, 4);
    const as_evidence_box *boxes = record.answers[1].boxes;
    assert_true(boxes[0].score == 0.1 + 0.2 && isnan(boxes[1].score));
    assert_true(boxes[2].score == INFINITY && boxes[3].score == -INFINITY);
    assert_int_equal(boxes[0].corners[0][0], INT32_MIN);
    assert_int_equal(boxes[0].corners[0][1], INT32_MAX);
    assert_int_equal(record.n_memory, 1);
    assert_int_equal(record.memory[0].pss_bytes, -1);
    assert_int_equal(record.n_engines, 2);
    assert_int_equal(record.n_noise, 1);
    const as_noise_row *told = record.noise;
    assert_true(told->noise.run_delay_s == 1.0 / 3 && isnan(told->noise.cpu_s));
    assert_true(told->noise.cycles == INT64_C(9007199254740993));
    assert_int_equal(told->noise.n_throttled, -1);
    assert_int_equal(told->noise.major_faults, 7);
    assert_true(told->n_bad_clock == 0 && record.samples[1].clock == AS_CLOCK_GOOD);
    as_yield_free(yield);
}

/* A negative time is refused, unless the worker itself has found its clock broken. */
static void times_of_a_broken_clock_are_kept_and_marked(void **state)
{
    (void)state;
    static const double scores[4] = {1, 1, 1, 1};
    for (int is_known = 0; is_known <= 1; is_known++) {
        FILE *stream = tmpfile();
        assert_non_null(stream);
        const as_engine_facts facts = {.engine = "native", .n_loads = 1};
        as_protocol_loaded(stream, 250, &facts, NULL);
        tell_call(stream, 0, scores, -52000, is_known ? AS_CLOCK_NEGATIVE : AS_CLOCK_GOOD);
        as_protocol_noise(stream, &(as_noise){0}, NULL);
        rewind(stream);
        as_yield *yield = as_yield_new(&job);
        char *line = NULL;
        size_t room = 0;
        assay_code code = ASSAY_OK;
        while (!code && getline(&line, &room, stream) > 0)
            code = as_yield_take(yield, line, NULL);
        free(line);
        fclose(stream);
        as_slot_record record = {0};
        as_yield_record(yield, &record);
        assert_int_equal(code, is_known ? ASSAY_OK : ASSAY_E_CHILD);
        assert_int_equal(record.n_samples, is_known);
        if (is_known) {
            assert_int_equal(record.samples[0].clock, AS_CLOCK_NEGATIVE);
            assert_int_equal(record.samples[0].forward_ns, -1);
            assert_int_equal(record.noise[0].n_bad_clock, 1);
        }
        as_yield_free(yield);
    }
}

static void a_traced_call_has_its_trace_and_the_evidences_index(void **state)
{
    (void)state;
    as_job traced = job;
    traced.n_cycles = 1;
    traced.first_call = 7;
    traced.is_traced = true;
    const double scores[4] = {0};
    const as_engine_facts facts = {.engine = "native", .n_loads = 1};
    const as_worker_usage usage = {0};
    as_trace *trace;
    FILE *stream = tmpfile();
    assert_non_null(stream);
    assert_int_equal(as_trace_new(&trace, NULL), ASSAY_OK);
    as_trace_add_forward(trace, &(as_traced_forward){1, 2, 2, 3, 32, 64}, NULL);
    as_protocol_loaded(stream, 250, &facts, NULL);
    tell_call(stream, 0, scores, 1, AS_CLOCK_GOOD);
    as_protocol_end(stream, 1, &facts, &usage, NULL); /* too early */
    as_protocol_trace(stream, 0, 0, trace, NULL);
    as_protocol_trace(stream, 0, 0, trace, NULL); /* once too often */
    as_protocol_end(stream, 1, &facts, &usage, NULL);
    as_trace_free(trace);
    rewind(stream);
    as_yield *yield = as_yield_new(&traced);
    char *line = NULL;
    size_t room = 0;
    for (int i = 0; getline(&line, &room, stream) > 0; i++)
        assert_int_equal(as_yield_take(yield, line, NULL),
                         i == 2 || i == 4 ? ASSAY_E_CHILD : ASSAY_OK);
    free(line);
    fclose(stream);
    assert_true(as_yield_is_whole(yield));
    as_slot_record record = {0};
    as_yield_record(yield, &record);
    assert_int_equal(record.samples[0].call, 7);
    assert_int_equal(record.n_profiles, 1);
    assert_int_equal(record.profiles[0].call, 7);
    assert_non_null(strstr(record.profiles[0].trace, "\"forwards\":[[1,2,2,3,32,64]]"));
    as_yield_free(yield);
}

static void lines_out_of_the_protocol_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *line, *words;
    } bad[] = {
        {"", "no event"},
        {"{\"event\":\"sing\"}", "no event"},
        {"{\"event\":\"call\",\"cycle\":0,\"call\":0}", "before it loaded"},
        {"{\"event\":\"end\"}", "ended after 0 of 2 calls"},
        {"{\"event\":\"loaded\",\"load_ns\":-1}", "without a time"},
        {"{\"event\":\"loaded\",\"load_ns\":1}", "nothing of its engine"},
        {"{\"event\":\"cleanup\",\"cycle\":7,\"document\":0,\"ns\":1}", "cleanup that is none"},
        {"{\"event\":\"cleanup\",\"cycle\":0,\"document\":1,\"ns\":1}", "cleanup that is none"},
        {"{\"event\":\"memory\",\"when\":\"call\"}", "memory sample that is none"},
        {"{\"event\":\"noise\",\"wall_s\":1}", "noise without its counts"},
        {"{\"event\":\"error\",\"code\":\"NO_SUCH\",\"message\":\"x\"}",
         "without a known code"},
        {"{\"event\":\"error\",\"code\":\"ASSAY_E_FORMAT\"}", "without a sentence"},
        {"{\"event\":\"loaded\",\"load_ns\":1,\"engine\":{},\"passes\":[{\"name\":\"p\","
         "\"seconds\":1,"
         "\"nodes_before\":1,\"nodes_after\":4294967296}]}",
         "pass without its time or nodes"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assay_error err = {0};
        as_yield *yield = as_yield_new(&job);
        assert_int_equal(as_yield_take(yield, bad[i].line, &err), ASSAY_E_CHILD);
        if (!strstr(err.message, bad[i].words))
            fail_msg("'%s' lacks '%s'", err.message, bad[i].words);
        as_yield_free(yield);
    }
}

static void a_told_error_keeps_code_and_sentence(void **state)
{
    (void)state;
    assay_error why = {
        .code = ASSAY_E_CHANGED, .message = "region \xff changed", .where = "call c1"};
    assay_error err = {0};
    char line[512];
    FILE *stream = tmpfile();
    assert_non_null(stream);
    as_protocol_error(stream, &why);
    rewind(stream);
    assert_non_null(fgets(line, sizeof line, stream));
    fclose(stream);
    as_yield *yield = as_yield_new(&job);
    assert_int_equal(as_yield_take(yield, line, &err), ASSAY_E_CHANGED);
    assert_string_equal(err.message, "call c1: region ? changed");
    assert_true(as_yield_has_error(yield));
    as_yield_free(yield);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_arrives_as_it_was_sent),
        cmocka_unit_test(a_bad_job_is_refused),
        cmocka_unit_test(what_is_told_arrives_bit_for_bit),
        cmocka_unit_test(times_of_a_broken_clock_are_kept_and_marked),
        cmocka_unit_test(a_traced_call_has_its_trace_and_the_evidences_index),
        cmocka_unit_test(lines_out_of_the_protocol_are_named),
        cmocka_unit_test(a_told_error_keeps_code_and_sentence),
    };
    return cmocka_run_group_tests_name("protocol", tests, NULL, NULL);
}
