/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_OUTPUTS_H
#define ASSAY_REPORT_OUTPUTS_H
/*
 * The writers behind the table of outputs in report.c: each prints one file out of the facts.
 * Folders are made beside their place and swapped in: plots/, review/ and diagnostics/.
 */
#include <stdio.h>

#include "base/file.h"
#include "report/facts.h"
#include "report/plot.h"

/** What the file writers print from. */
typedef struct as_outputs {
    const as_facts *facts;
    as_drawn drawings[AS_N_PLOTS]; /**< gnuplot's; empty without one.  Owns. */
    const char *plot_note; /**< Why there are none, a sentence; NULL when there are some. */
} as_outputs;

/* Files.  A print that failed is seen when the file is closed. */
assay_code as_write_summary_json(const as_outputs *outputs, FILE *out, assay_error *err);
assay_code as_write_experiment_json(const as_outputs *outputs, FILE *out, assay_error *err);
assay_code as_write_background_jsonl(const as_outputs *outputs, FILE *out, assay_error *err);
assay_code as_write_calls_csv(const as_outputs *outputs, FILE *out, assay_error *err);
assay_code as_write_report_md(const as_outputs *outputs, FILE *out, assay_error *err);
assay_code as_write_report_html(const as_outputs *outputs, FILE *out, assay_error *err);

/** The verdict for a terminal. */
assay_code as_write_terminal(const as_outputs *outputs, FILE *out, assay_error *err);

/* Folders: written into `folder`, which exists and is empty. */
assay_code as_write_plots(as_outputs *outputs, const char *folder, assay_error *err);
assay_code as_write_review(as_outputs *outputs, const char *folder, assay_error *err);
assay_code as_write_diagnostics(as_outputs *outputs, const char *folder, assay_error *err);

/**
 * What review/ shows of difference `d`: the region with the truth in green and the answer in red.
 * @param png   as_bytes_free; empty where the evidence holds no pixels.
 * @param path  where it lies in the run's folder (as_free).
 */
assay_code as_review_picture(const as_facts *f, const as_difference_facts *d, as_bytes *png,
                             assay_error *err);
char *as_review_path(const as_facts *f, const as_difference_facts *d) AS_CHECKED;

#endif
