/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_REPLAY_H
#define ASSAY_TRIAL_REPLAY_H
/*
 * Which part of a corpus is replayed: its documents, inputs and calls as the evidence's rows, with
 * indices of their own.
 *
 *     as_replay *replay;
 *     code = as_replay_choose(corpus, &options, &replay, err);
 *     plan.calls = replay->calls; ...
 *     as_replay_free(replay);
 */
#include "corpus/corpus.h"
#include "evidence/rows.h"
#include "trial/trial.h"

/** All rows belong to the replay; their strings to it or to the corpus. */
typedef struct as_replay {
    as_document_row *documents;
    as_input_row *inputs;
    as_call_row *calls;
    size_t n_documents, n_inputs, n_calls;
    struct as_arena *arena; /**< Owns them. */
} as_replay;

/**
 * The calls that `options` leave (documents, calls, limit_calls), in the corpus' order, with the
 * inputs and documents that they need.  The corpus has to outlive it.
 * @return ASSAY_E_ARGUMENT for a document or call that is not there, or when none is left;
 *         ASSAY_E_MEMORY.
 */
assay_code as_replay_choose(const as_corpus *corpus, const as_trial_options *options,
                            as_replay **out, assay_error *err);

/** Free; takes NULL. */
void as_replay_free(as_replay *replay);

#endif
