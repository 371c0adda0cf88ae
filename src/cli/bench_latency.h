/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CLI_BENCH_LATENCY_H
#define ASSAY_CLI_BENCH_LATENCY_H
/* `assay bench MODEL... --latency-table FILE`: search/latency_table.h from the command line. */
#include "cli/cli.h"
#include "search/latency_table.h"

typedef struct as_bench_latency {
    const char *file;     /**< The table. */
    const char *shape;    /**< Of the models' input. */
    int64_t threads;      /**< 0 = what the process may use. */
    int64_t repeat, seed; /**< repeat 0 = the table's default. */
    bool force, json;
} as_bench_latency;

/**
 * Of several models make the table and print how well it predicts each of them when it is held out; of
 * one print what the table that is there predicts for it.  @return an exit status.
 */
int as_bench_latency_run(const as_cli *cli, const as_bench_latency *options);

/** Print a table's layers and checks; `median` and `greatest` as as_latency_table_error gives them. */
void as_latency_table_print(const as_latency_table *table, double median, double greatest);

#endif
