/* SPDX-License-Identifier: Apache-2.0 */
#include "report/pareto_plot.h"

#include <math.h>

#include "base/compiler.h"
#include "report/text.h"

/** How the two kinds are marked: open off the front, filled on it. */
static const struct {
    const char *title, *front_title, *colour;
    int open, filled;
} marks[] = {
    {"standard 3x3", "standard 3x3, on the front", "#3a7fc1", 6, 7},
    {"depthwise + pointwise", "depthwise + pointwise, on the front", "#c7703a", 4, 5},
};

const char *as_kind_colour(bool is_separable) { return marks[is_separable].colour; }

static void put_number(FILE *out, double value)
{
    if (isnan(value))
        fputs("\tNaN", out);
    else
        fprintf(out, "\t%.6g", value);
}

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
        put_number(out, r->scored[i].latency_us);
        put_number(out, accuracy);
        put_number(out, r->p10_us[i]);
        put_number(out, r->p90_us[i]);
        put_number(out, accuracy - noise);
        put_number(out, accuracy + noise);
        fprintf(out, "\t%d\t%d", row->is_separable, r->is_front[i]);
        put_number(out, slots ? slots[i].low_us : NAN);
        put_number(out, slots ? slots[i].high_us : NAN);
        putc('\n', out);
    }
    fputs("EOD\n", out);
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
          "set grid lt 1 lw 0.4 lc rgb '" AS_PLOT_GREY "'\n"
          "set offsets graph 0.08, graph 0.14, graph 0.06, graph 0.06\n",
          out);
}

void as_put_pareto_plot(FILE *out, as_language language)
{
    fputs("if (narrow) { set key above vertical maxcols 1 left } else { set key above }\n"
          "plot ",
          out);
    for (size_t kind = 0; kind < AS_COUNT_OF(marks); kind++) {
        const char *colour = marks[kind].colour;
        fprintf(
            out,
            "$points using ($8 == %zu ? $2 : NaN):3:10:11:3:3 with xyerrorbars ps 0 lw 7 lc "
            "rgb '#90%s' notitle, \\\n"
            "     $points using ($8 == %zu ? $2 : NaN):3:4:5:6:7 with xyerrorbars ps 0 lc "
            "rgb '%s' notitle, \\\n     ",
            kind, colour + 1, kind, colour);
        for (int front = 0; front < 2; front++) {
            fprintf(out,
                    "$points using ($8 == %zu && $9 == %d ? $2 : NaN):3 with points pt %d ps "
                    "1.6 lc rgb '%s' title ",
                    kind, front, front ? marks[kind].filled : marks[kind].open, colour);
            as_put_gnuplot(
                out, as_say(language, front ? marks[kind].front_title : marks[kind].title));
            fputs(", \\\n     ", out);
        }
    }
    fputs(
        "$points using 2:3:1 with labels left offset 0.9,0.7 font (narrow ? ',11' : ',12') tc "
        "rgb 'black' notitle\n",
        out);
}
