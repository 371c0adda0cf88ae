/* SPDX-License-Identifier: Apache-2.0 */
#include "search/structure_search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "onnx/save.h"
#include "report/search_files.h"

/* Our own engine, always timed. */
#define OWN_POLICY "ours=native,threads=1"

static assay_code no_memory(assay_error *err)
{
    return as_fail(err, ASSAY_E_MEMORY, "no memory for a search");
}

/* ---- open ---- */

static assay_code read_space(as_search *s, const as_search_row *row, assay_error *err)
{
    const as_search_options *o = s->options;
    assay_code code = as_space_parse(row->space_text, strlen(row->space_text), row->space_path,
                                     &s->space, err);
    if (!code) code = as_dataset_load(&s->space->data, &s->data, err);
    if (!code)
        code = as_split_parse(row->split_json, strlen(row->split_json), o->folder, s->data,
                              &s->split, err);
    if (code) return code;
    s->protocol = as_latency_protocol_default();
    s->protocol.n_warm_up = (size_t)row->n_warm_up;
    s->protocol.n_rounds = (size_t)row->n_rounds;
    s->protocol.n_repeats = (size_t)row->n_repeats;
    s->protocol.seed = s->space->seed;
    s->test = as_test_part_take(&s->split);
    return s->test ? ASSAY_OK : no_memory(err);
}

static assay_code list_jobs(as_search *s, const as_search_report *r, assay_error *err)
{
    size_t n = 0, at = 0;
    if (r->n_structures != s->space->n_structures)
        return as_fail(err, ASSAY_E_FORMAT, "%s has %zu structures, its space %zu",
                       s->options->folder, r->n_structures, s->space->n_structures);
    for (size_t i = 0; i < r->n_structures; i++)
        n += (size_t)r->structures[i].n_seeds;
    s->jobs = as_alloc_array(n + 1, sizeof *s->jobs);
    if (!s->jobs) return no_memory(err);
    for (size_t i = 0; i < r->n_structures; i++)
        for (size_t k = 0; k < (size_t)r->structures[i].n_seeds; k++)
            s->jobs[at++] = (as_search_job){i, k, -1};
    s->n_jobs = n;
    s->n_done = r->n_trainings;
    for (size_t t = 0; t < r->n_trainings; t++)
        for (size_t j = 0; j < n; j++)
            if (s->jobs[j].structure == (size_t)r->trainings[t].structure &&
                s->jobs[j].seed_index == (size_t)r->trainings[t].seed_index)
                s->jobs[j].training = (int)t;
    return ASSAY_OK;
}

static assay_code open_search(as_search *s, bool writes, assay_error *err)
{
    as_search_report *r = NULL;
    char *path = as_path_join(s->options->folder, AS_EVIDENCE_FILE);
    assay_code code = path ? ASSAY_OK : no_memory(err);
    if (!code && writes) code = as_evidence_continue(path, &s->writer, err);
    if (!code) code = as_search_report_open(s->options->folder, &r, err);
    if (!code) code = read_space(s, r->search, err);
    if (!code) code = list_jobs(s, r, err);
    as_search_report_close(r);
    as_free(path);
    return code;
}

assay_code as_search_open(const as_search_options *options, bool writes, as_search **out,
                          assay_error *err)
{
    *out = NULL;
    as_search *s = as_alloc(sizeof *s);
    if (!s) return no_memory(err);
    s->options = options;
    assay_code code = open_search(s, writes, err);
    if (code) return as_search_close(s, code, err);
    *out = s;
    return ASSAY_OK;
}

assay_code as_search_close(as_search *s, assay_code code, assay_error *err)
{
    if (!s) return code;
    assay_code closed = as_evidence_writer_close(s->writer, code ? NULL : err);
    as_split_free(&s->split);
    as_test_part_free(s->test);
    as_dataset_free(s->data);
    as_space_free(s->space);
    as_free(s->jobs);
    as_free(s);
    return code ? code : closed;
}

/* ---- models ---- */

static char *model_path(const as_search *s, size_t i)
{
    return as_format("%s/%s.onnx", s->options->folder, s->space->structures[i].name);
}

static assay_code save_model(const as_search *s, const as_search_report *r, size_t i,
                             assay_error *err)
{
    const int training = as_search_report_training(r, i);
    as_network *network = NULL;
    as_graph *graph = NULL;
    char *path = model_path(s, i);
    assay_code code = path ? ASSAY_OK : no_memory(err);
    if (!code && training >= 0) {
        code = as_search_network(s, i, r->evidence, training, &network, err);
        if (!code) code = as_network_graph(network, s->space->structures[i].name, &graph, err);
        if (!code) code = as_onnx_save(graph, path, err);
    }
    as_graph_free(graph);
    as_network_free(network);
    as_free(path);
    return code;
}

static assay_code save_models(as_search *s, assay_error *err)
{
    as_search_report *r;
    assay_code code = as_search_report_open(s->options->folder, &r, err);
    for (size_t i = 0; !code && i < s->space->n_structures; i++)
        code = save_model(s, r, i, err);
    as_search_report_close(r);
    return code;
}

/* Those that were trained: places and paths. */
typedef struct models {
    as_latency_models latency;
    char **paths; /* owns */
    size_t *places;
    size_t n;
} models;

static void free_models(models *m)
{
    for (size_t i = 0; i < m->n; i++)
        as_free(m->paths[i]);
    as_free(m->paths);
    as_free(m->places);
}

static assay_code list_models(const as_search *s, const as_search_report *r, models *out,
                              assay_error *err)
{
    const size_t n = s->space->n_structures;
    *out = (models){.paths = as_alloc_array(n, sizeof *out->paths),
                    .places = as_alloc_array(n, sizeof *out->places)};
    if (!out->paths || !out->places) return no_memory(err);
    for (size_t i = 0; i < n; i++) {
        if (as_search_report_training(r, i) < 0) continue;
        out->paths[out->n] = model_path(s, i);
        out->places[out->n] = i;
        if (!out->paths[out->n++]) return no_memory(err);
    }
    out->latency = (as_latency_models){.paths = (const char *const *)out->paths,
                                       .n = out->n,
                                       .shape = {1, s->data->c, s->data->h, s->data->w},
                                       .policy = OWN_POLICY,
                                       .stop = s->options->stop,
                                       .stop_context = s->options->stop_context};
    return ASSAY_OK;
}

/* ---- latencies ---- */

static assay_code keep_samples(as_search *s, const models *m, const double *us,
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

static assay_code measure(as_search *s, assay_error *err)
{
    as_search_report *r;
    models m = {0};
    double *us = NULL;
    assay_code code = as_search_report_open(s->options->folder, &r, err);
    if (code) return code;
    if (r->candidates.n_samples == 0) code = list_models(s, r, &m, err);
    as_search_report_close(r);
    if (!code && m.n > 0) {
        us = as_alloc_array(m.n * s->protocol.n_rounds, s->protocol.n_repeats * sizeof *us);
        code = us ? as_models_measure(&m.latency, &s->protocol, us, err) : no_memory(err);
        if (!code) code = keep_samples(s, &m, us, err);
    }
    as_free(us);
    free_models(&m);
    return code;
}

/* ---- choice, then test ---- */

/* selection.json is synced before the evidence says so. */
static assay_code choose(as_search *s, assay_error *err)
{
    as_search_report *r;
    as_selection_row row = {0};
    char label[AS_CLOCK_LABEL], sha256[AS_SHA256_HEX];
    assay_code code = as_search_report_open(s->options->folder, &r, err);
    if (code) return code;
    const bool is_done = r->has_selection;
    if (!is_done) code = as_selection_write(r->choice, s->options->folder, err);
    as_search_report_close(r);
    if (code || is_done) return code;
    char *path = as_path_join(s->options->folder, "selection.json");
    code = path ? as_sha256_file(path, sha256, err) : no_memory(err);
    as_free(path);
    if (code) return code;
    as_clock_label(label);
    row.written = label;
    row.sha256 = sha256;
    const as_row_batch batch = {AS_TABLE_SELECTIONS, &row, 1};
    return as_evidence_add_rows(s->writer, &batch, 1, err);
}

static assay_code score(const as_search *s, const as_search_report *r, const size_t *ids,
                        size_t n, as_test_score_row *rows, size_t *n_rows, assay_error *err)
{
    assay_code code = ASSAY_OK;
    for (size_t t = 0; t < r->n_trainings && !code; t++) {
        const as_training_row *one = &r->trainings[t];
        as_network *network;
        as_score found;
        if (one->diverged_epoch) continue;
        code = as_search_network(s, (size_t)one->structure, r->evidence, (int)t, &network, err);
        if (!code) code = as_network_score(network, s->data, ids, n, NULL, &found, err);
        as_network_free(network);
        if (!code)
            rows[(*n_rows)++] = (as_test_score_row){
                .training = (int)t, .loss = found.loss, .accuracy = found.accuracy};
    }
    return code;
}

static assay_code open_test(const as_search *s, as_evidence *evidence, const size_t **ids,
                            size_t *n, assay_error *err)
{
    const as_selection_row *selection;
    size_t n_selections;
    char *path = as_path_join(s->options->folder, "selection.json");
    assay_code code = path ? as_evidence_selections(evidence, &selection, &n_selections, err)
                           : no_memory(err);
    if (!code)
        code = as_test_part_open(s->test, path, n_selections ? selection[0].sha256 : NULL, ids,
                                 n, err);
    as_free(path);
    return code;
}

static assay_code test(as_search *s, assay_error *err)
{
    as_search_report *r;
    const size_t *ids;
    size_t n, n_rows = 0;
    assay_code code = as_search_report_open(s->options->folder, &r, err);
    if (code) return code;
    as_test_score_row *rows = as_alloc_array(r->n_trainings + 1, sizeof *rows);
    if (!rows) code = no_memory(err);
    if (!code && r->n_scores == 0) {
        code = open_test(s, r->evidence, &ids, &n, err);
        if (!code) code = score(s, r, ids, n, rows, &n_rows, err);
    }
    as_search_report_close(r);
    const as_row_batch batch = {AS_TABLE_TEST_SCORES, rows, n_rows};
    if (!code && n_rows > 0) code = as_evidence_add_rows(s->writer, &batch, 1, err);
    as_free(rows);
    return code;
}

/* ---- fresh processes ---- */

static bool has_slot(const as_search_report *r, size_t place, const char *policy, size_t repeat)
{
    for (size_t i = 0; i < r->n_slots; i++)
        if (r->slots[i].structure == (int)place && r->slots[i].repeat == (int)repeat &&
            strcmp(r->slots[i].policy, policy) == 0)
            return true;
    return false;
}

/* A process that fails is told by its row; only stopping ends the search. */
static assay_code run_slot(as_search *s, const models *m, size_t i, size_t repeat,
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

static assay_code run_slots(as_search *s, const as_search_report *r, models *m,
                            assay_error *err)
{
    const as_search_options *o = s->options;
    const as_search_watch *w = &o->watch;
    size_t n_done = 0;
    assay_code code = ASSAY_OK;
    if (w->begin) w->begin(w->context, "slots", o->n_slots * (o->n_policies + 1) * m->n);
    for (size_t repeat = 0; repeat < o->n_slots && !code; repeat++)
        for (size_t p = 0; p <= o->n_policies && !code; p++) {
            m->latency.policy = p ? o->policies[p - 1] : OWN_POLICY;
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

static assay_code measure_slots(as_search *s, assay_error *err)
{
    as_search_report *r;
    models m = {0};
    assay_code code = as_search_report_open(s->options->folder, &r, err);
    if (code) return code;
    code = list_models(s, r, &m, err);
    if (!code) code = run_slots(s, r, &m, err);
    as_search_report_close(r);
    free_models(&m);
    return code;
}

/* ---- all of it ---- */

static assay_code write_files(const as_search *s, assay_error *err)
{
    as_search_report *r;
    assay_code code = as_search_report_open(s->options->folder, &r, err);
    if (!code) code = as_search_files_write(r, err);
    as_search_report_close(r);
    return code;
}

assay_code as_search_finish(as_search *s, assay_error *err)
{
    char label[AS_CLOCK_LABEL];
    assay_code code = save_models(s, err);
    if (!code) code = measure(s, err);
    if (!code) code = choose(s, err);
    if (!code) code = test(s, err);
    if (!code) code = measure_slots(s, err);
    as_clock_label(label);
    if (!code) code = as_evidence_set_state(s->writer, AS_RUN_FINISHED, label, err);
    return code ? code : write_files(s, err);
}
