/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Equality, recomputed from the stored answers.  The truth of an input is what the reference says,
 * or without one the baseline's first answer for it; every other answer, the baseline's too, is
 * compared with that.
 */

#include "base/size.h"
#include "report/facts.h"

assay_code as_facts_boxes(const as_box_set_row *set, as_boxes *boxes, assay_error *err)
{
    as_boxes_clear(boxes);
    assay_code code = ASSAY_OK;
    for (size_t i = 0; !code && i < set->n; i++) {
        as_box box = {.score = set->boxes[i].score};
        for (int c = 0; c < 4; c++) {
            box.corners[c][0] = set->boxes[i].corners[c][0];
            box.corners[c][1] = set->boxes[i].corners[c][1];
        }
        code = as_boxes_add(boxes, &box, err);
    }
    return code;
}

/** Compare two stored sets; `a` and `b` are buffers kept between calls. */
static assay_code compare_sets(const as_facts *f, int truth, int answer, as_boxes *a,
                               as_boxes *b, as_comparison *out, assay_error *err)
{
    assay_code code = as_facts_boxes(&f->box_sets[truth], a, err);
    if (!code) code = as_facts_boxes(&f->box_sets[answer], b, err);
    if (!code) *out = as_boxes_compare(a, b);
    return code;
}

/** Compare the outputs that two stored sets stand for. */
static assay_code compare_outputs(const as_facts *f, int truth, int answer,
                                  as_tensor_comparison *out, assay_error *err)
{
    as_bytes a, b = {0};
    const as_tensor_bounds bounds = {f->run->bound_absolute, f->run->bound_relative,
                                     f->run->bound_ulp};
    assay_code code = as_evidence_output(f->evidence, f->box_sets[truth].sha256, &a, err);
    if (!code) code = as_evidence_output(f->evidence, f->box_sets[answer].sha256, &b, err);
    if (!code) code = as_outputs_compare(&a, &b, f->compare, &bounds, out, err);
    as_bytes_free(&a);
    as_bytes_free(&b);
    return code;
}

static const char *say(int language, const char *english)
{
    return as_say((as_language)language, english);
}

void as_difference_describe(const as_facts *f, const as_difference_facts *d,
                            char text[AS_COMPARISON_TEXT])
{
    if (f->compare == AS_COMPARE_BOXES)
        as_comparison_describe_in(&d->comparison, say, (int)f->language, text);
    else
        as_tensor_describe_in(&d->tensor, f->compare, say, (int)f->language, text);
}

/** What comparing keeps at hand while answers go by. */
typedef struct comparing {
    as_facts *f;
    int *truth_slot, *truth_cycle; /* of each input: where its truth was answered, -1 without */
    as_boxes a, b;                 /* own */
} comparing;

static assay_code take_truth(void *context, const as_answer_row *answer, assay_error *err)
{
    comparing *c = context;
    int input = answer->input;
    (void)err;
    if (c->f->truth[input] >= 0) return ASSAY_OK;
    c->f->truth[input] = answer->box_set;
    c->truth_slot[input] = answer->slot;
    c->truth_cycle[input] = answer->cycle;
    return ASSAY_OK;
}

/** The reference's boxes, or the baseline's first answer of every input; its later slots are read only while one lacks. */
static assay_code find_truth(comparing *c, assay_error *err)
{
    as_facts *f = c->f;
    const as_truth_row *truths;
    size_t n_truths;
    assay_code code = as_evidence_truths(f->evidence, &truths, &n_truths, err);
    if (code) return code;
    for (size_t i = 0; i < f->n_inputs; i++)
        f->truth[i] = c->truth_slot[i] = c->truth_cycle[i] = -1;
    for (size_t i = 0; i < n_truths; i++)
        f->truth[truths[i].input] = truths[i].box_set;
    size_t first = 0; /* input without a truth */
    for (size_t s = 0; s < f->n_slots && !code; s++) {
        if (f->slots[s].policy != f->run->baseline) continue;
        while (first < f->n_inputs && f->truth[first] >= 0)
            first++;
        if (first == f->n_inputs) break;
        code = as_evidence_each_answer(f->evidence, (int)s, NULL, take_truth, c, err);
    }
    return code;
}

/** One of both comparisons; the other stays as it is. */
static assay_code compare_answers(comparing *c, int truth, int answer, as_difference_facts *d,
                                  assay_error *err)
{
    if (c->f->compare == AS_COMPARE_BOXES)
        return compare_sets(c->f, truth, answer, &c->a, &c->b, &d->comparison, err);
    return compare_outputs(c->f, truth, answer, &d->tensor, err);
}

/** The bounds that all of a policy's outputs would need. */
static void note_bounds(as_tensor_comparison *all, const as_tensor_comparison *one)
{
    all->n += one->n;
    all->n_beyond += one->n_beyond;
    all->has_other_layout = all->has_other_layout || one->has_other_layout;
    if (one->max_absolute > all->max_absolute) all->max_absolute = one->max_absolute;
    if (one->max_relative > all->max_relative) all->max_relative = one->max_relative;
    if (one->max_ulp > all->max_ulp) all->max_ulp = one->max_ulp;
}

static assay_code check_answer(comparing *c, const as_answer_row *answer, assay_error *err)
{
    as_facts *f = c->f;
    size_t policy = (size_t)f->slots[answer->slot].policy;
    as_tally *cell = as_facts_cell(f, policy, (size_t)answer->input);
    int truth = f->truth[answer->input];
    if (answer->box_set != cell->last_set) {
        as_difference_facts d = {.comparison.equal = true, .tensor.equal = true};
        if (answer->box_set != truth) { /* equal lists are one set */
            assay_code code = compare_answers(c, truth, answer->box_set, &d, err);
            if (code) return code;
        }
        cell->last_set = answer->box_set;
        cell->last_equal = d.comparison.equal && d.tensor.equal;
        note_bounds(&f->policy_tensor[policy], &d.tensor);
    }
    cell->n_checks++;
    if (cell->last_equal) return ASSAY_OK;
    if (cell->n_differing++ == 0) {
        cell->differing_set = answer->box_set;
        cell->differing_slot = answer->slot;
    }
    return ASSAY_OK;
}

static assay_code take_answer(void *context, const as_answer_row *answer, assay_error *err)
{
    comparing *c = context;
    int input = answer->input;
    c->f->slot[answer->slot].n_answers++;
    if (c->f->truth[input] < 0) return ASSAY_OK; /* there is nothing to hold it to */
    if (answer->slot == c->truth_slot[input] && answer->cycle == c->truth_cycle[input])
        return ASSAY_OK;
    return check_answer(c, answer, err);
}

static assay_code list_differences(comparing *c, assay_error *err)
{
    as_facts *f = c->f;
    size_t n = 0;
    for (size_t i = 0; i < f->n_policies * f->n_inputs; i++)
        n += f->cells[i].n_differing > 0;
    assay_code code = as_facts_array(f, n, sizeof *f->differences, &f->differences, err);
    for (size_t i = 0; !code && i < f->n_inputs; i++) {
        size_t before = f->n_differences;
        for (size_t p = 0; !code && p < f->n_policies; p++) {
            const as_tally *cell = as_facts_cell(f, p, i);
            if (cell->n_differing == 0) continue;
            as_difference_facts *d = &f->differences[f->n_differences++];
            d->input = (int)i;
            d->policy = (int)p;
            code = compare_answers(c, f->truth[i], cell->differing_set, d, err);
        }
        f->n_inputs_differing += f->n_differences > before;
    }
    return code;
}

/** Whether a finished slot holds every call and every answer exactly once a cycle. */
static bool is_complete(const as_facts *f, size_t slot)
{
    const as_slot_row *row = &f->slots[slot];
    size_t n_calls = f->n_calls, n_inputs = f->n_inputs, cycles = (size_t)f->run->n_cycles;
    if (row->phase == AS_PHASE_PROFILE) return true; /* none of it is kept */
    if (row->phase == AS_PHASE_SMOKE) {
        cycles = 1;
        n_calls = as_min(n_calls, (size_t)f->run->n_smoke_calls);
        n_inputs = 0;
        for (size_t i = 0; i < n_calls; i++)
            n_inputs += f->calls[i].shape.n;
    }
    return f->slot[slot].n_samples == n_calls * cycles &&
           f->slot[slot].n_answers == n_inputs * cycles;
}

assay_code as_facts_compare(as_facts *f, assay_error *err)
{
    comparing c = {.f = f};
    size_t n_cells;
    if (!as_mul(f->n_policies, f->n_inputs, &n_cells))
        return as_fail(err, ASSAY_E_FORMAT, "%zu policies of %zu inputs are too many",
                       f->n_policies, f->n_inputs);
    assay_code code = as_facts_array(f, f->n_inputs, sizeof *f->truth, &f->truth, err);
    if (!code) code = as_facts_array(f, f->n_inputs, sizeof(int), &c.truth_slot, err);
    if (!code) code = as_facts_array(f, f->n_inputs, sizeof(int), &c.truth_cycle, err);
    if (!code) code = as_facts_array(f, n_cells, sizeof *f->cells, &f->cells, err);
    if (!code) code = as_compare_parse(f->run->compare, &f->compare, err);
    if (f->compare != AS_COMPARE_BOXES) f->language = as_language_of_tensors(f->language);
    if (!code)
        code =
            as_facts_array(f, f->n_policies, sizeof *f->policy_tensor, &f->policy_tensor, err);
    if (code) return code;
    for (size_t i = 0; i < n_cells; i++)
        f->cells[i].last_set = f->cells[i].differing_set = f->cells[i].differing_slot = -1;

    code = find_truth(&c, err);
    if (!code) code = as_evidence_each_answer(f->evidence, -1, NULL, take_answer, &c, err);
    if (!code) code = list_differences(&c, err);
    for (size_t i = 0; i < f->n_inputs; i++)
        f->n_empty_inputs += f->compare == AS_COMPARE_BOXES && f->truth[i] >= 0 &&
                             f->box_sets[f->truth[i]].n == 0;
    for (size_t i = 0; i < f->n_slots; i++)
        f->n_incomplete_slots += f->slots[i].state == AS_SLOT_FINISHED && !is_complete(f, i);
    as_boxes_free(&c.a);
    as_boxes_free(&c.b);
    return code;
}
