/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `assay experiment` as a user runs it, with a real model on a corpus of a bundled document.
 * The program's path is this one's argument; without the models it is skipped (exit status 77).
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/process.h"
#include "evidence/evidence.h"

#define MODEL    "../models/ch_PP-OCRv4_det_infer.onnx"
#define DOCUMENT "../examples/form.pdf"
enum { N_ROUNDS = 3, N_POLICIES = 2 };

static const char *assay;

/* Paths of the fixture, made once for all tests. */
static char folder[64], corpus[80], run_folder[80];

static int exit_status(const char *const *argv, char *said, size_t room)
{
    as_process_options options = as_process_defaults(argv);
    as_process_result result;
    assay_error err = {0};
    if (as_process_run(&options, &result, &err)) fail_msg("%s", err.message);
    if (said) snprintf(said, room, "%s", (const char *)result.err.data);
    int status = result.end == AS_PROCESS_EXITED ? result.status : -1;
    if (status > 1 && !said) print_message("%s", (const char *)result.err.data);
    as_process_result_free(&result);
    return status;
}

/* The experiment on the corpus, and going on with a run. */
#define EXPERIMENT(...)                                                                        \
    ((const char *const[]){assay, "experiment", "-q", "--model", MODEL, "--corpus", corpus,    \
                           __VA_ARGS__, NULL})
#define RESUME(RUN) ((const char *const[]){assay, "experiment", "-q", "--resume", RUN, NULL})

static int make_corpus(void **state)
{
    (void)state;
    strcpy(folder, P_tmpdir "/assay-experiment-XXXXXX");
    if (!mkdtemp(folder)) return -1;
    snprintf(corpus, sizeof corpus, "%s/corpus", folder);
    snprintf(run_folder, sizeof run_folder, "%s/run", folder);
    return exit_status((const char *const[]){assay, "freeze", "-q", DOCUMENT, "--dpi", "60",
                                             "-o", corpus, NULL},
                       NULL, 0);
}

static int remove_corpus(void **state)
{
    (void)state;
    return as_path_remove(folder, NULL);
}

static int remove_run(void **state)
{
    (void)state;
    return as_path_remove(run_folder, NULL);
}

static as_evidence *open_run(void)
{
    char path[128];
    as_evidence *e;
    assay_error err = {0};
    snprintf(path, sizeof path, "%s/%s", run_folder, AS_EVIDENCE_FILE);
    if (as_evidence_open(path, &e, &err)) fail_msg("%s", err.message);
    return e;
}

/* Every planned slot is there and finished, with every call and every input's answer once. */
static void assert_whole(as_evidence *e)
{
    const as_slot_row *slots;
    const as_sample_row *samples;
    const as_answer_row *answers;
    const as_call_row *calls;
    const as_input_row *inputs;
    size_t n_slots, n_samples, n_answers, n_calls, n_inputs, n_formal = 0;
    assert_int_equal(as_evidence_slots(e, &slots, &n_slots, NULL), ASSAY_OK);
    assert_int_equal(as_evidence_samples(e, &samples, &n_samples, NULL), ASSAY_OK);
    assert_int_equal(as_evidence_answers(e, &answers, &n_answers, NULL), ASSAY_OK);
    assert_int_equal(as_evidence_calls(e, &calls, &n_calls, NULL), ASSAY_OK);
    assert_int_equal(as_evidence_inputs(e, &inputs, &n_inputs, NULL), ASSAY_OK);
    int *seen = as_alloc_array(n_slots * n_calls, sizeof *seen);
    int *answered = as_alloc_array(n_slots * n_inputs, sizeof *answered);
    assert_non_null(seen);
    assert_non_null(answered);
    for (size_t i = 0; i < n_samples; i++)
        seen[(size_t)samples[i].slot * n_calls + (size_t)samples[i].call]++;
    for (size_t i = 0; i < n_answers; i++)
        answered[(size_t)answers[i].slot * n_inputs + (size_t)answers[i].input]++;
    for (size_t s = 0; s < n_slots; s++) {
        assert_int_equal(slots[s].state, AS_SLOT_FINISHED);
        if (slots[s].phase != AS_PHASE_FORMAL) continue;
        n_formal++;
        for (size_t i = 0; i < n_calls; i++)
            assert_int_equal(seen[s * n_calls + i], 1);
        for (size_t i = 0; i < n_inputs; i++)
            assert_int_equal(answered[s * n_inputs + i], 1);
    }
    assert_int_equal(n_formal, N_ROUNDS * N_POLICIES);
    as_free(seen);
    as_free(answered);
}

static void pause_ms(long ms)
{
    struct timespec wait = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&wait, NULL);
}

/* Wait until a slot's log appears; a minute is far more than any machine needs. */
static void await_log(const char *slot)
{
    char log[128];
    snprintf(log, sizeof log, "%s/logs/%s.log", run_folder, slot);
    for (int i = 0; i < 6000 && !as_file_exists(log); i++)
        pause_ms(10);
    if (!as_file_exists(log)) fail_msg("%s does not appear", log);
}

/* Start, wait for the slot, let it run for a while, kill -9. */
static void kill_amid(const char *const *argv, const char *slot, long after_ms)
{
    as_process *child;
    as_process_result result;
    as_process_options options = as_process_defaults(argv);
    assert_int_equal(as_process_start(&options, &child, NULL), ASSAY_OK);
    await_log(slot);
    pause_ms(after_ms);
    assert_int_equal(kill(as_process_id(child), SIGKILL), 0);
    assert_int_equal(as_process_wait(child, 60, &result, NULL), ASSAY_OK);
    assert_int_equal(result.end, AS_PROCESS_SIGNALLED);
    as_process_result_free(&result);
    as_process_free(child);
}

static void an_experiment_killed_three_times_has_every_call_once(void **state)
{
    (void)state;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long random_ms = now.tv_nsec % 97;
    print_message("kill -9 at %ld ms into each of three slots\n", random_ms);
    kill_amid(EXPERIMENT("--policy", "base=native", "--policy", "gemm=native,conv=gemm",
                         "--limit-calls", "6", "--rounds", "3", "-o", run_folder),
              "smoke-gemm", random_ms);
    kill_amid(RESUME(run_folder), "round1-gemm", random_ms);
    kill_amid(RESUME(run_folder), "round3-base", random_ms);
    assert_int_equal(exit_status(RESUME(run_folder), NULL, 0), 0);
    as_evidence *e = open_run();
    assert_int_equal(as_evidence_run(e)->state, AS_RUN_FINISHED);
    assert_whole(e);
    as_evidence_close(e);
    char path[128];
    snprintf(path, sizeof path, "%s/summary.json", run_folder);
    assert_true(as_file_exists(path));
}

/* Flip one bit in the middle of a file, or flip it back. */
static void flip(const char *path)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, 100, SEEK_SET), 0);
    int byte = fgetc(file);
    assert_int_equal(fseek(file, 100, SEEK_SET), 0);
    assert_int_not_equal(fputc(byte ^ 1, file), EOF);
    assert_int_equal(fclose(file), 0);
}

static void what_changed_since_the_beginning_is_refused(void **state)
{
    (void)state;
    char region[256], manifest[128], said[1024];
    assert_int_equal(exit_status(EXPERIMENT("--policy", "base=native", "--rounds", "1",
                                            "--limit-calls", "1", "-o", run_folder),
                                 NULL, 0),
                     0);
    as_evidence *e = open_run();
    const as_input_row *inputs;
    size_t n;
    assert_int_equal(as_evidence_inputs(e, &inputs, &n, NULL), ASSAY_OK);
    snprintf(region, sizeof region, "%s/%s", corpus, inputs[0].file);
    snprintf(manifest, sizeof manifest, "%s/manifest.json", corpus);
    as_evidence_close(e);
    assert_int_equal(exit_status(RESUME(run_folder), NULL, 0), 0);
    flip(region);
    assert_int_equal(exit_status(RESUME(run_folder), said, sizeof said), 4);
    flip(region);
    flip(manifest);
    assert_int_equal(exit_status(RESUME(run_folder), said, sizeof said), 4);
    flip(manifest);
    assert_int_equal(exit_status(RESUME(run_folder), NULL, 0), 0);
}

static void an_interrupt_says_how_to_go_on(void **state)
{
    (void)state;
    char said[1024];
    as_process *child;
    as_process_result result;
    as_process_options options =
        as_process_defaults(EXPERIMENT("--policy", "base=native", "--policy", "again=native",
                                       "--cycles", "200", "-v", "-o", run_folder));
    assert_int_equal(as_process_start(&options, &child, NULL), ASSAY_OK);
    await_log("smoke-again");
    assert_int_equal(
        exit_status(EXPERIMENT("--policy", "base=native", "-o", run_folder, "--force"), said,
                    sizeof said),
        5);
    assert_non_null(strstr(said, "another process"));
    kill(as_process_id(child), SIGINT);
    assert_int_equal(as_process_wait(child, 60, &result, NULL), ASSAY_OK);
    assert_int_equal(result.end, AS_PROCESS_EXITED);
    assert_int_equal(result.status, 130);
    assert_non_null(strstr((const char *)result.err.data, "assay experiment --resume"));
    as_process_result_free(&result);
    as_process_free(child);
    as_evidence *e = open_run();
    const as_slot_row *slots;
    size_t n;
    assert_int_equal(as_evidence_slots(e, &slots, &n, NULL), ASSAY_OK);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(slots[i].state, AS_SLOT_FINISHED);
    as_evidence_close(e);
}

static void padding_to_buckets_changes_boxes_and_stops_the_run(void **state)
{
    (void)state;
    assert_int_equal(exit_status(EXPERIMENT("--policy", "base=native", "--policy",
                                            "pad=native,bucket=64", "-o", run_folder),
                                 NULL, 0),
                     1);
    as_evidence *e = open_run();
    const as_review_row *reviews;
    size_t n;
    assert_int_equal(as_evidence_run(e)->state, AS_RUN_STOPPED);
    assert_int_equal(as_evidence_reviews(e, &reviews, &n, NULL), ASSAY_OK);
    assert_true(n > 0);
    as_evidence_close(e);
}

static void of_runs_that_begin_together_in_one_folder_one_goes_on(void **state)
{
    (void)state;
    enum { N = 3 };
    as_process *children[N];
    size_t n_done = 0;
    as_process_options options = as_process_defaults(EXPERIMENT(
        "--policy", "base=native", "--limit-calls", "1", "--rounds", "1", "-o", run_folder));
    for (int i = 0; i < N; i++)
        assert_int_equal(as_process_start(&options, &children[i], NULL), ASSAY_OK);
    for (int i = 0; i < N; i++) {
        as_process_result result;
        assert_int_equal(as_process_wait(children[i], 120, &result, NULL), ASSAY_OK);
        const char *said = (const char *)result.err.data;
        assert_int_equal(result.end, AS_PROCESS_EXITED);
        if (result.status == 0)
            n_done++;
        else if (!(result.status == 5 && strstr(said, "is being written by another process")) &&
                 !(result.status == 2 && strstr(said, "holds a run; --force replaces it")))
            fail_msg("exit status %d: %s", result.status, said);
        as_process_result_free(&result);
        as_process_free(children[i]);
    }
    assert_int_equal(n_done, 1);
    assert_int_equal(exit_status(RESUME(run_folder), NULL, 0), 0);
}

static void the_shapes_that_the_network_saw_are_recorded(void **state)
{
    (void)state;
    assert_int_equal(
        exit_status(EXPERIMENT("--policy", "base=native", "--policy",
                               "split=native,split-at=2,split-to=1", "--limit-calls", "3",
                               "--rounds", "1", "-o", run_folder),
                    NULL, 0),
        0);
    as_evidence *e = open_run();
    const as_sample_row *samples;
    const as_slot_row *slots;
    size_t n, n_slots;
    bool has_split = false;
    assert_int_equal(as_evidence_samples(e, &samples, &n, NULL), ASSAY_OK);
    assert_int_equal(as_evidence_slots(e, &slots, &n_slots, NULL), ASSAY_OK);
    for (size_t i = 0; i < n; i++) {
        bool is_split = slots[samples[i].slot].policy == 1 && samples[i].shape.n > 1;
        assert_int_equal(samples[i].n_pieces, is_split ? samples[i].shape.n : 1);
        for (size_t p = 0; p < samples[i].n_pieces; p++) {
            assert_int_equal(samples[i].pieces[p].n, is_split ? 1 : samples[i].shape.n);
            assert_int_equal(samples[i].pieces[p].h, samples[i].shape.h);
            assert_int_equal(samples[i].pieces[p].w, samples[i].shape.w);
        }
        has_split = has_split || is_split;
    }
    assert_true(has_split);
    as_evidence_close(e);
}

/* Whether the evidence has a memory sample of the process of the policy. */
static bool has_memory_of(as_evidence *e, int policy, const char *process)
{
    const as_memory_row *memory;
    const as_slot_row *slots;
    size_t n, n_slots;
    assert_int_equal(as_evidence_memory(e, &memory, &n, NULL), ASSAY_OK);
    assert_int_equal(as_evidence_slots(e, &slots, &n_slots, NULL), ASSAY_OK);
    for (size_t i = 0; i < n; i++)
        if (slots[memory[i].slot].policy == policy && memory[i].pss_bytes > 0 &&
            strcmp(memory[i].process, process) == 0 && strcmp(memory[i].when, "exit") == 0)
            return true;
    return false;
}

static void another_engine_is_measured_beside_ours(void **state)
{
    (void)state;
    char path[160], said[1024];
    assert_int_equal(
        exit_status(EXPERIMENT("--policy", "base=native", "--policy",
                               "toy=toy,adapter=python3 engine/toy_adapter.py good",
                               "--limit-calls", "2", "--rounds", "1", "--on-difference",
                               "measure", "-o", run_folder),
                    said, sizeof said),
        1);
    as_evidence *e = open_run();
    assert_int_equal(as_evidence_run(e)->state, AS_RUN_FINISHED);
    const as_engine_row *engines;
    size_t n;
    bool is_told = false;
    assert_int_equal(as_evidence_engines(e, &engines, &n, NULL), ASSAY_OK);
    for (size_t i = 0; i < n; i++)
        is_told = is_told || strstr(engines[i].json, "\"engine\":\"toy\",\"version\":\"7\"");
    assert_true(is_told);
    assert_true(has_memory_of(e, 0, "worker") && !has_memory_of(e, 0, "adapter"));
    assert_true(has_memory_of(e, 1, "worker") && has_memory_of(e, 1, "adapter"));
    assert_non_null(strstr(as_evidence_run(e)->machine_json, "toy/toy_adapter.py"));
    as_evidence_close(e);
    snprintf(path, sizeof path, "%s/executed/adapters/toy/toy_adapter.py", run_folder);
    assert_true(as_file_exists(path));
}

static void an_adapter_that_crashes_fails_its_policy_alone(void **state)
{
    (void)state;
    assert_int_equal(
        exit_status(EXPERIMENT("--policy", "base=native", "--policy",
                               "toy=toy,adapter=python3 engine/toy_adapter.py crash",
                               "--limit-calls", "1", "--rounds", "1", "-o", run_folder),
                    NULL, 0),
        1);
    as_evidence *e = open_run();
    const as_slot_row *slots;
    size_t n, n_failed = 0;
    assert_int_equal(as_evidence_slots(e, &slots, &n, NULL), ASSAY_OK);
    for (size_t i = 0; i < n; i++) {
        if (slots[i].state == AS_SLOT_FINISHED) continue;
        n_failed++;
        assert_int_equal(slots[i].policy, 1);
        assert_non_null(strstr(slots[i].error, "signal 11"));
    }
    assert_int_equal(n_failed, 1);
    assert_int_equal(as_evidence_run(e)->state, AS_RUN_FINISHED);
    as_evidence_close(e);
}

#define TEST(NAME) cmocka_unit_test_teardown(NAME, remove_run)

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    assay = argv[1];
    if (!as_file_exists(MODEL)) {
        printf("SKIPPED: %s is not there (tools/models makes it)\n", MODEL);
        return 77;
    }
    const struct CMUnitTest tests[] = {
        TEST(another_engine_is_measured_beside_ours),
        TEST(an_adapter_that_crashes_fails_its_policy_alone),
        TEST(an_experiment_killed_three_times_has_every_call_once),
        TEST(what_changed_since_the_beginning_is_refused),
        TEST(an_interrupt_says_how_to_go_on),
        TEST(padding_to_buckets_changes_boxes_and_stops_the_run),
        TEST(of_runs_that_begin_together_in_one_folder_one_goes_on),
        TEST(the_shapes_that_the_network_saw_are_recorded),
    };
    return cmocka_run_group_tests_name("experiment", tests, make_corpus, remove_corpus);
}
