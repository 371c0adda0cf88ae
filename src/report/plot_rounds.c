/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time of each round, one line a policy; dirty rounds stand on grey.
 *
 *     seconds.tsv   round, seconds: a block a policy, two empty lines between blocks
 */
#include <math.h>

#include "report/plot.h"

static bool is_drawn(const as_facts *f)
{
    return f->n_rounds > 1 && f->policy[f->run->baseline].detection.n > 0;
}

static unsigned height_px(const as_facts *f)
{
    (void)f;
    return 320;
}

static void write_seconds(FILE *out, const as_facts *f)
{
    fprintf(out, "# round\tseconds\n");
    for (size_t p = 0; p < f->n_policies; p++) {
        const as_policy_facts *policy = &f->policy[p];
        if (policy->detection.n == 0) continue;
        for (size_t r = 0; r < f->n_rounds; r++) {
            fprintf(out, "%d\t", f->rounds[r].id + 1);
            if (isnan(policy->round_s[r]))
                fprintf(out, "NaN\n");
            else
                fprintf(out, "%.9f\n", policy->round_s[r]);
        }
        fprintf(out, "\n\n");
    }
}

/** Lines this far apart are drawn on a logarithmic axis, so that no line's own changes vanish. */
#define FAR_APART 3

static bool is_far_apart(const as_facts *f)
{
    double least = INFINITY, greatest = 0;
    for (size_t p = 0; p < f->n_policies; p++) {
        if (f->policy[p].detection.n == 0) continue;
        least = fmin(least, f->policy[p].detection.least);
        greatest = fmax(greatest, f->policy[p].detection.greatest);
    }
    return least > 0 && greatest > FAR_APART * least;
}

/** More rounds than this are not all numbered. */
#define NUMBERED_MOST 24

static void put_round_tics(FILE *out, const as_facts *f)
{
    if (f->n_rounds > NUMBERED_MOST) return;
    for (size_t r = 0; r < f->n_rounds; r++)
        fprintf(out, "%s%d", r ? ", " : "set xtics (", f->rounds[r].id + 1);
    fprintf(out, ")\n");
}

static void write_settings(FILE *out, const as_facts *f)
{
    size_t n_lines = 0;
    fprintf(out, "set key outside top center horizontal reverse Left\n"
                 "set grid ytics lt 1 lw 0.4 lc rgb '" AS_PLOT_GREY "'\n"
                 "set ytics tc rgb '" AS_PLOT_GREY "'\n");
    if (is_far_apart(f)) fprintf(out, "set logscale y\n");
    fprintf(out, "set xrange [%d.5:%d.5]\n", f->rounds[0].id,
            f->rounds[f->n_rounds - 1].id + 1);
    put_round_tics(out, f);
    as_put_setting(out, "set xlabel", as_say(f->language, "round"));
    as_put_setting(out, "set ylabel", as_say(f->language, "detection, s"));
    for (size_t r = 0; r < f->n_rounds; r++)
        if (f->rounds[r].is_dirty)
            fprintf(out,
                    "set object %zu rectangle from %d.5,graph 0 to %d.5,graph 1 fc rgb "
                    "'" AS_PLOT_GREY "' fs solid 0.18 noborder behind\n",
                    r + 1, f->rounds[r].id, f->rounds[r].id + 1);
    for (size_t p = 0; p < f->n_policies; p++) {
        char key[32];
        if (f->policy[p].detection.n == 0) continue;
        snprintf(key, sizeof key, "line%zu =", n_lines++);
        as_put_setting(out, key, as_facts_name(f, p));
    }
}

static void write_plot(FILE *out, const as_facts *f)
{
    size_t n_lines = 0;
    for (size_t p = 0; p < f->n_policies; p++) {
        if (f->policy[p].detection.n == 0) continue;
        fprintf(out,
                "%s'seconds.tsv' index %zu using 1:2 with linespoints lw 2 pt 7 ps 0.5 lc rgb "
                "'%s' title line%zu",
                n_lines ? ", \\\n     " : "plot ", n_lines, as_plot_colour(f, p), n_lines);
        n_lines++;
    }
    putc('\n', out);
}

const as_plot as_plot_rounds = {
    .name = "rounds",
    .caption =
        "Detection of each round, in the order in which they ran; the axis need not begin "
        "at zero.  Grey: dirty rounds.",
    .is_drawn = is_drawn,
    .height_px = height_px,
    .data = {{"seconds.tsv", write_seconds}},
    .write_settings = write_settings,
    .write_plot = write_plot,
};
