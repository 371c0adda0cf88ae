/* SPDX-License-Identifier: Apache-2.0 */
/* Fresh processes by engine, and what the rules of the choice say of their times. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "report/search_facts.h"
#include "verdict/estimate.h"
#include "verdict/statistics.h"

static assay_code no_memory(assay_error *err)
{
    return as_fail(err, ASSAY_E_MEMORY, "no memory for the engines of a search");
}

/* The engine of a policy, begun where there is none yet; NULL without memory. */
static as_engine_facts *engine_of(as_search_facts *f, const char *policy, size_t *room)
{
    const size_t n = f->report->n_structures;
    for (size_t e = 0; e < f->n_engines; e++)
        if (strcmp(f->engines[e].policy, policy) == 0) return &f->engines[e];
    as_engine_facts *engines = as_grow(f->engines, f->n_engines, room, sizeof *engines);
    if (!engines) return NULL;
    f->engines = engines;
    as_engine_facts *engine = &f->engines[f->n_engines];
    *engine = (as_engine_facts){.policy = policy,
                                .engine = "",
                                .version = "",
                                .error = "",
                                .slots = as_alloc_array(n, sizeof *engine->slots),
                                .scored = as_alloc_array(n, sizeof *engine->scored)};
    snprintf(engine->name, sizeof engine->name, "%.*s", (int)strcspn(policy, "="), policy);
    f->n_engines++;
    return engine->slots && engine->scored ? engine : NULL;
}

static assay_code list_engines(as_search_facts *f, assay_error *err)
{
    size_t room = 0;
    for (size_t i = 0; i < f->report->n_slots; i++) {
        const as_structure_slot_row *s = &f->report->slots[i];
        as_engine_facts *engine = engine_of(f, s->policy, &room);
        if (!engine) return no_memory(err);
        if (isnan(s->median_us)) {
            if (engine->n_failed++ == 0) engine->error = s->error;
        } else if (!*engine->engine) {
            engine->engine = s->engine;
            engine->version = s->version;
        }
    }
    return ASSAY_OK;
}

/* The times of structure `i`; us and ones have room for all slots. */
static assay_code fill_slots(const as_search_facts *f, as_engine_facts *engine, size_t i,
                             double *us, const double *ones, assay_error *err)
{
    as_process_facts *out = &engine->slots[i];
    as_estimate estimate;
    size_t n = 0;
    *out = (as_process_facts){0, NAN, NAN, NAN, NAN, NAN};
    for (size_t k = 0; k < f->report->n_slots; k++) {
        const as_structure_slot_row *s = &f->report->slots[k];
        if ((size_t)s->structure == i && !isnan(s->median_us) &&
            strcmp(s->policy, engine->policy) == 0)
            us[n++] = s->median_us;
    }
    if (n == 0) return ASSAY_OK;
    as_sort(us, n);
    out->n = n;
    out->least_us = us[0];
    out->greatest_us = us[n - 1];
    out->median_us = as_quantile_of_sorted(us, n, 0.5);
    assay_code code = as_estimate_at(us, ones, n, AS_ALPHA, &estimate, err);
    if (code || !estimate.has_interval) return code;
    out->low_us = estimate.low;
    out->high_us = estimate.high;
    return ASSAY_OK;
}

static void choose(const as_search_facts *f, as_engine_facts *engine)
{
    const as_search_report *r = f->report;
    engine->has_choice = true;
    for (size_t i = 0; i < r->n_structures; i++) {
        const as_process_facts *slots = &engine->slots[i];
        const bool has_interval = !isnan(slots->low_us);
        as_scored *s = &engine->scored[i];
        *s = r->choice->scored[i];
        engine->has_choice = engine->has_choice && (!s->trained || slots->n > 0);
        s->latency_us = slots->median_us;
        s->low_us = has_interval ? slots->low_us : 0;
        s->high_us = has_interval ? slots->high_us : 0;
        s->trained = s->trained && slots->n > 0;
    }
    as_structures_select(engine->scored, r->n_structures, r->candidates.baseline,
                         r->candidates.seed, &engine->selection);
}

assay_code as_search_facts_engines(as_search_facts *f, assay_error *err)
{
    const size_t n_slots = f->report->n_slots;
    double *us = as_alloc_array(n_slots + 1, sizeof *us);
    double *ones = as_alloc_array(n_slots + 1, sizeof *ones);
    assay_code code = us && ones ? list_engines(f, err) : no_memory(err);
    for (size_t i = 0; !code && i < n_slots; i++)
        ones[i] = 1;
    for (size_t e = 0; !code && e < f->n_engines; e++) {
        for (size_t i = 0; !code && i < f->report->n_structures; i++)
            code = fill_slots(f, &f->engines[e], i, us, ones, err);
        if (!code) choose(f, &f->engines[e]);
    }
    as_free(us);
    as_free(ones);
    return code;
}

void as_search_facts_engines_free(as_search_facts *f)
{
    for (size_t e = 0; e < f->n_engines; e++) {
        as_free(f->engines[e].slots);
        as_free(f->engines[e].scored);
    }
    as_free(f->engines);
}
