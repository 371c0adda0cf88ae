/* SPDX-License-Identifier: Apache-2.0 */
#include "report/search_facts.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "verdict/statistics.h"

static assay_code no_memory(assay_error *err)
{
    return as_fail(err, ASSAY_E_MEMORY, "no memory for the report of a search");
}

static assay_code read_texts(as_search_facts *f, assay_error *err)
{
    const as_selection_row *selections;
    size_t n = 0;
    const struct {
        const char *text;
        json_t **out;
    } texts[] = {{f->run->machine_json, &f->machine},
                 {f->run->findings_json, &f->findings},
                 {f->report->search->space_text, &f->space},
                 {f->report->search->split_json, &f->split}};
    assay_code code = as_evidence_selections(f->report->evidence, &selections, &n, err);
    if (!code && n > 0) f->selection = &selections[0];
    for (size_t i = 0; i < AS_COUNT_OF(texts) && !code; i++)
        code = as_json_parse(texts[i].text, strlen(texts[i].text), 0, texts[i].out, err);
    return code;
}

static void reach(double value, double *least, double *greatest)
{
    *least = fmin(*least, value); /* NaN is no value */
    *greatest = fmax(*greatest, value);
}

static void fill_spreads(as_search_facts *f)
{
    const as_search_report *r = f->report;
    for (size_t i = 0; i < r->n_structures; i++) {
        f->spreads[i] = (as_spread_facts){0, 0, NAN, NAN, NAN, NAN};
        f->n_planned += (size_t)r->structures[i].n_seeds;
    }
    for (size_t t = 0; t < r->n_trainings; t++) {
        as_spread_facts *s = &f->spreads[r->trainings[t].structure];
        const bool has_diverged = r->trainings[t].diverged_epoch > 0;
        s->n++;
        s->n_diverged += has_diverged;
        f->n_diverged += has_diverged;
        reach(r->trainings[t].validation_accuracy, &s->least, &s->greatest);
    }
    for (size_t i = 0; i < r->n_scores; i++) {
        as_spread_facts *s = &f->spreads[r->trainings[r->scores[i].training].structure];
        reach(r->scores[i].accuracy, &s->test_least, &s->test_greatest);
    }
}

/* us[n_samples] is scratch. */
static void fill_box(as_search_facts *f, size_t i, double *us)
{
    static const double q[] = {0.1, 0.25, 0.5, 0.75, 0.9};
    const as_candidates *c = &f->report->candidates;
    as_box_facts *box = &f->boxes[i];
    size_t n = 0;
    for (size_t s = 0; s < c->n_samples; s++)
        if ((size_t)c->samples[s].candidate == i) us[n++] = c->samples[s].latency_us;
    as_sort(us, n);
    box->n = n;
    for (size_t k = 0; k < AS_COUNT_OF(q); k++) {
        const bool is_enough = n >= as_percentile_least(fmax(q[k], 1 - q[k]));
        box->us[k] = is_enough ? as_quantile_of_sorted(us, n, q[k]) : NAN;
    }
}

static assay_code fill_boxes(as_search_facts *f, assay_error *err)
{
    double *us = as_alloc_array(f->report->candidates.n_samples + 1, sizeof *us);
    f->boxes = as_alloc_array(f->report->n_structures, sizeof *f->boxes);
    const bool is_made = us && f->boxes;
    for (size_t i = 0; is_made && i < f->report->n_structures; i++)
        fill_box(f, i, us);
    as_free(us);
    return is_made ? ASSAY_OK : no_memory(err);
}

static assay_code fill(as_search_facts *f, assay_error *err)
{
    const as_search_report *r = f->report;
    const as_candidate_report *c = r->choice;
    const size_t n = r->n_structures;
    f->spreads = as_alloc_array(n, sizeof *f->spreads);
    f->ties[AS_PICK_ACCURACY] = as_alloc_array(n, sizeof *f->ties[0]);
    f->ties[AS_PICK_LATENCY] = as_alloc_array(n, sizeof *f->ties[0]);
    if (!f->spreads || !f->ties[0] || !f->ties[1]) return no_memory(err);
    fill_spreads(f);
    for (int pick = 0; pick < 2; pick++)
        as_structures_ties(c->scored, n, &c->selection, (as_pick)pick, f->ties[pick]);
    assay_code code = read_texts(f, err);
    if (!code) code = fill_boxes(f, err);
    if (!code && r->operators.n_ops > 0)
        code = as_operator_report_new(&r->operators, f->language, &f->operators, err);
    return code ? code : as_search_facts_engines(f, err);
}

assay_code as_search_facts_new(const as_search_report *report, as_search_facts **out,
                               assay_error *err)
{
    *out = NULL;
    as_search_facts *f = as_alloc(sizeof *f);
    if (!f) return no_memory(err);
    f->report = report;
    f->run = as_evidence_run(report->evidence);
    f->language = report->language;
    assay_code code = fill(f, err);
    if (code)
        as_search_facts_free(f);
    else
        *out = f;
    return code;
}

void as_search_facts_free(as_search_facts *f)
{
    if (!f) return;
    for (int i = 0; i < AS_N_SEARCH_PLOTS; i++)
        for (int w = 0; w < AS_N_WIDTHS; w++)
            as_bytes_free(&f->drawn[i].svg[w]);
    as_search_facts_engines_free(f);
    as_operator_report_free(f->operators);
    json_decref(f->machine);
    json_decref(f->findings);
    json_decref(f->space);
    json_decref(f->split);
    as_free(f->boxes);
    as_free(f->spreads);
    as_free(f->ties[0]);
    as_free(f->ties[1]);
    as_free(f);
}

const char *as_structure_name(const as_search_facts *f, size_t place)
{
    return place == AS_NO_STRUCTURE ? "–" : f->report->structures[place].name;
}

char *as_structure_names(const as_search_facts *f, const bool *is_set)
{
    char *all = as_strdup("");
    for (size_t i = 0; all && i < f->report->n_structures; i++) {
        if (!is_set[i]) continue;
        char *more = as_format("%s%s%s", all, *all ? ", " : "", f->report->structures[i].name);
        as_free(all);
        all = more;
    }
    return all;
}
