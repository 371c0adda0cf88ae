/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_EVIDENCE_CANDIDATE_ROWS_H
#define ASSAY_EVIDENCE_CANDIDATE_ROWS_H
/*
 * What a structure search knows of its candidates.  report/candidate_files.h prints these rows.
 *
 *     search ── candidates (name, costs, accuracies) ── samples (round, repeat -> microseconds)
 *
 * A candidate's place in its array is its index.  Strings are borrowed as in rows.h.
 */
#include <stdbool.h>
#include <stdint.h>

/** One network structure, trained. */
typedef struct as_candidate_row {
    const char *name;           /**< "standard-16" */
    bool is_separable;          /**< Its module is depthwise + pointwise. */
    int64_t params;             /**< Numbers that training sets. */
    int64_t macs;               /**< Of one image. */
    double validation_accuracy; /**< 0..1; NaN where training diverged. */
    double accuracy_noise;      /**< Standard error of that; 0 where none is known. */
    double test_accuracy;       /**< 0..1; NaN until the choice is on disk. */
} as_candidate_row;

/** One batch-1 call of candidate `candidate`. */
typedef struct as_candidate_sample_row {
    int candidate;     /**< Index. */
    int round, repeat; /**< From 0. */
    double latency_us;
} as_candidate_sample_row;

#endif
