/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CORPUS_CALLS_H
#define ASSAY_CORPUS_CALLS_H
/*
 * Regions -> calls.  Within a document, regions of equal network shape and settings form a group;
 * groups come in the order in which their first region does, and each is cut into calls of at most
 * max_batch inputs, the last one the rest.
 */
#include "base/arena.h"
#include "corpus/corpus.h"

/**
 * Fill corpus->calls from its documents, regions and max_batch, all in corpus->arena.  Regions of
 * one document stand together.
 * @return ASSAY_E_MEMORY.
 */
assay_code as_calls_make(as_corpus *corpus, assay_error *err);

/** Whether two settings are equal, field by field. */
bool as_settings_are_equal(const as_detect_settings *a, const as_detect_settings *b);

#endif
