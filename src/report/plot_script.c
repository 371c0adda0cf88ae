/* SPDX-License-Identifier: Apache-2.0 */
#include "report/plot_script.h"

#include <math.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "report/gnuplot.h"

/** The two drawings of a script: what their names end in, and how wide they are. */
static const struct {
    const char *suffix;
    int width_px;
} widths[AS_N_WIDTHS] = {[AS_WIDE] = {"", 960}, [AS_NARROW] = {"-narrow", 420}};

const char *as_plot_colour_at(size_t i)
{
    static const char *const colours[] = {"#3a7fc1", "#c7703a", "#2f9e77", "#a85fb4",
                                          "#b89b1f", "#c4556a", "#5f8d9c", "#7a9a2e"};
    return colours[i % AS_COUNT_OF(colours)];
}

/* Only the quote is special there. */
void as_put_gnuplot(FILE *out, const char *text)
{
    putc('\'', out);
    for (; *text; text++) {
        if (*text == '\'') putc('\'', out);
        putc((unsigned char)*text < 0x20 ? ' ' : *text, out);
    }
    putc('\'', out);
}

void as_put_field(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text; text++)
        putc((unsigned char)*text < 0x20 ? ' ' : *text == '"' ? '\'' : *text, out);
    putc('"', out);
}

void as_put_plot_number(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, "\t%.6g", value);
    else
        fputs("\tNaN", out);
}

void as_put_setting(FILE *out, const char *key, const char *text)
{
    fprintf(out, "%s ", key);
    as_put_gnuplot(out, text);
    putc('\n', out);
}

void as_plot_script_begin(FILE *out, const char *name)
{
    fprintf(out,
            "# Draws %s.svg and %s-narrow.svg:  gnuplot %s.gp\n"
            "reset\n"
            "set encoding utf8\n"
            "set datafile separator tab\n"
            "set datafile missing 'NaN'\n"
            "set border 1 lc rgb '" AS_PLOT_GREY "'\n"
            "set xtics nomirror out scale 0.5 tc rgb '" AS_PLOT_GREY "'\n"
            "set ytics nomirror scale 0 tc rgb 'black'\n",
            name, name, name);
}

void as_plot_script_draw(FILE *out, const char *name, unsigned wide_height_px,
                         unsigned narrow_height_px)
{
    fprintf(out,
            "do for [narrow = 0:1] {\n"
            "set terminal svg size (narrow ? %d : %d),(narrow ? %u : %u) dynamic name '%s' "
            "noenhanced font 'sans-serif,14'\n"
            "set output '%s'.(narrow ? '%s' : '').'.svg'\n",
            widths[AS_NARROW].width_px, widths[AS_WIDE].width_px, narrow_height_px,
            wide_height_px, name, name, widths[AS_NARROW].suffix);
}

void as_plot_script_end(FILE *out) { fprintf(out, "}\n"); }

/** Read both drawings of NAME, or remove what is left of them. */
static assay_code take_drawings(const char *folder, const char *name, bool is_drawn,
                                as_drawn *drawn, assay_error *err)
{
    assay_code code = ASSAY_OK;
    for (int w = 0; !code && w < AS_N_WIDTHS; w++) {
        char *path = as_format("%s/%s%s.svg", folder, name, widths[w].suffix);
        if (!path) return as_fail(err, ASSAY_E_MEMORY, "no memory to read a plot");
        code =
            is_drawn ? as_file_read(path, 0, &drawn->svg[w], err) : as_path_remove(path, err);
        as_free(path);
    }
    return code;
}

assay_code as_plot_scripts_run(const char *folder, const char *const *names, size_t n,
                               as_drawn *drawn, const char **note, assay_error *err)
{
    char scripts[AS_GNUPLOT_SCRIPTS][64];
    const char *list[AS_GNUPLOT_SCRIPTS];
    as_drawing drawing = AS_DRAWN;
    for (size_t i = 0; i < n; i++) {
        snprintf(scripts[i], sizeof scripts[i], "%s.gp", names[i]);
        list[i] = scripts[i];
    }
    assay_code code = n ? as_gnuplot_run(folder, list, n, &drawing, err) : ASSAY_OK;
    if (!code && drawing == AS_DRAWING_MISSES_GNUPLOT)
        *note = "No plot: gnuplot is not installed; its scripts are in plots/.";
    if (!code && drawing == AS_DRAWING_FAILED)
        *note = "No plot: gnuplot failed; its scripts are in plots/.";
    for (size_t i = 0; !code && i < n; i++)
        code = take_drawings(folder, names[i], drawing == AS_DRAWN, &drawn[i], err);
    return code;
}
