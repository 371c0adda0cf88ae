/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The phases of a run: snapshot, smoke (every policy on the first calls), profile (one call of every
 * policy from inside), rounds with snapshots around each, end.  What to do is worked out of the
 * evidence at the beginning, so a new run and one that was killed take the same way: slots that are
 * there are passed over.
 */
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "evidence/evidence.h"
#include "trial/course.h"
#include "trial/departure.h"
#include "trial/differences.h"
#include "trial/profile_phase.h"
#include "trial/rounds.h"
#include "trial/trial.h"

/* The baseline goes first: without its answers the others' cannot be judged. */
static assay_code run_smoke(as_course *t, assay_error *err)
{
    int baseline = t->place.run->baseline, position = 0, n_missing = 0;
    for (int i = 0; i < (int)t->n_policies; i++)
        n_missing +=
            !as_course_has_slot(t, &(as_slot_order){.phase = AS_PHASE_SMOKE, .policy = i});
    if (n_missing == 0) return ASSAY_OK;
    assay_code code = as_course_snapshot(t, AS_PHASE_SMOKE, 0, "before", err);
    for (int i = -1; i < (int)t->n_policies && !code; i++) {
        int policy = i < 0 ? baseline : i;
        if (i == baseline) continue;
        as_slot_order order = {
            .phase = AS_PHASE_SMOKE, .position = position++, .policy = policy};
        if (t->standings[baseline].failed || as_course_has_slot(t, &order)) continue;
        code = as_course_run_slot(t, &order, err);
    }
    return code ? code : as_course_snapshot(t, AS_PHASE_SMOKE, 0, "after", err);
}

/* Differences in what the evidence holds by now; *out is owned. */
static assay_code find_differences(const as_course *t, bool smoke_only, as_differences **out,
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
static assay_code keep_reviews(const as_course *t, const as_differences *found,
                               assay_error *err)
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
static assay_code pass_gate(as_course *t, bool *goes_on, assay_error *err)
{
    const as_run_row *run = t->place.run;
    as_differences *found;
    *goes_on = !t->standings[run->baseline].failed;
    if (!*goes_on) {
        as_course_note(
            t,
            "the baseline %s failed in the smoke phase, so there is no truth to hold the "
            "others to: the rounds are not run",
            t->place.policies[run->baseline].name);
        return ASSAY_OK;
    }
    assay_code code = find_differences(t, true, &found, err);
    if (code) return code;
    code = keep_reviews(t, found, err);
    if (found->n_differing_inputs > 0) {
        as_course_note(t, "%s (%zu inputs differ in the smoke phase)", found->first,
                       found->n_differing_inputs);
        *goes_on = run->on_difference != AS_ON_DIFFERENCE_STOP;
        if (!*goes_on)
            as_course_note(
                t, "the rounds are not run; --on-difference exclude goes on without that "
                   "policy, measure times it");
    }
    for (size_t i = 0; i < found->n_policies; i++)
        if (found->policies[i] && run->on_difference == AS_ON_DIFFERENCE_EXCLUDE)
            t->standings[i].excluded = true;
    if (*goes_on && t->standings[run->baseline].excluded) {
        *goes_on = false;
        as_course_note(
            t,
            "the baseline %s differs from the reference %s, so there is no time to hold the "
            "others' to: the rounds are not run",
            t->place.policies[run->baseline].name, run->reference_name);
    }
    as_differences_free(found);
    return code;
}

/* Count what failed and what differs, out of the evidence as it is now. */
static assay_code judge(const as_course *t, as_trial_result *result, assay_error *err)
{
    as_evidence *now;
    as_differences *found = NULL;
    const as_slot_row *slots = NULL;
    size_t n_slots = 0, n_unfit = 0, n_failed_slots = 0;
    assay_code code = as_evidence_open(t->path, &now, err);
    if (!code) code = as_differences_find(now, false, &found, err);
    if (!code) code = keep_reviews(t, found, err);
    if (!code && !t->control->worker_argv)
        code = as_departures_find(&t->place, now, t->writer, found, err);
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

/* A run that ended before: what it came to, as far as it is not in the slots. */
static assay_code recall_end(const as_course *t, as_trial_result *result, assay_error *err)
{
    const as_trial_control *control = t->control;
    result->state = t->place.run->state;
    result->is_machine_unfit = t->place.run->unfit[0] != '\0';
    if (t->place.run->budget_s == 0 || !control->undecided) return ASSAY_OK;
    return control->undecided(control->undecided_context, t->run_folder, &result->is_undecided,
                              err);
}

/* The rounds, unless the smoke phase says no; *end is how they ended. */
static assay_code run_phases(as_course *t, bool *goes_on, as_rounds_end *end, assay_error *err)
{
    *end = (as_rounds_end){0};
    assay_code code = run_smoke(t, err);
    if (!code) code = pass_gate(t, goes_on, err);
    if (!code && *goes_on) code = as_profile_phase_run(t, goes_on, err);
    if (!code && *goes_on) code = as_rounds_run(t, end, err);
    if (!code && end->unfit[0]) code = as_evidence_set_unfit(t->writer, end->unfit, err);
    return code;
}

static assay_code go(as_course *t, as_trial_result *result, assay_error *err)
{
    const as_run_row *run = t->place.run;
    char label[AS_CLOCK_LABEL];
    bool goes_on = false;
    as_rounds_end end;
    if (run->state == AS_RUN_FINISHED || run->state == AS_RUN_STOPPED) {
        assay_code recalled = recall_end(t, result, err);
        return recalled ? recalled : judge(t, result, err);
    }
    assay_code code = run_phases(t, &goes_on, &end, err);
    if (!code) code = judge(t, result, err);
    result->is_machine_unfit = end.unfit[0] != '\0';
    result->is_undecided = end.is_undecided;
    result->state = goes_on && !end.unfit[0] ? AS_RUN_FINISHED : AS_RUN_STOPPED;
    as_clock_label(label);
    return code ? code : as_evidence_set_state(t->writer, result->state, label, err);
}

assay_code as_trial_go(const char *run_folder, const as_trial_control *control,
                       as_trial_result *result, assay_error *err)
{
    as_course course;
    *result = (as_trial_result){0};
    assay_code code = as_course_open(run_folder, control, &course, err);
    if (!code) code = go(&course, result, err);
    return as_course_close(&course, code, err);
}
