/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_OPERATOR_PLOTS_H
#define ASSAY_REPORT_OPERATOR_PLOTS_H
/*
 * The two pictures of an operator study.  Their scripts read the study's CSV files beside them, so that
 * they can be drawn again: gnuplot operator-latencies.gp
 */
#include <stdio.h>

#include "report/operator_files.h"

/** Box plots of each shape's two modules. */
void as_write_operator_latencies(FILE *out, const as_operator_report *report);

/** Every operator below the machine's roofs: MACs a second over MACs a byte. */
void as_write_operator_roofline(FILE *out, const as_operator_report *report);

/** Draw both in `folder`; what gnuplot cannot draw is left out. */
assay_code as_draw_operator_plots(const char *folder, assay_error *err);

#endif
