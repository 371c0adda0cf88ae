/* SPDX-License-Identifier: Apache-2.0 */
#include "report/sections.h"

#include <math.h>
#include <string.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "report/margin_table.h"
#include "report/text.h"

static const double mib = 1048576;

static void cell_seconds(as_page *page, const as_summary *s)
{
    if (s->n == 0)
        as_cell(page, "–");
    else
        as_cell(page, "%.3f", s->median);
}

static void cell_range(as_page *page, const as_summary *s)
{
    if (s->n == 0)
        as_cell(page, "–");
    else
        as_cell(page, "%.3f–%.3f", s->least, s->greatest);
}

void as_cell_reduction(as_page *page, double percent, bool is_baseline)
{
    if (is_baseline)
        as_cell(page, "baseline");
    else if (!isfinite(percent))
        as_cell(page, "–");
    else
        as_cell(page, "%+.1f %%", as_percent(-percent));
}

static void cell_interval(as_page *page, const as_policy_facts *policy)
{
    const as_estimate *e = &policy->candidate.estimate;
    if (policy->candidate.is_baseline)
        as_cell(page, "–");
    else if (e->has_interval)
        as_cell(page, "%+.1f %% (%+.1f to %+.1f)", as_percent((e->ratio - 1) * 100),
                as_percent((e->low - 1) * 100), as_percent((e->high - 1) * 100));
    else
        as_cell(page, "no interval: %zu round%s", e->n, e->n == 1 ? "" : "s");
}

static void cell_bytes(as_page *page, const int64_t bytes[AS_N_PROCESSES])
{
    if (bytes[AS_WORKER] < 0)
        as_cell(page, "–");
    else if (bytes[AS_ADAPTER] < 0)
        as_cell(page, "%.0f", (double)bytes[AS_WORKER] / mib);
    else
        as_cell(page, "%.0f; adapter %.0f", (double)bytes[AS_WORKER] / mib,
                (double)bytes[AS_ADAPTER] / mib);
}

static void cell_boxes(as_page *page, const as_policy_facts *policy)
{
    if (policy->n_inputs_checked == 0)
        as_cell(page, policy->candidate.is_baseline ? "the truth" : "not checked");
    else if (policy->n_inputs_differing > 0)
        as_cell_tone(page, AS_TONE_BAD, "%zu of %zu differ", policy->n_inputs_differing,
                     policy->n_inputs_checked);
    else
        as_cell_tone(page, AS_TONE_GOOD, "%zu equal", policy->n_inputs_checked);
}

/** More rounds than this are told by their ends. */
#define LISTED_ROUNDS_MAX 6

/** Seconds of each round, as "0.244 0.246 0.248", or "0.244–0.248, n = 12". */
static void cell_rounds(as_page *page, const as_facts *f, const as_policy_facts *policy)
{
    char text[LISTED_ROUNDS_MAX * 24] = "–";
    size_t used = 0;
    if (policy->detection.n > LISTED_ROUNDS_MAX) {
        as_cell(page, "%.3f–%.3f, n = %zu", policy->detection.least, policy->detection.greatest,
                policy->detection.n);
        return;
    }
    for (size_t r = 0; r < f->n_rounds && policy->detection.n > 0; r++)
        if (!isnan(policy->round_s[r]) && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%.3f",
                                     used ? "  " : "", policy->round_s[r]);
    as_cell(page, "%s", text);
}

static void cell_verdict(as_page *page, const as_facts *f, size_t p)
{
    const as_candidate *c = &f->policy[p].candidate;
    if (c->failed || !c->boxes_equal)
        as_cell_tone(page, AS_TONE_BAD, "%s", as_page_say(page, as_verdict_name(c->verdict)));
    else if (p == f->choice.policy)
        as_cell_tone(page, AS_TONE_CHOSEN, c->is_baseline ? "stays" : "chosen");
    else if (c->verdict == AS_VERDICT_NO_INTERVAL)
        as_cell(page, "no interval: %zu round%s", c->estimate.n, c->estimate.n == 1 ? "" : "s");
    else
        as_cell(page, "%s", as_page_say(page, as_verdict_name(c->verdict)));
}

/** Whether any policy has an interval, so that its column is worth its width. */
static bool has_intervals(const as_facts *f)
{
    for (size_t p = 0; p < f->n_policies; p++)
        if (f->policy[p].candidate.estimate.has_interval && (int)p != f->run->baseline)
            return true;
    return false;
}

static void policies_note(as_page *page, const as_facts *f, bool with_intervals)
{
    as_paragraph(page,
                 "Detection is preprocess + forward + transfer + postprocess over all calls "
                 "of a round; loading, cleanup and storing are outside it.  \"Of median\" "
                 "compares medians over the rounds that the baseline has too; negative is "
                 "faster.  Boxes are counted by inputs.");
    if (with_intervals)
        as_paragraph(
            page,
            "\"Paired\" is the Hodges-Lehmann estimate over rounds with its signed-rank "
            "interval, %.4g %% each so that all hold together at 95 %%.",
            (1 - f->alpha) * 100);
}

void as_section_policies(as_page *page, const as_facts *f)
{
    static const as_table_column columns[] = {
        {"policy", false},          {"setting", false},       {"detection s, each round", true},
        {"median s", true},         {"of median", true},      {"peak PSS, MiB", true},
        {"peak RSS, MiB", true},    {"inputs: boxes", false}, {"verdict", false},
        {"paired (interval)", true}};
    bool with_intervals = has_intervals(f);
    as_table(page, columns, AS_COUNT_OF(columns) - !with_intervals);
    for (size_t p = 0; p < f->n_policies; p++) {
        const as_policy_facts *policy = &f->policy[p];
        const char *setting = strchr(policy->row->text, '=');
        as_cell_tone(page, p == f->choice.policy ? AS_TONE_CHOSEN : AS_TONE_PLAIN, "%s",
                     policy->row->name);
        as_cell(page, "%s", setting ? setting + 1 : policy->row->text);
        cell_rounds(page, f, policy);
        cell_seconds(page, &policy->detection);
        as_cell_reduction(page, policy->reduction, policy->candidate.is_baseline);
        cell_bytes(page, policy->peak_pss);
        cell_bytes(page, policy->peak_rss);
        cell_boxes(page, policy);
        cell_verdict(page, f, p);
        if (with_intervals) cell_interval(page, policy);
    }
    as_table_end(page);
    policies_note(page, f, with_intervals);
}

void as_section_warnings(as_page *page, const as_facts *f)
{
    as_list(page);
    for (const char *const *w = f->warnings; *w; w++)
        as_item(page, "%s", *w);
    as_list_end(page);
}

/** More inputs than this are counted, not named. */
#define NAMED_MAX 40

static void empty_inputs(as_page *page, const as_facts *f)
{
    size_t n = 0;
    if (f->n_empty_inputs == 0) {
        as_paragraph(page, "Every input has at least one box in the truth.");
        return;
    }
    as_fold(page, "Inputs without any box in the truth");
    as_paragraph(page, "%zu input%s; an equality that nothing could break proves nothing.",
                 f->n_empty_inputs, f->n_empty_inputs == 1 ? "" : "s");
    as_list(page);
    for (size_t i = 0; i < f->n_inputs; i++) {
        if (f->truth[i] < 0 || f->box_sets[f->truth[i]].n > 0) continue;
        if (n++ < NAMED_MAX)
            as_item(page, "%s (%s, page %d)", f->inputs[i].id,
                    f->documents[f->inputs[i].document].name, f->inputs[i].page);
    }
    if (n > NAMED_MAX) as_item(page, "and %zu more, in summary.json", n - NAMED_MAX);
    as_list_end(page);
    as_fold_end(page);
}

/** The layer where each differing policy first departs, on one call. */
static void departures(as_page *page, const as_facts *f)
{
    static const as_table_column columns[] = {
        {"policy", false},     {"call", false}, {"departs by", false},
        {"layer", false},      {"node", true},  {"absolute", true},
        {"of greatest", true}, {"ULP", true},   {"baseline's route", false},
        {"its route", false}};
    if (f->n_departures == 0) return;
    as_fold(page, "Where differing policies depart inside the network");
    as_table(page, columns, AS_COUNT_OF(columns));
    for (size_t i = 0; i < f->n_departures; i++) {
        const as_departure_row *d = &f->departures[i];
        as_cell(page, "%s", as_facts_name(f, (size_t)d->policy));
        as_cell(page, "%s", f->calls[d->call].id);
        as_cell(page, "%s", d->kind);
        as_cell(page, "%s %s", d->op_type, d->node[0] ? d->node : d->tensor);
        as_cell(page, "%d/%d", d->node_index + 1, d->n_nodes);
        as_cell(page, "%.3g", d->absolute);
        as_cell(page, "%.2g", d->share);
        as_cell(page, "%lld", (long long)d->ulp);
        as_cell(page, "%s", d->route_truth);
        as_cell(page, "%s", d->route_policy);
    }
    as_table_end(page);
    as_paragraph(page,
                 "The model is cut off behind a node and run under both policies; this node's "
                 "output departs and nothing that it reads does.  \"bits\": in any bit; "
                 "\"values\": by more than 1e-4 of the greatest value.");
    as_fold_end(page);
}

static void differing_inputs(as_page *page, const as_facts *f)
{
    static const as_table_column columns[] = {{"input", false},
                                              {"policy", false},
                                              {"first difference", false},
                                              {"boxes differing", true},
                                              {"farthest corner, px", true}};
    if (f->n_differences == 0) return;
    as_fold(page, "Inputs whose boxes differ");
    as_table(page, columns, AS_COUNT_OF(columns));
    for (size_t i = 0; i < f->n_differences && i < NAMED_MAX; i++) {
        const as_difference_facts *d = &f->differences[i];
        char text[AS_COMPARISON_TEXT];
        as_difference_describe(f, d, text);
        as_cell(page, "%s", f->inputs[d->input].id);
        as_cell(page, "%s", as_facts_name(f, (size_t)d->policy));
        as_cell(page, "%s", text);
        as_cell(page, "%zu",
                f->compare == AS_COMPARE_BOXES ? d->comparison.n_differing
                                               : d->tensor.n_beyond);
        if (isfinite(d->comparison.max_corner_px))
            as_cell(page, "%.1f", d->comparison.max_corner_px);
        else
            as_cell(page, "no box left");
    }
    as_table_end(page);
    if (f->n_differences > NAMED_MAX)
        as_paragraph(page, "and %zu more, in summary.json.", f->n_differences - NAMED_MAX);
    if (f->compare == AS_COMPARE_BOXES)
        as_paragraph(page,
                     "review/ holds each of them: the region, its settings, both box sets and "
                     "a picture with both.");
    as_fold_end(page);
}

/** What is held equal to what, and what that proves. */
static void equality_rule(as_page *page, const as_facts *f)
{
    if (f->compare == AS_COMPARE_BOXES)
        as_paragraph(
            page,
            "Recomputed here from the stored answers: count, order and all four corners "
            "of every box, scores within %g.",
            AS_SCORE_TOLERANCE);
    else if (f->compare == AS_COMPARE_TENSOR)
        as_paragraph(
            page,
            "Recomputed here from the stored outputs: every float within %g of the truth, "
            "within %g of its size, or %lld float32 values away; all else equal.",
            f->run->bound_absolute, f->run->bound_relative, (long long)f->run->bound_ulp);
    else
        as_paragraph(page,
                     "Recomputed here from the stored outputs: the greatest value along the "
                     "second axis stands at the same place everywhere.");
    if (f->run->reference_name[0])
        as_paragraph(page,
                     "The truth is the reference %s; every answer of every slot is held to it.",
                     f->run->reference_name);
    else
        as_paragraph(
            page,
            "The truth is %s's first answer for each input; every other answer of every "
            "slot is held to it.",
            as_facts_name(f, (size_t)f->run->baseline));
    as_paragraph(page,
                 "N inputs with boxes and no mismatch bound the rate of mismatches by 3/N "
                 "(95 %%); rounds repeat inputs and do not raise N.");
}

void as_section_equality(as_page *page, const as_facts *f)
{
    static const as_table_column columns[] = {{"policy", false},
                                              {"inputs checked", true},
                                              {"with boxes", true},
                                              {"answers checked", true},
                                              {"inputs differing", true},
                                              {"answers differing", true},
                                              {"farthest corner, px", true},
                                              {"true rate at most", true}};
    equality_rule(page, f);
    as_table(page, columns, AS_COUNT_OF(columns));
    for (size_t p = 0; p < f->n_policies; p++) {
        const as_policy_facts *policy = &f->policy[p];
        as_cell(page, "%s", policy->row->name);
        as_cell(page, "%zu", policy->n_inputs_checked);
        as_cell(page, "%zu", policy->n_inputs_with_boxes);
        as_cell(page, "%zu", policy->n_checks);
        as_cell_tone(page, policy->n_inputs_differing ? AS_TONE_BAD : AS_TONE_PLAIN, "%zu",
                     policy->n_inputs_differing);
        as_cell(page, "%zu", policy->n_checks_differing);
        as_cell(page, "%.1f", policy->max_corner_px);
        if (policy->n_inputs_differing > 0 || policy->n_inputs_with_boxes == 0)
            as_cell(page, "–");
        else
            as_cell(page, "3/%zu = %.2g", policy->n_inputs_with_boxes,
                    fmin(1, 3 / (double)policy->n_inputs_with_boxes));
    }
    as_table_end(page);
    empty_inputs(page, f);
    differing_inputs(page, f);
    departures(page, f);
    as_section_margins(page, f);
}

void as_section_strata(as_page *page, const as_facts *f)
{
    static const as_table_column columns[] = {
        {"batch", false},   {"policy", false},        {"calls", true},  {"inputs", true},
        {"median s", true}, {"least–greatest", true}, {"rounds", true}, {"of median", true}};
    static const char *const names[AS_N_STRATA] = {"N < 16", "N ≥ 16"};
    as_table(page, columns, AS_COUNT_OF(columns));
    for (int s = 0; s < AS_N_STRATA; s++) {
        for (size_t p = 0; f->stratum_calls[s] > 0 && p < f->n_policies; p++) {
            const as_policy_facts *policy = &f->policy[p];
            as_cell(page, "%s", names[s]);
            as_cell(page, "%s", policy->row->name);
            as_cell(page, "%zu", f->stratum_calls[s]);
            as_cell(page, "%zu", f->stratum_inputs[s]);
            cell_seconds(page, &policy->strata[s]);
            cell_range(page, &policy->strata[s]);
            as_cell(page, "%zu", policy->strata[s].n);
            as_cell_reduction(page, policy->stratum_reduction[s],
                              policy->candidate.is_baseline);
        }
    }
    as_table_end(page);
    for (int s = 0; s < AS_N_STRATA; s++)
        if (f->stratum_calls[s] == 0)
            as_paragraph(page, "%s: no call of the corpus.", names[s]);
}

void as_section_reproduce(as_page *page, const as_facts *f)
{
    const as_run_row *run = f->run;
    as_paragraph(page, "The same corpus and model, by their hashes, then the experiment:");
    char *corpus = as_text_quoted(run->corpus_path), *model = as_text_quoted(run->model_path);
    page->lacks_memory = page->lacks_memory || !corpus || !model;
    as_code(page, "assay verify %s", corpus ? corpus : "");
    as_code(page, "sha256sum %s   # %s", model ? model : "", run->model_sha256);
    as_free(corpus);
    as_free(model);
    as_code(page, "%s", run->command);
    as_paragraph(page,
                 "Everything in this folder but evidence.db, executed/ and logs/ is derived "
                 "from evidence.db, byte for byte, in the run's folder by:");
    as_code(page, "assay summarize .");
}
