/* SPDX-License-Identifier: Apache-2.0 */
/* What the evidence says of a search, and the phases behind its trainings. */
#include "search/structure_search.h"

#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "report/search_files.h"

static assay_code no_memory(assay_error *err)
{
    return as_fail(err, ASSAY_E_MEMORY, "no memory for a search");
}

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
    s->n_slots = (size_t)row->n_slots;
    s->test = as_test_part_take(&s->split);
    return s->test ? ASSAY_OK : no_memory(err);
}

static assay_code copy_policies(as_search *s, as_evidence *evidence, assay_error *err)
{
    const as_policy_row *rows;
    size_t n;
    assay_code code = as_evidence_policies(evidence, &rows, &n, err);
    if (code) return code;
    s->policies = as_alloc_array(n + 1, sizeof *s->policies);
    if (!s->policies) return no_memory(err);
    for (; s->n_policies < n; s->n_policies++) {
        s->policies[s->n_policies] = as_strdup(rows[s->n_policies].text);
        if (!s->policies[s->n_policies]) return no_memory(err);
    }
    return ASSAY_OK;
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

static assay_code open_search(as_search *s, assay_error *err)
{
    as_search_report *r = NULL;
    char *path = as_path_join(s->options->folder, AS_EVIDENCE_FILE);
    assay_code code = path ? ASSAY_OK : no_memory(err);
    if (!code) code = as_evidence_continue(path, &s->writer, err);
    if (!code) code = as_search_report_open(s->options->folder, &r, err);
    if (!code) code = read_space(s, r->search, err);
    if (!code) code = copy_policies(s, r->evidence, err);
    if (!code) code = list_jobs(s, r, err);
    as_search_report_close(r);
    as_free(path);
    return code;
}

/* @param row  of a search that another process keeps; NULL: the evidence is read and added to. */
static assay_code new_search(const as_search_options *options, const as_search_row *row,
                             as_search **out, assay_error *err)
{
    *out = NULL;
    as_search *s = as_alloc(sizeof *s);
    if (!s) return no_memory(err);
    s->options = options;
    assay_code code = row ? read_space(s, row, err) : open_search(s, err);
    if (code) return as_search_close(s, code, err);
    *out = s;
    return ASSAY_OK;
}

assay_code as_search_open(const as_search_options *options, as_search **out, assay_error *err)
{
    return new_search(options, NULL, out, err);
}

assay_code as_search_join(const as_search_options *options, const as_search_row *row,
                          as_search **out, assay_error *err)
{
    return new_search(options, row, out, err);
}

assay_code as_search_close(as_search *s, assay_code code, assay_error *err)
{
    if (!s) return code;
    assay_code closed = as_evidence_writer_close(s->writer, code ? NULL : err);
    as_split_free(&s->split);
    as_test_part_free(s->test);
    as_dataset_free(s->data);
    as_space_free(s->space);
    for (size_t i = 0; i < s->n_policies; i++)
        as_free(s->policies[i]);
    as_free(s->policies);
    as_free(s->jobs);
    as_free(s);
    return code ? code : closed;
}

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
    assay_code code = as_search_save_models(s, err);
    if (!code) code = as_search_measure(s, err);
    if (!code) code = as_search_study_operators(s, err);
    if (!code) code = as_search_choose(s, err);
    if (!code) code = as_search_test(s, err);
    if (!code) code = as_search_run_slots(s, err);
    as_clock_label(label);
    if (!code) code = as_evidence_set_state(s->writer, AS_RUN_FINISHED, label, err);
    return code ? code : write_files(s, err);
}
