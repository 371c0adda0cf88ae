/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/differences.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "verdict/compare.h"
#include "verdict/tensor.h"

/* The tables that comparing needs; borrows from the reader. */
typedef struct tables {
    const as_policy_row *policies;
    const as_input_row *inputs;
    const as_slot_row *slots;
    const as_box_set_row *sets;
    size_t n_policies, n_inputs, n_slots, n_sets;
    as_evidence *evidence;
    bool smoke_only;
    as_compare_kind kind;
    int *truth; /* owns: of each input its box set, -1 without */
    as_differences *out;
} tables;

static assay_code read_tables(as_evidence *evidence, tables *t, assay_error *err)
{
    assay_code code = as_evidence_policies(evidence, &t->policies, &t->n_policies, err);
    if (!code) code = as_evidence_inputs(evidence, &t->inputs, &t->n_inputs, err);
    if (!code) code = as_evidence_slots(evidence, &t->slots, &t->n_slots, err);
    if (!code) code = as_evidence_box_sets(evidence, &t->sets, &t->n_sets, err);
    return code;
}

/* The set's boxes as the detector's type, owned. */
static assay_code boxes_of(const as_box_set_row *set, as_boxes *out, assay_error *err)
{
    assay_code code = ASSAY_OK;
    *out = (as_boxes){0};
    for (size_t i = 0; i < set->n && !code; i++) {
        as_box box = {.score = set->boxes[i].score};
        memcpy(box.corners, set->boxes[i].corners, sizeof box.corners);
        code = as_boxes_add(out, &box, err);
    }
    return code;
}

static assay_code compare_boxes(const tables *t, int truth, int answer, bool *is_equal,
                                char how[AS_COMPARISON_TEXT], assay_error *err)
{
    as_boxes a, b = {0};
    assay_code code = boxes_of(&t->sets[truth], &a, err);
    if (!code) code = boxes_of(&t->sets[answer], &b, err);
    if (!code) {
        as_comparison found = as_boxes_compare(&a, &b);
        *is_equal = found.equal;
        as_comparison_describe(&found, how);
    }
    as_boxes_free(&a);
    as_boxes_free(&b);
    return code;
}

static assay_code compare_outputs(const tables *t, int truth, int answer, bool *is_equal,
                                  char how[AS_TENSOR_TEXT], assay_error *err)
{
    as_bytes a, b = {0};
    as_tensor_comparison found;
    const as_run_row *run = as_evidence_run(t->evidence);
    const as_tensor_bounds bounds = {run->bound_absolute, run->bound_relative, run->bound_ulp};
    assay_code code = as_evidence_output(t->evidence, t->sets[truth].sha256, &a, err);
    if (!code) code = as_evidence_output(t->evidence, t->sets[answer].sha256, &b, err);
    if (!code) code = as_outputs_compare(&a, &b, t->kind, &bounds, &found, err);
    if (!code) {
        *is_equal = found.equal;
        as_tensor_describe(&found, t->kind, how);
    }
    as_bytes_free(&a);
    as_bytes_free(&b);
    return code;
}

/* Sets with one index have equal bits; others may still be equal within the bounds. */
static assay_code compare(const tables *t, int truth, int answer, bool *is_equal,
                          char how[AS_COMPARISON_TEXT], assay_error *err)
{
    *is_equal = true;
    if (truth == answer) return ASSAY_OK;
    return (t->kind == AS_COMPARE_BOXES ? compare_boxes : compare_outputs)(t, truth, answer,
                                                                           is_equal, how, err);
}

static void note_difference(const tables *t, const as_answer_row *answer, const char *how,
                            as_differences *out)
{
    int policy = t->slots[answer->slot].policy;
    if (!out->first[0])
        snprintf(out->first, sizeof out->first, "policy %s differs on input %.80s: %s",
                 t->policies[policy].name, t->inputs[answer->input].id, how);
    if (!out->policies[policy]) out->first_input[policy] = answer->input;
    out->policies[policy] = true;
    if (!out->inputs[answer->input]) out->n_differing_inputs++;
    out->inputs[answer->input] = true;
}

static bool counts(const tables *t, int slot)
{
    return !t->smoke_only || t->slots[slot].phase == AS_PHASE_SMOKE;
}

static assay_code take_truth(void *context, const as_answer_row *answer, assay_error *err)
{
    const tables *t = context;
    (void)err;
    if (t->truth[answer->input] < 0) t->truth[answer->input] = answer->box_set;
    return ASSAY_OK;
}

/* The reference's boxes, else the first answer of the baseline's slots for each input. */
static assay_code find_truth(tables *t, assay_error *err)
{
    int baseline = as_evidence_run(t->evidence)->baseline;
    const as_truth_row *truths;
    size_t n_truths;
    assay_code code = as_evidence_truths(t->evidence, &truths, &n_truths, err);
    if (code) return code;
    for (size_t i = 0; i < t->n_inputs; i++)
        t->truth[i] = -1;
    for (size_t i = 0; i < n_truths; i++)
        t->truth[truths[i].input] = truths[i].box_set;
    size_t first = 0; /* input without a truth */
    for (int s = 0; s < (int)t->n_slots && !code; s++) {
        if (t->slots[s].policy != baseline || !counts(t, s)) continue;
        while (first < t->n_inputs && t->truth[first] >= 0)
            first++;
        if (first < t->n_inputs)
            code = as_evidence_each_answer(t->evidence, s, NULL, take_truth, t, err);
    }
    return code;
}

static assay_code check_answer(void *context, const as_answer_row *answer, assay_error *err)
{
    const tables *t = context;
    char how[AS_COMPARISON_TEXT] = "";
    bool is_equal;
    int truth = t->truth[answer->input];
    if (truth < 0 || !counts(t, answer->slot)) return ASSAY_OK;
    assay_code code = compare(t, truth, answer->box_set, &is_equal, how, err);
    if (!code && !is_equal) note_difference(t, answer, how, t->out);
    return code;
}

assay_code as_differences_find(as_evidence *evidence, bool smoke_only, as_differences **out,
                               assay_error *err)
{
    tables t = {.evidence = evidence, .smoke_only = smoke_only};
    *out = NULL;
    assay_code code = as_compare_parse(as_evidence_run(evidence)->compare, &t.kind, err);
    if (!code) code = read_tables(evidence, &t, err);
    if (code) return code;
    as_differences *found = t.out = as_alloc(sizeof *found);
    t.truth = as_alloc_array(t.n_inputs + 1, sizeof *t.truth);
    if (found) {
        found->policies = as_alloc_array(t.n_policies + 1, sizeof *found->policies);
        found->inputs = as_alloc_array(t.n_inputs + 1, sizeof *found->inputs);
        found->first_input = as_alloc_array(t.n_policies + 1, sizeof *found->first_input);
        found->n_policies = t.n_policies;
        found->n_inputs = t.n_inputs;
    }
    if (!found || !t.truth || !found->policies || !found->inputs || !found->first_input)
        code = as_fail(err, ASSAY_E_MEMORY, "no memory to compare answers");
    for (size_t i = 0; i < t.n_policies && !code; i++)
        found->first_input[i] = -1;
    if (!code) code = find_truth(&t, err);
    if (!code) code = as_evidence_each_answer(evidence, -1, NULL, check_answer, &t, err);
    as_free(t.truth);
    if (code)
        as_differences_free(found);
    else
        *out = found;
    return code;
}

void as_differences_free(as_differences *differences)
{
    if (!differences) return;
    as_free(differences->policies);
    as_free(differences->first_input);
    as_free(differences->inputs);
    as_free(differences);
}
