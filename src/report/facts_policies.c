/* SPDX-License-Identifier: Apache-2.0 */
/* Each policy's rounds, memory and equality brought together, judged, and one chosen. */
#include <math.h>

#include "report/facts.h"

static int64_t greater(int64_t a, int64_t b) { return a > b ? a : b; }

/** Detection seconds by round, peaks of memory and the first failure of policy `p`. */
static assay_code gather_slots(as_facts *f, size_t p, assay_error *err)
{
    as_policy_facts *policy = &f->policy[p];
    double *round_s;
    assay_code code = as_facts_array(f, f->n_rounds, sizeof *round_s, &round_s, err);
    if (code) return code;
    policy->row = &f->policies[p];
    policy->round_s = round_s;
    policy->failed_slot = -1;
    for (int i = 0; i < AS_N_PROCESSES; i++)
        policy->peak_pss[i] = policy->peak_rss[i] = -1;
    for (size_t r = 0; r < f->n_rounds; r++) {
        int slot = as_facts_slot(f, r, p);
        round_s[r] = slot < 0 ? NAN : as_stages_seconds(&f->slot[slot].stages);
        if (slot < 0) continue;
        policy->n_passes += (size_t)f->run->n_cycles;
        policy->n_answers += f->slot[slot].n_answers;
        as_facts_add(&policy->n_forwards, f->slots[slot].n_forwards);
        for (int i = 0; i < AS_N_PROCESSES; i++) {
            policy->peak_pss[i] = greater(policy->peak_pss[i], f->slot[slot].peak_pss[i]);
            policy->peak_rss[i] = greater(policy->peak_rss[i], f->slot[slot].peak_rss[i]);
        }
    }
    for (size_t i = 0; i < f->n_slots; i++) {
        if ((size_t)f->slots[i].policy != p) continue;
        as_facts_add(&policy->n_not_finite, f->slot[i].n_not_finite);
        if (f->slots[i].state == AS_SLOT_FAILED && policy->failed_slot < 0)
            policy->failed_slot = (int)i;
    }
    return ASSAY_OK;
}

/** Counts of checked inputs and answers of policy `p`. */
static void gather_cells(as_facts *f, size_t p)
{
    as_policy_facts *policy = &f->policy[p];
    for (size_t i = 0; i < f->n_inputs; i++) {
        const as_tally *cell = as_facts_cell(f, p, i);
        if (cell->n_checks == 0) continue;
        policy->n_inputs_checked++;
        policy->n_inputs_differing += cell->n_differing > 0;
        policy->n_checks += cell->n_checks;
        policy->n_checks_differing += cell->n_differing;
        policy->n_inputs_with_boxes += f->compare != AS_COMPARE_BOXES ||
                                       f->box_sets[f->truth[i]].n > 0 || cell->n_differing > 0;
    }
    for (size_t i = 0; i < f->n_differences; i++)
        if ((size_t)f->differences[i].policy == p &&
            isfinite(f->differences[i].comparison.max_corner_px))
            policy->max_corner_px =
                fmax(policy->max_corner_px, f->differences[i].comparison.max_corner_px);
}

/** Summaries of the rounds, whole, by stage, stratum and batch size; `values` has room for n_rounds. */
static assay_code summarise(as_facts *f, size_t p, double *values, assay_error *err)
{
    as_policy_facts *policy = &f->policy[p];
    size_t n = 0;
    for (size_t r = 0; r < f->n_rounds; r++)
        if (!isnan(policy->round_s[r])) values[n++] = policy->round_s[r];
    assay_code code = as_summary_of(values, n, &policy->detection, err);
    for (int s = 0; !code && s < AS_N_STRATA; s++) {
        n = 0;
        for (size_t r = 0; r < f->n_rounds; r++) {
            int slot = as_facts_slot(f, r, p);
            if (slot >= 0) values[n++] = (double)f->slot[slot].stratum_ns[s] / 1e9;
        }
        code = as_summary_of(values, n, &policy->strata[s], err);
    }
    for (int s = 0; !code && s < AS_N_STAGES; s++) {
        n = 0;
        for (size_t r = 0; r < f->n_rounds; r++) {
            int slot = as_facts_slot(f, r, p);
            if (slot >= 0) values[n++] = (double)f->slot[slot].stages.ns[s] / 1e9;
        }
        code = as_summary_of(values, n, &policy->stages[s], err);
    }
    return code ? code : as_facts_over_batches(f, p, values, err);
}

/**
 * Percent between the medians of `policy` and the baseline over the rounds that both have, of the
 * whole detection (stratum -1) or one stratum; NaN without such a round.
 */
static assay_code reduction_of(const as_facts *f, size_t p, int stratum, double *values,
                               double *out, assay_error *err)
{
    size_t n = 0, base = (size_t)f->run->baseline;
    double *mine = values, *its = values + f->n_rounds;
    for (size_t r = 0; r < f->n_rounds; r++) {
        int slot = as_facts_slot(f, r, p), other = as_facts_slot(f, r, base);
        if (slot < 0 || other < 0) continue;
        mine[n] = stratum < 0 ? f->policy[p].round_s[r]
                              : (double)f->slot[slot].stratum_ns[stratum] / 1e9;
        its[n++] = stratum < 0 ? f->policy[base].round_s[r]
                               : (double)f->slot[other].stratum_ns[stratum] / 1e9;
    }
    as_summary a, b = {0};
    assay_code code = as_summary_of(mine, n, &a, err);
    if (!code) code = as_summary_of(its, n, &b, err);
    *out = !code && b.median > 0 ? as_reduction_percent(a.median, b.median) : NAN;
    return code;
}

/** Pair policy `p` with the baseline in the rounds that have both, and judge it. */
static assay_code judge(as_facts *f, size_t p, double *values, assay_error *err)
{
    as_policy_facts *policy = &f->policy[p];
    const as_policy_facts *base = &f->policy[f->run->baseline];
    double *mine = values, *its = values + f->n_rounds;
    size_t n = 0;
    for (size_t r = 0; r < f->n_rounds; r++) {
        if (!(policy->round_s[r] > 0) || !(base->round_s[r] > 0)) continue;
        mine[n] = policy->round_s[r];
        its[n++] = base->round_s[r];
    }
    as_candidate *c = &policy->candidate;
    *c = (as_candidate){.is_baseline = p == (size_t)f->run->baseline,
                        .failed = policy->failed_slot >= 0,
                        .boxes_equal = policy->n_inputs_differing == 0,
                        .median_s = policy->detection.n ? policy->detection.median : NAN,
                        .n_settings = as_policy_text_settings(policy->row->text),
                        .memory_bytes = policy->peak_pss[AS_WORKER] < 0
                                            ? INT64_MAX
                                            : policy->peak_pss[AS_WORKER]};
    assay_code code = as_estimate_at(mine, its, n, f->alpha, &c->estimate, err);
    c->verdict = as_verdict_of(c);
    if (!code) code = reduction_of(f, p, -1, values, &policy->reduction, err);
    for (int s = 0; !code && s < AS_N_STRATA; s++)
        code = reduction_of(f, p, s, values, &policy->stratum_reduction[s], err);
    return code;
}

static assay_code choose(as_facts *f, assay_error *err)
{
    as_candidate *candidates;
    assay_code code = as_facts_array(f, f->n_policies, sizeof *candidates, &candidates, err);
    if (code) return code;
    f->holds = f->n_incomplete_slots == 0;
    for (size_t p = 0; p < f->n_policies; p++) {
        candidates[p] = f->policy[p].candidate;
        if (candidates[p].failed || !candidates[p].boxes_equal) f->holds = false;
    }
    f->choice = as_verdict_choose(candidates, f->n_policies, (size_t)f->run->baseline);
    if (f->policy[f->run->baseline].detection.n == 0) f->choice.policy = AS_NO_POLICY;
    return ASSAY_OK;
}

/** A round is done when every policy has its slot, or will have none any more. */
static void count_rounds(as_facts *f)
{
    for (size_t r = 0; r < f->n_rounds; r++) {
        bool done = true, any = false;
        for (size_t p = 0; p < f->n_policies; p++) {
            bool has = as_facts_slot(f, r, p) >= 0;
            any = any || has;
            if (!has && f->policy[p].failed_slot < 0 && f->policy[p].n_inputs_differing == 0)
                done = false;
        }
        f->n_rounds_done += done && any;
    }
}

/** What an interval may claim: the last of the looks that a budget takes, or the only one. */
static void share_error(as_facts *f)
{
    size_t look = f->run->budget_s > 0 ? (size_t)f->run->n_bought + 1 : 0;
    f->alpha = as_alpha_of(f->n_policies > 1 ? f->n_policies - 1 : 1, look);
    f->rounds_needed = as_rounds_for_alpha(f->alpha);
}

assay_code as_facts_judge(as_facts *f, assay_error *err)
{
    share_error(f);
    double *values;
    assay_code code = as_facts_array(f, f->n_policies, sizeof *f->policy, &f->policy, err);
    if (!code) code = as_facts_array(f, 2 * f->n_rounds, sizeof *values, &values, err);
    for (size_t p = 0; !code && p < f->n_policies; p++) {
        code = gather_slots(f, p, err);
        if (code) return code;
        gather_cells(f, p);
        code = summarise(f, p, values, err);
    }
    for (size_t p = 0; !code && p < f->n_policies; p++)
        code = judge(f, p, values, err);
    if (code) return code;
    count_rounds(f);
    return choose(f, err);
}
