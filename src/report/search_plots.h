/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_SEARCH_PLOTS_H
#define ASSAY_REPORT_SEARCH_PLOTS_H
/*
 * The drawings of a search's page, each a script of gnuplot in plots/ with its numbers inside; a new
 * one is an as_search_plot and a line in search_plots.c.
 */
#include "report/search_facts.h"

/** Structures whose learning curves are drawn: the first so many. */
#define AS_LEARNING_PANELS_MOST 24

typedef struct as_search_plot {
    const char *name;
    const char *caption;
    bool (*is_drawn)(const as_search_facts *f); /**< Whether there is anything to draw. */
    void (*heights_px)(const as_search_facts *f, unsigned px[AS_N_WIDTHS]);
    void (*write_settings)(FILE *out, const as_search_facts *f);
    void (*write_plot)(FILE *out, const as_search_facts *f); /**< With `narrow` = 0 and 1. */
} as_search_plot;

extern const as_search_plot as_plot_search_pareto, as_plot_search_latency,
    as_plot_search_engines, as_plot_search_learning;

const as_search_plot *as_search_plot_of(as_search_plot_id id);

/** Write the scripts into plots/ of the run's folder and fill facts->drawn. */
assay_code as_search_plots_write(as_search_facts *facts, assay_error *err);

#endif
