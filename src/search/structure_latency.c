/* SPDX-License-Identifier: Apache-2.0 */
/* What a search times: its models in this process and in fresh ones, and the operator study. */
#include <math.h>
#include <string.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "search/operators.h"
#include "search/structure_search.h"

static assay_code no_memory(assay_error *err)
{
    return as_fail(err, ASSAY_E_MEMORY, "no memory for a search");
}

static assay_code keep_samples(as_search *s, const as_search_models *m, const double *us,
                               assay_error *err)
{
    const size_t rounds = s->protocol.n_rounds, repeats = s->protocol.n_repeats;
    const size_t n = m->n * rounds * repeats;
    as_candidate_sample_row *rows = as_alloc_array(n + 1, sizeof *rows);
    if (!rows) return no_memory(err);
    for (size_t i = 0; i < n; i++)
        rows[i] = (as_candidate_sample_row){.candidate = (int)m->places[i / rounds / repeats],
                                            .round = (int)(i / repeats % rounds),
                                            .repeat = (int)(i % repeats),
                                            .latency_us = us[i]};
    const as_row_batch batch = {AS_TABLE_STRUCTURE_SAMPLES, rows, n};
    assay_code code = as_evidence_add_rows(s->writer, &batch, 1, err);
    as_free(rows);
    return code;
}

assay_code as_search_measure(as_search *s, assay_error *err)
{
    as_search_report *r;
    as_search_models m = {0};
    double *us = NULL;
    assay_code code = as_search_report_open(s->options->folder, &r, err);
    if (code) return code;
    if (r->candidates.n_samples == 0) code = as_search_models_list(s, r, &m, err);
    as_search_report_close(r);
    if (!code && m.n > 0) {
        us = as_alloc_array(m.n * s->protocol.n_rounds, s->protocol.n_repeats * sizeof *us);
        code = us ? as_models_measure(&m.latency, &s->protocol, us, err) : no_memory(err);
        if (!code) code = keep_samples(s, &m, us, err);
    }
    as_free(us);
    as_search_models_free(&m);
    return code;
}

static bool has_slot(const as_search_report *r, size_t place, const char *policy, size_t repeat)
{
    for (size_t i = 0; i < r->n_slots; i++)
        if (r->slots[i].structure == (int)place && r->slots[i].repeat == (int)repeat &&
            strcmp(r->slots[i].policy, policy) == 0)
            return true;
    return false;
}

/* A process that fails is told by its row; only stopping ends the search. */
static assay_code run_slot(as_search *s, const as_search_models *m, size_t i, size_t repeat,
                           assay_error *err)
{
    assay_error why = {0};
    as_model_slot slot = {0};
    assay_code code = as_model_slot_run(&m->latency, i, &s->protocol, NULL, &slot, &why);
    if (code == ASSAY_E_INTERRUPTED || code == ASSAY_E_MEMORY) {
        if (err) *err = why;
        return code;
    }
    const as_structure_slot_row row = {.structure = (int)m->places[i],
                                       .policy = m->latency.policy,
                                       .engine = slot.engine,
                                       .version = slot.version,
                                       .repeat = (int)repeat,
                                       .median_us = code ? NAN : slot.median_us,
                                       .least_us = code ? NAN : slot.least_us,
                                       .error = code ? why.message : ""};
    const as_row_batch batch = {AS_TABLE_STRUCTURE_SLOTS, &row, 1};
    return as_evidence_add_rows(s->writer, &batch, 1, err);
}

static assay_code run_slots(as_search *s, const as_search_report *r, as_search_models *m,
                            assay_error *err)
{
    const as_search_watch *w = &s->options->watch;
    size_t n_done = 0;
    assay_code code = ASSAY_OK;
    if (w->begin) w->begin(w->context, "slots", s->n_slots * s->n_policies * m->n);
    for (size_t repeat = 0; repeat < s->n_slots && !code; repeat++)
        for (size_t p = 0; p < s->n_policies && !code; p++) {
            m->latency.policy = s->policies[p];
            for (size_t i = 0; i < m->n && !code; i++) {
                if (w->step)
                    w->step(w->context, n_done++, s->space->structures[m->places[i]].name);
                if (!has_slot(r, m->places[i], m->latency.policy, repeat))
                    code = run_slot(s, m, i, repeat, err);
            }
        }
    if (w->end) w->end(w->context);
    return code;
}

assay_code as_search_run_slots(as_search *s, assay_error *err)
{
    as_search_report *r;
    as_search_models m = {0};
    assay_code code = as_search_report_open(s->options->folder, &r, err);
    if (code) return code;
    code = as_search_models_list(s, r, &m, err);
    if (!code) code = run_slots(s, r, &m, err);
    as_search_report_close(r);
    as_search_models_free(&m);
    return code;
}

static bool stop_operators(void *context)
{
    const as_search_options *o = ((const as_search *)context)->options;
    return o->stop && o->stop(o->stop_context);
}

static void show_operators(void *context, size_t n_done, size_t n_turns)
{
    const as_search_watch *w = &((const as_search *)context)->options->watch;
    (void)n_turns;
    if (w->step) w->step(w->context, n_done, NULL);
}

static assay_code keep_operators(as_search *s, const as_operators *operators, assay_error *err)
{
    const as_operator_study *study = &operators->study;
    const as_row_batch batches[] = {
        {AS_TABLE_OPERATOR_STUDY, &study->how, 1},
        {AS_TABLE_OPERATORS, study->ops, study->n_ops},
        {AS_TABLE_OPERATOR_SAMPLES, study->samples, study->n_samples}};
    return as_evidence_add_rows(s->writer, batches, AS_COUNT_OF(batches), err);
}

assay_code as_search_study_operators(as_search *s, assay_error *err)
{
    const as_search_watch *w = &s->options->watch;
    as_operators_options o = as_operators_defaults();
    as_operators *operators = NULL;
    as_search_report *r;
    assay_code code = as_search_report_open(s->options->folder, &r, err);
    if (code) return code;
    const bool is_done = r->operators.n_ops > 0;
    as_search_report_close(r);
    if (is_done) return ASSAY_OK;
    o.n_warm_ups = (int)s->protocol.n_warm_up;
    o.n_rounds = (int)s->protocol.n_rounds;
    o.n_repeats = (int)s->protocol.n_repeats;
    o.seed = (int64_t)s->space->seed;
    o.stop = stop_operators;
    o.progress = show_operators;
    o.context = s;
    if (w->begin) w->begin(w->context, "operators", as_operators_turns(&o));
    code = as_operators_run(&o, &operators, err);
    if (w->end) w->end(w->context);
    if (!code) code = keep_operators(s, operators, err);
    as_operators_free(operators);
    return code;
}
