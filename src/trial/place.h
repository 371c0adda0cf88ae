/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_PLACE_H
#define ASSAY_TRIAL_PLACE_H
/*
 * The folder of a new run: empty, new, or one of an older run that may be replaced; and how the run
 * gets into it (evidence/takeover.h).
 *
 *     code = as_place_check(folder, force, err);          // before anything is computed
 *     code = as_place_begin(folder, force, &plan, err);   // then as_trial_go(folder, ...)
 */
#include <stdbool.h>

#include "evidence/writer.h"

/**
 * Whether a run may begin in `folder`, which need not be there; `force` allows one that holds a run.
 * @return ASSAY_E_ARGUMENT with what it holds, ASSAY_E_IO, ASSAY_E_MEMORY.
 */
assay_code as_place_check(const char *folder, bool force, assay_error *err);

/**
 * Claim and check the folder, write the beginning of the run of `plan`, and let it take the folder.
 * @return as as_place_check, ASSAY_E_IO also when another process writes a run there.  An older run is
 *         untouched on failure unless as_takeover_has_begun(folder).
 */
assay_code as_place_begin(const char *folder, bool force, const as_evidence_plan *plan,
                          assay_error *err);

#endif
