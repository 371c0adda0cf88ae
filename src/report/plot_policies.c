/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every policy against the baseline: each round, the estimate, its interval.
 *
 *     rounds.tsv      row, change in %, round, equal boxes: one point a round
 *     estimates.tsv   row, estimate, low, high in %, label, policy
 */
#include <math.h>
#include <string.h>

#include "report/plot.h"
#include "report/text.h"

/** Left and right end of the x axis, in percent. */
typedef struct extent {
    double low, high;
} extent;

static void reach(extent *x, double value)
{
    x->low = fmin(x->low, value);
    x->high = fmax(x->high, value);
}

/** Change of policy `p` in round `r`, percent; NaN where it or the baseline has no slot. */
static double change(const as_facts *f, size_t p, size_t r)
{
    double value = f->policy[p].round_s[r], base = f->policy[f->run->baseline].round_s[r];
    return value > 0 && base > 0 ? (value / base - 1) * 100 : NAN;
}

static bool is_plotted(const as_facts *f, size_t p)
{
    return !f->policy[p].candidate.is_baseline && f->policy[p].candidate.estimate.n > 0;
}

/** Rounds this much slower are drawn at the edge, so that one wild one does not squeeze the rest. */
#define EDGE_PERCENT 100

static extent find_extent(const as_facts *f)
{
    extent sure = {-2, 2}, x;
    for (size_t p = 0; p < f->n_policies; p++) {
        const as_estimate *e = &f->policy[p].candidate.estimate;
        if (!is_plotted(f, p)) continue;
        reach(&sure, e->has_interval ? (e->low - 1) * 100 : -f->policy[p].reduction);
        reach(&sure, e->has_interval ? (e->high - 1) * 100 : -f->policy[p].reduction);
    }
    x = sure;
    for (size_t p = 0; p < f->n_policies; p++)
        for (size_t r = 0; is_plotted(f, p) && r < f->n_rounds; r++)
            if (!isnan(change(f, p, r)))
                reach(&x, fmin(change(f, p, r), fmax(EDGE_PERCENT, sure.high)));
    double margin = (x.high - x.low) * 0.12;
    return (extent){x.low - margin, x.high + margin};
}

static bool is_drawn(const as_facts *f)
{
    bool any = false;
    for (size_t p = 0; p < f->n_policies; p++)
        any = any || is_plotted(f, p);
    return any;
}

static unsigned height_px(const as_facts *f)
{
    return (unsigned)(90 + 52 * (f->n_policies - 1));
}

static void write_rounds(FILE *out, const as_facts *f)
{
    int row = 0;
    fprintf(out, "# row\tchange_percent\tround\tequal_boxes\n");
    for (size_t p = 0; p < f->n_policies; p++) {
        if (f->policy[p].candidate.is_baseline) continue;
        row++;
        for (size_t r = 0; r < f->n_rounds; r++)
            if (!isnan(change(f, p, r)))
                fprintf(out, "%d\t%.6f\t%d\t%d\n", row, change(f, p, r), f->rounds[r].id + 1,
                        f->policy[p].candidate.boxes_equal);
    }
}

static void write_estimates(FILE *out, const as_facts *f)
{
    int row = 0;
    fprintf(out, "# row\testimate_percent\tlow_percent\thigh_percent\tlabel\tpolicy\n");
    for (size_t p = 0; p < f->n_policies; p++) {
        const as_estimate *e = &f->policy[p].candidate.estimate;
        if (f->policy[p].candidate.is_baseline) continue;
        row++;
        double middle = e->has_interval ? (e->ratio - 1) * 100 : -f->policy[p].reduction;
        fprintf(out, "%d\t", row);
        if (!is_plotted(f, p)) {
            fprintf(out, "NaN\tNaN\tNaN\t\"\"\t");
        } else {
            fprintf(out, "%.6f\t", middle);
            if (e->has_interval)
                fprintf(out, "%.6f\t%.6f", (e->low - 1) * 100, (e->high - 1) * 100);
            else
                fprintf(out, "NaN\tNaN");
            fprintf(out, "\t\"%+.1f %%%s\"\t", as_percent(middle),
                    f->policy[p].candidate.boxes_equal ? ""
                                                       : as_say(f->language, ", boxes differ"));
        }
        as_put_field(out, as_facts_name(f, p));
        putc('\n', out);
    }
}

static void put_rows(FILE *out, const as_facts *f)
{
    int row = 0;
    fprintf(out, "set ytics (");
    for (size_t p = 0; p < f->n_policies; p++) {
        if (f->policy[p].candidate.is_baseline) continue;
        if (row++) fprintf(out, ", ");
        as_put_gnuplot(out, as_facts_name(f, p));
        fprintf(out, " %d", row);
    }
    fprintf(out, ")\n");
    row = 0;
    for (size_t p = 0; p < f->n_policies; p++) {
        if (f->policy[p].candidate.is_baseline) continue;
        row++;
        if (is_plotted(f, p)) continue;
        fprintf(out, "set label ");
        as_put_gnuplot(out, as_say(f->language,
                                   f->policy[p].candidate.failed ? "failed" : "not measured"));
        fprintf(out, " at 0,%d offset 1,0 tc rgb '" AS_PLOT_GREY "'\n", row);
    }
}

static void write_settings(FILE *out, const as_facts *f)
{
    extent x = find_extent(f);
    double bottom = (double)f->n_policies - 0.5;
    char label[160];
    fprintf(out, "unset key\n");
    put_rows(out, f);
    fprintf(out,
            "set grid xtics lt 1 lw 0.4 lc rgb '" AS_PLOT_GREY "'\n"
            "set xrange [%.4f:%.4f]\n"
            "set yrange [%.1f:0.5]\n",
            x.low, x.high, bottom);
    snprintf(label, sizeof label, as_say(f->language, "against %s, %% (left is faster)"),
             as_facts_name(f, (size_t)f->run->baseline));
    as_put_setting(out, "set xlabel", label);
    fprintf(out,
            "# the margin of 1 %%, and the baseline\n"
            "set object 1 rectangle from -1,0.5 to 1,%.1f fc rgb '" AS_PLOT_GREY
            "' fs solid 0.14 noborder behind\n"
            "set arrow 1 from 0,0.5 to 0,%.1f nohead lw 1.2 lc rgb 'black'\n"
            "colour(equal) = equal > 0 ? 0x3a7fc1 : 0xc7703a\n"
            "edge = %.4f\n"
            "left = %.4f\n",
            bottom, bottom, x.high - (x.high - x.low) * 0.02, x.low);
}

static void write_plot(FILE *out, const as_facts *f)
{
    (void)f;
    fprintf(out,
            "if (narrow) { unset ytics }\n"
            "plot 'estimates.tsv' using 3:1:($4-$3):(0) with vectors nohead lw 6 lc rgb "
            "'#903a7fc1', \\\n"
            "     'rounds.tsv' using ($2 <= edge ? $2 : NaN):1:(colour($4)) with points pt 7 "
            "ps 0.6 lc rgb variable, \\\n"
            "     'rounds.tsv' using ($2 > edge ? edge : NaN):1:(colour($4)) with points pt 9 "
            "ps 0.9 lc rgb variable, \\\n"
            "     'estimates.tsv' using 2:($1-0.2):(0):(0.4) with vectors nohead lw 3 lc rgb "
            "'black', \\\n"
            "     'estimates.tsv' using (narrow ? NaN : $2):1:5 with labels offset 0,1.1 tc "
            "rgb 'black', \\\n"
            "     'estimates.tsv' using (narrow ? left : NaN):($1-0.36):(stringcolumn(6).'  "
            "'.stringcolumn(5)) with labels left tc rgb 'black'\n");
}

/** Columns of a line that stand for the axis. */
enum { TEXT_COLUMNS = 61 };

static int column_of(extent x, double percent)
{
    return (int)lround((percent - x.low) / (x.high - x.low) * (TEXT_COLUMNS - 1));
}

/** "   |--o--|    :   " with the estimate, its interval and the baseline's place. */
static void put_text_row(FILE *out, extent x, const as_policy_facts *policy)
{
    char line[TEXT_COLUMNS + 1];
    const as_estimate *e = &policy->candidate.estimate;
    double middle = e->has_interval ? (e->ratio - 1) * 100 : -policy->reduction;
    memset(line, ' ', TEXT_COLUMNS);
    line[TEXT_COLUMNS] = '\0';
    line[column_of(x, 0)] = ':';
    if (e->has_interval) {
        int low = column_of(x, (e->low - 1) * 100), high = column_of(x, (e->high - 1) * 100);
        memset(line + low, '-', (size_t)(high - low) + 1);
        line[low] = line[high] = '|';
    }
    line[column_of(x, middle)] = 'o';
    fprintf(out, "%s %+.1f %%", line, as_percent(middle));
}

static void write_text(FILE *out, const as_facts *f)
{
    extent x = find_extent(f);
    size_t width = 0;
    for (size_t p = 0; p < f->n_policies; p++)
        if (as_text_columns(as_facts_name(f, p)) > width)
            width = as_text_columns(as_facts_name(f, p));
    for (size_t p = 0; p < f->n_policies; p++) {
        if (!is_plotted(f, p)) continue;
        as_put_plain(out, as_facts_name(f, p));
        fprintf(out, "%*s  ", (int)(width - as_text_columns(as_facts_name(f, p))), "");
        put_text_row(out, x, &f->policy[p]);
        fprintf(out, "%s\n",
                f->policy[p].candidate.boxes_equal ? ""
                                                   : as_say(f->language, ", boxes differ"));
    }
}

const as_plot as_plot_policies = {
    .name = "policies",
    .caption =
        "Dots: each round against the baseline in the same round.  Upright bar: the "
        "estimate (without an interval, the medians).  Pale bar: its interval.  Grey band: "
        "the margin of 1 %.  Orange: boxes differ.  Triangles: rounds beyond the edge.",
    .is_drawn = is_drawn,
    .height_px = height_px,
    .data = {{"rounds.tsv", write_rounds}, {"estimates.tsv", write_estimates}},
    .write_settings = write_settings,
    .write_plot = write_plot,
    .write_text = write_text,
};
