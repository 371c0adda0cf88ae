/* SPDX-License-Identifier: Apache-2.0 */
#include "report/pareto_plot.h"

#include <math.h>

#include "base/compiler.h"
#include "report/text.h"

/** How the two kinds are marked: open off the front, filled on it. */
static const struct {
    const char *colour;
    int points[2];
} marks[] = {{"#3a7fc1", {6, 7}}, {"#c7703a", {4, 5}}};

/* said */ static const char *const titles[][2] = {
    {"standard 3x3", "standard 3x3, on the front"},
    {"depthwise + pointwise", "depthwise + pointwise, on the front"}};

const char *as_kind_colour(bool is_separable) { return marks[is_separable].colour; }

/* name, us, accuracy, p10, p90, accuracy's ends, kind, front, ends of the fresh processes' interval */
static void put_points(FILE *out, const as_candidate_report *r, const as_process_facts *slots)
{
    fputs("$points << EOD\n", out);
    for (size_t i = 0; i < r->candidates->n; i++) {
        const as_candidate_row *row = &r->candidates->rows[i];
        const double accuracy = 100 * row->validation_accuracy;
        const double noise = row->accuracy_noise > 0 ? 200 * row->accuracy_noise : NAN;
        if (!r->scored[i].trained) continue;
        as_put_field(out, row->name);
        as_put_plot_number(out, r->scored[i].latency_us);
        as_put_plot_number(out, accuracy);
        as_put_plot_number(out, r->p10_us[i]);
        as_put_plot_number(out, r->p90_us[i]);
        as_put_plot_number(out, accuracy - noise);
        as_put_plot_number(out, accuracy + noise);
        fprintf(out, "\t%d\t%d", row->is_separable, r->is_front[i]);
        as_put_plot_number(out, slots ? slots[i].low_us : NAN);
        as_put_plot_number(out, slots ? slots[i].high_us : NAN);
        putc('\n', out);
    }
    fputs("EOD\n", out);
}

/** "set xrange [low:high]" of an axis with room for names. */
static void put_range(FILE *out, const char *key, double low, double high, double before,
                      double behind)
{
    const double width = high > low ? high - low : 0.1 * high;
    fprintf(out, "set %s [%.6g:%.6g]\n", key, low - before * width, high + behind * width);
}

static void reach(double low_value, double high_value, double *low, double *high)
{
    *low = fmin(*low, low_value); /* NaN is no value */
    *high = fmax(*high, high_value);
}

static void put_ranges(FILE *out, const as_candidate_report *r, const as_process_facts *slots)
{
    double low_us = NAN, high_us = NAN, low = NAN, high = NAN;
    for (size_t i = 0; i < r->candidates->n; i++) {
        const as_candidate_row *row = &r->candidates->rows[i];
        const as_scored *s = &r->scored[i];
        if (!s->trained) continue;
        reach(s->latency_us, s->latency_us, &low_us, &high_us);
        reach(r->p10_us[i], r->p90_us[i], &low_us, &high_us);
        if (slots) reach(slots[i].low_us, slots[i].high_us, &low_us, &high_us);
        reach(100 * (s->accuracy - 2 * row->accuracy_noise),
              100 * (s->accuracy + 2 * row->accuracy_noise), &low, &high);
    }
    if (isnan(low)) return;
    put_range(out, "xrange", low_us, high_us, 0.05, 0.12);
    put_range(out, "yrange", low, high, 0.06, 0.06);
}

void as_put_pareto_settings(FILE *out, const as_candidate_report *report,
                            const as_process_facts *slots, as_language language)
{
    fputs("set datafile separator tab\n"
          "narrow = 0\n",
          out);
    put_points(out, report, slots);
    as_put_setting(out, "set xlabel",
                   as_say(language, "microseconds a call, batch 1, 1 thread"));
    as_put_setting(out, "set ylabel", as_say(language, "validation accuracy, %"));
    fputs("set border 3 lc rgb '" AS_PLOT_GREY "'\n"
          "set grid lt 1 lw 0.4 lc rgb '" AS_PLOT_GREY "'\n",
          out);
    put_ranges(out, report, slots);
}

/** Bars of one kind, then its points off and on the front; names stand above or below by kind. */
static void put_kind(FILE *out, size_t kind, as_language language)
{
    const char *colour = marks[kind].colour;
    fprintf(out,
            "$points using ($8 == %zu ? $10 : NaN):3:($11-$10):(0) with vectors nohead lw 7 lc "
            "rgb '#90%s' notitle, \\\n"
            "     $points using ($8 == %zu ? $2 : NaN):3:4:5:6:7 with xyerrorbars ps 0 lc rgb "
            "'%s' notitle, \\\n     ",
            kind, colour + 1, kind, colour);
    for (int front = 0; front < 2; front++) {
        fprintf(
            out,
            "$points using ($8 == %zu && $9 == %d ? $2 : NaN):3 with points pt %d ps 1.6 lc "
            "rgb '%s' title ",
            kind, front, marks[kind].points[front], colour);
        as_put_gnuplot(out, as_say(language, titles[kind][front]));
        fputs(", \\\n     ", out);
    }
    fprintf(out,
            "$points using ($8 == %zu ? $2 : NaN):3:1 with labels left offset 0.9,%s font "
            "(narrow ? ',11' : ',12') tc rgb 'black' notitle",
            kind, kind == 0 ? "0.7" : "-0.7");
}

void as_put_pareto_plot(FILE *out, as_language language)
{
    fputs("if (narrow) { set key above left reverse Left vertical maxcols 1 } else { set key "
          "above "
          "left reverse Left }\n"
          "plot ",
          out);
    for (size_t kind = 0; kind < AS_COUNT_OF(marks); kind++) {
        if (kind > 0) fputs(", \\\n     ", out);
        put_kind(out, kind, language);
    }
    putc('\n', out);
}
