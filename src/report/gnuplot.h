/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_GNUPLOT_H
#define ASSAY_REPORT_GNUPLOT_H
/*
 * Letting gnuplot draw from scripts that stay beside what they draw.
 *
 *     as_drawing drawing;
 *     code = as_gnuplot_run("run/plots", (const char *[]){"a.gp", "b.gp"}, 2, &drawing, err);
 *     if (drawing == AS_DRAWN) ...
 */
#include <stddef.h>

#include "base/error.h"

/** What became of the drawings. */
typedef enum as_drawing {
    AS_DRAWN,
    AS_DRAWING_MISSES_GNUPLOT, /**< It is not installed. */
    AS_DRAWING_FAILED          /**< It ended with an error, was killed, or took a minute. */
} as_drawing;

/** Scripts of one call, at most. */
#define AS_GNUPLOT_SCRIPTS 16

/**
 * Run gnuplot in `folder` over its n scripts, n <= AS_GNUPLOT_SCRIPTS.
 * @return ASSAY_OK however it ended, see *drawing; ASSAY_E_IO, ASSAY_E_MEMORY.
 */
assay_code as_gnuplot_run(const char *folder, const char *const *scripts, size_t n,
                          as_drawing *drawing, assay_error *err);

#endif
