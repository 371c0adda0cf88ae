/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/search_table.h"

#include <stdio.h>

#include "base/memory.h"
#include "cli/bench_latency.h"
#include "report/search_files.h"

/* The models that were trained; owns the paths. */
typedef struct model_files {
    char **paths;
    size_t n;
} model_files;

static assay_code list(const as_search_report *r, model_files *out, assay_error *err)
{
    *out = (model_files){.paths = as_alloc_array(r->n_structures + 1, sizeof *out->paths)};
    if (!out->paths) return as_fail(err, ASSAY_E_MEMORY, "no memory for paths");
    for (size_t i = 0; i < r->n_structures; i++) {
        if (as_search_report_training(r, i) < 0) continue;
        char *path = as_search_report_model(r, i);
        if (!path) return as_fail(err, ASSAY_E_MEMORY, "no memory for paths");
        out->paths[out->n++] = path;
    }
    return ASSAY_OK;
}

static void free_list(model_files *files)
{
    for (size_t i = 0; i < files->n; i++)
        as_free(files->paths[i]);
    as_free(files->paths);
}

static assay_code make(const as_search_report *r, const model_files *files,
                       as_latency_table **out, assay_error *err)
{
    const as_search_row *s = r->search;
    const as_latency_table_options options = {
        .paths = (const char *const *)files->paths,
        .n = files->n,
        .shape = {1, (size_t)s->c, (size_t)s->h, (size_t)s->w},
        .threads = 1,
        .seed = (uint64_t)s->seed,
        .stop = as_stop};
    return as_latency_table_make(&options, out, err);
}

int as_search_table(const as_cli *cli, const char *folder, const char *file, bool prints)
{
    as_search_report *r;
    model_files files = {0};
    as_latency_table *table = NULL;
    double median = 0, greatest = 0;
    assay_error err = {0};
    assay_code code = as_search_report_open(folder, &r, &err);
    if (!code) code = list(r, &files, &err);
    if (!code) code = make(r, &files, &table, &err);
    if (!code) code = as_latency_table_error(table, &median, &greatest, &err);
    if (!code) code = as_latency_table_write(table, file, &err);
    if (!code && prints) {
        putchar('\n');
        as_latency_table_print(table, median, greatest);
    } else if (!code) {
        as_note(cli,
                "%s: %zu layers; held out, a prediction is wrong by %.1f %% (median), "
                "%.1f %% at most",
                file, table->n_rows, 100 * median, 100 * greatest);
    }
    as_latency_table_free(table);
    free_list(&files);
    as_search_report_close(r);
    return code ? as_cli_fail(cli, &err) : AS_EXIT_DONE;
}
