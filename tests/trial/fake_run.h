/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TESTS_TRIAL_FAKE_RUN_H
#define ASSAY_TESTS_TRIAL_FAKE_RUN_H
/*
 * A run over a worker that has no engine (fake_worker.c): a folder with evidence, made anew for each
 * test, and what tests ask of it.
 *
 *     begin(f, POLICIES("good", "crash"), AS_ON_DIFFERENCE_STOP, 1);
 *     as_trial_result result = go(f);
 *     as_evidence *e = open_evidence(f);
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    N_ROUNDS = 3,
    MAX_ROUNDS = 8
};

static const char *fake_worker;

/* A run's folder with its evidence, made for each test. */
typedef struct fixture {
    char folder[64];
    char text[MAX_POLICIES][64], name[MAX_POLICIES][64];
    char input_names[N_INPUTS][24], call_names[N_CALLS][24], document_names[N_DOCUMENTS][24];
    char sha256[N_INPUTS][AS_SHA256_HEX];
    int call_inputs[N_CALLS][BATCH];
    as_policy_row policies[MAX_POLICIES];
    as_order_row orders[MAX_ROUNDS * MAX_POLICIES];
    as_document_row documents[N_DOCUMENTS];
    as_input_row inputs[N_INPUTS];
    as_call_row calls[N_CALLS];
    as_evidence_plan plan;
    const char *worker_argv[2];
    as_trial_control control;
    int n_notes;
    char notes[8][640];
    int n_steps, stop_after_steps; /* 0 = never */
    double slot_timeout_s;
    int n_rounds; /* 0 = N_ROUNDS */
    as_noise_rule noise_rule;
    double budget_s;
    int n_looks, decided_at; /* of a test's own judge */
} fixture;

static inline void on_note(void *context, const char *sentence)
{
    fixture *f = context;
    if (f->n_notes < 8) snprintf(f->notes[f->n_notes++], sizeof f->notes[0], "%s", sentence);
}

static inline void on_step(void *context, size_t n_done)
{
    fixture *f = context;
    (void)n_done;
    f->n_steps++;
}

static inline bool on_stop(void *context)
{
    fixture *f = context;
    return f->stop_after_steps > 0 && f->n_steps >= f->stop_after_steps;
}

static inline void fill_corpus(fixture *f)
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
                                      "max",
                                      ""};
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

static inline void begin(fixture *f, const char *const *names, as_on_difference on_difference,
                         int n_cycles)
{
    char path[128];
    size_t n = 0;
    for (; names[n]; n++) {
        const size_t length = strcspn(names[n], "=");
        const bool is_whole = names[n][length] == '=';
        snprintf(f->name[n], sizeof f->name[n], "%.*s", (int)length, names[n]);
        snprintf(f->text[n], sizeof f->text[n], "%s%s", names[n], is_whole ? "" : "=fake");
        f->policies[n] = (as_policy_row){f->name[n], f->text[n], is_whole ? "native" : "fake"};
    }
    size_t n_rounds = f->n_rounds ? (size_t)f->n_rounds : N_ROUNDS;
    assert_int_equal(as_order_fill(AS_ORDER_LATIN, n, n_rounds, 1, f->orders, NULL), ASSAY_OK);
    f->plan = (as_evidence_plan){.run = {.assay_version = "0",
                                         .created = "now",
                                         .model_name = "m",
                                         .model_path = "/m",
                                         .corpus_name = "c",
                                         .corpus_path = f->folder,
                                         .order = "latin",
                                         .n_rounds = (int)n_rounds,
                                         .noise_rule = f->noise_rule,
                                         .budget_s = f->budget_s,
                                         .n_cycles = n_cycles,
                                         .n_smoke_calls = AS_SMOKE_CALLS,
                                         .n_traces = 1,
                                         .on_difference = on_difference,
                                         .slot_timeout_s = f->slot_timeout_s},
                                 .policies = f->policies,
                                 .n_policies = n,
                                 .orders = f->orders,
                                 .n_orders = n_rounds * n,
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

static inline int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (!f) return -1;
    /* In memory where there is such a folder: every slot is synced, which disks take their time for. */
    strcpy(f->folder, as_file_is_folder("/dev/shm") ? "/dev/shm/assay-trial-XXXXXX"
                                                    : P_tmpdir "/assay-trial-XXXXXX");
    if (!mkdtemp(f->folder)) return -1;
    fill_corpus(f);
    f->worker_argv[0] = fake_worker;
    f->slot_timeout_s = 1.5;
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

static inline int teardown(void **state)
{
    fixture *f = *state;
    int status = as_path_remove(f->folder, NULL);
    free(f);
    return status;
}

static inline as_trial_result go(fixture *f)
{
    assay_error err = {0};
    as_trial_result result;
    if (as_trial_go(f->folder, &f->control, &result, &err)) fail_msg("%s", err.message);
    return result;
}

static inline as_evidence *open_evidence(const fixture *f)
{
    char path[128];
    as_evidence *e;
    assay_error err = {0};
    snprintf(path, sizeof path, "%s/%s", f->folder, AS_EVIDENCE_FILE);
    if (as_evidence_open(path, &e, &err)) fail_msg("%s", err.message);
    return e;
}

static inline size_t count_slots(as_evidence *e, as_phase phase, int policy,
                                 as_slot_state slot_state)
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
static inline void assert_each_call_once(as_evidence *e, int n_cycles)
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

static inline const as_slot_row *failed_slot(as_evidence *e)
{
    const as_slot_row *slots;
    size_t n;
    assert_int_equal(as_evidence_slots(e, &slots, &n, NULL), ASSAY_OK);
    for (size_t i = 0; i < n; i++)
        if (slots[i].state == AS_SLOT_FAILED) return &slots[i];
    fail_msg("no slot failed");
    return NULL;
}

/* Names of policies, or "NAME=native,..." of one that names routes; the first word says how the fake
 * worker behaves. */
#define POLICIES(...) ((const char *const[]){__VA_ARGS__, NULL})

#define TEST(NAME) cmocka_unit_test_setup_teardown(NAME, setup, teardown)

#endif
