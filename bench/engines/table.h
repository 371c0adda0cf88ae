/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_BENCH_ENGINES_TABLE_H
#define ASSAY_BENCH_ENGINES_TABLE_H
/*
 * What came of a model, shape and thread count (a cell), and how it is written: a Markdown row as
 * soon as a cell is done, and one JSON file of everything at the end.
 */
#include <stdbool.h>
#include <stdio.h>

#include "engine/policy.h"
#include "slot.h"
#include "verdict/estimate.h"

#define BENCH_MOST_POLICIES 8
#define BENCH_MOST_ROUNDS   64

/* A policy's slots in one cell. */
typedef struct bench_runs {
    bench_result rounds[BENCH_MOST_ROUNDS];
    char error[256];                               /* "" unless a slot failed */
    double load_ms, first_ms, median_ms, peak_mib; /* medians over the rounds */
    as_estimate ratio; /* of a native policy to the fastest other engine; n 0 without one */
} bench_runs;

typedef struct bench_cell {
    const char *model;
    size_t shape[4];
    size_t threads, n_rounds, n_policies;
    const as_policy *policies; /* parsed; [n_policies] */
    bench_runs runs[BENCH_MOST_POLICIES];
    int fastest_other;   /* policy, or -1 */
    double load_average; /* load average of the minute before the cell */
} bench_cell;

/* Reduce the rounds: medians, the fastest other engine, ratios and intervals. */
assay_code bench_cell_reduce(bench_cell *cell, assay_error *err);

/* Date, machine, versions and what the columns are. */
void bench_write_head(FILE *out, const bench_cell *first, double seconds);
void bench_write_row(FILE *out, const bench_cell *cell);
/* The second table: load, first call, memory. */
void bench_write_costs(FILE *out, const bench_cell *cells, size_t n);
/* Everything with each round's figures; the caller's. */
json_t *bench_json(const bench_cell *cells, size_t n, double seconds);

#endif
