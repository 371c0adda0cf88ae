/* SPDX-License-Identifier: Apache-2.0 */
/* What derives from a search's rows: latencies, the front, the choices. */
#include <math.h>

#include "base/memory.h"
#include "report/candidate_files.h"
#include "verdict/statistics.h"

static bool is_share(double value) { return isnan(value) || (value >= 0 && value <= 1); }

/** Each row is possible by itself, each sample belongs to one. */
static assay_code check(const as_candidates *c, assay_error *err)
{
    if (c->baseline >= c->n)
        return as_fail(err, ASSAY_E_FORMAT, "the baseline is candidate %zu of %zu", c->baseline,
                       c->n);
    for (size_t i = 0; i < c->n; i++)
        if (!is_share(c->rows[i].validation_accuracy) || !is_share(c->rows[i].test_accuracy))
            return as_fail(err, ASSAY_E_FORMAT, "an accuracy of candidate %s is not in 0..1",
                           c->rows[i].name);
    for (size_t i = 0; i < c->n_samples; i++) {
        const as_candidate_sample_row *s = &c->samples[i];
        if (s->candidate < 0 || (size_t)s->candidate >= c->n)
            return as_fail(err, ASSAY_E_FORMAT, "latency sample %zu is of candidate %d of %zu",
                           i, s->candidate, c->n);
        if (!isfinite(s->latency_us) || s->latency_us <= 0)
            return as_fail(err, ASSAY_E_FORMAT,
                           "latency sample %zu took %g microseconds, a time is above 0", i,
                           s->latency_us);
    }
    return ASSAY_OK;
}

/** Score candidate `i`; room[n_samples] is scratch. */
static void score(as_candidate_report *r, size_t i, double *room)
{
    const as_candidates *c = r->candidates;
    const as_candidate_row *row = &c->rows[i];
    size_t n = 0;
    for (size_t s = 0; s < c->n_samples; s++)
        if ((size_t)c->samples[s].candidate == i) room[n++] = c->samples[s].latency_us;
    as_sort(room, n);
    const bool is_enough = n >= as_percentile_least(0.9);
    r->p10_us[i] = is_enough ? as_quantile_of_sorted(room, n, 0.1) : NAN;
    r->p90_us[i] = is_enough ? as_quantile_of_sorted(room, n, 0.9) : NAN;
    r->scored[i] = (as_scored){.name = row->name,
                               .accuracy = row->validation_accuracy,
                               .latency_us = n ? as_quantile_of_sorted(room, n, 0.5) : NAN,
                               .accuracy_noise = row->accuracy_noise,
                               .trained = n > 0 && !isnan(row->validation_accuracy)};
}

assay_code as_candidate_report_new(const as_candidates *candidates, as_candidate_report **out,
                                   assay_error *err)
{
    const size_t n = candidates->n;
    double *room = NULL;
    *out = NULL;
    assay_code code = check(candidates, err);
    if (code) return code;
    as_candidate_report *r = as_alloc(sizeof *r);
    if (!r) goto no_memory;
    *r = (as_candidate_report){.candidates = candidates,
                               .scored = as_alloc_array(n, sizeof *r->scored),
                               .p10_us = as_alloc_array(n, sizeof *r->p10_us),
                               .p90_us = as_alloc_array(n, sizeof *r->p90_us),
                               .is_front = as_alloc_array(n, sizeof *r->is_front)};
    room = as_alloc_array(candidates->n_samples + 1, sizeof *room);
    if (!r->scored || !r->p10_us || !r->p90_us || !r->is_front || !room) goto no_memory;
    for (size_t i = 0; i < n; i++)
        score(r, i, room);
    as_pareto_front(r->scored, n, r->is_front);
    as_structures_select(r->scored, n, candidates->baseline, candidates->seed, &r->selection);
    as_free(room);
    *out = r;
    return ASSAY_OK;
no_memory:
    as_free(room);
    as_candidate_report_free(r);
    return as_fail(err, ASSAY_E_MEMORY, "no memory to report %zu candidates", n);
}

void as_candidate_report_free(as_candidate_report *report)
{
    if (!report) return;
    as_free(report->scored);
    as_free(report->p10_us);
    as_free(report->p90_us);
    as_free(report->is_front);
    as_free(report);
}
