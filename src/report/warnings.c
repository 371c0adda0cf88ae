/* SPDX-License-Identifier: Apache-2.0 */
/* What could spoil the result, each in one sentence: first what broke, then what disturbed. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "report/facts.h"
#include "report/text.h"

/** A growing list of sentences in the facts' arena. */
typedef struct sentences {
    as_facts *f;
    const char **items;
    size_t n, room;
} sentences;

static assay_code keep(sentences *list, const char *text, assay_error *err)
{
    if (list->n + 1 >= list->room) {
        size_t room = list->room ? 2 * list->room : 16;
        const char **grown;
        assay_code code = as_facts_array(list->f, room, sizeof *grown, &grown, err);
        if (code) return code;
        if (list->n) memcpy(grown, list->items, list->n * sizeof *grown);
        list->items = grown;
        list->room = room;
    }
    list->items[list->n++] = text;
    return ASSAY_OK;
}

static assay_code say_policies(sentences *list, assay_error *err)
{
    as_facts *f = list->f;
    const char *text;
    assay_code code = ASSAY_OK;
    for (size_t p = 0; !code && p < f->n_policies; p++) {
        const as_policy_facts *policy = &f->policy[p];
        const char *name = as_facts_name(f, p);
        if (policy->failed_slot >= 0) {
            const as_slot_row *slot = &f->slots[policy->failed_slot];
            char place[64];
            as_say_into(place, sizeof place, f->language, "the %s phase",
                        as_say(f->language, as_phase_name(slot->phase)));
            if (slot->phase == AS_PHASE_FORMAL)
                as_say_into(place, sizeof place, f->language, "round %d", slot->round + 1);
            code = as_facts_format(f, &text, err, "%s failed in %s: %s (%s, log %s)", name,
                                   place, slot->error, slot->exit, slot->log);
            if (!code) code = keep(list, text, err);
        }
        if (!code && policy->n_inputs_differing > 0) {
            char distance[48] = "";
            if (policy->max_corner_px > 0)
                as_say_into(distance, sizeof distance, f->language,
                            ", corners up to %.1f px away", policy->max_corner_px);
            code = as_facts_format(
                f, &text, err, "%s changes boxes on %zu of %zu inputs%s: it is never chosen.",
                name, policy->n_inputs_differing, policy->n_inputs_checked, distance);
            if (!code) code = keep(list, text, err);
        }
        if (!code && policy->n_not_finite > 0) {
            code = as_facts_format(f, &text, err,
                                   "%s's maps hold %lld values that are no numbers.", name,
                                   (long long)policy->n_not_finite);
            if (!code) code = keep(list, text, err);
        }
    }
    return code;
}

static assay_code say_completeness(sentences *list, assay_error *err)
{
    as_facts *f = list->f;
    const char *text;
    assay_code code = ASSAY_OK;
    if (f->run->state != AS_RUN_FINISHED && f->run->state != AS_RUN_STOPPED) {
        code = as_facts_format(
            f, &text, err,
            "The run is unfinished: %zu of %d rounds; assay experiment --resume "
            "goes on.",
            f->n_rounds_done, f->run->n_rounds);
        if (!code) code = keep(list, text, err);
    }
    if (!code && f->n_incomplete_slots > 0) {
        code = as_facts_format(
            f, &text, err,
            f->n_incomplete_slots == 1
                ? "%zu slot does not hold every call and every answer exactly once."
                : "%zu slots do not hold every call and every answer exactly once.",
            f->n_incomplete_slots);
        if (!code) code = keep(list, text, err);
    }
    size_t n_bad = 0;
    for (size_t i = 0; i < f->n_slots; i++)
        n_bad += f->slot[i].n_bad_clocks;
    if (!code && n_bad > 0) {
        code = as_facts_format(
            f, &text, err,
            "%zu of %zu calls have no duration, the clock is broken: they are left "
            "out, of every policy.",
            n_bad, f->n_samples);
        if (!code) code = keep(list, text, err);
    }
    return code;
}

static assay_code say_unfit(sentences *list, assay_error *err)
{
    const char *text;
    if (!list->f->run->unfit[0]) return ASSAY_OK;
    assay_code code = as_facts_format(list->f, &text, err, "Why there is no verdict: %s.",
                                      list->f->run->unfit);
    return code ? code : keep(list, text, err);
}

static assay_code say_interval(sentences *list, assay_error *err)
{
    as_facts *f = list->f;
    const char *text;
    size_t n_without = 0, n = f->policy[f->run->baseline].detection.n;
    for (size_t p = 0; p < f->n_policies; p++)
        n_without += f->policy[p].candidate.verdict == AS_VERDICT_NO_INTERVAL;
    if (n_without == 0 || n == 0) return ASSAY_OK;
    size_t needed = f->rounds_needed;
    assay_code code = as_facts_format(
        f, &text, err,
        "No interval: %zu round%s.  Medians of so few rounds may be chance; --rounds %zu gives "
        "an "
        "interval.",
        n, n == 1 ? "" : "s", (needed + f->n_policies - 1) / f->n_policies * f->n_policies);
    return code ? code : keep(list, text, err);
}

static assay_code say_empty_inputs(sentences *list, assay_error *err)
{
    as_facts *f = list->f;
    const char *text;
    if (f->n_empty_inputs == 0) return ASSAY_OK;
    size_t n_truth = 0;
    for (size_t i = 0; i < f->n_inputs; i++)
        n_truth += f->truth[i] >= 0;
    assay_code code =
        f->n_empty_inputs == n_truth
            ? as_facts_format(f, &text, err,
                              "No input has a box: equality of nothing proves nothing.")
            : as_facts_format(
                  f, &text, err,
                  f->n_empty_inputs == 1
                      ? "%zu of %zu inputs has no box in the truth: equality there "
                        "proves little.  Equality names it."
                      : "%zu of %zu inputs have no box in the truth: equality there "
                        "proves little.  Equality names them.",
                  f->n_empty_inputs, n_truth);
    return code ? code : keep(list, text, err);
}

/** Add one phrase with `value` behind `text`, parted from what stands before it. */
static void add_phrase(const as_facts *f, char *text, size_t room, const char *before,
                       const char *phrase, double value)
{
    size_t used = strlen(text);
    used += (size_t)snprintf(text + used, room - used, "%s", before);
    if (used < room) snprintf(text + used, room - used, as_say(f->language, phrase), value);
}

/** "round 2 (PSI cpu 7.1 %, 3 major faults)" behind what `text` holds. */
static void describe_noise(const as_facts *f, const as_round_facts *round, char *text,
                           size_t room)
{
    const struct {
        bool is_seen;
        const char *phrase;
        double value;
    } seen[] = /* said */ {
        {round->psi_cpu > AS_PRESSURE_PERCENT, "PSI cpu %.1f %%", round->psi_cpu},
        {round->run_delay > AS_DELAY_PERCENT, "run delay %.1f %%", round->run_delay},
        {round->steal > AS_STEAL_PERCENT, "steal %.1f %%", round->steal},
        {round->n_throttled > 0, "throttled %.0f times", (double)round->n_throttled},
        {round->n_major_faults > 0,
         round->n_major_faults == 1 ? "%.0f major fault" : "%.0f major faults",
         (double)round->n_major_faults}};
    const char *before = " (";
    add_phrase(f, text, room, *text ? "; " : "", "round %.0f", round->id + 1);
    for (size_t i = 0; i < AS_COUNT_OF(seen); i++) {
        if (!seen[i].is_seen) continue;
        add_phrase(f, text, room, before, seen[i].phrase, seen[i].value);
        before = ", ";
    }
    if (strlen(text) + 1 < room) strcat(text, ")");
}

static assay_code say_noise(sentences *list, assay_error *err)
{
    as_facts *f = list->f;
    const char *text;
    char which[512] = "";
    size_t n_dirty = 0;
    int n_repeats = 0;
    for (size_t r = 0; r < f->n_rounds; r++) {
        n_repeats += f->rounds[r].n_repeats;
        n_dirty += f->rounds[r].is_dirty;
        if (f->rounds[r].is_dirty && strlen(which) < sizeof which - 1)
            describe_noise(f, &f->rounds[r], which, sizeof which);
    }
    assay_code code = ASSAY_OK;
    if (n_dirty > 0) {
        code = as_facts_format(f, &text, err,
                               n_dirty == 1 ? "%zu of %zu rounds was dirty, and counted: %s."
                                            : "%zu of %zu rounds were dirty, and counted: %s.",
                               n_dirty, f->n_rounds, which);
        if (!code) code = keep(list, text, err);
    }
    if (!code && n_repeats > 0) {
        code = as_facts_format(f, &text, err,
                               "%d dirty rounds were run again; their clean repeats count.",
                               n_repeats);
        if (!code) code = keep(list, text, err);
    }
    if (!code && !f->run->exclusive_hardware)
        code = keep(list,
                    as_say(f->language, "The machine is not declared exclusive: other work may "
                                        "have run beside it."),
                    err);
    return code;
}

/** What `assay env` found when the run began and likely spoils it; the rest is in a table. */
static assay_code say_findings(sentences *list, assay_error *err)
{
    char seen[AS_SEEN_TEXT];
    size_t i;
    json_t *item;
    assay_code code = ASSAY_OK;
    json_array_foreach(list->f->findings, i, item)
    {
        const char *severity = json_string_value(json_object_get(item, "severity")), *text;
        if (code || !severity || strcmp(severity, "spoils") != 0) continue;
        as_finding_seen(list->f->language, item, seen);
        code = as_facts_format(list->f, &text, err, "When the run began: %s; %s.  Advice: %s.",
                               seen, as_finding_text(list->f->language, item, "effect"),
                               as_finding_text(list->f->language, item, "advice"));
        if (!code) code = keep(list, text, err);
    }
    return code;
}

assay_code as_facts_warn(as_facts *f, assay_error *err)
{
    sentences list = {.f = f};
    assay_code code = say_policies(&list, err);
    if (!code) code = say_completeness(&list, err);
    if (!code) code = say_unfit(&list, err);
    if (!code) code = say_interval(&list, err);
    if (!code) code = say_empty_inputs(&list, err);
    if (!code) code = say_noise(&list, err);
    if (!code) code = say_findings(&list, err);
    if (!code) code = keep(&list, NULL, err);
    f->warnings = list.items;
    return code;
}
