/* SPDX-License-Identifier: Apache-2.0 */
/* summary.json: every derived number for machines.  Keys keep their order. */
#include <jansson.h>
#include <math.h>

#include "report/margin_table.h"
#include "report/outputs.h"
#include "report/text.h"

static const char *const stage_keys[] = {"preprocess_s", "forward_s", "transfer_s",
                                         "postprocess_s", "detection_s"};

/** Seconds of a number of rounds with their spread; null without any. */
static json_t *seconds_json(const as_summary *s)
{
    if (s->n == 0) return json_null();
    return json_pack("{s:i, s:f, s:f, s:f, s:f, s:f}", "n", (int)s->n, "median", s->median,
                     "least", s->least, "lower_quartile", s->lower_quartile, "upper_quartile",
                     s->upper_quartile, "greatest", s->greatest);
}

static json_t *bytes_json(const int64_t bytes[AS_N_PROCESSES])
{
    json_t *o = json_object();
    static const char *const names[] = {"worker", "adapter"};
    for (int i = 0; i < AS_N_PROCESSES; i++)
        if (bytes[i] >= 0) as_json_set(&o, names[i], json_integer(bytes[i]));
    return o;
}

static json_t *interval_json(const as_policy_facts *policy)
{
    const as_estimate *e = &policy->candidate.estimate;
    char reason[48];
    if (policy->candidate.is_baseline) return json_null();
    if (e->has_interval)
        return json_pack("{s:f, s:f, s:f}", "low", e->low, "high", e->high, "level", e->level);
    snprintf(reason, sizeof reason, "no interval: %zu round%s", e->n, e->n == 1 ? "" : "s");
    return json_string(reason);
}

/** What would have to be allowed for all of a policy's outputs to pass; null where boxes are compared. */
static json_t *bounds_json(const as_facts *f, size_t p)
{
    const as_tensor_comparison *t = &f->policy_tensor[p];
    if (f->compare != AS_COMPARE_TENSOR) return json_null();
    return json_pack("{s:I, s:I, s:o, s:o, s:o}", "elements_compared", (json_int_t)t->n,
                     "elements_beyond", (json_int_t)t->n_beyond, "absolute",
                     as_json_real(t->max_absolute), "relative", as_json_real(t->max_relative),
                     "ulp", t->max_ulp == INT64_MAX ? json_null() : json_integer(t->max_ulp));
}

/** How answers were compared in this run. */
static json_t *compare_json(const as_facts *f)
{
    return json_pack("{s:s, s:f, s:f, s:I}", "kind", as_compare_name(f->compare), "absolute",
                     f->run->bound_absolute, "relative", f->run->bound_relative, "ulp",
                     (json_int_t)f->run->bound_ulp);
}

static json_t *equality_json(const as_facts *f, size_t p)
{
    const as_policy_facts *policy = &f->policy[p];
    bool bounded = policy->n_inputs_differing == 0 && policy->n_inputs_with_boxes > 0;
    json_t *equal =
        policy->n_inputs_checked == 0 ? json_null() : json_boolean(!policy->n_inputs_differing);
    return json_pack(
        "{s:o, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:I, s:I, s:I, s:o}", "boxes_equal", equal,
        "inputs_checked", (json_int_t)policy->n_inputs_checked, "inputs_with_boxes",
        (json_int_t)policy->n_inputs_with_boxes, "inputs_differing",
        (json_int_t)policy->n_inputs_differing, "answers_checked", (json_int_t)policy->n_checks,
        "answers_differing", (json_int_t)policy->n_checks_differing, "farthest_corner_px",
        as_json_real(policy->max_corner_px), "mismatch_rate_at_most",
        bounded ? as_json_real(fmin(1, 3 / (double)policy->n_inputs_with_boxes)) : json_null(),
        "inputs_a_pass", (json_int_t)f->n_inputs, "passes", (json_int_t)policy->n_passes,
        "answers_in_rounds", (json_int_t)policy->n_answers, "bounds_needed", bounds_json(f, p));
}

static json_t *strata_json(const as_facts *f, const as_policy_facts *policy)
{
    static const char *const names[] = {"N<16", "N>=16"};
    json_t *strata = json_array();
    for (int s = 0; s < AS_N_STRATA; s++)
        as_json_append(
            &strata,
            json_pack("{s:s, s:I, s:I, s:o, s:o}", "batch", names[s], "calls",
                      (json_int_t)f->stratum_calls[s], "inputs",
                      (json_int_t)f->stratum_inputs[s], "detection_s",
                      f->stratum_calls[s] ? seconds_json(&policy->strata[s]) : json_null(),
                      "reduction_percent", as_json_real(policy->stratum_reduction[s])));
    return strata;
}

/** Seconds of each stage, whole rounds. */
static json_t *stages_json(const as_policy_facts *policy)
{
    json_t *o = json_object();
    for (int s = 0; s < AS_N_STAGES; s++)
        as_json_set(&o, stage_keys[s], seconds_json(&policy->stages[s]));
    return o;
}

/** Time over the batch size. */
static json_t *batches_json(const as_facts *f, const as_policy_facts *policy)
{
    json_t *batches = json_array();
    for (size_t b = 0; b < f->n_batches; b++)
        as_json_append(&batches,
                       json_pack("{s:I, s:I, s:I, s:o, s:o, s:o}", "n",
                                 (json_int_t)f->batches[b].n, "calls",
                                 (json_int_t)f->batches[b].n_calls, "inputs",
                                 (json_int_t)f->batches[b].n_inputs, "megapixels",
                                 as_json_real(f->batches[b].megapixels),
                                 f->has_one_shape ? "ms_per_image" : "ms_per_megapixel",
                                 seconds_json(&policy->batch_ms[b]), "reduction_percent",
                                 as_json_real(policy->batch_reduction[b])));
    return batches;
}

static json_t *break_even_json(const as_facts *f, size_t p)
{
    size_t b = as_facts_break_even(f, p);
    return b < f->n_batches ? json_integer((json_int_t)f->batches[b].n) : json_null();
}

static json_t *documents_json(const as_facts *f, size_t p)
{
    json_t *documents = json_array();
    for (size_t d = 0; d < f->n_documents; d++) {
        as_summary stages[AS_N_STAGES + 1];
        if (as_facts_document(f, p, d, stages, NULL)) {
            json_decref(documents);
            return NULL;
        }
        json_t *o = json_pack("{s:o}", "document", as_json_text(f->documents[d].name));
        for (int s = 0; s <= AS_N_STAGES; s++)
            as_json_set(&o, stage_keys[s], seconds_json(&stages[s]));
        as_json_append(&documents, o);
    }
    return documents;
}

static json_t *policy_json(const as_facts *f, size_t p)
{
    const as_policy_facts *policy = &f->policy[p];
    const as_estimate *e = &policy->candidate.estimate;
    json_t *rounds = json_array();
    for (size_t r = 0; r < f->n_rounds; r++)
        as_json_append(&rounds, as_json_real(policy->round_s[r]));
    json_t *failure = policy->failed_slot < 0
                          ? json_null()
                          : as_json_text(f->slots[policy->failed_slot].error);
    return json_pack(
        "{s:o, s:o, s:o, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o, s:o, s:o, s:I}",
        "name", as_json_text(policy->row->name), "text", as_json_text(policy->row->text),
        "engine", as_json_text(policy->row->engine), "verdict",
        as_verdict_name(policy->candidate.verdict), "chosen", (int)(p == f->choice.policy),
        "rounds_s", rounds, "detection_s", seconds_json(&policy->detection),
        "reduction_percent", as_json_real(policy->reduction), "ratio",
        policy->candidate.is_baseline ? json_null() : as_json_real(e->ratio), "interval",
        interval_json(policy), "rounds_faster", (json_int_t)e->n_faster, "peak_pss_bytes",
        bytes_json(policy->peak_pss), "peak_rss_bytes", bytes_json(policy->peak_rss),
        "equality", equality_json(f, p), "failure", failure, "strata", strata_json(f, policy),
        "stages", stages_json(policy), "batches", batches_json(f, policy), "break_even_n",
        break_even_json(f, p), "documents", documents_json(f, p), "forwards",
        (json_int_t)policy->n_forwards);
}

static json_t *slot_json(const as_facts *f, size_t i)
{
    const as_slot_row *slot = &f->slots[i];
    const as_slot_facts *facts = &f->slot[i];
    json_t *o =
        json_pack("{s:s, s:i, s:i, s:o, s:s}", "phase", as_phase_name(slot->phase), "round",
                  as_round_number(slot->phase, slot->round), "position", slot->position + 1,
                  "policy", as_json_text(f->policies[slot->policy].name), "state",
                  slot->state == AS_SLOT_FINISHED ? "finished" : "failed");
    if (slot->state == AS_SLOT_FINISHED) {
        for (int s = 0; s < AS_N_STAGES; s++)
            as_json_set(&o, stage_keys[s], as_json_real((double)facts->stages.ns[s] / 1e9));
        as_json_set(&o, "detection_s", as_json_real(as_stages_seconds(&facts->stages)));
    } else {
        as_json_set(&o, "error", as_json_text(slot->error));
    }
    as_json_set(&o, "load_s", as_json_real(slot->load_s));
    as_json_set(&o, "cleanup_s", as_json_real(slot->cleanup_s));
    as_json_set(&o, "total_s", as_json_real(slot->total_s));
    as_json_set(&o, "forwards", json_integer(slot->n_forwards));
    as_json_set(&o, "calls", json_integer((json_int_t)facts->n_samples));
    as_json_set(&o, "answers", json_integer((json_int_t)facts->n_answers));
    as_json_set(&o, "loads", json_integer(slot->n_loads));
    as_json_set(&o, "peak_pss_bytes", bytes_json(facts->peak_pss));
    as_json_set(&o, "peak_rss_bytes", bytes_json(facts->peak_rss));
    as_json_set(&o, "log", as_json_text(slot->log));
    return o;
}

static json_t *differences_json(const as_facts *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->n_differences; i++) {
        const as_difference_facts *d = &f->differences[i];
        const as_tally *cell = as_facts_cell(f, (size_t)d->policy, (size_t)d->input);
        char text[AS_COMPARISON_TEXT];
        as_difference_describe(f, d, text);
        as_json_append(&list,
                       json_pack("{s:o, s:o, s:s, s:I, s:I, s:I, s:I, s:o, s:I, s:I}", "input",
                                 as_json_text(f->inputs[d->input].id), "policy",
                                 as_json_text(f->policies[d->policy].name), "first_difference",
                                 text, "boxes_truth", (json_int_t)d->comparison.n_reference,
                                 "boxes", (json_int_t)d->comparison.n_answer, "boxes_missing",
                                 (json_int_t)d->comparison.n_missing, "boxes_added",
                                 (json_int_t)d->comparison.n_added, "farthest_corner_px",
                                 as_json_real(d->comparison.max_corner_px), "answers_checked",
                                 (json_int_t)cell->n_checks, "answers_differing",
                                 (json_int_t)cell->n_differing));
    }
    return list;
}

static json_t *empty_inputs_json(const as_facts *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->n_inputs; i++)
        if (f->compare == AS_COMPARE_BOXES && f->truth[i] >= 0 &&
            f->box_sets[f->truth[i]].n == 0)
            as_json_append(&list, as_json_text(f->inputs[i].id));
    return list;
}

static json_t *noise_json(const as_facts *f)
{
    json_t *list = json_array();
    for (size_t r = 0; r < f->n_rounds; r++) {
        const as_round_facts *round = &f->rounds[r];
        as_json_append(&list, json_pack("{s:i, s:b, s:i, s:o, s:o, s:o, s:o, s:I, s:I}",
                                        "round", round->id + 1, "dirty", (int)round->is_dirty,
                                        "repeats", round->n_repeats, "run_delay_percent",
                                        as_json_real(round->run_delay), "off_cpu_percent",
                                        as_json_real(round->off_cpu), "psi_cpu_percent",
                                        as_json_real(round->psi_cpu), "steal_percent",
                                        as_json_real(round->steal), "throttled",
                                        (json_int_t)round->n_throttled, "major_faults",
                                        (json_int_t)round->n_major_faults));
    }
    return list;
}

/** A JSON text of the evidence as it stands there; a string where it is none. */
static json_t *stored_json(json_t *value, const char *text)
{
    return value ? json_incref(value) : as_json_text(text);
}

static json_t *engines_json(const as_facts *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->n_engines; i++) {
        const as_slot_row *slot = &f->slots[f->engines[i].slot];
        as_json_append(&list, json_pack("{s:s, s:i, s:o, s:o, s:o}", "phase",
                                        as_phase_name(slot->phase), "round",
                                        as_round_number(slot->phase, slot->round), "policy",
                                        as_json_text(f->policies[slot->policy].name), "moment",
                                        as_json_text(f->engines[i].moment), "facts",
                                        stored_json(f->engine_facts[i], f->engines[i].json)));
    }
    return list;
}

/** What a policy's slot of a round gave. */
static json_t *turn_json(const as_facts *f, size_t round, size_t p)
{
    int slot = as_facts_slot(f, round, p);
    int base = as_facts_slot(f, round, (size_t)f->run->baseline);
    double mine = as_stages_seconds(&f->slot[slot].stages);
    double its = base < 0 ? NAN : as_stages_seconds(&f->slot[base].stages);
    return json_pack("{s:o, s:o, s:o, s:I, s:I}", "policy", as_json_text(f->policies[p].name),
                     "detection_s", as_json_real(mine), "reduction_percent",
                     as_json_real(its > 0 ? as_reduction_percent(mine, its) : NAN), "forwards",
                     (json_int_t)f->slots[slot].n_forwards, "inputs",
                     (json_int_t)f->slot[slot].n_answers);
}

/** Each round with each policy's turn: a round is whole when every policy has its slot. */
static json_t *rounds_json(const as_facts *f)
{
    json_t *rounds = json_array();
    for (size_t r = 0; r < f->n_rounds; r++) {
        json_t *turns = json_array();
        bool is_whole = true;
        for (size_t p = 0; p < f->n_policies; p++) {
            is_whole = is_whole && as_facts_slot(f, r, p) >= 0;
            if (as_facts_slot(f, r, p) >= 0) as_json_append(&turns, turn_json(f, r, p));
        }
        as_json_append(&rounds, json_pack("{s:i, s:b, s:o}", "round", f->rounds[r].id + 1,
                                          "whole", (int)is_whole, "turns", turns));
    }
    return rounds;
}

/** Where differing policies first part from the baseline inside the network. */
static json_t *departures_json(const as_facts *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->n_departures; i++) {
        const as_departure_row *d = &f->departures[i];
        as_json_append(
            &list,
            json_pack("{s:o, s:o, s:s, s:o, s:o, s:o, s:i, s:i, s:o, s:o, s:o, s:o, s:o}",
                      "policy", as_json_text(as_facts_name(f, (size_t)d->policy)), "call",
                      as_json_text(f->calls[d->call].id), "kind", d->kind, "node",
                      as_json_text(d->node), "op_type", as_json_text(d->op_type), "tensor",
                      as_json_text(d->tensor), "node_index", d->node_index, "n_nodes",
                      d->n_nodes, "absolute", as_json_real(d->absolute), "share",
                      as_json_real(d->share), "ulp", as_json_count(d->ulp), "route_truth",
                      as_json_text(d->route_truth), "route_policy",
                      as_json_text(d->route_policy)));
    }
    return list;
}

static json_t *verdict_json(const as_facts *f)
{
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:b, s:b}", "headline", as_json_text(f->headline), "certainty",
        as_json_text(f->certainty), "chosen",
        f->choice.policy == AS_NO_POLICY ? json_null()
                                         : as_json_text(as_facts_name(f, f->choice.policy)),
        "baseline", as_json_text(as_facts_name(f, (size_t)f->run->baseline)), "is_certain",
        (int)f->choice.is_certain, "constraints_hold", (int)f->holds);
}

static json_t *summary_json(const as_facts *f)
{
    json_t *margins = as_margins_json(f);
    const as_run_row *run = f->run;
    static const char *const states[] = {[AS_RUN_SMOKE] = "smoke",
                                         [AS_RUN_ROUNDS] = "rounds",
                                         [AS_RUN_STOPPED] = "stopped",
                                         [AS_RUN_FINISHED] = "finished"};
    json_t *reference = run->reference_name[0]
                            ? json_pack("{s:o, s:o}", "name", as_json_text(run->reference_name),
                                        "sha256", as_json_text(run->reference_sha256))
                            : json_null();
    json_t *policies = json_array(), *slots = json_array(), *warnings = json_array();
    for (size_t p = 0; p < f->n_policies; p++)
        as_json_append(&policies, policy_json(f, p));
    for (size_t i = 0; i < f->n_slots; i++)
        as_json_append(&slots, slot_json(f, i));
    for (const char *const *w = f->warnings; *w; w++)
        as_json_append(&warnings, as_json_text(*w));
    json_t *model = json_pack("{s:o, s:o}", "name", as_json_text(run->model_name), "sha256",
                              as_json_text(run->model_sha256));
    json_t *corpus =
        json_pack("{s:o, s:o, s:I, s:I, s:I, s:o, s:o}", "name", as_json_text(run->corpus_name),
                  "manifest_sha256", as_json_text(run->manifest_sha256), "documents",
                  (json_int_t)f->n_documents, "inputs", (json_int_t)f->n_inputs, "calls",
                  (json_int_t)f->n_calls, "inputs_of_all", as_json_count(run->corpus_inputs),
                  "calls_of_all", as_json_count(run->corpus_calls));
    return json_pack(
        "{s:i, s:o, s:o, s:s, s:o, s:o, s:o, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o, "
        "s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
        "schema", 1, "assay", as_json_text(run->assay_version), "verdict", verdict_json(f),
        "state", states[run->state], "created", as_json_text(run->created), "finished",
        as_json_text(run->finished), "command", as_json_text(run->command), "rounds_planned",
        run->n_rounds, "rounds_done", (int)f->n_rounds_done, "cycles", run->n_cycles, "model",
        model, "corpus", corpus, "policies", policies, "slots", slots, "noise", noise_json(f),
        "differences", differences_json(f), "inputs_without_boxes", empty_inputs_json(f),
        "warnings", warnings, "exclusive_hardware", (int)run->exclusive_hardware,
        "program_sha256", as_json_text(run->program_sha256), "machine",
        stored_json(f->machine, run->machine_json), "engines", engines_json(f), "reference",
        reference, "rounds", rounds_json(f), "compare", compare_json(f), "departures",
        departures_json(f), "margins", margins);
}

assay_code as_write_summary_json(const as_outputs *outputs, FILE *out, assay_error *err)
{
    return as_put_json(out, summary_json(outputs->facts), JSON_INDENT(2), "summary.json", err);
}
