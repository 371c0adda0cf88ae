/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/verdict.h"

#include <math.h>

as_verdict as_verdict_of(const as_candidate *candidate)
{
    const as_estimate *e = &candidate->estimate;
    if (candidate->failed) return AS_VERDICT_FAILED;
    if (!candidate->boxes_equal) return AS_VERDICT_DIFFERENT;
    if (candidate->is_baseline) return AS_VERDICT_BASELINE;
    if (!e->has_interval) return AS_VERDICT_NO_INTERVAL;
    if (e->high < 1 - AS_MARGIN) return AS_VERDICT_FASTER;
    if (e->low > 1 + AS_MARGIN) return AS_VERDICT_SLOWER;
    if (e->low >= 1 - AS_MARGIN && e->high <= 1 + AS_MARGIN) return AS_VERDICT_EQUAL;
    return AS_VERDICT_UNDECIDED;
}

/** Cost relative to the baseline: the paired estimate where it has an interval, else medians. */
static double relative_cost(const as_candidate *candidate, const as_candidate *baseline)
{
    if (candidate == baseline) return 1;
    if (candidate->estimate.has_interval) return candidate->estimate.ratio;
    return candidate->median_s / baseline->median_s;
}

/** May it take the baseline's place?  No cost is below 0: a clock that says so is broken. */
static bool is_better(const as_candidate *candidate, const as_candidate *baseline)
{
    if (!(relative_cost(candidate, baseline) >= 0)) return false;
    if (candidate->verdict == AS_VERDICT_FASTER) return true;
    return candidate->verdict == AS_VERDICT_NO_INTERVAL &&
           candidate->estimate.n_faster == candidate->estimate.n &&
           relative_cost(candidate, baseline) < 1 - AS_MARGIN; /* false for NaN */
}

/** Whether `a` wins a tie against `b`, which was named before it. */
static bool is_simpler(const as_candidate *a, const as_candidate *b)
{
    if (a->n_settings != b->n_settings) return a->n_settings < b->n_settings;
    return a->memory_bytes < b->memory_bytes;
}

/** The least cost among the policies that beat the baseline; INFINITY when none does. */
static double least_cost(const as_candidate *candidates, size_t n, const as_candidate *baseline)
{
    double least = INFINITY;
    for (size_t i = 0; i < n; i++)
        if (is_better(&candidates[i], baseline))
            least = fmin(least, relative_cost(&candidates[i], baseline));
    return least;
}

as_choice as_verdict_choose(const as_candidate *candidates, size_t n, size_t baseline)
{
    as_choice choice = {.policy = AS_NO_POLICY};
    const as_candidate *base = &candidates[baseline];
    if (base->verdict != AS_VERDICT_BASELINE) return choice;
    double least = least_cost(candidates, n, base);
    if (isinf(least)) {
        choice = (as_choice){.policy = baseline, .is_certain = true};
        for (size_t i = 0; i < n; i++)
            if (candidates[i].verdict == AS_VERDICT_NO_INTERVAL ||
                candidates[i].verdict == AS_VERDICT_UNDECIDED)
                choice.is_certain = false;
        return choice;
    }
    for (size_t i = 0; i < n; i++) {
        const as_candidate *c = &candidates[i];
        if (!is_better(c, base) || relative_cost(c, base) > least * (1 + AS_MARGIN)) continue;
        if (choice.policy == AS_NO_POLICY) {
            choice.policy = i;
            continue;
        }
        choice.n_ties++;
        if (is_simpler(c, &candidates[choice.policy])) choice.policy = i;
    }
    const as_candidate *chosen = &candidates[choice.policy];
    choice.tie_decided = relative_cost(chosen, base) > least;
    choice.is_certain = chosen->verdict == AS_VERDICT_FASTER;
    return choice;
}

const char *as_verdict_name(as_verdict verdict)
{
    static const char *const names[] = {
        [AS_VERDICT_BASELINE] = "baseline",      [AS_VERDICT_FASTER] = "faster",
        [AS_VERDICT_SLOWER] = "slower",          [AS_VERDICT_EQUAL] = "equal",
        [AS_VERDICT_UNDECIDED] = "undecided",    [AS_VERDICT_NO_INTERVAL] = "no interval",
        [AS_VERDICT_DIFFERENT] = "boxes differ", [AS_VERDICT_FAILED] = "failed"};
    return names[verdict];
}

size_t as_policy_text_settings(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == ',';
    return n;
}
