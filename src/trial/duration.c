/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/duration.h"

#include <math.h>
#include <stdio.h>

static double pixels_of(const as_call_row *calls, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)calls[i].shape.n * (double)calls[i].shape.h * (double)calls[i].shape.w;
    return sum;
}

assay_code as_duration_of_slot(as_evidence *evidence, int policy, double *seconds,
                               assay_error *err)
{
    const as_run_row *run = as_evidence_run(evidence);
    const as_slot_row *slots;
    const as_call_row *calls;
    size_t n_slots, n_calls;
    *seconds = 0;
    assay_code code = as_evidence_slots(evidence, &slots, &n_slots, err);
    if (!code) code = as_evidence_calls(evidence, &calls, &n_calls, err);
    if (code) return code;
    size_t n_smoke =
        (size_t)run->n_smoke_calls < n_calls ? (size_t)run->n_smoke_calls : n_calls;
    double share = pixels_of(calls, n_calls) * run->n_cycles / pixels_of(calls, n_smoke);
    for (size_t i = 0; i < n_slots; i++) {
        const as_slot_row *s = &slots[i];
        if (s->policy != policy || s->phase != AS_PHASE_SMOKE || s->state != AS_SLOT_FINISHED)
            continue;
        *seconds = s->load_s + (s->total_s - s->load_s) * share;
        return ASSAY_OK;
    }
    return as_fail(err, ASSAY_E_NOT_FOUND, "policy %d has no finished smoke slot", policy);
}

void as_duration_text(double seconds, char *text, size_t room)
{
    long whole = lround(fmin(fmax(seconds, 0), 1e8));
    if (whole < 60)
        snprintf(text, room, "%ld s", whole);
    else if (whole < 3600)
        snprintf(text, room, "%ld:%02ld", whole / 60, whole % 60);
    else
        snprintf(text, room, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
}
