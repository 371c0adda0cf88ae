/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/replay.h"

#include <string.h>

#include "base/arena.h"
#include "base/memory.h"

/* For each thing of the corpus its index in the replay, or -1; in the replay's arena. */
typedef struct places {
    int *documents, *regions;
    bool *calls; /* whether chosen */
} places;

static assay_code no_memory(assay_error *err)
{
    return as_fail(err, ASSAY_E_MEMORY, "no memory for the chosen part of a corpus");
}

static assay_code choose_documents(const as_corpus *corpus, const as_trial_options *options,
                                   const places *p, assay_error *err)
{
    for (size_t i = 0; i < options->n_documents; i++) {
        size_t document;
        if (!as_corpus_find_document(corpus, options->documents[i], &document))
            return as_fail(err, ASSAY_E_ARGUMENT,
                           "document '%.80s' is not in the corpus; the first of its %zu is "
                           "'%.60s'",
                           options->documents[i], corpus->n_documents,
                           corpus->n_documents ? corpus->documents[0].name : "");
        p->documents[document] = 0;
    }
    return ASSAY_OK;
}

static assay_code choose_calls(const as_corpus *corpus, const as_trial_options *options,
                               const places *p, assay_error *err)
{
    size_t n_left = 0;
    for (size_t i = 0; i < options->n_calls; i++) {
        size_t call;
        if (!as_corpus_find_call(corpus, options->calls[i], &call))
            return as_fail(err, ASSAY_E_ARGUMENT,
                           "call '%.80s' is not in the corpus; the first of its %zu is '%.60s'",
                           options->calls[i], corpus->n_calls,
                           corpus->n_calls ? corpus->calls[0].id : "");
        p->calls[call] = true;
    }
    for (size_t i = 0; i < corpus->n_calls; i++) {
        bool is_chosen =
            (options->n_calls == 0 || p->calls[i]) &&
            (options->n_documents == 0 || p->documents[corpus->calls[i].document] >= 0) &&
            (options->limit_calls == 0 || n_left < options->limit_calls);
        p->calls[i] = is_chosen;
        n_left += is_chosen;
    }
    if (n_left > 0) return ASSAY_OK;
    if (corpus->n_calls == 0)
        return as_fail(err, ASSAY_E_FORMAT,
                       "corpus %s has no call, an experiment needs one: nothing was frozen",
                       corpus->path);
    return as_fail(err, ASSAY_E_ARGUMENT,
                   "no call is left of the corpus' %zu, at least one is needed",
                   corpus->n_calls);
}

static int add_document(as_replay *replay, const as_corpus_document *document)
{
    replay->documents[replay->n_documents] =
        (as_document_row){.name = document->name, .sha256 = document->sha256};
    return (int)replay->n_documents++;
}

static int add_input(as_replay *replay, const as_corpus_region *region, int document)
{
    replay->inputs[replay->n_inputs] = (as_input_row){
        .id = region->id,
        .file = region->file,
        .tensor = region->tensor ? region->tensor : "",
        .sha256 = region->file_sha256,
        .document = document,
        .page = region->page,
        .width_px = region->w,
        .height_px = region->h,
        .network_h = region->net_h,
        .network_w = region->net_w,
        .thresh = (double)region->settings.thresh,
        .box_thresh = region->settings.box_thresh,
        .unclip = region->settings.unclip,
        .limit_side = region->settings.limit_side,
        .limit_type = region->settings.limit_type == AS_LIMIT_MIN ? "min" : "max"};
    return (int)replay->n_inputs++;
}

static assay_code add_call(as_replay *replay, const as_corpus *corpus, size_t index,
                           const places *p, assay_error *err)
{
    const as_corpus_call *call = &corpus->calls[index];
    int *inputs = as_arena_array(replay->arena, (size_t)call->n, sizeof *inputs);
    if (!inputs) return no_memory(err);
    if (p->documents[call->document] < 0)
        p->documents[call->document] = add_document(replay, &corpus->documents[call->document]);
    for (int i = 0; i < call->n; i++) {
        size_t region = call->inputs[i];
        if (p->regions[region] < 0)
            p->regions[region] =
                add_input(replay, &corpus->regions[region], p->documents[call->document]);
        inputs[i] = p->regions[region];
    }
    replay->calls[replay->n_calls++] = (as_call_row){
        .id = call->id,
        .document = p->documents[call->document],
        .shape = {(size_t)call->n, (size_t)call->c, (size_t)call->h, (size_t)call->w},
        .inputs = inputs};
    return ASSAY_OK;
}

static assay_code make_room(as_replay *replay, const as_corpus *corpus, places *p,
                            assay_error *err)
{
    as_arena *a = replay->arena;
    replay->documents = as_arena_array(a, corpus->n_documents + 1, sizeof *replay->documents);
    replay->inputs = as_arena_array(a, corpus->n_regions + 1, sizeof *replay->inputs);
    replay->calls = as_arena_array(a, corpus->n_calls + 1, sizeof *replay->calls);
    p->documents = as_arena_array(a, corpus->n_documents + 1, sizeof *p->documents);
    p->regions = as_arena_array(a, corpus->n_regions + 1, sizeof *p->regions);
    p->calls = as_arena_array(a, corpus->n_calls + 1, sizeof *p->calls);
    if (!replay->documents || !replay->inputs || !replay->calls || !p->documents ||
        !p->regions || !p->calls)
        return no_memory(err);
    for (size_t i = 0; i < corpus->n_documents; i++)
        p->documents[i] = -1;
    for (size_t i = 0; i < corpus->n_regions; i++)
        p->regions[i] = -1;
    return ASSAY_OK;
}

assay_code as_replay_choose(const as_corpus *corpus, const as_trial_options *options,
                            as_replay **out, assay_error *err)
{
    places p = {0};
    *out = NULL;
    as_replay *replay = as_alloc(sizeof *replay);
    if (!replay) return no_memory(err);
    replay->arena = as_arena_new();
    assay_code code = replay->arena ? make_room(replay, corpus, &p, err) : no_memory(err);
    if (!code) code = choose_documents(corpus, options, &p, err);
    if (!code) code = choose_calls(corpus, options, &p, err);
    for (size_t i = 0; i < corpus->n_documents && !code; i++)
        p.documents[i] = -1; /* marks become indices as calls need them */
    for (size_t i = 0; i < corpus->n_calls && !code; i++)
        if (p.calls[i]) code = add_call(replay, corpus, i, &p, err);
    if (code)
        as_replay_free(replay);
    else
        *out = replay;
    return code;
}

void as_replay_free(as_replay *replay)
{
    if (!replay) return;
    as_arena_free(replay->arena);
    as_free(replay);
}
