/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict in words: one sentence that says it, and what it rests on. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/facts.h"

/** Room for the names of policies in a sentence; more names end in "...". */
#define NAMES_BYTES 256

/** Names of the policies with `verdict`, as in "a, b and c", into `text`.  @return how many. */
static size_t names_of(const as_facts *f, as_verdict verdict, char text[NAMES_BYTES])
{
    size_t n = 0, seen = 0, used = 0;
    text[0] = '\0';
    for (size_t p = 0; p < f->n_policies; p++)
        n += f->policy[p].candidate.verdict == verdict;
    for (size_t p = 0; p < f->n_policies; p++) {
        if (f->policy[p].candidate.verdict != verdict) continue;
        const char *link = seen == 0       ? ""
                           : seen + 1 == n ? as_say(f->language, " and ")
                                           : as_say(f->language, ", ");
        size_t need = strlen(link) + strlen(as_facts_name(f, p));
        if (used + need + 5 > NAMES_BYTES) {
            snprintf(text + used, NAMES_BYTES - used, " ...");
            break;
        }
        used += (size_t)snprintf(text + used, NAMES_BYTES - used, "%s%s", link,
                                 as_facts_name(f, p));
        seen++;
    }
    return n;
}

static const char *baseline_name(const as_facts *f)
{
    return as_facts_name(f, (size_t)f->run->baseline);
}

static const as_policy_facts *baseline_of(const as_facts *f)
{
    return &f->policy[f->run->baseline];
}

/** No policy is chosen: why. */
static assay_code no_verdict(as_facts *f, assay_error *err)
{
    char names[NAMES_BYTES];
    const as_policy_facts *base = baseline_of(f);
    if (base->candidate.failed) {
        assay_code code = as_facts_format(
            f, &f->headline, err, "No verdict: the baseline %s failed.", baseline_name(f));
        return code ? code
                    : as_facts_format(f, &f->certainty, err, "Why there is no verdict: %s.",
                                      f->slots[base->failed_slot].error);
    }
    if (f->run->unfit[0]) {
        f->headline = as_say(f->language, "No verdict: the machine is unfit to measure on.");
        return as_facts_format(f, &f->certainty, err, "Why there is no verdict: %s.",
                               f->run->unfit);
    }
    if (base->n_inputs_differing > 0) {
        if (f->run->reference_name[0]) {
            f->certainty =
                as_say(f->language, "Where the baseline is wrong, being faster than it "
                                    "is no reason to choose.");
            return as_facts_format(f, &f->headline, err,
                                   "No verdict: the baseline %s differs from the reference %s "
                                   "on %zu of %zu inputs.",
                                   baseline_name(f), f->run->reference_name,
                                   base->n_inputs_differing, base->n_inputs_checked);
        }
        f->certainty = as_say(
            f->language, "Where one policy's answers change from slot to slot, nothing can "
                         "be held equal to them.");
        return as_facts_format(
            f, &f->headline, err,
            "No verdict: the baseline %s does not repeat its own boxes on %zu of "
            "%zu inputs.",
            baseline_name(f), base->n_inputs_differing, base->n_inputs_checked);
    }
    if (f->run->state == AS_RUN_STOPPED && names_of(f, AS_VERDICT_DIFFERENT, names) > 0) {
        f->certainty =
            as_say(f->language, "No formal round was run; --on-difference exclude or "
                                "measure goes on.");
        return as_facts_format(f, &f->headline, err,
                               "Stopped before the rounds: %s changed boxes against %s.", names,
                               baseline_name(f));
    }
    if (f->run->state == AS_RUN_STOPPED && names_of(f, AS_VERDICT_FAILED, names) > 0) {
        f->certainty = as_say(f->language, "No formal round was run.");
        return as_facts_format(f, &f->headline, err, "Stopped before the rounds: %s failed.",
                               names);
    }
    f->headline = as_say(f->language, "No verdict yet: no formal round is finished.");
    f->certainty =
        as_say(f->language, "assay experiment --resume goes on where the run stopped.");
    return ASSAY_OK;
}

/** Why there is no interval: how many rounds, how many it takes. */
static void no_interval(const as_facts *f, size_t n, char *text, size_t room)
{
    as_say_into(text, room, f->language, "No interval: %zu round%s, %zu are needed.", n,
                n == 1 ? "" : "s", f->rounds_needed);
}

/** Another policy than the baseline is chosen. */
static assay_code new_choice(as_facts *f, assay_error *err)
{
    const as_policy_facts *chosen = &f->policy[f->choice.policy];
    const as_estimate *e = &chosen->candidate.estimate;
    const char *tie =
        f->choice.tie_decided
            ? as_say(f->language, "  Another is within 1 %; the simpler was taken.")
            : "";
    double percent = e->has_interval ? (1 - e->ratio) * 100 : chosen->reduction;
    assay_code code = as_facts_format(
        f, &f->headline, err,
        e->has_interval
            ? "%s is the cheapest with equal boxes: %.1f %% less detection time than %s."
            : "%s looks the cheapest with equal boxes: %.1f %% less detection time than %s.",
        chosen->row->name, percent, baseline_name(f));
    if (code) return code;
    if (e->has_interval)
        return as_facts_format(
            f, &f->certainty, err,
            "%.3g %% interval: %.1f to %.1f %% less, from %zu paired rounds; "
            "faster in %zu of them.%s",
            e->level * 100, (1 - e->high) * 100, (1 - e->low) * 100, e->n, e->n_faster, tie);
    char reason[80];
    no_interval(f, e->n, reason, sizeof reason);
    return as_facts_format(f, &f->certainty, err,
                           "%s  Medians: %.3f s against %.3f s; faster in %zu of %zu rounds.%s",
                           reason, chosen->detection.median, baseline_of(f)->detection.median,
                           e->n_faster, e->n, tie);
}

/** The least reduction that every undecided policy's interval could have shown. */
static double detectable(const as_facts *f)
{
    double percent = 0;
    for (size_t p = 0; p < f->n_policies; p++)
        if (f->policy[p].candidate.verdict == AS_VERDICT_UNDECIDED)
            percent = fmax(percent,
                           as_detectable_percent(&f->policy[p].candidate.estimate, AS_MARGIN));
    return percent;
}

/** The policy with equal boxes and the least median below the baseline's, or NULL. */
static const as_policy_facts *least_median(const as_facts *f)
{
    const as_policy_facts *least = NULL;
    for (size_t p = 0; p < f->n_policies; p++) {
        const as_policy_facts *policy = &f->policy[p];
        if (policy->candidate.verdict != AS_VERDICT_NO_INTERVAL || !(policy->reduction > 0))
            continue;
        if (!least || policy->reduction > least->reduction) least = policy;
    }
    return least;
}

/** What the medians hint at where there is no interval. */
static assay_code hint(as_facts *f, assay_error *err)
{
    char reason[80];
    const as_policy_facts *least = least_median(f), *base = baseline_of(f);
    no_interval(f, base->detection.n, reason, sizeof reason);
    if (!least) return as_facts_format(f, &f->certainty, err, "%s", reason);
    return as_facts_format(
        f, &f->certainty, err,
        "%s  %s has the least median, %.3f s against %.3f s, and was faster in "
        "%zu of %zu rounds.",
        reason, least->row->name, least->detection.median, base->detection.median,
        least->candidate.estimate.n_faster, least->candidate.estimate.n);
}

/** The baseline stays. */
static assay_code old_choice(as_facts *f, assay_error *err)
{
    char names[NAMES_BYTES];
    const char *base = baseline_name(f);
    size_t n_without = names_of(f, AS_VERDICT_NO_INTERVAL, names);
    size_t n_excluded = names_of(f, AS_VERDICT_DIFFERENT, names);
    n_excluded += names_of(f, AS_VERDICT_FAILED, names);
    size_t n_rounds = baseline_of(f)->detection.n;
    if (f->n_policies == 1) {
        f->certainty =
            as_say(f->language, "A second --policy gives it something to be compared with.");
        return as_facts_format(f, &f->headline, err, "%s was measured alone: %.3f s (n = %zu).",
                               base, baseline_of(f)->detection.median, n_rounds);
    }
    if (n_excluded + 1 == f->n_policies) {
        f->certainty = as_say(f->language,
                              "The others changed boxes or failed; their times do not count.");
        return as_facts_format(f, &f->headline, err,
                               "%s stays: no other policy has equal boxes.", base);
    }
    assay_code code = as_facts_format(
        f, &f->headline, err,
        f->choice.is_certain ? "%s stays: no policy with equal boxes is faster."
                             : "%s stays: no policy with equal boxes is shown to be faster.",
        base);
    if (code) return code;
    if (f->choice.is_certain)
        return as_facts_format(
            f, &f->certainty, err,
            "Every interval excludes a gain of more than 1 %%, from %zu rounds.", n_rounds);
    if (n_without > 0) return hint(f, err);
    names_of(f, AS_VERDICT_UNDECIDED, names);
    return as_facts_format(
        f, &f->certainty, err,
        "Undecided: %s.  With this spread a reduction of %.1f %% would have been "
        "seen; more rounds see less.",
        names, detectable(f));
}

assay_code as_facts_headline(as_facts *f, assay_error *err)
{
    if (f->choice.policy == AS_NO_POLICY || f->run->unfit[0]) return no_verdict(f, err);
    if (f->choice.policy == (size_t)f->run->baseline) return old_choice(f, err);
    return new_choice(f, err);
}
