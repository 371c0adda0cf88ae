/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "trial/replay.h"
#include "trial/slot.h"

/* The batch at which PyTorch's routes part; the corpora's full batches have it, too. */
#define WANTED_N 16

size_t as_profile_call(const as_call_row *calls, size_t n)
{
    size_t best = 0;
    for (size_t i = 0; i < n; i++) {
        if (calls[i].shape.n == WANTED_N) return i;
        if (calls[i].shape.n > calls[best].shape.n) best = i;
    }
    return best;
}

void as_profile_free(as_profile *profile)
{
    if (!profile) return;
    as_policy_free(&profile->policy);
    as_trace_free(profile->trace);
    as_free(profile->call);
    as_free(profile);
}

static assay_code begin(void *context, assay_error *err)
{
    (void)context, (void)err;
    return ASSAY_OK;
}

static assay_code end(void *context, const as_slot_row *slot, assay_error *err)
{
    (void)context, (void)slot, (void)err;
    return ASSAY_OK;
}

/* Take the trace out of what the worker told. */
static assay_code keep_trace(void *context, const as_slot_record *record, assay_error *err)
{
    as_profile *profile = context;
    json_t *told = NULL;
    if (record->n_profiles == 0) return ASSAY_OK;
    const char *text = record->profiles[0].trace;
    assay_code code = as_json_parse(text, strlen(text), 0, &told, err);
    if (!code) code = as_trace_parse(told, &profile->trace, err);
    json_decref(told);
    return code;
}

static as_policy_row row_of(const as_policy *policy)
{
    return (as_policy_row){
        .name = policy->name, .text = policy->text, .engine = policy->engine};
}

static assay_code run_slot(const as_profile_options *options, const as_trial_control *control,
                           const as_replay *replay, as_profile *profile, assay_error *err)
{
    const as_run_row run = {.model_path = options->model_path,
                            .corpus_path = options->corpus_path,
                            .n_cycles = 1,
                            .compare = replay->inputs[0].tensor[0] ? "tensor" : "boxes",
                            .slot_timeout_s = options->timeout_s};
    const as_policy_row policy = row_of(&profile->policy);
    const as_slot_place place = {.run_folder = options->folder,
                                 .control = control,
                                 .run = &run,
                                 .policies = &policy,
                                 .inputs = replay->inputs,
                                 .n_inputs = replay->n_inputs,
                                 .calls = replay->calls,
                                 .n_calls = replay->n_calls,
                                 .sink = {profile, begin, keep_trace, NULL, end}};
    const as_slot_order order = {.phase = AS_PHASE_PROFILE};
    const as_call_row *call = &replay->calls[as_profile_call(replay->calls, replay->n_calls)];
    as_slot_end how;
    profile->shape = call->shape;
    profile->call = as_strdup(call->id);
    if (!profile->call) return as_fail(err, ASSAY_E_MEMORY, "no memory for a profile");
    assay_code code = as_slot_run(&place, &order, &how, err);
    if (!code && !profile->trace) code = as_fail(err, how.code, "%s", how.sentence);
    return code;
}

/* Load the model once here: what cannot run is said as other verbs say it. */
static assay_code check_model(const as_profile_options *options, const as_policy *policy,
                              assay_error *err)
{
    as_engine *engine;
    assay_code code = as_engine_open(policy, options->model_path, &engine, err);
    as_engine_close(engine);
    return code;
}

static assay_code make_folders(const char *folder, assay_error *err)
{
    char *logs = as_path_join(folder, "logs");
    assay_code code = as_folder_make(folder, err);
    if (!code && !logs) code = as_fail(err, ASSAY_E_MEMORY, "no memory for a profile");
    if (!code) code = as_folder_make(logs, err);
    as_free(logs);
    return code;
}

assay_code as_profile_run(const as_profile_options *options, const as_trial_control *control,
                          as_profile **out, assay_error *err)
{
    as_corpus *corpus = NULL;
    as_replay *replay = NULL;
    const as_trial_options part = {.calls = &options->call, .n_calls = options->call != NULL};
    *out = NULL;
    as_profile *profile = as_alloc(sizeof *profile);
    if (!profile) return as_fail(err, ASSAY_E_MEMORY, "no memory for a profile");
    assay_code code = as_policy_parse(options->policy, &profile->policy, err);
    if (!code) code = check_model(options, &profile->policy, err);
    if (!code) code = as_corpus_load(options->corpus_path, &corpus, err);
    if (!code) code = as_replay_choose(corpus, &part, &replay, err);
    if (!code) code = make_folders(options->folder, err);
    if (!code) code = run_slot(options, control, replay, profile, err);
    const as_policy_row policy = row_of(&profile->policy);
    if (!code) as_route_check_make(&policy, profile->trace, &profile->routes);
    as_replay_free(replay);
    as_corpus_free(corpus);
    if (code)
        as_profile_free(profile);
    else
        *out = profile;
    return code;
}
