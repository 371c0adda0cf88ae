/* SPDX-License-Identifier: Apache-2.0 */
#include "report/plot.h"

#include <string.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "report/gnuplot.h"
#include "report/outputs.h"
#include "report/whole_file.h"

static const as_plot *const plots[AS_N_PLOTS] = {[AS_PLOT_POLICIES] = &as_plot_policies,
                                                 [AS_PLOT_STAGES] = &as_plot_stages,
                                                 [AS_PLOT_BATCHES] = &as_plot_batches,
                                                 [AS_PLOT_ROUNDS] = &as_plot_rounds};

/** The two drawings of a script: what their names end in, and how wide they are. */
static const struct {
    const char *suffix;
    int width_px;
} widths[AS_N_WIDTHS] = {[AS_WIDE] = {"", 960}, [AS_NARROW] = {"-narrow", 420}};

const as_plot *as_plot_of(as_plot_id id) { return plots[id]; }

const char *as_plot_colour(const as_facts *f, size_t p)
{
    static const char *const colours[] = {"#3a7fc1", "#c7703a", "#2f9e77", "#a85fb4",
                                          "#b89b1f", "#c4556a", "#5f8d9c", "#7a9a2e"};
    size_t base = (size_t)f->run->baseline;
    return p == base ? "black" : colours[(p - (p > base)) % AS_COUNT_OF(colours)];
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

void as_put_setting(FILE *out, const char *key, const char *text)
{
    fprintf(out, "%s ", key);
    as_put_gnuplot(out, text);
    putc('\n', out);
}

static void put_script(FILE *out, const as_plot *plot, const as_facts *f)
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
            plot->name, plot->name, plot->name);
    plot->write_settings(out, f);
    fprintf(out,
            "do for [narrow = 0:1] {\n"
            "set terminal svg size (narrow ? %d : %d),%u dynamic name '%s' noenhanced font "
            "'sans-serif,14'\n"
            "set output '%s'.(narrow ? '%s' : '').'.svg'\n",
            widths[AS_NARROW].width_px, widths[AS_WIDE].width_px, plot->height_px(f),
            plot->name, plot->name, widths[AS_NARROW].suffix);
    plot->write_plot(out, f);
    fprintf(out, "}\n");
}

static assay_code open_in(const char *folder, const char *name, const char *suffix,
                          as_whole_file *file, assay_error *err)
{
    char *path = as_format("%s/%s%s", folder, name, suffix);
    if (!path) return as_fail(err, ASSAY_E_MEMORY, "no memory to write %s%s", name, suffix);
    assay_code code = as_whole_file_open(path, file, err);
    as_free(path);
    return code;
}

/** The script and the numbers of one drawing. */
static assay_code write_plot(const as_plot *plot, const as_facts *f, const char *folder,
                             assay_error *err)
{
    as_whole_file file;
    assay_code code = ASSAY_OK;
    for (size_t i = 0; !code && i < AS_COUNT_OF(plot->data) && plot->data[i].file; i++) {
        code = open_in(folder, plot->data[i].file, "", &file, err);
        if (code) return code;
        plot->data[i].write(file.out, f);
        code = as_whole_file_close(&file, ASSAY_OK, err);
    }
    if (!code) code = open_in(folder, plot->name, ".gp", &file, err);
    if (code) return code;
    put_script(file.out, plot, f);
    return as_whole_file_close(&file, ASSAY_OK, err);
}

/** Read both drawings of plot `id`, or remove what is left of them. */
static assay_code take_drawings(as_outputs *outputs, as_plot_id id, bool drawn,
                                const char *folder, assay_error *err)
{
    assay_code code = ASSAY_OK;
    for (int w = 0; !code && w < AS_N_WIDTHS; w++) {
        char *path = as_format("%s/%s%s.svg", folder, plots[id]->name, widths[w].suffix);
        if (!path) return as_fail(err, ASSAY_E_MEMORY, "no memory to read a plot");
        code = drawn ? as_file_read(path, 0, &outputs->drawings[id][w], err)
                     : as_path_remove(path, err);
        as_free(path);
    }
    return code;
}

assay_code as_write_plots(as_outputs *outputs, const char *folder, assay_error *err)
{
    const as_facts *f = outputs->facts;
    char names[AS_N_PLOTS][32];
    const char *scripts[AS_N_PLOTS];
    size_t n = 0;
    as_drawing drawing;
    assay_code code = ASSAY_OK;
    for (size_t i = 0; !code && i < AS_N_PLOTS; i++) {
        if (!plots[i]->is_drawn(f)) continue;
        snprintf(names[i], sizeof names[i], "%s.gp", plots[i]->name);
        scripts[n++] = names[i];
        code = write_plot(plots[i], f, folder, err);
    }
    if (n == 0) outputs->plot_note = "No plot: no policy was measured against the baseline.";
    if (code || n == 0) return code;
    code = as_gnuplot_run(folder, scripts, n, &drawing, err);
    if (!code && drawing == AS_DRAWING_MISSES_GNUPLOT)
        outputs->plot_note = "No plot: gnuplot is not installed; its scripts are in plots/.";
    if (!code && drawing == AS_DRAWING_FAILED)
        outputs->plot_note = "No plot: gnuplot failed; its scripts are in plots/.";
    for (size_t i = 0; !code && i < AS_N_PLOTS; i++)
        if (plots[i]->is_drawn(f))
            code = take_drawings(outputs, (as_plot_id)i, drawing == AS_DRAWN, folder, err);
    return code;
}
