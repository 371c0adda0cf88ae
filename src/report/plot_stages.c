/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the time goes: one bar a policy, its stages one behind the other, medians over the rounds.
 *
 *     stages.tsv   row, from, to in seconds, stage from 0
 *     totals.tsv   row, end of the bar, median of detection, policy
 */
#include <math.h>

#include "report/plot.h"

static bool is_drawn(const as_facts *f) { return f->policy[f->run->baseline].detection.n > 0; }

static size_t n_rows(const as_facts *f)
{
    size_t n = 0;
    for (size_t p = 0; p < f->n_policies; p++)
        n += f->policy[p].detection.n > 0;
    return n;
}

static unsigned height_px(const as_facts *f) { return (unsigned)(110 + 44 * n_rows(f)); }

/** Where the bar of a policy ends. */
static double bar_s(const as_policy_facts *policy)
{
    double sum = 0;
    for (int s = 0; s < AS_N_STAGES; s++)
        sum += policy->stages[s].median;
    return sum;
}

static void write_stages(FILE *out, const as_facts *f)
{
    int row = 0;
    fprintf(out, "# row\tfrom_s\tto_s\tstage\n");
    for (size_t p = 0; p < f->n_policies; p++) {
        double at = 0;
        if (f->policy[p].detection.n == 0) continue;
        row++;
        for (int s = 0; s < AS_N_STAGES; s++) {
            double end = at + f->policy[p].stages[s].median;
            fprintf(out, "%d\t%.9f\t%.9f\t%d\n", row, at, end, s);
            at = end;
        }
    }
}

static void write_totals(FILE *out, const as_facts *f)
{
    int row = 0;
    fprintf(out, "# row\tend_s\tlabel\tpolicy\n");
    for (size_t p = 0; p < f->n_policies; p++) {
        const as_policy_facts *policy = &f->policy[p];
        if (policy->detection.n == 0) continue;
        fprintf(out, "%d\t%.9f\t\"%.3f s\"\t", ++row, bar_s(policy), policy->detection.median);
        as_put_field(out, policy->row->name);
        putc('\n', out);
    }
}

static void write_settings(FILE *out, const as_facts *f)
{
    int row = 0;
    double end = 0;
    fprintf(out, "set ytics (");
    for (size_t p = 0; p < f->n_policies; p++) {
        if (f->policy[p].detection.n == 0) continue;
        if (row++) fprintf(out, ", ");
        as_put_gnuplot(out, as_facts_name(f, p));
        fprintf(out, " %d", row);
        end = fmax(end, bar_s(&f->policy[p]));
    }
    fprintf(out,
            ")\n"
            "set yrange [%d.5:0.5]\n"
            "set grid xtics lt 1 lw 0.4 lc rgb '" AS_PLOT_GREY "'\n"
            "set key outside top center horizontal reverse Left samplen 1\n"
            "set style fill solid 1 noborder\n"
            "end = %.9f\n",
            row, end);
    for (int s = 0; s < AS_N_STAGES; s++) {
        char key[16];
        snprintf(key, sizeof key, "stage%d =", s);
        as_put_setting(out, key, as_say(f->language, as_stage_name(s)));
    }
    as_put_setting(out, "set xlabel", as_say(f->language, "seconds a round"));
}

static void write_plot(FILE *out, const as_facts *f)
{
    static const char *const colours[AS_N_STAGES] = {"#b89b1f", "#3a7fc1", "#a85fb4",
                                                     "#2f9e77"};
    (void)f;
    fprintf(out, "set xrange [0:end * (narrow ? 1.02 : 1.1)]\n"
                 "if (narrow) { unset ytics }\nplot ");
    for (int s = 0; s < AS_N_STAGES; s++)
        fprintf(out,
                "'stages.tsv' using ($4 == %d ? $2 : NaN):1:2:3:($1-(narrow ? 0 : "
                "0.3)):($1+(narrow ? "
                "0.35 : 0.3)) with "
                "boxxyerror lc rgb '%s' title stage%d, \\\n     ",
                s, colours[s], s);
    fprintf(
        out,
        "'totals.tsv' using (narrow ? NaN : $2):1:3 with labels left offset 0.6,0 tc rgb "
        "'black' "
        "notitle, \\\n     'totals.tsv' using (narrow ? 0 : NaN):($1-0.25):(stringcolumn(4).'  "
        "'.stringcolumn(3)) with labels left tc rgb 'black' notitle\n");
}

const as_plot as_plot_stages = {
    .name = "stages",
    .caption = "Medians over the rounds of each stage; the number is the median of their sum.",
    .is_drawn = is_drawn,
    .height_px = height_px,
    .data = {{"stages.tsv", write_stages}, {"totals.tsv", write_totals}},
    .write_settings = write_settings,
    .write_plot = write_plot,
};
