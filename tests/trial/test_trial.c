/* SPDX-License-Identifier: Apache-2.0 */
/* The phases over a worker that has no engine (fake_worker.c), whose path is this program's
 * argument. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "evidence/writer.h"
#include "trial/order.h"
#include "trial/trial.h"

/* Seven documents of two calls of two inputs each: 14 calls, of which the smoke phase takes 12. */
enum {
    N_DOCUMENTS = 7,
    N_CALLS = 14,
    N_INPUTS = 28,
    BATCH = 2,
    MAX_POLICIES = 4,
    N_ROUNDS = 3
};

static const char *fake_worker;

/* A run's folder with its evidence, made for each test. */
typedef struct fixture {
    char folder[64];
    char text[MAX_POLICIES][64];
    char input_names[N_INPUTS][24], call_names[N_CALLS][24], document_names[N_DOCUMENTS][24];
    char sha256[N_INPUTS][AS_SHA256_HEX];
    int call_inputs[N_CALLS][BATCH];
    as_policy_row policies[MAX_POLICIES];
    as_order_row orders[N_ROUNDS * MAX_POLICIES];
    as_document_row documents[N_DOCUMENTS];
    as_input_row inputs[N_INPUTS];
    as_call_row calls[N_CALLS];
    as_evidence_plan plan;
    const char *worker_argv[2];
    as_trial_control control;
    int n_notes;
    char notes[8][640];
    int n_steps, stop_after_steps; /* 0 = never */
} fixture;

static void on_note(void *context, const char *sentence)
{
    fixture *f = context;
    if (f->n_notes < 8) snprintf(f->notes[f->n_notes++], sizeof f->notes[0], "%s", sentence);
}

static void on_step(void *context, size_t n_done)
{
    fixture *f = context;
    (void)n_done;
    f->n_steps++;
}

static bool on_stop(void *context)
{
    fixture *f = context;
    return f->stop_after_steps > 0 && f->n_steps >= f->stop_after_steps;
}

static void fill_corpus(fixture *f)
{
    for (int i = 0; i < N_INPUTS; i++) {
        snprintf(f->input_names[i], sizeof f->input_names[i], "r%d.png", i);
        char path[128];
        snprintf(path, sizeof path, "%s/%s", f->folder, f->input_names[i]);
        assert_int_equal(
            as_file_write(path, f->input_names[i], strlen(f->input_names[i]), NULL), ASSAY_OK);
        assert_int_equal(as_sha256_file(path, f->sha256[i], NULL), ASSAY_OK);
        f->inputs[i] = (as_input_row){f->input_names[i],
                                      f->input_names[i],
                                      f->sha256[i],
                                      i / 4,
                                      1,
                                      64,
                                      32,
                                      32,
                                      64,
                                      0.3,
                                      0.6,
                                      1.5,
                                      960,
                                      "max"};
    }
    for (int i = 0; i < N_DOCUMENTS; i++) {
        snprintf(f->document_names[i], sizeof f->document_names[i], "d%d.pdf", i);
        f->documents[i] = (as_document_row){f->document_names[i], "00"};
    }
    for (int i = 0; i < N_CALLS; i++) {
        snprintf(f->call_names[i], sizeof f->call_names[i], "c%d", i);
        f->call_inputs[i][0] = 2 * i;
        f->call_inputs[i][1] = 2 * i + 1;
        f->calls[i] =
            (as_call_row){f->call_names[i], i / 2, {BATCH, 3, 32, 64}, f->call_inputs[i]};
    }
}

static void begin(fixture *f, const char *const *names, as_on_difference on_difference,
                  int n_cycles)
{
    char path[128];
    size_t n = 0;
    for (; names[n]; n++) {
        snprintf(f->text[n], sizeof f->text[n], "%s=fake", names[n]);
        f->policies[n] = (as_policy_row){names[n], f->text[n], "fake"};
    }
    assert_int_equal(as_order_fill(AS_ORDER_LATIN, n, N_ROUNDS, 1, f->orders, NULL), ASSAY_OK);
    f->plan = (as_evidence_plan){.run = {.assay_version = "0",
                                         .created = "now",
                                         .model_name = "m",
                                         .model_path = "/m",
                                         .corpus_name = "c",
                                         .corpus_path = f->folder,
                                         .order = "latin",
                                         .n_rounds = N_ROUNDS,
                                         .n_cycles = n_cycles,
                                         .n_smoke_calls = AS_SMOKE_CALLS,
                                         .on_difference = on_difference,
                                         .slot_timeout_s = 1.5},
                                 .policies = f->policies,
                                 .n_policies = n,
                                 .orders = f->orders,
                                 .n_orders = N_ROUNDS * n,
                                 .documents = f->documents,
                                 .n_documents = N_DOCUMENTS,
                                 .inputs = f->inputs,
                                 .n_inputs = N_INPUTS,
                                 .calls = f->calls,
                                 .n_calls = N_CALLS};
    snprintf(path, sizeof path, "%s/logs", f->folder);
    assert_int_equal(as_folder_make(path, NULL), ASSAY_OK);
    snprintf(path, sizeof path, "%s/%s", f->folder, AS_EVIDENCE_FILE);
    as_evidence_writer *writer;
    assert_int_equal(as_evidence_create(path, &f->plan, &writer, NULL), ASSAY_OK);
    as_evidence_writer_close(writer, NULL);
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (!f) return -1;
    /* In memory where there is such a folder: every slot is synced, which disks take their time for. */
    strcpy(f->folder, as_file_is_folder("/dev/shm") ? "/dev/shm/assay-trial-XXXXXX"
                                                    : "/tmp/assay-trial-XXXXXX");
    if (!mkdtemp(f->folder)) return -1;
    fill_corpus(f);
    f->worker_argv[0] = fake_worker;
    f->control = (as_trial_control){
        .worker_argv = f->worker_argv,
        .stop = on_stop,
        .stop_context = f,
        .snapshot_s = 0.01,
        .watch = {.context = f, .note = on_note, .step = on_step},
    };
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    int status = as_path_remove(f->folder, NULL);
    free(f);
    return status;
}

static as_trial_result go(fixture *f)
{
    assay_error err = {0};
    as_trial_result result;
    if (as_trial_go(f->folder, &f->control, &result, &err)) fail_msg("%s", err.message);
    return result;
}

static as_evidence *open_evidence(const fixture *f)
{
    char path[128];
    as_evidence *e;
    assay_error err = {0};
    snprintf(path, sizeof path, "%s/%s", f->folder, AS_EVIDENCE_FILE);
    if (as_evidence_open(path, &e, &err)) fail_msg("%s", err.message);
    return e;
}

static size_t count_slots(as_evidence *e, as_phase phase, int policy, as_slot_state slot_state)
{
    const as_slot_row *slots;
    size_t n, count = 0;
    assert_int_equal(as_evidence_slots(e, &slots, &n, NULL), ASSAY_OK);
    for (size_t i = 0; i < n; i++)
        count += slots[i].phase == phase && slots[i].policy == policy &&
                 slots[i].state == slot_state;
    return count;
}

/* Every finished formal slot has each call of each cycle once, and an answer for each input. */
static void assert_each_call_once(as_evidence *e, int n_cycles)
{
    const as_slot_row *slots;
    const as_sample_row *samples;
    const as_answer_row *answers;
    size_t n_slots, n_samples, n_answers;
    assert_int_equal(as_evidence_slots(e, &slots, &n_slots, NULL), ASSAY_OK);
    assert_int_equal(as_evidence_samples(e, &samples, &n_samples, NULL), ASSAY_OK);
    assert_int_equal(as_evidence_answers(e, &answers, &n_answers, NULL), ASSAY_OK);
    for (size_t s = 0; s < n_slots; s++) {
        int seen[2][N_CALLS] = {{0}}, answered[2][N_INPUTS] = {{0}};
        if (slots[s].phase != AS_PHASE_FORMAL || slots[s].state != AS_SLOT_FINISHED) continue;
        for (size_t i = 0; i < n_samples; i++)
            if (samples[i].slot == (int)s) seen[samples[i].cycle][samples[i].call]++;
        for (size_t i = 0; i < n_answers; i++)
            if (answers[i].slot == (int)s) answered[answers[i].cycle][answers[i].input]++;
        for (int cycle = 0; cycle < n_cycles; cycle++) {
            for (int i = 0; i < N_CALLS; i++)
                assert_int_equal(seen[cycle][i], 1);
            for (int i = 0; i < N_INPUTS; i++)
                assert_int_equal(answered[cycle][i], 1);
        }
    }
}

static const as_slot_row *failed_slot(as_evidence *e)
{
    const as_slot_row *slots;
    size_t n;
    assert_int_equal(as_evidence_slots(e, &slots, &n, NULL), ASSAY_OK);
    for (size_t i = 0; i < n; i++)
        if (slots[i].state == AS_SLOT_FAILED) return &slots[i];
    fail_msg("no slot failed");
    return NULL;
}

#define POLICIES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void a_good_run_has_every_slot_in_its_place(void **state)
{
    fixture *f = *state;
    begin(f, POLICIES("good", "good-2", "nearly"), AS_ON_DIFFERENCE_STOP, 2);
    as_trial_result result = go(f);
    assert_int_equal(result.state, AS_RUN_FINISHED);
    assert_int_equal(result.n_failed, 0);
    assert_int_equal(result.n_different, 0);
    as_evidence *e = open_evidence(f);
    const as_slot_row *slots;
    size_t n;
    assert_int_equal(as_evidence_slots(e, &slots, &n, NULL), ASSAY_OK);
    assert_int_equal(n, 3 + 9);
    for (size_t i = 0; i < 9; i++) {
        assert_int_equal(slots[3 + i].round, f->orders[i].round);
        assert_int_equal(slots[3 + i].policy, f->orders[i].policy);
        assert_int_equal(slots[3 + i].position, f->orders[i].position);
        assert_int_equal(slots[3 + i].n_calls, 2 * N_CALLS);
        assert_int_equal(slots[3 + i].n_forwards, 2 * N_CALLS);
        assert_true(slots[3 + i].load_s == 0.005 && slots[3 + i].total_s > 0);
    }
    assert_each_call_once(e, 2);
    assert_int_equal(as_evidence_run(e)->state, AS_RUN_FINISHED);
    as_evidence_close(e);
}

static void snapshots_stand_around_the_smoke_phase_and_each_round(void **state)
{
    fixture *f = *state;
    begin(f, POLICIES("good"), AS_ON_DIFFERENCE_STOP, 1);
    go(f);
    as_evidence *e = open_evidence(f);
    const as_snapshot_row *rows;
    size_t n;
    assert_int_equal(as_evidence_snapshots(e, &rows, &n, NULL), ASSAY_OK);
    assert_int_equal(n, 2 + 2 * N_ROUNDS);
    for (size_t i = 0; i < n; i++)
        assert_string_equal(rows[i].moment, i % 2 ? "after" : "before");
    assert_int_equal(rows[n - 1].round, N_ROUNDS - 1);
    as_evidence_close(e);
}

static void the_output_of_each_slot_is_kept_in_logs(void **state)
{
    fixture *f = *state;
    begin(f, POLICIES("good", "good-2"), AS_ON_DIFFERENCE_STOP, 1);
    go(f);
    char path[128];
    as_bytes log;
    snprintf(path, sizeof path, "%s/logs/round3-good-2.log", f->folder);
    assert_int_equal(as_file_read(path, 0, &log, NULL), ASSAY_OK);
    assert_string_equal((char *)log.data, "fake worker of good-2=fake\n");
    as_bytes_free(&log);
}

static void a_duration_is_told_before_the_rounds(void **state)
{
    fixture *f = *state;
    begin(f, POLICIES("good", "good-2"), AS_ON_DIFFERENCE_STOP, 1);
    go(f);
    assert_int_equal(f->n_notes, 1);
    assert_non_null(strstr(f->notes[0], "6 slots are to run"));
}

/* Policy 1 fails in its first formal slot: the sentence holds `words`, the others are whole. */
static void assert_second_fails(fixture *f, const char *name, const char *words, assay_code why)
{
    begin(f, POLICIES("good", name, "good-3"), AS_ON_DIFFERENCE_STOP, 1);
    as_trial_result result = go(f);
    assert_int_equal(result.state, AS_RUN_FINISHED);
    assert_int_equal(result.n_failed, 1);
    as_evidence *e = open_evidence(f);
    const as_slot_row *slot = failed_slot(e);
    if (!strstr(slot->error, words)) fail_msg("'%s' lacks '%s'", slot->error, words);
    assert_string_equal(slot->error_code, assay_code_name(why));
    assert_int_equal(slot->policy, 1);
    assert_int_equal(count_slots(e, AS_PHASE_FORMAL, 0, AS_SLOT_FINISHED), N_ROUNDS);
    assert_int_equal(count_slots(e, AS_PHASE_FORMAL, 2, AS_SLOT_FINISHED), N_ROUNDS);
    assert_int_equal(count_slots(e, AS_PHASE_FORMAL, 1, AS_SLOT_FINISHED), 0);
    assert_each_call_once(e, 1);
    as_evidence_close(e);
}

static void a_crash_is_recorded_and_the_others_go_on(void **state)
{
    assert_second_fails(*state, "crash", "crashed: signal 11", ASSAY_E_CHILD);
    as_evidence *e = open_evidence(*state);
    const as_slot_row *slot = failed_slot(e);
    assert_int_equal(slot->n_calls, 3);
    assert_string_equal(slot->log, "round1-crash.log");
    as_evidence_close(e);
}

static void a_hang_is_ended_by_the_slot_timeout(void **state)
{
    assert_second_fails(*state, "hang", "hung after 3 of 14 calls", ASSAY_E_CHILD);
}

static void a_truncated_stream_is_a_crash(void **state)
{
    assert_second_fails(*state, "truncate", "no event", ASSAY_E_CHILD);
}

static void an_early_end_is_a_crash_whatever_its_status(void **state)
{
    assert_second_fails(*state, "early", "exit status 0 after 3 of 14 calls", ASSAY_E_CHILD);
}

static void a_bad_exit_status_after_all_calls_is_a_failure(void **state)
{
    fixture *f = *state;
    begin(f, POLICIES("good", "sulky"), AS_ON_DIFFERENCE_STOP, 1);
    assert_int_equal(go(f).n_failed, 1);
    as_evidence *e = open_evidence(f);
    assert_non_null(
        strstr(failed_slot(e)->error, "exit status 9 after 12 of 12 calls and its"));
    as_evidence_close(e);
}

static void garbage_is_named_and_fails(void **state)
{
    assert_second_fails(*state, "garbage", "'lalala', which is no event", ASSAY_E_CHILD);
}

static void a_worker_that_never_speaks_fails(void **state)
{
    assert_second_fails(*state, "hardware", "exit status 7 after 0 of 14", ASSAY_E_CHILD);
}

/* Policy 1 fails in the smoke phase already, with `words` in its sentence. */
static void assert_smoke_fails(fixture *f, const char *name, const char *words)
{
    begin(f, POLICIES("good", name), AS_ON_DIFFERENCE_STOP, 1);
    as_trial_result result = go(f);
    assert_int_equal(result.n_failed, 1);
    assert_int_equal(result.n_different, 0);
    assert_int_equal(result.state, AS_RUN_FINISHED);
    as_evidence *e = open_evidence(f);
    const as_slot_row *slot = failed_slot(e);
    if (!strstr(slot->error, words)) fail_msg("'%s' lacks '%s'", slot->error, words);
    assert_int_equal(count_slots(e, AS_PHASE_FORMAL, 0, AS_SLOT_FINISHED), N_ROUNDS);
    as_evidence_close(e);
}

static void a_call_of_another_shape_is_not_believed(void **state)
{
    assert_smoke_fails(*state, "reshape", "saw call c2 as 2x3x33x64, it is 2x3x32x64");
}

static void pieces_that_leave_inputs_out_are_not_believed(void **state)
{
    assert_smoke_fails(*state, "halfpiece", "pieces of 1 inputs, the call has 2");
}

static void a_call_told_twice_is_not_believed(void **state)
{
    assert_smoke_fails(*state, "twice", "call 2 of cycle 0 where 3 of 0 has its turn");
}

static void a_negative_time_is_not_believed(void **state)
{
    assert_smoke_fails(*state, "backwards", "missing or negative");
}

static void a_model_loaded_twice_fails(void **state)
{
    assert_smoke_fails(*state, "reload", "loaded the model 2 times");
}

static void a_workers_own_error_keeps_its_sentence(void **state)
{
    assert_smoke_fails(*state, "broken",
                       "policy broken in the smoke phase: call c3: threads is 1, 2 is needed");
}

static void a_broken_assertion_on_the_environment_is_unfit(void **state)
{
    fixture *f = *state;
    begin(f, POLICIES("good", "unfit"), AS_ON_DIFFERENCE_STOP, 1);
    as_trial_result result = go(f);
    assert_int_equal(result.n_failed, 1);
    assert_true(result.is_unfit);
}

static void a_program_that_does_not_exist_is_no_policys_fault(void **state)
{
    fixture *f = *state;
    begin(f, POLICIES("good"), AS_ON_DIFFERENCE_STOP, 1);
    f->worker_argv[0] = "/nowhere/assay";
    as_trial_result result;
    assay_error err = {0};
    assert_int_equal(as_trial_go(f->folder, &f->control, &result, &err), ASSAY_E_NOT_FOUND);
    as_evidence *e = open_evidence(f);
    assert_int_equal(count_slots(e, AS_PHASE_SMOKE, 0, AS_SLOT_FAILED), 0);
    as_evidence_close(e);
}

static void a_failing_baseline_ends_the_run_before_the_rounds(void **state)
{
    fixture *f = *state;
    begin(f, POLICIES("smokecrash", "good"), AS_ON_DIFFERENCE_MEASURE, 1);
    as_trial_result result = go(f);
    assert_int_equal(result.state, AS_RUN_STOPPED);
    assert_int_equal(result.n_failed, 1);
    as_evidence *e = open_evidence(f);
    assert_int_equal(count_slots(e, AS_PHASE_SMOKE, 1, AS_SLOT_FINISHED), 0);
    as_evidence_close(e);
}

static size_t count_reviews(as_evidence *e)
{
    const as_review_row *rows;
    size_t n;
    assert_int_equal(as_evidence_reviews(e, &rows, &n, NULL), ASSAY_OK);
    for (size_t i = 0; i < n; i++) {
        as_bytes png;
        char name[16];
        assert_int_equal(as_evidence_png(e, rows[i].input, &png, NULL), ASSAY_OK);
        snprintf(name, sizeof name, "r%d.png", rows[i].input);
        assert_int_equal(png.size, strlen(name));
        assert_memory_equal(png.data, name, png.size);
        as_bytes_free(&png);
    }
    return n;
}

static void stop_does_not_start_the_rounds_when_boxes_differ(void **state)
{
    fixture *f = *state;
    begin(f, POLICIES("good", "other", "good-3"), AS_ON_DIFFERENCE_STOP, 1);
    as_trial_result result = go(f);
    assert_int_equal(result.state, AS_RUN_STOPPED);
    assert_int_equal(result.n_different, 1);
    assert_non_null(strstr(f->notes[0], "policy other differs on input r2.png"));
    as_evidence *e = open_evidence(f);
    assert_int_equal(count_slots(e, AS_PHASE_SMOKE, 2, AS_SLOT_FINISHED), 1);
    assert_int_equal(count_slots(e, AS_PHASE_FORMAL, 0, AS_SLOT_FINISHED), 0);
    assert_int_equal(count_reviews(e), 2);
    as_evidence_close(e);
    result = go(f);
    assert_int_equal(result.state, AS_RUN_STOPPED);
    assert_int_equal(result.n_different, 1);
}

static void exclude_goes_on_without_the_policy_that_differs(void **state)
{
    fixture *f = *state;
    begin(f, POLICIES("good", "fewer", "good-3"), AS_ON_DIFFERENCE_EXCLUDE, 1);
    as_trial_result result = go(f);
    assert_int_equal(result.state, AS_RUN_FINISHED);
    assert_int_equal(result.n_different, 1);
    as_evidence *e = open_evidence(f);
    assert_int_equal(count_slots(e, AS_PHASE_FORMAL, 0, AS_SLOT_FINISHED), N_ROUNDS);
    assert_int_equal(count_slots(e, AS_PHASE_FORMAL, 1, AS_SLOT_FINISHED), 0);
    assert_int_equal(count_slots(e, AS_PHASE_FORMAL, 2, AS_SLOT_FINISHED), N_ROUNDS);
    assert_int_equal(count_reviews(e), 2);
    as_evidence_close(e);
}

static void measure_times_the_policy_that_differs(void **state)
{
    fixture *f = *state;
    begin(f, POLICIES("good", "barely"), AS_ON_DIFFERENCE_MEASURE, 1);
    as_trial_result result = go(f);
    assert_int_equal(result.state, AS_RUN_FINISHED);
    assert_int_equal(result.n_different, 1);
    as_evidence *e = open_evidence(f);
    assert_int_equal(count_slots(e, AS_PHASE_FORMAL, 1, AS_SLOT_FINISHED), N_ROUNDS);
    assert_int_equal(count_reviews(e), 2);
    as_evidence_close(e);
}

static void a_difference_first_seen_in_the_rounds_counts(void **state)
{
    fixture *f = *state;
    begin(f, POLICIES("good", "later"), AS_ON_DIFFERENCE_STOP, 1);
    as_trial_result result = go(f);
    assert_int_equal(result.state, AS_RUN_FINISHED);
    assert_int_equal(result.n_different, 1);
    as_evidence *e = open_evidence(f);
    assert_int_equal(count_slots(e, AS_PHASE_FORMAL, 1, AS_SLOT_FINISHED), N_ROUNDS);
    assert_int_equal(count_reviews(e), 2);
    as_evidence_close(e);
}

static void a_baseline_that_contradicts_itself_is_different(void **state)
{
    fixture *f = *state;
    begin(f, POLICIES("moody", "good"), AS_ON_DIFFERENCE_STOP, 2);
    as_trial_result result = go(f);
    assert_int_equal(result.n_different, 1);
    assert_int_equal(result.state, AS_RUN_FINISHED);
}

static void an_interrupted_run_keeps_what_is_finished_and_goes_on(void **state)
{
    fixture *f = *state;
    assay_error err = {0};
    as_trial_result result;
    begin(f, POLICIES("good", "slow", "good-3"), AS_ON_DIFFERENCE_STOP, 1);
    f->stop_after_steps = 3 * AS_SMOKE_CALLS + N_CALLS + 5; /* amid the second formal slot */
    assert_int_equal(as_trial_go(f->folder, &f->control, &result, &err), ASSAY_E_INTERRUPTED);
    as_evidence *e = open_evidence(f);
    const as_slot_row *slots;
    size_t n;
    assert_int_equal(as_evidence_slots(e, &slots, &n, NULL), ASSAY_OK);
    assert_int_equal(n, 3 + 1);
    assert_int_equal(as_evidence_run(e)->state, AS_RUN_ROUNDS);
    as_evidence_close(e);
    f->stop_after_steps = 0;
    assert_int_equal(go(f).state, AS_RUN_FINISHED);
    e = open_evidence(f);
    for (int policy = 0; policy < 3; policy++) {
        assert_int_equal(count_slots(e, AS_PHASE_FORMAL, policy, AS_SLOT_FINISHED), N_ROUNDS);
        assert_int_equal(count_slots(e, AS_PHASE_SMOKE, policy, AS_SLOT_FINISHED), 1);
    }
    assert_each_call_once(e, 1);
    as_evidence_close(e);
}

/* A child that drives the run until it is killed; its exit status says that it came to the end. */
static pid_t go_in_child(fixture *f)
{
    pid_t child = fork();
    if (child != 0) return child;
    assay_error err = {0};
    as_trial_result result;
    _exit(as_trial_go(f->folder, &f->control, &result, &err) ? 1 : 0);
}

static void a_run_killed_anywhere_ends_with_every_call_once(void **state)
{
    fixture *f = *state;
    unsigned random = 20260918;
    int status = 0, n_kills = 0;
    begin(f, POLICIES("slow", "slow-2", "slow-3"), AS_ON_DIFFERENCE_STOP, 1);
    for (int attempt = 0; attempt < 60; attempt++) {
        pid_t child = go_in_child(f);
        random = random * 1103515245 + 12345;
        struct timespec wait = {0, (30 + (long)(random >> 16) % 200) * 1000000L};
        if (attempt < 8) {
            nanosleep(&wait, NULL);
            kill(child, SIGKILL);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        n_kills += WIFSIGNALED(status);
        if (WIFEXITED(status)) break;
    }
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_true(n_kills >= 3);
    as_evidence *e = open_evidence(f);
    assert_int_equal(as_evidence_run(e)->state, AS_RUN_FINISHED);
    for (int policy = 0; policy < 3; policy++) {
        assert_int_equal(count_slots(e, AS_PHASE_FORMAL, policy, AS_SLOT_FINISHED), N_ROUNDS);
        assert_int_equal(count_slots(e, AS_PHASE_FORMAL, policy, AS_SLOT_FAILED), 0);
    }
    assert_each_call_once(e, 1);
    as_evidence_close(e);
    as_names names;
    assert_int_equal(as_folder_list(f->folder, &names, NULL), ASSAY_OK);
    for (size_t i = 0; i < names.n; i++)
        assert_null(strstr(names.items[i], "journal"));
    as_names_free(&names);
}

static void a_second_experiment_on_the_same_run_is_refused(void **state)
{
    fixture *f = *state;
    char path[128];
    as_evidence_writer *writer;
    as_trial_result result;
    assay_error err = {0};
    begin(f, POLICIES("good"), AS_ON_DIFFERENCE_STOP, 1);
    snprintf(path, sizeof path, "%s/%s", f->folder, AS_EVIDENCE_FILE);
    assert_int_equal(as_evidence_continue(path, &writer, NULL), ASSAY_OK);
    assert_int_equal(as_trial_go(f->folder, &f->control, &result, &err), ASSAY_E_IO);
    assert_non_null(strstr(err.message, "another process"));
    as_evidence_writer_close(writer, NULL);
}

#define TEST(NAME) cmocka_unit_test_setup_teardown(NAME, setup, teardown)

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    fake_worker = argv[1];
    const struct CMUnitTest tests[] = {
        TEST(a_good_run_has_every_slot_in_its_place),
        TEST(snapshots_stand_around_the_smoke_phase_and_each_round),
        TEST(the_output_of_each_slot_is_kept_in_logs),
        TEST(a_duration_is_told_before_the_rounds),
        TEST(a_crash_is_recorded_and_the_others_go_on),
        TEST(a_hang_is_ended_by_the_slot_timeout),
        TEST(a_truncated_stream_is_a_crash),
        TEST(an_early_end_is_a_crash_whatever_its_status),
        TEST(a_bad_exit_status_after_all_calls_is_a_failure),
        TEST(garbage_is_named_and_fails),
        TEST(a_worker_that_never_speaks_fails),
        TEST(a_call_of_another_shape_is_not_believed),
        TEST(pieces_that_leave_inputs_out_are_not_believed),
        TEST(a_call_told_twice_is_not_believed),
        TEST(a_negative_time_is_not_believed),
        TEST(a_model_loaded_twice_fails),
        TEST(a_workers_own_error_keeps_its_sentence),
        TEST(a_broken_assertion_on_the_environment_is_unfit),
        TEST(a_program_that_does_not_exist_is_no_policys_fault),
        TEST(a_failing_baseline_ends_the_run_before_the_rounds),
        TEST(stop_does_not_start_the_rounds_when_boxes_differ),
        TEST(exclude_goes_on_without_the_policy_that_differs),
        TEST(measure_times_the_policy_that_differs),
        TEST(a_difference_first_seen_in_the_rounds_counts),
        TEST(a_baseline_that_contradicts_itself_is_different),
        TEST(an_interrupted_run_keeps_what_is_finished_and_goes_on),
        TEST(a_run_killed_anywhere_ends_with_every_call_once),
        TEST(a_second_experiment_on_the_same_run_is_refused),
    };
    return cmocka_run_group_tests_name("trial", tests, NULL, NULL);
}
