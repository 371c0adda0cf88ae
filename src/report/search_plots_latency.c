/* SPDX-License-Identifier: Apache-2.0 */
/* Where a search's structures stand: accuracy over latency, calls as boxes, fresh processes by engine. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "report/pareto_plot.h"
#include "report/search_plots.h"
#include "report/text.h"

static bool has_latency(const as_search_facts *f)
{
    for (size_t i = 0; i < f->report->n_structures; i++)
        if (f->report->choice->scored[i].trained) return true;
    return false;
}

/* ---- accuracy over latency ---- */

/** The fresh processes of our own engine; NULL without. */
static const as_process_facts *own_slots(const as_search_facts *f)
{
    return f->n_engines > 0 ? f->engines[0].slots : NULL;
}

static void pareto_heights(const as_search_facts *f, unsigned px[AS_N_WIDTHS])
{
    (void)f;
    px[AS_WIDE] = 560;
    px[AS_NARROW] = 520;
}

static void pareto_settings(FILE *out, const as_search_facts *f)
{
    as_put_pareto_settings(out, f->report->choice, own_slots(f), f->language);
}

static void pareto_plot(FILE *out, const as_search_facts *f)
{
    as_put_pareto_plot(out, f->language);
}

const as_search_plot as_plot_search_pareto = {
    .name = "pareto",
    .caption =
        "Each structure's validation accuracy over the median of its calls.  Filled: on the "
        "front, where no other is as good in both and better in one.  Upright bars: two "
        "standard errors of the accuracy.  Level bars: the 10th to the 90th percentile of "
        "the calls; pale and wide, the interval of the median over fresh processes.",
    .is_drawn = has_latency,
    .heights_px = pareto_heights,
    .write_settings = pareto_settings,
    .write_plot = pareto_plot,
};

/* ---- rows of structures ---- */

/** Their names beside the rows, or above them where `narrow`. */
static void put_rows(FILE *out, const as_search_facts *f)
{
    fputs("$names << EOD\n", out);
    for (size_t i = 0; i < f->report->n_structures; i++) {
        fprintf(out, "%zu\t", i + 1);
        as_put_field(out, f->report->structures[i].name);
        putc('\n', out);
    }
    fputs("EOD\n", out);
    fprintf(out,
            "set yrange [%.1f:0.4]\n"
            "set grid xtics lt 1 lw 0.4 lc rgb '" AS_PLOT_GREY "'\n",
            (double)f->report->n_structures + 0.6);
}

/** Room for them, about as many pixels of 960 as the longest needs. */
static void put_row_names(FILE *out, const as_search_facts *f)
{
    size_t longest = 0;
    for (size_t i = 0; i < f->report->n_structures; i++) {
        const size_t n = strlen(f->report->structures[i].name);
        longest = n > longest ? n : longest;
    }
    fprintf(
        out,
        "set ytics format '' scale 0\n"
        "if (narrow) { set lmargin 1; set rmargin 2 } else { set lmargin at screen %.3f }\n",
        fmin(0.5, (8.0 * (double)longest + 40) / 960));
}

/** The names' part of the plot command. */
static void put_name_labels(FILE *out)
{
    fputs("$names using (narrow ? left : NaN):($1-0.36):2 with labels left tc rgb 'black' "
          "notitle, \\\n"
          "     $names using (narrow ? NaN : left):1:2 with labels right offset -1.2,0 tc rgb "
          "'black' notitle",
          out);
}

static void put_range(FILE *out, double low, double high)
{
    const double margin = 0.06 * (high - low) + 0.01 * high;
    fprintf(out, "left = %.6g\nset xrange [left:%.6g]\n", low - margin, high + margin);
}

static void reach(double value, double *low, double *high)
{
    *low = fmin(*low, value); /* NaN is no value */
    *high = fmax(*high, value);
}

/* ---- boxes of calls ---- */

static void latency_heights(const as_search_facts *f, unsigned px[AS_N_WIDTHS])
{
    px[AS_WIDE] = (unsigned)(80 + 44 * f->report->n_structures);
    px[AS_NARROW] = (unsigned)(80 + 56 * f->report->n_structures);
}

/** A row's 10th percentile, quartiles with the median, 90th percentile and kind. */
static void put_box(FILE *out, const as_search_facts *f, size_t i, double *low, double *high)
{
    const as_box_facts *box = &f->boxes[i];
    if (isnan(box->us[2])) return;
    fprintf(out, "%zu", i + 1);
    for (size_t k = 0; k < AS_COUNT_OF(box->us); k++) {
        as_put_plot_number(out, box->us[k]);
        reach(box->us[k], low, high);
    }
    fprintf(out, "\t0x%s\n", as_kind_colour(f->report->structures[i].is_separable) + 1);
}

static void put_own_slots(FILE *out, const as_search_facts *f, double *low, double *high)
{
    fputs("$slots << EOD\n", out);
    for (size_t k = 0; k < f->report->n_slots; k++) {
        const as_structure_slot_row *s = &f->report->slots[k];
        if (isnan(s->median_us) || strcmp(s->policy, f->engines[0].policy) != 0) continue;
        fprintf(out, "%d\t%.6g\n", s->structure + 1, s->median_us);
        reach(s->median_us, low, high);
    }
    fputs("0\tNaN\nEOD\n", out); /* no block of data is empty */
}

static void latency_settings(FILE *out, const as_search_facts *f)
{
    double low = INFINITY, high = 0;
    fputs("$boxes << EOD\n", out);
    for (size_t i = 0; i < f->report->n_structures; i++)
        put_box(out, f, i, &low, &high);
    fputs("EOD\n", out);
    put_own_slots(out, f, &low, &high);
    put_rows(out, f);
    put_range(out, low, high);
    as_put_setting(out, "set xlabel",
                   as_say(f->language, "microseconds a call, batch 1, 1 thread"));
    fputs("unset key\nset style fill solid 0.35 noborder\n", out);
}

static void latency_plot(FILE *out, const as_search_facts *f)
{
    put_row_names(out, f);
    fputs("plot $boxes using 2:1:($6-$2):(0):7 with vectors nohead lw 1.5 lc rgb variable "
          "notitle, \\\n"
          "     $boxes using 4:1:3:5:($1-0.2):($1+0.2):7 with boxxyerror lc rgb variable "
          "notitle, \\\n"
          "     $boxes using 4:($1-0.2):(0):(0.4) with vectors nohead lw 3 lc rgb 'black' "
          "notitle, \\\n"
          "     $slots using 2:($1+0.3) with points pt 7 ps 0.5 lc rgb '" AS_PLOT_GREY
          "' notitle, \\\n"
          "     ",
          out);
    put_name_labels(out);
    putc('\n', out);
}

const as_search_plot as_plot_search_latency = {
    .name = "latency",
    .caption =
        "Calls in one process.  Box: the quartiles; upright bar: the median; line: the 10th "
        "to the 90th percentile.  Blue: standard, orange: depthwise + pointwise.  Grey dots: "
        "the medians of fresh processes of our own engine.",
    .is_drawn = has_latency,
    .heights_px = latency_heights,
    .write_settings = latency_settings,
    .write_plot = latency_plot,
};

/* ---- fresh processes ---- */

static bool has_slots(const as_search_facts *f)
{
    for (size_t k = 0; k < f->report->n_slots; k++)
        if (!isnan(f->report->slots[k].median_us)) return true;
    return false;
}

static void engine_heights(const as_search_facts *f, unsigned px[AS_N_WIDTHS])
{
    const size_t row = 30 + 14 * f->n_engines;
    px[AS_WIDE] = (unsigned)(100 + row * f->report->n_structures);
    px[AS_NARROW] = (unsigned)(120 + (row + 14) * f->report->n_structures);
}

/** Where engine `e` stands in a structure's row. */
static double place(const as_search_facts *f, size_t i, size_t e)
{
    return (double)i + 1 + 0.5 * ((double)(e + 1) / (double)(f->n_engines + 1) - 0.4);
}

static void put_engine(FILE *out, const as_search_facts *f, size_t e, double *low, double *high)
{
    const as_engine_facts *engine = &f->engines[e];
    fprintf(out, "$medians%zu << EOD\n", e);
    for (size_t i = 0; i < f->report->n_structures; i++) {
        const as_process_facts *s = &engine->slots[i];
        const bool has_interval = !isnan(s->low_us);
        if (s->n == 0) continue;
        fprintf(out, "%.4f\t%.6g\t%.6g\t%.6g\n", place(f, i, e), s->median_us,
                has_interval ? s->low_us : s->median_us,
                has_interval ? s->high_us : s->median_us);
    }
    fprintf(out, "0\tNaN\tNaN\tNaN\nEOD\n$slots%zu << EOD\n", e);
    for (size_t k = 0; k < f->report->n_slots; k++) {
        const as_structure_slot_row *s = &f->report->slots[k];
        if (isnan(s->median_us) || strcmp(s->policy, engine->policy) != 0) continue;
        fprintf(out, "%.4f\t%.6g\n", place(f, (size_t)s->structure, e), s->median_us);
        reach(s->median_us, low, high);
    }
    fprintf(out, "0\tNaN\nEOD\n");
}

/** Marks at 1, 2 and 5 of each power of ten. */
static void put_log_range(FILE *out, double low, double high)
{
    static const int steps[] = {1, 2, 5};
    bool any = false;
    fprintf(out, "set logscale x 10\nleft = %.6g\nset xrange [left:%.6g]\nset xtics (", low,
            high);
    for (double power = 1e-3; power < high; power *= 10)
        for (size_t i = 0; i < AS_COUNT_OF(steps); i++) {
            const double at = steps[i] * power;
            if (at < low || at > high) continue;
            fprintf(out, "%s'%g' %g", any ? ", " : "", at, at);
            any = true;
        }
    fputs(")\n", out);
}

static void engine_settings(FILE *out, const as_search_facts *f)
{
    double low = INFINITY, high = 0;
    for (size_t e = 0; e < f->n_engines; e++)
        put_engine(out, f, e, &low, &high);
    put_rows(out, f);
    if (high > 4 * low) /* engines lie far apart: equal ratios become equal ways */
        put_log_range(out, low / 1.2, high * 1.2);
    else
        put_range(out, low, high);
    as_put_setting(out, "set xlabel",
                   as_say(f->language, "microseconds a call, batch 1, median of a process"));
}

static void engine_plot(FILE *out, const as_search_facts *f)
{
    const double half = 0.2 / (double)(f->n_engines + 1);
    put_row_names(out, f);
    fputs("if (narrow) { set key above left reverse Left vertical maxcols 1 } else { set key "
          "above left reverse Left }\nplot ",
          out);
    for (size_t e = 0; e < f->n_engines; e++) {
        const char *colour = as_plot_colour_at(e);
        fprintf(out,
                "$medians%zu using 3:1:($4-$3):(0) with vectors nohead lw 6 lc rgb '#90%s' "
                "notitle, \\\n"
                "     $slots%zu using 2:1 with points pt 7 ps 0.6 lc rgb '%s' title ",
                e, colour + 1, e, colour);
        as_put_gnuplot(out, f->engines[e].policy);
        fprintf(out,
                ", \\\n"
                "     $medians%zu using 2:($1-%.3f):(0):(%.3f) with vectors nohead lw 3 lc rgb "
                "'black' notitle, \\\n     ",
                e, half, 2 * half);
    }
    put_name_labels(out);
    putc('\n', out);
}

const as_search_plot as_plot_search_engines = {
    .name = "engines",
    .caption =
        "Dots: each fresh process's median.  Upright bar: the median of these.  Pale bar: "
        "its interval, where there are enough processes for one.",
    .is_drawn = has_slots,
    .heights_px = engine_heights,
    .write_settings = engine_settings,
    .write_plot = engine_plot,
};
