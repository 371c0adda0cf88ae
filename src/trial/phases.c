/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The phases of a run: snapshot, smoke (every policy on the first calls), rounds with snapshots
 * around each, end.  What to do is worked out of the evidence at the beginning, so a new run and
 * one that was killed take the same way: slots that are there are passed over.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "trial/differences.h"
#include "trial/duration.h"
#include "trial/slot.h"
#include "trial/snapshot.h"
#include "trial/trial.h"

static const double default_snapshot_s = 0.5;

/* A policy's place in the run. */
typedef struct standing {
    bool failed;   /* a slot of it failed: no more are run */
    bool excluded; /* it differed in the smoke phase and on_difference is exclude */
} standing;

typedef struct trial {
    const char *run_folder;
    const as_trial_control *control;
    as_evidence *evidence;      /* owns: as it was at the beginning */
    as_evidence_writer *writer; /* owns */
    char *path;                 /* owns: of the database */
    as_slot_place place;
    const as_order_row *orders;
    const as_slot_row *slots; /* that were there at the beginning */
    size_t n_policies, n_orders, n_slots;
    standing *standings; /* owns; [n_policies] */
} trial;

static void note(const trial *t, const char *format, ...) AS_PRINTF(2, 3);

static void note(const trial *t, const char *format, ...)
{
    char sentence[640];
    if (!t->control->watch.note) return;
    va_list values;
    va_start(values, format);
    vsnprintf(sentence, sizeof sentence, format, values);
    va_end(values);
    t->control->watch.note(t->control->watch.context, sentence);
}

static assay_code open_trial(trial *t, assay_error *err)
{
    as_slot_place *p = &t->place;
    t->path = as_path_join(t->run_folder, AS_EVIDENCE_FILE);
    if (!t->path) return as_fail(err, ASSAY_E_MEMORY, "no memory to open %s", t->run_folder);
    assay_code code = as_evidence_continue(t->path, &t->writer, err);
    if (!code) code = as_evidence_open(t->path, &t->evidence, err);
    if (!code) code = as_evidence_policies(t->evidence, &p->policies, &t->n_policies, err);
    if (!code) code = as_evidence_orders(t->evidence, &t->orders, &t->n_orders, err);
    if (!code) code = as_evidence_inputs(t->evidence, &p->inputs, &p->n_inputs, err);
    if (!code) code = as_evidence_calls(t->evidence, &p->calls, &p->n_calls, err);
    if (!code) code = as_evidence_slots(t->evidence, &t->slots, &t->n_slots, err);
    if (code) return code;
    p->run_folder = t->run_folder;
    p->control = t->control;
    p->run = as_evidence_run(t->evidence);
    p->writer = t->writer;
    t->standings = as_alloc_array(t->n_policies + 1, sizeof *t->standings);
    if (!t->standings)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu policies", t->n_policies);
    for (size_t i = 0; i < t->n_slots; i++)
        if (t->slots[i].state == AS_SLOT_FAILED) t->standings[t->slots[i].policy].failed = true;
    return ASSAY_OK;
}

static assay_code close_trial(trial *t, assay_code code, assay_error *err)
{
    as_evidence_close(t->evidence);
    assay_code closing = as_evidence_writer_close(t->writer, code ? NULL : err);
    as_free(t->path);
    as_free(t->standings);
    return code ? code : closing;
}

static assay_code snapshot(const trial *t, as_phase phase, int round, const char *moment,
                           assay_error *err)
{
    as_process_row rows[AS_SNAPSHOT_PROCESSES];
    double window_s = t->control->snapshot_s > 0 ? t->control->snapshot_s : default_snapshot_s;
    as_snapshot *taken = as_alloc(sizeof *taken);
    if (!taken) return as_fail(err, ASSAY_E_MEMORY, "no memory for a snapshot");
    assay_code code = as_snapshot_take("", window_s, taken, err);
    if (!code) {
        as_snapshot_row row = as_snapshot_row_of(taken, phase, round, moment);
        size_t n = as_snapshot_process_rows(taken, rows);
        code = as_evidence_add_snapshot(t->writer, &row, rows, n, err);
    }
    as_free(taken);
    return code;
}

static bool has_slot(const trial *t, as_phase phase, int round, int policy)
{
    for (size_t i = 0; i < t->n_slots; i++)
        if (t->slots[i].phase == phase && t->slots[i].round == round &&
            t->slots[i].policy == policy)
            return true;
    return false;
}

static bool is_stopped(const trial *t)
{
    return t->control->stop && t->control->stop(t->control->stop_context);
}

static assay_code run_slot(trial *t, const as_slot_order *order, assay_error *err)
{
    as_slot_end end;
    if (is_stopped(t))
        return as_fail(err, ASSAY_E_INTERRUPTED, "interrupted before the next slot");
    assay_code code = as_slot_run(&t->place, order, &end, err);
    if (code || end.state == AS_SLOT_FINISHED) return code;
    t->standings[order->policy].failed = true;
    note(t, "%s", end.sentence);
    return ASSAY_OK;
}

/* The baseline goes first: without its answers the others' cannot be judged. */
static assay_code run_smoke(trial *t, assay_error *err)
{
    int baseline = t->place.run->baseline, position = 0, n_missing = 0;
    for (int i = 0; i < (int)t->n_policies; i++)
        n_missing += !has_slot(t, AS_PHASE_SMOKE, 0, i);
    if (n_missing == 0) return ASSAY_OK;
    assay_code code = snapshot(t, AS_PHASE_SMOKE, 0, "before", err);
    for (int i = -1; i < (int)t->n_policies && !code; i++) {
        int policy = i < 0 ? baseline : i;
        if (i == baseline) continue;
        as_slot_order order = {AS_PHASE_SMOKE, 0, position++, policy};
        if (t->standings[baseline].failed || has_slot(t, AS_PHASE_SMOKE, 0, policy)) continue;
        code = run_slot(t, &order, err);
    }
    return code ? code : snapshot(t, AS_PHASE_SMOKE, 0, "after", err);
}

/* Differences in what the evidence holds by now; *out is owned. */
static assay_code find_differences(const trial *t, bool smoke_only, as_differences **out,
                                   assay_error *err)
{
    as_evidence *now;
    *out = NULL;
    assay_code code = as_evidence_open(t->path, &now, err);
    if (!code) code = as_differences_find(now, smoke_only, out, err);
    as_evidence_close(now);
    return code;
}

/* Keep the pixels of every input that differs, so that review/ needs no corpus. */
static assay_code keep_reviews(const trial *t, const as_differences *found, assay_error *err)
{
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < found->n_inputs && !code; i++) {
        const as_input_row *input = &t->place.inputs[i];
        if (!found->inputs[i] || (input->tensor && input->tensor[0])) continue; /* no picture */
        char hex[AS_SHA256_HEX];
        as_bytes png = {0};
        char *path = as_path_join(t->place.run->corpus_path, input->file);
        if (!path) return as_fail(err, ASSAY_E_MEMORY, "no memory for %s", input->file);
        code = as_file_read(path, 0, &png, err);
        if (!code) code = as_sha256_bytes(png.data, png.size, hex, err);
        if (!code && strcmp(hex, input->sha256) != 0)
            code =
                as_fail(err, ASSAY_E_CHANGED, "region %s changed while the run went on", path);
        as_review_row review = {.input = (int)i, .png = png.data, .png_bytes = png.size};
        if (!code) code = as_evidence_add_review(t->writer, &review, err);
        as_bytes_free(&png);
        as_free(path);
    }
    return code;
}

/* What the smoke phase means for the rounds. @return whether they take place in *goes_on. */
static assay_code pass_gate(trial *t, bool *goes_on, assay_error *err)
{
    const as_run_row *run = t->place.run;
    as_differences *found;
    *goes_on = !t->standings[run->baseline].failed;
    if (!*goes_on) {
        note(t,
             "the baseline %s failed in the smoke phase, so there is no truth to hold the "
             "others to: the rounds are not run",
             t->place.policies[run->baseline].name);
        return ASSAY_OK;
    }
    assay_code code = find_differences(t, true, &found, err);
    if (code) return code;
    code = keep_reviews(t, found, err);
    if (found->n_differing_inputs > 0) {
        note(t, "%s (%zu inputs differ in the smoke phase)", found->first,
             found->n_differing_inputs);
        *goes_on = run->on_difference != AS_ON_DIFFERENCE_STOP;
        if (!*goes_on)
            note(t, "the rounds are not run; --on-difference exclude goes on without that "
                    "policy, measure times it");
    }
    for (size_t i = 0; i < found->n_policies; i++)
        if (found->policies[i] && run->on_difference == AS_ON_DIFFERENCE_EXCLUDE)
            t->standings[i].excluded = true;
    if (*goes_on && t->standings[run->baseline].excluded) {
        *goes_on = false;
        note(t,
             "the baseline %s differs from the reference %s, so there is no time to hold the "
             "others' to: the rounds are not run",
             t->place.policies[run->baseline].name, run->reference_name);
    }
    as_differences_free(found);
    return code;
}

static bool is_missing(const trial *t, const as_order_row *order)
{
    const standing *s = &t->standings[order->policy];
    return !s->failed && !s->excluded &&
           !has_slot(t, AS_PHASE_FORMAL, order->round, order->policy);
}

/* Say how long what is missing takes, by what the smoke phase took. */
static assay_code estimate(const trial *t, assay_error *err)
{
    as_evidence *now;
    double seconds = 0;
    size_t n_slots = 0;
    char text[32];
    assay_code code = as_evidence_open(t->path, &now, err);
    for (size_t i = 0; i < t->n_orders && !code; i++) {
        double slot_s;
        if (!is_missing(t, &t->orders[i])) continue;
        code = as_duration_of_slot(now, t->orders[i].policy, &slot_s, err);
        seconds += slot_s;
        n_slots++;
    }
    as_evidence_close(now);
    double window_s = t->control->snapshot_s > 0 ? t->control->snapshot_s : default_snapshot_s;
    seconds += 2 * window_s * t->place.run->n_rounds;
    as_duration_text(seconds, text, sizeof text);
    if (!code && n_slots > 0)
        note(t, "%zu slots are to run, they take about %s (by the smoke phase)", n_slots, text);
    return code;
}

static assay_code run_round(trial *t, int round, assay_error *err)
{
    bool is_begun = false;
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < t->n_orders && !code; i++) {
        const as_order_row *o = &t->orders[i];
        if (o->round != round || !is_missing(t, o)) continue;
        if (!is_begun) code = snapshot(t, AS_PHASE_FORMAL, round, "before", err);
        is_begun = true;
        as_slot_order order = {AS_PHASE_FORMAL, round, o->position, o->policy};
        if (!code) code = run_slot(t, &order, err);
    }
    return code || !is_begun ? code : snapshot(t, AS_PHASE_FORMAL, round, "after", err);
}

static assay_code run_rounds(trial *t, assay_error *err)
{
    assay_code code = as_evidence_set_state(t->writer, AS_RUN_ROUNDS, "", err);
    if (!code) code = estimate(t, err);
    for (int round = 0; round < t->place.run->n_rounds && !code; round++)
        code = run_round(t, round, err);
    return code;
}

/* Count what failed and what differs, out of the evidence as it is now. */
static assay_code judge(const trial *t, as_trial_result *result, assay_error *err)
{
    as_evidence *now;
    as_differences *found = NULL;
    const as_slot_row *slots = NULL;
    size_t n_slots = 0, n_unfit = 0, n_failed_slots = 0;
    assay_code code = as_evidence_open(t->path, &now, err);
    if (!code) code = as_differences_find(now, false, &found, err);
    if (!code) code = keep_reviews(t, found, err);
    if (!code) code = as_evidence_slots(now, &slots, &n_slots, err);
    for (size_t i = 0; i < n_slots && !code; i++) {
        if (slots[i].state != AS_SLOT_FAILED) continue;
        n_failed_slots++;
        n_unfit += strcmp(slots[i].error_code, assay_code_name(ASSAY_E_ENVIRONMENT)) == 0;
    }
    for (size_t i = 0; i < t->n_policies && !code; i++) {
        result->n_failed += t->standings[i].failed;
        result->n_different += found->policies[i];
    }
    result->is_unfit = n_failed_slots > 0 && n_unfit == n_failed_slots;
    as_differences_free(found);
    as_evidence_close(now);
    return code;
}

static assay_code go(trial *t, as_trial_result *result, assay_error *err)
{
    const as_run_row *run = t->place.run;
    char label[AS_CLOCK_LABEL];
    bool goes_on = false;
    result->state = run->state;
    if (run->state == AS_RUN_FINISHED || run->state == AS_RUN_STOPPED)
        return judge(t, result, err);
    assay_code code = run_smoke(t, err);
    if (!code) code = pass_gate(t, &goes_on, err);
    if (!code && goes_on) code = run_rounds(t, err);
    if (!code) code = judge(t, result, err);
    result->state = goes_on ? AS_RUN_FINISHED : AS_RUN_STOPPED;
    as_clock_label(label);
    return code ? code : as_evidence_set_state(t->writer, result->state, label, err);
}

assay_code as_trial_go(const char *run_folder, const as_trial_control *control,
                       as_trial_result *result, assay_error *err)
{
    trial t = {.run_folder = run_folder, .control = control};
    *result = (as_trial_result){0};
    assay_code code = open_trial(&t, err);
    if (!code) code = go(&t, result, err);
    return close_trial(&t, code, err);
}
