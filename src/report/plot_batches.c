/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time an image, or a megapixel where calls have several shapes, over the batch size; a ring stands
 * where a policy breaks even.
 *
 *     batches.tsv      N, milliseconds: a block a policy, two empty lines between blocks
 *     break-even.tsv   N, milliseconds, block of the policy
 */
#include "report/plot.h"

static bool is_drawn(const as_facts *f)
{
    return f->n_batches > 1 && f->policy[f->run->baseline].detection.n > 0;
}

static unsigned height_px(const as_facts *f)
{
    (void)f;
    return 340;
}

static void write_batches(FILE *out, const as_facts *f)
{
    fprintf(out, "# n\t%s\n", f->has_one_shape ? "ms_per_image" : "ms_per_megapixel");
    for (size_t p = 0; p < f->n_policies; p++) {
        if (f->policy[p].detection.n == 0) continue;
        for (size_t b = 0; b < f->n_batches; b++)
            fprintf(out, "%zu\t%.9f\n", f->batches[b].n, f->policy[p].batch_ms[b].median);
        fprintf(out, "\n\n");
    }
}

static void write_break_even(FILE *out, const as_facts *f)
{
    fprintf(out, "# n\tms\tpolicy\n");
    for (size_t p = 0; p < f->n_policies; p++) {
        size_t b = as_facts_break_even(f, p);
        if (f->policy[p].detection.n > 0 && b < f->n_batches)
            fprintf(out, "%zu\t%.9f\t%zu\n", f->batches[b].n, f->policy[p].batch_ms[b].median,
                    p);
    }
}

/** More sizes than this are not all numbered. */
#define NUMBERED_MOST 20

static void write_settings(FILE *out, const as_facts *f)
{
    size_t n_lines = 0;
    for (size_t b = 0; b < f->n_batches && f->n_batches <= NUMBERED_MOST; b++)
        fprintf(out, "%s%zu%s", b ? ", " : "set xtics (", f->batches[b].n,
                b + 1 == f->n_batches ? ")\n" : "");
    fprintf(out,
            "set xrange [%.2f:%.2f]\n"
            "set key outside top center horizontal reverse Left\n"
            "set grid ytics lt 1 lw 0.4 lc rgb '" AS_PLOT_GREY "'\n"
            "set ytics tc rgb '" AS_PLOT_GREY "'\n",
            (double)f->batches[0].n - 0.5, (double)f->batches[f->n_batches - 1].n + 0.5);
    as_put_setting(out, "set xlabel", as_say(f->language, "N, inputs of a call"));
    as_put_setting(out, "set ylabel",
                   as_say(f->language, f->has_one_shape ? "ms an image" : "ms a megapixel"));
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
    fprintf(out, "plot ");
    for (size_t p = 0; p < f->n_policies; p++) {
        if (f->policy[p].detection.n == 0) continue;
        fprintf(out,
                "'batches.tsv' index %zu using 1:2 with linespoints lw 2 pt 7 ps 0.5 lc rgb "
                "'%s' title line%zu, \\\n     ",
                n_lines, as_plot_colour(f, p), n_lines);
        n_lines++;
    }
    fprintf(out, "'break-even.tsv' using 1:2 with points pt 6 ps 1.6 lw 2 lc rgb 'black' "
                 "notitle\n");
}

const as_plot as_plot_batches = {
    .name = "batches",
    .caption =
        "Detection over the batch size, medians over the rounds; the axis need not begin at "
        "zero.  Ring: from here on the policy is below the baseline at every size.",
    .is_drawn = is_drawn,
    .height_px = height_px,
    .data = {{"batches.tsv", write_batches}, {"break-even.tsv", write_break_even}},
    .write_settings = write_settings,
    .write_plot = write_plot,
};
