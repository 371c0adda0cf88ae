/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Equality, recomputed from the stored answers.  The truth of an input is the baseline's first
 * answer for it; every other answer, the baseline's later ones too, is compared with that.
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

/** The baseline's first answer of every input, and which answers those are. */
static void find_truth(as_facts *f, int *truth_slot, int *truth_cycle)
{
    for (size_t i = 0; i < f->n_inputs; i++)
        f->truth[i] = -1;
    for (size_t i = 0; i < f->n_answers; i++) {
        const as_answer_row *answer = &f->answers[i];
        if (f->slots[answer->slot].policy != f->run->baseline) continue;
        if (f->truth[answer->input] >= 0) continue;
        f->truth[answer->input] = answer->box_set;
        truth_slot[answer->input] = answer->slot;
        truth_cycle[answer->input] = answer->cycle;
    }
}

static assay_code check_answer(as_facts *f, const as_answer_row *answer, as_boxes *a,
                               as_boxes *b, assay_error *err)
{
    size_t policy = (size_t)f->slots[answer->slot].policy;
    as_tally *cell = as_facts_cell(f, policy, (size_t)answer->input);
    int truth = f->truth[answer->input];
    if (answer->box_set != cell->last_set) {
        as_comparison comparison = {.equal = true};
        if (answer->box_set != truth) { /* equal lists are one set */
            assay_code code = compare_sets(f, truth, answer->box_set, a, b, &comparison, err);
            if (code) return code;
        }
        cell->last_set = answer->box_set;
        cell->last_equal = comparison.equal;
    }
    cell->n_checks++;
    if (cell->last_equal) return ASSAY_OK;
    if (cell->n_differing++ == 0) {
        cell->differing_set = answer->box_set;
        cell->differing_slot = answer->slot;
    }
    return ASSAY_OK;
}

static assay_code list_differences(as_facts *f, as_boxes *a, as_boxes *b, assay_error *err)
{
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
            code = compare_sets(f, f->truth[i], cell->differing_set, a, b, &d->comparison, err);
        }
        f->n_inputs_differing += f->n_differences > before;
    }
    return code;
}

assay_code as_facts_compare(as_facts *f, assay_error *err)
{
    int *truth_slot, *truth_cycle;
    size_t n_cells;
    if (!as_mul(f->n_policies, f->n_inputs, &n_cells))
        return as_fail(err, ASSAY_E_FORMAT, "%zu policies of %zu inputs are too many",
                       f->n_policies, f->n_inputs);
    assay_code code = as_facts_array(f, f->n_inputs, sizeof *f->truth, &f->truth, err);
    if (!code) code = as_facts_array(f, f->n_inputs, sizeof *truth_slot, &truth_slot, err);
    if (!code) code = as_facts_array(f, f->n_inputs, sizeof *truth_cycle, &truth_cycle, err);
    if (!code) code = as_facts_array(f, n_cells, sizeof *f->cells, &f->cells, err);
    if (code) return code;
    for (size_t i = 0; i < n_cells; i++)
        f->cells[i].last_set = f->cells[i].differing_set = f->cells[i].differing_slot = -1;

    as_boxes a = {0}, b = {0};
    find_truth(f, truth_slot, truth_cycle);
    for (size_t i = 0; !code && i < f->n_answers; i++) {
        const as_answer_row *answer = &f->answers[i];
        int input = answer->input;
        if (f->truth[input] < 0) continue; /* without the baseline there is nothing to hold */
        if (answer->slot == truth_slot[input] && answer->cycle == truth_cycle[input]) continue;
        code = check_answer(f, answer, &a, &b, err);
    }
    if (!code) code = list_differences(f, &a, &b, err);
    for (size_t i = 0; i < f->n_inputs; i++)
        f->n_empty_inputs += f->truth[i] >= 0 && f->box_sets[f->truth[i]].n == 0;
    as_boxes_free(&a);
    as_boxes_free(&b);
    return code;
}
