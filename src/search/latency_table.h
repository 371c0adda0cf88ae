/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_SEARCH_LATENCY_TABLE_H
#define ASSAY_SEARCH_LATENCY_TABLE_H
/*
 * What each layer of some networks takes on this CPU, and so what a network of such layers will take
 * before anybody runs it.
 *
 *     time of a network = call_us + sum over its layers of row.us
 *
 *     const as_latency_table_options o = {.paths = paths, .n = 6, .shape = {1, 1, 8, 8}, .threads = 1};
 *     code = as_latency_table_make(&o, &table, err);
 *     code = as_latency_table_write(table, "table.json", err);
 *     code = as_latency_table_predict(table, "new.onnx", (as_shape4){1, 1, 8, 8}, &us, err);
 *     as_latency_table_free(table);
 *
 * A layer is what the plan runs as one (with the steps that ride on it), by its operator, route and
 * extents.  It is measured by itself, again and again; the networks as a whole give call_us alone, the
 * median of what they take beyond their layers.  The check of a network is by the call_us of the others.
 */
#include <stdbool.h>

#include "engine/engine.h"

/** A layer that was measured. */
typedef struct as_latency_row {
    char *layer;            /**< "Conv direct 1x8x4x4 -> 1x16x4x4, 3x3 +relu"; owns. */
    double us;              /**< Median over the rounds, ... */
    double low_us, high_us; /**< ... the least and the greatest. */
} as_latency_row;

/** A network that was held out: predicted by its layers and the other networks' call_us. */
typedef struct as_latency_check {
    char *network; /**< File name; owns. */
    double predicted_us, measured_us;
} as_latency_check;

typedef struct as_latency_table {
    char cpu[64], isa[16], version[32]; /**< Where and by which assay. */
    size_t threads;
    size_t n_rounds, n_repeats;
    double call_us;       /**< What a call takes besides its layers. */
    as_latency_row *rows; /**< Owns; in the order of their first use. */
    size_t n_rows;
    as_latency_check *checks; /**< Owns; one a network. */
    size_t n_checks;
} as_latency_table;

typedef struct as_latency_table_options {
    const char *const *paths; /**< Networks; at least 2, so that each can be held out. */
    size_t n;
    as_shape4 shape;             /**< Of the one input that each has. */
    size_t threads;              /**< 0 = what the process may use. */
    size_t n_rounds;             /**< 0 = 9. */
    size_t n_repeats;            /**< Calls, and runs of a layer, a round; 0 = 200. */
    uint64_t seed;               /**< Of the networks' order in each round, and of the input. */
    bool (*stop)(void *context); /**< As as_latency_models. */
    void *stop_context;
} as_latency_table_options;

/** Measure.  @return ASSAY_E_ARGUMENT for fewer than 2 networks or a shape they do not take;
 *  ASSAY_E_INTERRUPTED, ASSAY_E_MEMORY, and as assay_model_load. */
assay_code as_latency_table_make(const as_latency_table_options *options,
                                 as_latency_table **out, assay_error *err);

/**
 * What the network at `path` will take for an input of `shape`; it is planned, not timed.
 * @return ASSAY_E_NOT_FOUND, with the layer, for one that the table does not have.
 */
assay_code as_latency_table_predict(const as_latency_table *table, const char *path,
                                    as_shape4 shape, double *us, assay_error *err);

/** Median over the checks of |predicted - measured| / measured, and the greatest; 0 without checks.
 *  @return ASSAY_E_MEMORY. */
assay_code as_latency_table_error(const as_latency_table *table, double *median,
                                  double *greatest, assay_error *err);

/** To and from JSON (docs/formats.md).  @return ASSAY_E_IO, ASSAY_E_FORMAT, ASSAY_E_MEMORY. */
assay_code as_latency_table_write(const as_latency_table *table, const char *path,
                                  assay_error *err);
assay_code as_latency_table_read(const char *path, as_latency_table **out, assay_error *err);

/** Free the table; takes NULL. */
void as_latency_table_free(as_latency_table *table);

#endif
