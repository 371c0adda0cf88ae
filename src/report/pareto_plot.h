/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_PARETO_PLOT_H
#define ASSAY_REPORT_PARETO_PLOT_H
/*
 * Accuracy over latency, for candidate-pareto.png and for the page: gnuplot's settings with the points
 * in them, and its plot command.
 */
#include <stdio.h>

#include "report/candidate_files.h"
#include "report/search_facts.h"

/**
 * Settings and points.
 * @param slots  of fresh processes, whose intervals are drawn too; [n] or NULL.
 */
void as_put_pareto_settings(FILE *out, const as_candidate_report *report,
                            const as_process_facts *slots, as_language language);

/** The plot command; gnuplot's `narrow` says whether names have little room. */
void as_put_pareto_plot(FILE *out, as_language language);

/** The colour of a structure's kind. */
const char *as_kind_colour(bool is_separable);

#endif
