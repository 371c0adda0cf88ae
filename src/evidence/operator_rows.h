/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_EVIDENCE_OPERATOR_ROWS_H
#define ASSAY_EVIDENCE_OPERATOR_ROWS_H
/*
 * What an operator study measured: a standard 3x3 convolution against depthwise 3x3 + pointwise, at
 * several shapes.  search/operators.h makes these rows, report/operator_files.h prints them.
 *
 *     study ── operators (shape, module) ── samples (round, repeat -> microseconds)
 *
 * An operator's place in its array is its index.  Strings are borrowed as in rows.h.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** How all operators of a study were measured, and what the machine reaches; one row. */
typedef struct as_operator_study_row {
    int n_warm_ups; /**< Untimed samples before those of each turn. */
    int n_rounds;   /**< In each of them every operator has one turn, in an order of its own. */
    int n_repeats;  /**< Samples of a turn. */
    int n_threads;
    int64_t seed;        /**< Of weights, inputs and orders. */
    const char *isa;     /**< "avx2" */
    double peak_macs_s;  /**< Multiply-adds a second in registers alone. */
    double near_bytes_s; /**< A copy of near_bytes reads and writes so many bytes a second. */
    double far_bytes_s;
    int64_t near_bytes, far_bytes; /**< Read and written together. */
} as_operator_study_row;

/** A module at one shape, or a part of one. */
typedef struct as_operator_row {
    const char *shape;  /**< "large", "small", else as "16x32x24x24": IC x OC x H x W. */
    const char *module; /**< "standard", "dw_pw"; its parts "dw" and "pw". */
    bool is_part;
    int ic, oc, h, w; /**< Of the module: a part has ic or oc of its own. */
    int64_t params;
    int64_t macs;         /**< By the shape, padding taps counted. */
    int64_t products;     /**< Those that the routes do: Winograd's do fewer than macs. */
    int64_t ledger_bytes; /**< Input + output + intermediate activations. */
    int64_t
        traffic_bytes;  /**< Read and written at least: each stage's activations and weights. */
    const char *routes; /**< "winograd4", "depthwise + direct" */
    double copy_bytes_s; /**< A plain copy reads and writes traffic_bytes at this rate. */
    int n_calls;         /**< In a sample, one behind the other: its time is their mean. */
    double factor_error; /**< Of dw_pw: greatest distance from the standard convolution with the
                                same kernel, its products; NaN otherwise. */
} as_operator_row;

/** One sample of operator `op`. */
typedef struct as_operator_sample_row {
    int op;            /**< Index. */
    int round, repeat; /**< From 0. */
    double latency_us; /**< Of one call. */
} as_operator_sample_row;

#endif
