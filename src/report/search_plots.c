/* SPDX-License-Identifier: Apache-2.0 */
#include "report/search_plots.h"

#include <stdio.h>

#include "base/memory.h"
#include "report/whole_file.h"

static const as_search_plot *const plots[AS_N_SEARCH_PLOTS] = {
    [AS_SEARCH_PLOT_PARETO] = &as_plot_search_pareto,
    [AS_SEARCH_PLOT_LATENCY] = &as_plot_search_latency,
    [AS_SEARCH_PLOT_ENGINES] = &as_plot_search_engines,
    [AS_SEARCH_PLOT_LEARNING] = &as_plot_search_learning};

const as_search_plot *as_search_plot_of(as_search_plot_id id) { return plots[id]; }

static assay_code write_script(const as_search_plot *plot, const as_search_facts *f,
                               const char *folder, assay_error *err)
{
    char name[64];
    unsigned px[AS_N_WIDTHS];
    as_whole_file file;
    snprintf(name, sizeof name, "%s.gp", plot->name);
    assay_code code = as_whole_file_open_in(folder, name, &file, err);
    if (code) return code;
    plot->heights_px(f, px);
    as_plot_script_begin(file.out, plot->name);
    plot->write_settings(file.out, f);
    as_plot_script_draw(file.out, plot->name, px[AS_WIDE], px[AS_NARROW]);
    plot->write_plot(file.out, f);
    as_plot_script_end(file.out);
    return as_whole_file_close(&file, ASSAY_OK, err);
}

static assay_code write_all(as_search_facts *f, const char *folder, assay_error *err)
{
    const char *names[AS_N_SEARCH_PLOTS];
    as_drawn drawn[AS_N_SEARCH_PLOTS] = {0};
    size_t n = 0;
    assay_code code = as_folder_make(folder, err);
    for (size_t i = 0; !code && i < AS_N_SEARCH_PLOTS; i++) {
        if (!plots[i]->is_drawn(f)) continue;
        names[n++] = plots[i]->name;
        code = write_script(plots[i], f, folder, err);
    }
    if (!code) code = as_plot_scripts_run(folder, names, n, drawn, &f->plot_note, err);
    n = 0;
    for (size_t i = 0; i < AS_N_SEARCH_PLOTS; i++)
        if (plots[i]->is_drawn(f)) f->drawn[i] = drawn[n++];
    return code;
}

assay_code as_search_plots_write(as_search_facts *f, assay_error *err)
{
    char *folder = as_path_join(f->report->folder, "plots");
    if (!folder) return as_fail(err, ASSAY_E_MEMORY, "no memory to draw a search");
    assay_code code = write_all(f, folder, err);
    as_free(folder);
    return code;
}
