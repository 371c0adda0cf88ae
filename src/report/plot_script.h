/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_PLOT_SCRIPT_H
#define ASSAY_REPORT_PLOT_SCRIPT_H
/*
 * A drawing for a page: one script of gnuplot that draws it twice, for a desk and for a phone.
 *
 *     as_plot_script_begin(out, "rounds");                  head and axes; then settings
 *     as_plot_script_draw(out, "rounds", 300, 300);         from here on it runs with narrow = 0 and 1
 *     as_plot_script_end(out);                              behind the plot command
 *     code = as_plot_scripts_run(folder, names, n, drawn, &note, err);
 *     as_put_drawing(&page, "rounds", drawn[i].svg, NULL, caption);   of markup.h
 */
#include <stdio.h>

#include "base/error.h"
#include "base/file.h"

/** The widths that each is drawn for. */
enum { AS_WIDE, AS_NARROW, AS_N_WIDTHS };

/** Grey for axes and grids. */
#define AS_PLOT_GREY "#7d8590"

/** What a drawing came to; as_bytes_free each.  Empty where there is none. */
typedef struct as_drawn {
    as_bytes svg[AS_N_WIDTHS];
} as_drawn;

void as_plot_script_begin(FILE *out, const char *name);
void as_plot_script_draw(FILE *out, const char *name, unsigned wide_height_px,
                         unsigned narrow_height_px);
void as_plot_script_end(FILE *out);

/**
 * Run NAME.gp of n names in `folder` and read what they drew; where gnuplot draws nothing, what is left
 * of older drawings is removed.
 * @param drawn  n of them, the caller's.
 * @param note   a sentence on why there are none; untouched where there are.
 */
assay_code as_plot_scripts_run(const char *folder, const char *const *names, size_t n,
                               as_drawn *drawn, const char **note, assay_error *err);

/** `text` in gnuplot's single quotes. */
void as_put_gnuplot(FILE *out, const char *text);

/** `text` as a field of a data file. */
void as_put_field(FILE *out, const char *text);

/** A further number of a line, behind a tab; what is not finite is missing. */
void as_put_plot_number(FILE *out, double value);

/** gnuplot's "KEY 'NAME'" of the sentence or name `text`. */
void as_put_setting(FILE *out, const char *key, const char *text);

/** The i-th of colours that are seen on any page. */
const char *as_plot_colour_at(size_t i);

#endif
