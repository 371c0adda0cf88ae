/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_OPERATOR_FILES_H
#define ASSAY_REPORT_OPERATOR_FILES_H
/*
 * An operator study as files and as sentences, from its rows alone: the same rows give the same bytes.
 *
 *     as_operator_report *report;
 *     code = as_operator_report_new(&study, AS_ENGLISH, &report, err);
 *     code = as_operator_files_write(report, folder, err);
 *     for (size_t i = 0; i < report->n_sentences; i++) puts(report->sentences[i]);
 *     as_operator_report_free(report);
 *
 * Files (docs/formats.md has their columns):
 *
 *     operator-costs.csv          a module of a shape: parameters, MACs, bytes, p10, median, p90
 *     operator-timings.csv        every sample of the modules
 *     operator-part-timings.csv   and of their parts
 *     operator-ratios.csv         standard against dw_pw: MACs and time, side by side
 *     operator-roofline.csv       MACs and bytes a second against what this machine reaches
 *     operator-latencies.png      box plots; .gp is its script, which reads the files above
 *     operator-roofline.png
 *     benchmark-protocol.json
 */
#include "base/json.h"
#include "evidence/operator_rows.h"
#include "report/language.h"
#include "verdict/estimate.h"

/** A study's rows; borrows all. */
typedef struct as_operator_study {
    as_operator_study_row how;
    const as_operator_row *ops;
    size_t n_ops;
    const as_operator_sample_row
        *samples; /**< By round, then in the order in which they ran. */
    size_t n_samples;
} as_operator_study;

/** What one operator took. */
typedef struct as_operator_time {
    size_t n; /**< Samples. */
    double median_us;
    double p10_us, p90_us; /**< NaN with fewer samples than as_percentile_least says. */
    double *round_us;      /**< Medians by round; double[n_rounds].  Owned by the report. */
} as_operator_time;

/** Where an operator stands below the roofs of this machine. */
typedef struct as_roofline {
    double
        macs_s; /**< MACs of the shape a second; more than the peak where Winograd saves enough. */
    double products_s; /**< What was really multiplied. */
    double bytes_s;
    double peak_share; /**< products_s / the peak. */
    double copy_share; /**< bytes_s / the copy's rate at as many bytes. */
    double roof_us;    /**< The longer of products at the peak and bytes at the copy's rate. */
    bool is_bound_by_bytes; /**< It is that of the bytes. */
} as_roofline;

/** Standard against dw_pw at one shape. */
typedef struct as_operator_ratio {
    size_t standard, dw_pw, dw, pw; /**< Indices. */
    double mac_ratio;               /**< MACs of standard / those of dw_pw. */
    as_estimate time_ratio;         /**< Time of standard / that of dw_pw, by rounds. */
} as_operator_ratio;

/** The study with all that derives from it. */
typedef struct as_operator_report {
    const as_operator_study *study;
    as_operator_time *times; /**< [n_ops] */
    as_roofline *rooflines;  /**< [n_ops] */
    as_operator_ratio *ratios;
    size_t n_ratios;
    char **sentences; /**< What the numbers say: two or three a shape. */
    size_t n_sentences;
} as_operator_report;

/** A kernel that is a product must give the same outputs within this (DESIGN, "Structures"). */
#define AS_FACTOR_TOLERANCE 1e-5

/** Whether each shape's factor_error is within AS_FACTOR_TOLERANCE. */
bool as_operator_factors_hold(const as_operator_study *study);

/**
 * Derive it; the study is borrowed, and the sentences are in `language`.
 * @return ASSAY_E_FORMAT where rows do not belong together, ASSAY_E_MEMORY.
 */
assay_code as_operator_report_new(const as_operator_study *study, as_language language,
                                  as_operator_report **out, assay_error *err);
void as_operator_report_free(as_operator_report *report); /**< Takes NULL. */

/** As as_operator_files_write, without benchmark-protocol.json: a search has one of its own. */
assay_code as_operator_tables_write(const as_operator_report *report, const char *folder,
                                    assay_error *err);

/** Write the files into `folder`, which exists; without gnuplot the scripts alone. */
assay_code as_operator_files_write(const as_operator_report *report, const char *folder,
                                   assay_error *err);

/** The study for machines: ratios, rooflines, sentences; NULL without memory. */
json_t *as_operator_json(const as_operator_report *report);

/** benchmark-protocol.json; NULL without memory. */
json_t *as_operator_protocol_json(const as_operator_study *study);

/**
 * environment.json of a study or a search: versions, cpu, platform, threads, device, dtype, seed,
 * exclusive_hardware, and all facts of the machine.  @return NULL without memory.
 * @param machine  the evidence's machine_json, parsed; only read.
 */
json_t *as_study_environment_json(const json_t *machine, size_t n_threads, int64_t seed,
                                  bool exclusive_hardware);

#endif
