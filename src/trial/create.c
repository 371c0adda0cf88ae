/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The beginning of a run: everything that can be wrong is found before anything is measured or
 * written.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "base/size.h"
#include "engine/detector.h"
#include "trial/adapters.h"
#include "trial/duration.h"
#include "trial/environment.h"
#include "trial/executed.h"
#include "trial/forecast.h"
#include "trial/place.h"
#include "trial/reference.h"
#include "trial/replay.h"
#include "trial/verify.h"
#include "verdict/estimate.h"
#include "verdict/tensor.h"

/* Everything that the plan borrows from; owns. */
typedef struct beginning {
    const as_trial_options *options;
    as_policy *parsed;
    as_policy_row *policies;
    as_order_row *orders;
    as_corpus *corpus;
    as_replay *replay;
    as_environment *environment;
    as_reference *reference;            /* NULL where the baseline is the truth */
    char *model_path, *corpus_path;     /* absolute, of malloc */
    char *machine_text, *findings_text; /* own */
    char model_sha256[AS_SHA256_HEX], program_sha256[AS_SHA256_HEX];
    char created[AS_CLOCK_LABEL];
    as_order_kind order;
    size_t n_rounds;
    as_compare_kind compare;
    int baseline;
} beginning;

as_trial_options as_trial_options_defaults(void)
{
    return (as_trial_options){.n_cycles = 1, .n_traces = 1, .seed = 1};
}

static void free_beginning(beginning *b)
{
    for (size_t i = 0; b->parsed && i < b->options->n_policies; i++)
        as_policy_free(&b->parsed[i]);
    as_free(b->parsed);
    as_free(b->policies);
    as_free(b->orders);
    as_replay_free(b->replay);
    as_corpus_free(b->corpus);
    as_environment_free(b->environment);
    as_reference_free(b->reference);
    free(b->model_path);
    free(b->corpus_path);
    as_free(b->machine_text);
    as_free(b->findings_text);
}

static assay_code parse_policies(beginning *b, assay_error *err)
{
    size_t n = b->options->n_policies;
    if (n == 0) return as_fail(err, ASSAY_E_ARGUMENT, "no --policy was given, one is needed");
    b->parsed = as_alloc_array(n, sizeof *b->parsed);
    b->policies = as_alloc_array(n, sizeof *b->policies);
    if (!b->parsed || !b->policies)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu policies", n);
    for (size_t i = 0; i < n; i++) {
        assay_code code = as_policy_parse(b->options->policies[i], &b->parsed[i], err);
        if (code) return code;
        const as_policy *p = &b->parsed[i];
        b->policies[i] = (as_policy_row){.name = p->name, .text = p->text, .engine = p->engine};
        for (size_t j = 0; j < i; j++)
            if (strcmp(p->name, b->parsed[j].name) == 0)
                return as_fail(err, ASSAY_E_ARGUMENT,
                               "two policies are named '%s', names have to differ", p->name);
    }
    return ASSAY_OK;
}

static assay_code find_baseline(beginning *b, assay_error *err)
{
    const char *name = b->options->baseline;
    for (size_t i = 0; name && i < b->options->n_policies; i++)
        if (strcmp(name, b->parsed[i].name) == 0) {
            b->baseline = (int)i;
            return ASSAY_OK;
        }
    if (!name) return ASSAY_OK;
    return as_fail(err, ASSAY_E_ARGUMENT,
                   "--baseline '%.60s' names no policy; the first is '%s'", name,
                   b->parsed[0].name);
}

/* Rounds of `kind` that can give an interval: the least multiple of its design. */
static size_t default_rounds(const as_trial_options *o, as_order_kind kind)
{
    size_t design = as_order_design_rounds(kind, o->n_policies);
    size_t n_candidates = o->n_policies > 1 ? o->n_policies - 1 : 1;
    size_t least = as_rounds_for_alpha(as_alpha_of(n_candidates, o->budget_s > 0 ? 1 : 0));
    return as_div_up(least, design) * design;
}

static assay_code make_order(beginning *b, assay_error *err)
{
    const as_trial_options *o = b->options;
    bool fits = o->n_rounds % as_order_design_rounds(AS_ORDER_WILLIAMS, o->n_policies) == 0;
    b->order = o->order ? *o->order : fits ? AS_ORDER_WILLIAMS : AS_ORDER_LATIN;
    b->n_rounds = o->n_rounds ? o->n_rounds : default_rounds(o, b->order);
    b->orders = as_alloc_array(b->n_rounds * o->n_policies, sizeof *b->orders);
    if (!b->orders)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu rounds", b->n_rounds);
    return as_order_fill(b->order, o->n_policies, b->n_rounds, o->seed, b->orders, err);
}

/* Elsewhere nothing but our own doing disturbs; a virtual machine is never quiet for long. */
static as_noise_rule noise_rule_of(const beginning *b)
{
    if (b->options->noise) return *b->options->noise;
    return json_is_true(json_object_get(b->environment->machine, "virtual")) ? AS_NOISE_REPORT
                                                                             : AS_NOISE_RERUN;
}

static assay_code find_absolute(const char *path, char **out, assay_error *err)
{
    *out = realpath(path, NULL);
    if (*out) return ASSAY_OK;
    if (errno == ENOENT || errno == ENOTDIR)
        return as_fail(err, ASSAY_E_NOT_FOUND, "%s does not exist", path);
    return as_fail(err, ASSAY_E_IO, "%s cannot be found: %s", path, strerror(errno));
}

/* Splitting and padding are of pictures: a tensor goes to the network as it is. */
static assay_code check_policy_keys(const beginning *b, const as_policy *policy,
                                    assay_error *err)
{
    if (!as_corpus_is_tensors(b->corpus) || (!policy->split_at && !policy->bucket))
        return ASSAY_OK;
    return as_fail(
        err, ASSAY_E_ARGUMENT,
        "policy key '%s' is for pictures, the corpus holds tensors, which run as they are",
        policy->bucket ? "bucket" : "split-at");
}

/* Boxes are of pictures, the other comparisons of any outputs. */
static assay_code choose_compare(beginning *b, assay_error *err)
{
    const as_trial_options *o = b->options;
    bool has_tensors = as_corpus_is_tensors(b->corpus);
    b->compare = has_tensors ? AS_COMPARE_TENSOR : AS_COMPARE_BOXES;
    assay_code code = o->compare ? as_compare_parse(o->compare, &b->compare, err) : ASSAY_OK;
    if (!code && has_tensors && b->compare == AS_COMPARE_BOXES)
        code =
            as_fail(err, ASSAY_E_ARGUMENT,
                    "--compare boxes needs pictures, the corpus holds tensors: tensor or top1");
    bool has_bounds = o->bound_absolute > 0 || o->bound_relative > 0 || o->bound_ulp > 0;
    if (!code && has_bounds && b->compare != AS_COMPARE_TENSOR)
        code = as_fail(err, ASSAY_E_ARGUMENT, "bounds are for --compare tensor, %s has none",
                       as_compare_name(b->compare));
    return code;
}

static assay_code find_model(beginning *b, assay_error *err)
{
    assay_code code = find_absolute(b->options->model_path, &b->model_path, err);
    return code ? code : as_sha256_file(b->model_path, b->model_sha256, err);
}

static assay_code check_corpus(beginning *b, const as_trial_control *control, assay_error *err)
{
    assay_code code = find_absolute(b->options->corpus_path, &b->corpus_path, err);
    if (!code) code = as_corpus_load(b->corpus_path, &b->corpus, err);
    if (!code) code = choose_compare(b, err);
    if (!code) code = as_replay_choose(b->corpus, b->options, &b->replay, err);
    return code ? code : as_verify_corpus(b->corpus_path, control, err);
}

static assay_code read_reference(beginning *b, assay_error *err)
{
    if (!b->options->reference) return ASSAY_OK;
    if (b->compare != AS_COMPARE_BOXES)
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "--reference holds boxes, this run compares with --compare %s",
                       as_compare_name(b->compare));
    return as_reference_read(b->options->reference, b->replay->inputs, b->replay->n_inputs,
                             &b->reference, err);
}

/* Load the model under one policy, and add what its part of the run will take to *seconds; a call
 * that fails here is its slot's affair, and makes *seconds NAN. */
static assay_code check_policy(beginning *b, const as_policy *policy, double *seconds,
                               assay_error *err)
{
    as_engine *engine = NULL;
    as_forecast forecast;
    assay_code code = check_policy_keys(b, policy, err);
    int64_t begin_ns = as_clock_ns();
    if (!code) code = as_engine_open(policy, b->model_path, &engine, err);
    double load_s = (double)(as_clock_ns() - begin_ns) * 1e-9;
    if (!code && !as_corpus_is_tensors(b->corpus)) code = as_engine_check_detector(engine, err);
    if (code)
        as_error_where(err, "policy %s", policy->name);
    else if (as_forecast_policy(engine, load_s, policy, b->replay, &forecast, NULL))
        *seconds = NAN;
    else
        *seconds += as_forecast_run(&forecast, b->n_rounds, b->options->n_cycles);
    as_engine_close(engine);
    return code;
}

/* What cannot run is said before the run, and so is how long the run takes. */
static assay_code check_policies(beginning *b, const as_trial_control *control,
                                 assay_error *err)
{
    char text[32], sentence[160];
    double seconds = 0;
    const size_t n_policies = b->options->n_policies, n_calls = b->replay->n_calls;
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < n_policies && !code; i++)
        code = check_policy(b, &b->parsed[i], &seconds, err);
    if (code || isnan(seconds) || !control->watch.note) return code;
    as_duration_text(seconds, text, sizeof text);
    snprintf(sentence, sizeof sentence,
             "%zu polic%s in %zu round%s of %zu call%s: about %s (by one call of each)",
             n_policies, n_policies == 1 ? "y" : "ies", b->n_rounds,
             b->n_rounds == 1 ? "" : "s", n_calls, n_calls == 1 ? "" : "s", text);
    control->watch.note(control->watch.context, sentence);
    return ASSAY_OK;
}

static assay_code look_at_machine(beginning *b, assay_error *err)
{
    assay_code code = as_environment_read("", 0.5, &b->environment, err);
    if (code) return code;
    json_t *adapters;
    code = as_adapters_hash(b->policies, b->options->n_policies, &adapters, err);
    if (code) return code;
    as_json_set(&b->environment->machine, AS_ADAPTERS_KEY, adapters);
    json_t *findings = as_environment_findings_json(b->environment);
    b->machine_text = as_json_dump(b->environment->machine, JSON_COMPACT);
    b->findings_text = as_json_dump(findings, JSON_COMPACT);
    json_decref(findings);
    return b->machine_text && b->findings_text
               ? ASSAY_OK
               : as_fail(err, ASSAY_E_MEMORY, "no memory for the machine's facts");
}

static as_evidence_plan plan_of(const beginning *b)
{
    const as_trial_options *o = b->options;
    return (as_evidence_plan){
        .run = {.assay_version = ASSAY_VERSION,
                .created = b->created,
                .finished = "",
                .command = o->command,
                .model_name = as_path_base(b->model_path),
                .model_path = b->model_path,
                .model_sha256 = b->model_sha256,
                .corpus_name = as_path_base(b->corpus_path),
                .corpus_path = b->corpus_path,
                .manifest_sha256 = b->corpus->manifest_sha256,
                .program_sha256 = b->program_sha256,
                .seed = o->seed,
                .order = as_order_name(b->order),
                .n_rounds = (int)b->n_rounds,
                .n_cycles = (int)o->n_cycles,
                .n_smoke_calls = AS_SMOKE_CALLS,
                .n_traces = (int)o->n_traces,
                .baseline = b->baseline,
                .on_difference = o->on_difference,
                .slot_timeout_s = o->slot_timeout_s,
                .exclusive_hardware = o->exclusive_hardware,
                .machine_json = b->machine_text,
                .findings_json = b->findings_text,
                .state = AS_RUN_SMOKE,
                .corpus_calls = (int64_t)b->corpus->n_calls,
                .corpus_inputs = (int64_t)b->corpus->n_regions,
                .noise_rule = noise_rule_of(b),
                .budget_s = o->budget_s,
                .compare = as_compare_name(b->compare),
                .bound_absolute = o->bound_absolute,
                .bound_relative = o->bound_relative,
                .bound_ulp = o->bound_ulp,
                .reference_name = o->reference ? as_path_base(o->reference) : "",
                .reference_sha256 = b->reference ? b->reference->sha256 : "",
                .saves_maps = o->saves_maps},
        .policies = b->policies,
        .n_policies = o->n_policies,
        .orders = b->orders,
        .n_orders = b->n_rounds * o->n_policies,
        .documents = b->replay->documents,
        .n_documents = b->replay->n_documents,
        .inputs = b->replay->inputs,
        .n_inputs = b->replay->n_inputs,
        .calls = b->replay->calls,
        .n_calls = b->replay->n_calls,
        .truths = b->reference ? b->reference->answers : NULL,
        .n_truths = b->reference ? b->reference->n : 0};
}

static assay_code write_beginning(const beginning *b, assay_error *err)
{
    as_evidence_plan plan = plan_of(b);
    return as_place_begin(b->options->run_folder, b->options->force, &plan, err);
}

assay_code as_trial_create(const as_trial_options *options, const as_trial_control *control,
                           assay_error *err)
{
    beginning b = {.options = options};
    as_clock_label(b.created);
    assay_code code = parse_policies(&b, err);
    if (!code) code = find_baseline(&b, err);
    if (!code) code = make_order(&b, err);
    if (!code) code = as_place_check(options->run_folder, options->force, err);
    if (!code) code = find_model(&b, err);
    if (!code) code = check_corpus(&b, control, err);
    if (!code) code = check_policies(&b, control, err);
    if (!code) code = read_reference(&b, err);
    if (!code) code = as_executed_program_sha256(b.program_sha256, err);
    if (!code) code = look_at_machine(&b, err);
    if (!code) code = write_beginning(&b, err);
    free_beginning(&b);
    return code;
}
