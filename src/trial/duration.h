/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_DURATION_H
#define ASSAY_TRIAL_DURATION_H
/* How long a slot will take, foretold from the smoke phase. */
#include "evidence/evidence.h"

/**
 * Seconds that one formal slot of `policy` is going to take: its smoke slot's loading, and the
 * rest of that slot scaled by the network pixels of all cycles over those of the smoke calls.
 * @return ASSAY_E_NOT_FOUND when the policy has no finished smoke slot.
 */
assay_code as_duration_of_slot(as_evidence *evidence, int policy, double *seconds,
                               assay_error *err);

/** "4 s", "1:20" or "2:03:20" into text[room]. */
void as_duration_text(double seconds, char *text, size_t room);

#endif
