/* SPDX-License-Identifier: Apache-2.0 */
#include "report/plot.h"

#include <string.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "report/outputs.h"
#include "report/whole_file.h"

static const as_plot *const plots[AS_N_PLOTS] = {[AS_PLOT_POLICIES] = &as_plot_policies,
                                                 [AS_PLOT_STAGES] = &as_plot_stages,
                                                 [AS_PLOT_BATCHES] = &as_plot_batches,
                                                 [AS_PLOT_ROUNDS] = &as_plot_rounds};

const as_plot *as_plot_of(as_plot_id id) { return plots[id]; }

const char *as_plot_colour(const as_facts *f, size_t p)
{
    const size_t base = (size_t)f->run->baseline;
    return p == base ? "black" : as_plot_colour_at(p - (p > base));
}

static void put_script(FILE *out, const as_plot *plot, const as_facts *f)
{
    as_plot_script_begin(out, plot->name);
    plot->write_settings(out, f);
    as_plot_script_draw(out, plot->name, plot->height_px(f), plot->height_px(f));
    plot->write_plot(out, f);
    as_plot_script_end(out);
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

assay_code as_write_plots(as_outputs *outputs, const char *folder, assay_error *err)
{
    const as_facts *f = outputs->facts;
    const char *names[AS_N_PLOTS];
    as_drawn drawn[AS_N_PLOTS] = {0};
    size_t n = 0;
    assay_code code = ASSAY_OK;
    for (size_t i = 0; !code && i < AS_N_PLOTS; i++) {
        if (!plots[i]->is_drawn(f)) continue;
        names[n++] = plots[i]->name;
        code = write_plot(plots[i], f, folder, err);
    }
    if (n == 0) outputs->plot_note = "No plot: no policy was measured against the baseline.";
    if (!code) code = as_plot_scripts_run(folder, names, n, drawn, &outputs->plot_note, err);
    n = 0;
    for (size_t i = 0; i < AS_N_PLOTS; i++)
        if (plots[i]->is_drawn(f)) outputs->drawings[i] = drawn[n++];
    return code;
}
