/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_CANDIDATE_FILES_H
#define ASSAY_REPORT_CANDIDATE_FILES_H
/*
 * The candidates of a structure search as files, from their rows alone: the same rows give the same bytes.
 *
 *     as_candidate_report *report;
 *     code = as_candidate_report_new(&candidates, &report, err);
 *     code = as_selection_write(report, folder, err);       // before any test accuracy is computed
 *     code = as_candidate_files_write(report, folder, err); // with those that are known by now
 *     as_candidate_report_free(report);
 *
 * Files (docs/formats.md has their columns and keys):
 *
 *     selection.json                  the four choices, and which of them are ties
 *     candidate-results.csv           accuracies, costs and latency of each; who is on the front
 *     candidate-latency-samples.csv   every sample
 *     candidate-pareto.png            scatter; .gp is its script, which reads candidate-results.csv
 */
#include "evidence/candidate_rows.h"
#include "verdict/structures.h"

#include "base/error.h"

/** Candidates with their samples; borrows all. */
typedef struct as_candidates {
    const as_candidate_row *rows;
    size_t n;
    const as_candidate_sample_row *samples; /**< In the order in which they ran. */
    size_t n_samples;
    size_t baseline; /**< Place of the manual baseline. */
    uint64_t seed;   /**< Draws the random two. */
} as_candidates;

/** What derives from them. */
typedef struct as_candidate_report {
    const as_candidates *candidates;
    as_scored *scored;       /**< [n]; latency: the median of all samples. */
    double *p10_us, *p90_us; /**< [n]; NaN with fewer samples than as_percentile_least says. */
    bool *is_front;          /**< [n] */
    as_selection selection;
} as_candidate_report;

/**
 * Derive it; `candidates` are borrowed.  One that has no validation accuracy or no sample is never
 * chosen.  Test accuracies are printed and have no part in any choice.
 * @return ASSAY_E_FORMAT where rows do not belong together, ASSAY_E_MEMORY.
 */
assay_code as_candidate_report_new(const as_candidates *candidates, as_candidate_report **out,
                                   assay_error *err);
void as_candidate_report_free(as_candidate_report *report); /**< Takes NULL. */

/** Write selection.json into `folder`, which exists; it is synced when this returns. */
assay_code as_selection_write(const as_candidate_report *report, const char *folder,
                              assay_error *err);

/** Write the other files; without gnuplot the script alone. */
assay_code as_candidate_files_write(const as_candidate_report *report, const char *folder,
                                    assay_error *err);

#endif
