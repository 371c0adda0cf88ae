/* SPDX-License-Identifier: Apache-2.0 */
#include "report/operator_plots.h"

#include <math.h>

#include "base/compiler.h"
#include "base/file.h"
#include "base/memory.h"
#include "report/gnuplot.h"
#include "report/plot.h"

/** Panels beside each other, and the size of one. */
enum { MOST_COLUMNS = 4, PANEL_WIDTH_PX = 400, PANEL_HEIGHT_PX = 420 };

void as_put_study_plot_head(FILE *out, const char *name, int width_px, int height_px)
{
    fprintf(out,
            "# Draws %s.png:  gnuplot %s.gp\n"
            "reset\n"
            "set encoding utf8\n"
            "set datafile separator comma\n"
            "set terminal pngcairo size %d,%d noenhanced font 'sans-serif,11'\n"
            "set output '%s.png'\n"
            "set border 3 lc rgb '" AS_PLOT_GREY "'\n"
            "set xtics nomirror scale 0 tc rgb 'black'\n"
            "set ytics nomirror out scale 0.5 tc rgb 'black'\n",
            name, name, width_px, height_px, name);
}

/** Where a panel ends, and what lies beyond: one sample amid another process' turn must not squeeze the
 * rest into a line. */
typedef struct edge {
    double us, greatest_us;
    size_t n_beyond;
} edge;

static edge find_edge(const as_operator_report *report, const as_operator_ratio *ratio)
{
    const as_operator_study *study = report->study;
    edge e = {0};
    for (size_t i = 0; i < 2; i++) {
        const as_operator_time *t = &report->times[i ? ratio->dw_pw : ratio->standard];
        e.us = fmax(e.us, 1.5 * (isnan(t->p90_us) ? t->median_us : t->p90_us));
    }
    for (size_t i = 0; i < study->n_samples; i++) {
        const as_operator_sample_row *s = &study->samples[i];
        if ((size_t)s->op != ratio->standard && (size_t)s->op != ratio->dw_pw) continue;
        e.n_beyond += s->latency_us > e.us;
        e.greatest_us = fmax(e.greatest_us, s->latency_us);
    }
    return e;
}

/** The title, and what is not seen. */
static void put_title(FILE *out, const as_operator_row *op, const edge *e)
{
    char *title =
        as_format("%s: %d to %d channels, %dx%d", op->shape, op->ic, op->oc, op->h, op->w);
    const bool is_long = e->greatest_us >= 1000;
    char *label =
        as_format("%zu samples above, up to %.3g %s", e->n_beyond,
                  is_long ? 1e-3 * e->greatest_us : e->greatest_us, is_long ? "ms" : "us");
    as_put_setting(out, "set title", title ? title : op->shape);
    fprintf(out, "unset label\n");
    if (e->n_beyond > 0 && label) {
        fprintf(out, "set label 1 ");
        as_put_gnuplot(out, label);
        fprintf(out, " at graph 0.5,0.98 center tc rgb '" AS_PLOT_GREY "'\n");
    }
    as_free(title);
    as_free(label);
}

/** A module's samples as pale dots, those beyond the edge left out, with their box before them. */
static void put_box(FILE *out, int place, const char *module, const char *colour)
{
    fprintf(
        out,
        "'operator-timings.csv' every ::1 using (%d):(seen(of(shape, '%s'))) with points pt 7 "
        "ps 0.25 lc rgb '#b0b6bd', \\\n"
        "     '' every ::1 using (%d):(of(shape, '%s')) with boxplot lc rgb '%s'",
        place, module, place, module, colour);
}

static void put_panel(FILE *out, const as_operator_report *report,
                      const as_operator_ratio *ratio)
{
    const as_operator_row *op = &report->study->ops[ratio->standard];
    const edge e = find_edge(report, ratio);
    put_title(out, op, &e);
    fprintf(out, "set yrange [0:%.6g]\nedge = %.6g\nshape = ", e.us, e.us);
    as_put_gnuplot(out, op->shape);
    fprintf(out, "\nplot ");
    put_box(out, 1, "standard", "#3a7fc1");
    fprintf(out, ", \\\n     ");
    put_box(out, 2, "dw_pw", "#c7703a");
    putc('\n', out);
}

void as_write_operator_latencies(FILE *out, const void *of)
{
    const as_operator_report *report = of;
    const as_operator_study *study = report->study;
    const int n = (int)report->n_ratios, columns = n < MOST_COLUMNS ? n : MOST_COLUMNS;
    const int rows = (n + MOST_COLUMNS - 1) / MOST_COLUMNS;
    as_put_study_plot_head(out, "operator-latencies", columns * PANEL_WIDTH_PX,
                           rows * PANEL_HEIGHT_PX);
    fprintf(
        out,
        "# Boxes: quartiles and median; whiskers: 10th to 90th percentile of %d rounds x %d "
        "samples; dots: samples.\n"
        "set style boxplot fraction 0.8 nooutliers\n"
        "set style fill solid 0.35 border lt -1\n"
        "set pointsize 0.3\n"
        "set boxwidth 0.5\n"
        "set grid ytics lt 1 lw 0.4 lc rgb '" AS_PLOT_GREY "'\n"
        "set xrange [0.4:2.6]\n"
        "set xtics ('standard 3x3' 1, 'dw 3x3 + pw' 2)\n"
        "set ylabel 'microseconds a call, 1 thread'\n"
        "unset key\n"
        "of(shape, module) = strcol(1) eq shape && strcol(2) eq module ? $5 : 1/0\n"
        "seen(us) = us <= edge ? us : 1/0\n"
        "set multiplot layout %d,%d\n",
        study->how.n_rounds, study->how.n_repeats, rows, columns);
    for (size_t i = 0; i < report->n_ratios; i++)
        put_panel(out, report, &report->ratios[i]);
    fprintf(out, "unset multiplot\n");
}

/** How operators are marked; labels stand on different sides, so that few of them meet. */
static const struct {
    const char *module, *title, *style, *label;
} points[] = {
    {"standard", "standard 3x3", "pt 7 ps 1.8 lc rgb '#3a7fc1'", "offset 0,1.1"},
    {"dw_pw", "dw 3x3 + pw", "pt 5 ps 1.8 lc rgb '#c7703a'", "offset 0,-1.1"},
    {"dw", "dw 3x3 alone", "pt 8 ps 1.6 lc rgb '#c7703a'", "right offset -1.2,0"},
    {"pw", "pw alone", "pt 6 ps 1.6 lc rgb '#c7703a'", "left offset 1.2,0"},
};

void as_write_operator_roofline(FILE *out, const void *of)
{
    const as_operator_report *report = of;
    const as_operator_study_row *how = &report->study->how;
    as_put_study_plot_head(out, "operator-roofline", 960, 620);
    fprintf(
        out,
        "# Lines: the peak of fused multiply-adds, and what copies of %lld and %lld bytes "
        "move.\n"
        "set logscale xy\n"
        "set xlabel 'MACs for each byte that is read or written'\n"
        "set ylabel 'GMAC/s, 1 thread'\n"
        "set grid lt 1 lw 0.4 lc rgb '" AS_PLOT_GREY "'\n"
        "set key above\n"
        "set label 1 'above the peak: Winograd does fewer products than it has MACs' at "
        "graph 0.99,0.97 right tc rgb '" AS_PLOT_GREY "'\n"
        "set xrange [0.0625:256]\n"

        "peak = %.6g\n"
        "near = %.6g\n"
        "far = %.6g\n"
        "below(roof) = roof < peak ? roof : peak\n"
        "is(module) = strcol(2) eq module ? $9/1e9 : 1/0\n"
        "file = 'operator-roofline.csv'\n"
        "plot peak with lines lw 2 lc rgb 'black' title sprintf('peak %%.1f GMAC/s', peak), "
        "\\\n"
        "     below(x*near) with lines lw 1.5 lc rgb '" AS_PLOT_GREY
        "' title sprintf('copy of %lld kB, %%.0f GB/s', near), \\\n"
        "     below(x*far) with lines lw 1.5 dt 2 lc rgb '" AS_PLOT_GREY
        "' title sprintf('copy of %lld kB, %%.0f GB/s', far)",
        (long long)how->near_bytes, (long long)how->far_bytes, 1e-9 * how->peak_macs_s,
        1e-9 * how->near_bytes_s, 1e-9 * how->far_bytes_s, (long long)how->near_bytes / 1000,
        (long long)how->far_bytes / 1000);
    for (size_t i = 0; i < AS_COUNT_OF(points); i++)
        fprintf(out,
                ", \\\n     file every ::1 using 7:(is('%s')) with points %s title '%s', \\\n"
                "     file every ::1 using 7:(is('%s')):1 with labels %s font ',9' notitle",
                points[i].module, points[i].style, points[i].title, points[i].module,
                points[i].label);
    putc('\n', out);
}

assay_code as_draw_study_plots(const char *folder, const char *const *names, size_t n,
                               assay_error *err)
{
    char *scripts[AS_GNUPLOT_SCRIPTS] = {0};
    assay_code code = ASSAY_OK;
    as_drawing drawing = AS_DRAWN;
    for (size_t i = 0; i < n; i++) {
        scripts[i] = as_format("%s.gp", names[i]);
        if (!scripts[i]) code = as_fail(err, ASSAY_E_MEMORY, "no memory to draw %s", names[i]);
    }
    if (!code) code = as_gnuplot_run(folder, (const char *const *)scripts, n, &drawing, err);
    for (size_t i = 0; !code && drawing != AS_DRAWN && i < n; i++) {
        char *path = as_format("%s/%s.png", folder, names[i]);
        if (path)
            code = as_path_remove(path, err); /* an older study's, or half of one */
        else
            code = as_fail(err, ASSAY_E_MEMORY, "no memory to remove a picture");
        as_free(path);
    }
    for (size_t i = 0; i < n; i++)
        as_free(scripts[i]);
    return code;
}

assay_code as_draw_operator_plots(const char *folder, assay_error *err)
{
    static const char *const names[] = {"operator-latencies", "operator-roofline"};
    return as_draw_study_plots(folder, names, AS_COUNT_OF(names), err);
}
