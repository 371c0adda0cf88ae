/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_PLOT_H
#define ASSAY_REPORT_PLOT_H
/*
 * The drawings of a report, made by gnuplot.  Each is one as_plot in the table of plot.c; script and
 * data stay beside the picture, so that it can be redrawn, and every script draws it twice, for a wide
 * page and for a phone:
 *
 *     plots/NAME.gp            the script: gnuplot NAME.gp
 *     plots/....tsv            what it draws
 *     plots/NAME.svg           960 px wide
 *     plots/NAME-narrow.svg    420 px wide
 */
#include <stdio.h>

#include "report/facts.h"
#include "report/plot_script.h"

/** In the order of the report. */
typedef enum as_plot_id {
    AS_PLOT_POLICIES, /**< Every policy against the baseline. */
    AS_PLOT_STAGES,   /**< Where the time goes. */
    AS_PLOT_BATCHES,  /**< Time over the batch size N. */
    AS_PLOT_ROUNDS,   /**< Time of each round. */
    AS_N_PLOTS
} as_plot_id;

/** A file of the drawing's numbers: columns parted by tabs. */
typedef struct as_plot_data {
    const char *file;
    void (*write)(FILE *out, const as_facts *f);
} as_plot_data;

/** One drawing. */
typedef struct as_plot {
    const char *name;
    const char *caption;
    bool (*is_drawn)(const as_facts *f); /**< Whether there is anything to draw. */
    unsigned (*height_px)(const as_facts *f);
    as_plot_data data[2]; /**< The second may have no file. */
    /**
     * Settings, then the plot command, which runs with `narrow` = 0 and 1; names stand in settings or
     * data.  Long names leave a phone no room beside them: there a row has its name above itself.
     */
    void (*write_settings)(FILE *out, const as_facts *f);
    void (*write_plot)(FILE *out, const as_facts *f);
    /** The same in lines of characters, where no picture is shown; NULL where that says nothing. */
    void (*write_text)(FILE *out, const as_facts *f);
} as_plot;

extern const as_plot as_plot_policies, as_plot_stages, as_plot_batches, as_plot_rounds;

/** The drawing `id`. */
const as_plot *as_plot_of(as_plot_id id);

/** The colour of policy `p` as gnuplot has it: ink for the baseline, else one that is seen on any page. */
const char *as_plot_colour(const as_facts *f, size_t p);

#endif
