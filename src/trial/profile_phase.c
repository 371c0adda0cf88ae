/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/profile_phase.h"

#include <string.h>

#include "evidence/evidence.h"

static bool took_other_route(const as_slot_row *slot)
{
    return slot->phase == AS_PHASE_PROFILE &&
           strcmp(slot->error_code, assay_code_name(ASSAY_E_DIFFERENT)) == 0;
}

/* Whether any policy did, as the evidence has it now. */
static assay_code find_other_routes(const as_course *c, bool *goes_on, assay_error *err)
{
    as_evidence *now;
    const as_slot_row *slots = NULL;
    size_t n = 0;
    assay_code code = as_evidence_open(c->path, &now, err);
    if (!code) code = as_evidence_slots(now, &slots, &n, err);
    for (size_t i = 0; i < n && !code; i++)
        if (took_other_route(&slots[i])) *goes_on = false;
    as_evidence_close(now);
    if (!code && !*goes_on)
        as_course_note(
            c, "the rounds are not run: what would be measured is not what the policies name");
    return code;
}

assay_code as_profile_phase_run(as_course *c, bool *goes_on, assay_error *err)
{
    assay_code code = ASSAY_OK;
    const int n_policies = (int)c->n_policies;
    for (int k = 0; k < c->place.run->n_traces * n_policies && !code; k++) {
        const int policy = k % n_policies;
        const as_standing *s = &c->standings[policy];
        const as_slot_order order = {.phase = AS_PHASE_PROFILE,
                                     .position = policy,
                                     .policy = policy,
                                     .repeat = k / n_policies};
        if (s->failed || s->excluded || as_course_has_slot(c, &order)) continue;
        code = as_course_run_slot(c, &order, err);
    }
    return code ? code : find_other_routes(c, goes_on, err);
}
