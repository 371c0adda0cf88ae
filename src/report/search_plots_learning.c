/* SPDX-License-Identifier: Apache-2.0 */
/* Losses and accuracy by epoch: a panel a structure, a line a training. */
#include <math.h>
#include <stdio.h>

#include "report/search_plots.h"
#include "report/text.h"
#include "verdict/statistics.h"

/** Panels beside each other, and their heights. */
enum { WIDE_COLUMNS = 3, WIDE_PX = 230, NARROW_PX = 200 };

static size_t n_panels(const as_search_facts *f)
{
    return f->report->n_structures < AS_LEARNING_PANELS_MOST ? f->report->n_structures
                                                             : AS_LEARNING_PANELS_MOST;
}

static bool has_epochs(const as_search_facts *f) { return f->report->n_epochs > 0; }

static size_t n_columns(const as_search_facts *f)
{
    return n_panels(f) < WIDE_COLUMNS ? n_panels(f) : WIDE_COLUMNS;
}

static size_t n_rows(const as_search_facts *f)
{
    return (n_panels(f) + WIDE_COLUMNS - 1) / WIDE_COLUMNS;
}

static void heights(const as_search_facts *f, unsigned px[AS_N_WIDTHS])
{
    px[AS_WIDE] = (unsigned)(WIDE_PX * n_rows(f));
    px[AS_NARROW] = (unsigned)(NARROW_PX * n_panels(f));
}

/** The epochs of a training, parted from the next by two lines.  @return whether there are any. */
static bool put_training(FILE *out, const as_search_training *t)
{
    for (size_t i = 0; i < t->n_epochs; i++) {
        const as_epoch_row *e = &t->epochs[i];
        fprintf(out, "%d", e->epoch);
        as_put_plot_number(out, e->train_loss);
        as_put_plot_number(out, e->validation_loss);
        as_put_plot_number(out, 100 * e->validation_accuracy);
        fprintf(out, "\t%d\n", e->epoch == t->row->best_epoch);
    }
    if (t->n_epochs) fputs("\n\n", out);
    return t->n_epochs > 0;
}

/** Structure `i`'s block of data.  @return its trainings with epochs. */
static size_t put_structure(FILE *out, const as_search_report *r, size_t i)
{
    size_t n = 0;
    fprintf(out, "$learning%zu << EOD\n", i);
    for (size_t t = 0; t < r->n_trainings; t++)
        if ((size_t)r->sorted[t].row->structure == i) n += put_training(out, &r->sorted[t]);
    fprintf(out, "EOD\nn%zu = %zu\n", i, n);
    return n;
}

/** The greatest loss of structure `i`; of trainings that diverge only where all of its did. */
static double greatest_loss(const as_search_report *r, size_t i)
{
    double settled = 0, any = 0;
    for (size_t e = 0; e < r->n_epochs; e++) {
        const as_epoch_row *row = &r->epochs[e];
        const as_training_row *training = &r->trainings[row->training];
        const double loss = fmax(row->train_loss, row->validation_loss);
        if ((size_t)training->structure != i || !isfinite(loss)) continue;
        any = fmax(any, loss);
        if (training->diverged_epoch == 0) settled = fmax(settled, loss);
    }
    return settled > 0 ? settled : any;
}

/** Panels whose losses are so many times those of the middle one have a scale of their own. */
static const double own_scale = 4;

/** The top of each panel's scale: the same, but for those that would flatten all others. */
static void find_tops(const as_search_facts *f, double tops[AS_LEARNING_PANELS_MOST])
{
    const size_t n = n_panels(f);
    double sorted[AS_LEARNING_PANELS_MOST], common = 0;
    for (size_t i = 0; i < n; i++)
        sorted[i] = tops[i] = greatest_loss(f->report, i);
    as_sort(sorted, n);
    for (size_t i = 0; i < n; i++)
        if (tops[i] <= own_scale * sorted[n / 2]) common = fmax(common, tops[i]);
    for (size_t i = 0; i < n; i++) {
        if (tops[i] <= own_scale * sorted[n / 2]) tops[i] = common;
        if (tops[i] == 0) tops[i] = 1; /* it has no loss to show */
    }
}

static int last_epoch(const as_search_report *r)
{
    int last = 1;
    for (size_t e = 0; e < r->n_epochs; e++)
        if (r->epochs[e].epoch > last) last = r->epochs[e].epoch;
    return last;
}

static void write_settings(FILE *out, const as_search_facts *f)
{
    const as_search_report *r = f->report;
    for (size_t i = 0; i < n_panels(f); i++)
        put_structure(out, r, i);
    fprintf(out,
            "unset key\n"
            "set border 11 lc rgb '" AS_PLOT_GREY "'\n"
            "set grid lt 1 lw 0.4 lc rgb '" AS_PLOT_GREY "'\n"
            "set xrange [0.5:%.1f]\n"
            "set y2range [0:100]\n"
            "set ytics nomirror\n"
            "set y2tics 0,25,100 nomirror scale 0 tc rgb '#c7703a'\n"
            "set xtics %d\n"
            "set lmargin 6\nset rmargin 6\nset bmargin 2\nset tmargin 2\n",
            last_epoch(r) + 0.5, last_epoch(r) / 8 + 1);
}

static void put_panel(FILE *out, const as_search_facts *f, size_t i, double top)
{
    const as_spread_facts *s = &f->spreads[i];
    char title[256];
    if (s->n_diverged > 0)
        as_say_into(title, sizeof title, f->language, "%s (%zu of %zu diverged)",
                    f->report->structures[i].name, s->n_diverged, s->n);
    else
        snprintf(title, sizeof title, "%s", f->report->structures[i].name);
    as_put_setting(out, "set title", title);
    fprintf(out, "set yrange [0:%.6g]\n", 1.05 * top);
    fprintf(out,
            "if (n%zu > 0) {\n"
            "plot for [t=0:n%zu-1] $learning%zu index t using 1:2 with lines lw 1 lc rgb "
            "'" AS_PLOT_GREY "' notitle, \\\n"
            "     for [t=0:n%zu-1] $learning%zu index t using 1:3 with lines lw 1.6 lc rgb "
            "'#3a7fc1' notitle, \\\n"
            "     for [t=0:n%zu-1] $learning%zu index t using 1:4 axes x1y2 with lines lw 1.6 "
            "lc rgb '#c7703a' notitle, \\\n"
            "     for [t=0:n%zu-1] $learning%zu index t using ($5 == 1 ? $1 : NaN):3 with "
            "points pt 7 "
            "ps 0.7 lc rgb '#3a7fc1' notitle\n"
            "} else { plot NaN notitle }\n",
            i, i, i, i, i, i, i, i, i);
}

static void write_plot(FILE *out, const as_search_facts *f)
{
    double tops[AS_LEARNING_PANELS_MOST];
    find_tops(f, tops);
    fprintf(out, "set multiplot layout (narrow ? %zu : %zu),(narrow ? 1 : %zu)\n", n_panels(f),
            n_rows(f), n_columns(f));
    for (size_t i = 0; i < n_panels(f); i++)
        put_panel(out, f, i, tops[i]);
    fputs("unset multiplot\n", out);
}

const as_search_plot as_plot_search_learning = {
    .name = "learning",
    .caption =
        "Over the epochs, a line a training.  Grey: training loss; blue: validation loss, "
        "its dot the epoch that was kept; orange, to the right: validation accuracy in %.  "
        "Losses far above all others have a scale of their own.",
    .is_drawn = has_epochs,
    .heights_px = heights,
    .write_settings = write_settings,
    .write_plot = write_plot,
};
