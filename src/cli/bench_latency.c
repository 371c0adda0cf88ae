/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/bench_latency.h"

#include <stdio.h>

#include "base/json.h"
#include "cli/interrupt.h"

static assay_code take_shape(const char *text, as_shape4 *out, assay_error *err)
{
    int64_t extents[4];
    size_t rank = 0;
    assay_code code = as_parse_shape("--shape", text, 4, extents, &rank, err);
    if (code) return code;
    if (rank != 4)
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "--shape %s has %zu extents, a table of latencies is for NxCxHxW", text,
                       rank);
    *out = (as_shape4){(size_t)extents[0], (size_t)extents[1], (size_t)extents[2],
                       (size_t)extents[3]};
    return ASSAY_OK;
}

void as_latency_table_print(const as_latency_table *t, double median, double greatest)
{
    printf("%s, %s, %zu thread%s; %zu rounds of %zu; microseconds\n\n", t->cpu, t->isa,
           t->threads, t->threads == 1 ? "" : "s", t->n_rounds, t->n_repeats);
    printf("%8s  %17s  layer\n", "median", "least-greatest");
    for (size_t i = 0; i < t->n_rows; i++)
        printf("%8.3f  %8.3f-%8.3f  %s\n", t->rows[i].us, t->rows[i].low_us, t->rows[i].high_us,
               t->rows[i].layer);
    printf("%8.3f  %17s  what a call takes besides its layers\n", t->call_us, "");
    printf("\n%9s  %8s  %6s  network, held out\n", "predicted", "measured", "error");
    for (size_t i = 0; i < t->n_checks; i++) {
        const as_latency_check *c = &t->checks[i];
        printf("%9.3f  %8.3f  %+5.1f%%  %s\n", c->predicted_us, c->measured_us,
               100 * (c->predicted_us - c->measured_us) / c->measured_us, c->network);
    }
    printf("\nheld out, a prediction is wrong by %.1f %% (median), %.1f %% at most\n",
           100 * median, 100 * greatest);
}

static int make(const as_cli *cli, const as_bench_latency *o, as_shape4 shape)
{
    as_latency_table *table = NULL;
    assay_error err = {0};
    double median = 0, greatest = 0;
    const as_latency_table_options options = {.paths = cli->arguments.items,
                                              .n = cli->arguments.n,
                                              .shape = shape,
                                              .threads = (size_t)o->threads,
                                              .n_repeats = (size_t)o->repeat,
                                              .seed = (uint64_t)o->seed,
                                              .stop = as_stop};
    assay_code code = as_output_claim(o->file, o->force, &err);
    if (!code) code = as_latency_table_make(&options, &table, &err);
    if (!code) code = as_latency_table_error(table, &median, &greatest, &err);
    if (!code) code = as_latency_table_write(table, o->file, &err);
    if (!code && o->json) {
        json_t *root = json_pack("{s:s s:I s:f s:f}", "table", o->file, "layers",
                                 (json_int_t)table->n_rows, "median_error", median,
                                 "greatest_error", greatest);
        code = as_output_json(root, false, &err);
        json_decref(root);
    } else if (!code) {
        as_latency_table_print(table, median, greatest);
    }
    as_latency_table_free(table);
    return code ? as_cli_fail(cli, &err) : AS_EXIT_DONE;
}

static int predict(const as_cli *cli, const as_bench_latency *o, as_shape4 shape)
{
    as_latency_table *table = NULL;
    assay_error err = {0};
    double us = 0, median = 0, greatest = 0;
    assay_code code = as_latency_table_read(o->file, &table, &err);
    if (!code) code = as_latency_table_error(table, &median, &greatest, &err);
    if (!code)
        code = as_latency_table_predict(table, cli->arguments.items[0], shape, &us, &err);
    if (!code && o->json) {
        json_t *root = json_pack("{s:f s:f s:f}", "predicted_us", us, "median_error", median,
                                 "greatest_error", greatest);
        code = as_output_json(root, false, &err);
        json_decref(root);
    } else if (!code) {
        printf("predicted %.3f us on %s, %zu thread%s; the table's predictions are wrong by "
               "%.1f %% (median)\n",
               us, table->cpu, table->threads, table->threads == 1 ? "" : "s", 100 * median);
    }
    as_latency_table_free(table);
    return code ? as_cli_fail(cli, &err) : AS_EXIT_DONE;
}

int as_bench_latency_run(const as_cli *cli, const as_bench_latency *o)
{
    as_shape4 shape;
    assay_error err = {0};
    if (take_shape(o->shape, &shape, &err)) return as_cli_fail(cli, &err);
    return cli->arguments.n > 1 ? make(cli, o, shape) : predict(cli, o, shape);
}
