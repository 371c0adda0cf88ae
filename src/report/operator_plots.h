/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_OPERATOR_PLOTS_H
#define ASSAY_REPORT_OPERATOR_PLOTS_H
/*
 * The two pictures of an operator study.  Their scripts read the study's CSV files beside them, so that
 * they can be drawn again: gnuplot operator-latencies.gp
 */
#include <stdio.h>

#include "report/operator_files.h"

/* Lines of as_printed_file tables: `of` is an as_operator_report. */

/** Box plots of each shape's two modules. */
void as_write_operator_latencies(FILE *out, const void *of);

/** Every operator below the machine's roofs: MACs a second over MACs a byte. */
void as_write_operator_roofline(FILE *out, const void *of);

/** Draw both in `folder`; what gnuplot cannot draw is left out. */
assay_code as_draw_operator_plots(const char *folder, assay_error *err);

/** Begin the script NAME.gp of a picture NAME.png: size, fonts, axes. */
void as_put_study_plot_head(FILE *out, const char *name, int width_px, int height_px);

/**
 * Draw NAME.png in `folder` by NAME.gp, for n <= AS_GNUPLOT_SCRIPTS names; what gnuplot cannot draw is
 * left out.
 */
assay_code as_draw_study_plots(const char *folder, const char *const *names, size_t n,
                               assay_error *err);

#endif
