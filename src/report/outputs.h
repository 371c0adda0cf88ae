/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_OUTPUTS_H
#define ASSAY_REPORT_OUTPUTS_H
/*
 * The writers behind the table of outputs in report.c: each prints one file out of the facts.
 * Two folders are made beside their place and swapped in: plots/ and review/.
 */
#include <stdio.h>

#include "base/file.h"
#include "report/facts.h"

/** What the file writers print from. */
typedef struct as_outputs {
    const as_facts *facts;
    as_bytes svg;        /**< The plot as gnuplot drew it; empty without one.  Owns. */
    char plot_note[192]; /**< Why there is no plot; "" when there is one. */
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

#endif
