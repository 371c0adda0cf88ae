/* SPDX-License-Identifier: Apache-2.0 */
/* The choice of a search, and the test that only comes behind it. */
#include "base/clock.h"
#include "base/memory.h"
#include "search/structure_search.h"

static assay_code no_memory(assay_error *err)
{
    return as_fail(err, ASSAY_E_MEMORY, "no memory for a search");
}

/* selection.json is synced before the evidence says so. */
assay_code as_search_choose(as_search *s, assay_error *err)
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
        if (s->options->stop && s->options->stop(s->options->stop_context))
            return as_fail(err, ASSAY_E_INTERRUPTED, "stopped before the test");
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

assay_code as_search_test(as_search *s, assay_error *err)
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
