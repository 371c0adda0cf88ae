/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_EVIDENCE_TAKEOVER_H
#define ASSAY_EVIDENCE_TAKEOVER_H
/*
 * How a run takes a folder, whether an older run lies in it or nothing.
 *
 *     RUN/.assay-beginning/   the new run is being written; the older one is whole.  Left by a kill it
 *                             counts as nothing
 *        | one rename, both ends synced
 *     RUN/.assay-begun/       the new run is whole and RUN is its own: the older one's files go, then
 *                             what is in here takes its place, evidence.db last
 *
 * So a full disk or a kill leaves the older run or the new one, and whoever claims a folder with
 * .assay-begun in it finishes (as_evidence_claim does).
 *
 *     code = as_takeover_begin(folder, &beginning, err);   // then write logs/, executed/, evidence.db
 *     code = as_takeover_commit(folder, err);              // into `beginning`, each synced
 */
#include <stdbool.h>

#include "base/error.h"

#define AS_TAKEOVER_BEGINNING ".assay-beginning"
#define AS_TAKEOVER_BEGUN     ".assay-begun"

/**
 * Make an empty folder to write a new run into; the caller has claimed `run_folder`.
 * @param out  its path, the caller's (as_free); NULL on failure.
 * @return ASSAY_E_IO, ASSAY_E_MEMORY, with nothing in `run_folder` changed.
 */
assay_code as_takeover_begin(const char *run_folder, char **out, assay_error *err);

/**
 * Let what was written take the folder.
 * @return ASSAY_E_IO, ASSAY_E_MEMORY: either nothing has changed, or as_takeover_has_begun and the rest is
 *         done by the next claim.
 */
assay_code as_takeover_commit(const char *run_folder, assay_error *err);

/** Whether a run has begun that does not lie in its place yet. */
bool as_takeover_has_begun(const char *run_folder);

/** Do what is left of a takeover that has begun, if anything.  @return as as_takeover_commit. */
assay_code as_takeover_finish(const char *run_folder, assay_error *err);

#endif
