/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plot of every policy against the baseline, drawn by gnuplot.  Script and data stay beside the
 * picture, so that it can be redrawn:
 *
 *     plots/policies.gp        the script
 *     plots/rounds.tsv         row, change in %, round: one point a round
 *     plots/estimates.tsv      row, estimate, low, high in %, label
 *     plots/policies.svg       the picture
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/process.h"
#include "report/outputs.h"
#include "report/whole_file.h"

#define EQUAL_COLOUR     "#3a7fc1"
#define DIFFERENT_COLOUR "#c7703a"

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

static assay_code open_in(const char *folder, const char *name, as_whole_file *file,
                          assay_error *err)
{
    char *path = as_path_join(folder, name);
    if (!path) return as_fail(err, ASSAY_E_MEMORY, "no memory to write %s", name);
    assay_code code = as_whole_file_open(path, file, err);
    as_free(path);
    return code;
}

static assay_code write_rounds(const as_facts *f, const char *folder, assay_error *err)
{
    as_whole_file file;
    assay_code code = open_in(folder, "rounds.tsv", &file, err);
    if (code) return code;
    int row = 0;
    fprintf(file.out, "# row\tchange_percent\tround\tequal_boxes\n");
    for (size_t p = 0; p < f->n_policies; p++) {
        if (f->policy[p].candidate.is_baseline) continue;
        row++;
        for (size_t r = 0; r < f->n_rounds; r++)
            if (!isnan(change(f, p, r)))
                fprintf(file.out, "%d\t%.6f\t%d\t%d\n", row, change(f, p, r),
                        f->rounds[r].id + 1, f->policy[p].candidate.boxes_equal);
    }
    return as_whole_file_close(&file, ASSAY_OK, err);
}

static assay_code write_estimates(const as_facts *f, const char *folder, assay_error *err)
{
    as_whole_file file;
    assay_code code = open_in(folder, "estimates.tsv", &file, err);
    if (code) return code;
    int row = 0;
    fprintf(file.out, "# row\testimate_percent\tlow_percent\thigh_percent\tlabel\n");
    for (size_t p = 0; p < f->n_policies; p++) {
        const as_estimate *e = &f->policy[p].candidate.estimate;
        if (f->policy[p].candidate.is_baseline) continue;
        row++;
        if (!is_plotted(f, p)) continue;
        double middle = e->has_interval ? (e->ratio - 1) * 100 : -f->policy[p].reduction;
        fprintf(file.out, "%d\t%.6f\t", row, middle);
        if (e->has_interval)
            fprintf(file.out, "%.6f\t%.6f", (e->low - 1) * 100, (e->high - 1) * 100);
        else
            fprintf(file.out, "NaN\tNaN");
        fprintf(file.out, "\t\"%+.1f %%%s\"\n", as_percent(middle),
                f->policy[p].candidate.boxes_equal ? "" : ", boxes differ");
    }
    return as_whole_file_close(&file, ASSAY_OK, err);
}

/** A string in gnuplot's single quotes, where only the quote is special. */
static void put_quoted(FILE *out, const char *text)
{
    putc('\'', out);
    for (; *text; text++) {
        if (*text == '\'') putc('\'', out);
        putc((unsigned char)*text < 0x20 ? ' ' : *text, out);
    }
    putc('\'', out);
}

static void put_rows(FILE *out, const as_facts *f)
{
    int row = 0;
    fprintf(out, "set ytics (");
    for (size_t p = 0; p < f->n_policies; p++) {
        if (f->policy[p].candidate.is_baseline) continue;
        if (row++) fprintf(out, ", ");
        put_quoted(out, as_facts_name(f, p));
        fprintf(out, " %d", row);
    }
    fprintf(out, ")\n");
    row = 0;
    for (size_t p = 0; p < f->n_policies; p++) {
        if (f->policy[p].candidate.is_baseline) continue;
        row++;
        if (!is_plotted(f, p))
            fprintf(out, "set label '%s' at 0,%d offset 1,0 tc rgb '#7d8590'\n",
                    f->policy[p].candidate.failed ? "failed" : "not measured", row);
    }
}

static void put_script(FILE *out, const as_facts *f)
{
    extent x = find_extent(f);
    size_t n_rows = f->n_policies - 1;
    double bottom = (double)n_rows + 0.5;
    fprintf(out,
            "# Draws policies.svg out of rounds.tsv and estimates.tsv:  gnuplot policies.gp\n"
            "set terminal svg size 960,%zu dynamic name 'policies' noenhanced font "
            "'sans-serif,14'\n"
            "set output 'policies.svg'\n"
            "set encoding utf8\n"
            "set datafile separator tab\n"
            "set datafile missing 'NaN'\n"
            "unset key\n"
            "set border 1 lc rgb '#7d8590'\n"
            "set xtics nomirror out scale 0.5 tc rgb '#7d8590'\n"
            "set ytics nomirror scale 0 tc rgb 'black'\n",
            90 + 52 * n_rows);
    put_rows(out, f);
    fprintf(out,
            "set grid xtics lt 1 lw 0.4 lc rgb '#7d8590'\n"
            "set xrange [%.4f:%.4f]\n"
            "set yrange [%.1f:0.5]\n",
            x.low, x.high, bottom);
    fprintf(out, "set xlabel ");
    char label[128];
    snprintf(label, sizeof label, "detection time against %s, %% (left is faster)",
             as_facts_name(f, (size_t)f->run->baseline));
    put_quoted(out, label);
    fprintf(
        out,
        "\n# the margin of 1 %%, and the baseline\n"
        "set object 1 rectangle from -1,0.5 to 1,%.1f fc rgb '#7d8590' fs solid 0.14 "
        "noborder behind\n"
        "set arrow 1 from 0,0.5 to 0,%.1f nohead lw 1.2 lc rgb 'black'\n"
        "colour(equal) = equal > 0 ? 0x%s : 0x%s\n"
        "edge = %.4f\n"
        "plot 'estimates.tsv' using 3:1:($4-$3):(0) with vectors nohead lw 6 lc rgb "
        "'#9fbfdd', \\\n"
        "     'rounds.tsv' using ($2 <= edge ? $2 : NaN):1:(colour($4)) with points pt 7 ps "
        "0.6 lc rgb variable, \\\n"
        "     'rounds.tsv' using ($2 > edge ? edge : NaN):1:(colour($4)) with points pt 9 ps "
        "0.9 lc rgb variable, \\\n"
        "     'estimates.tsv' using 2:($1-0.2):(0):(0.4) with vectors nohead lw 3 lc rgb "
        "'black', \\\n"
        "     'estimates.tsv' using 2:1:5 with labels offset 0,1.1 tc rgb 'black'\n",
        bottom, bottom, &EQUAL_COLOUR[1], &DIFFERENT_COLOUR[1],
        x.high - (x.high - x.low) * 0.02);
}

static assay_code write_script(const as_facts *f, const char *folder, assay_error *err)
{
    as_whole_file file;
    assay_code code = open_in(folder, "policies.gp", &file, err);
    if (code) return code;
    put_script(file.out, f);
    return as_whole_file_close(&file, ASSAY_OK, err);
}

/** Run gnuplot in `folder` and keep its picture; a gnuplot that fails is a note, no error. */
static assay_code draw(as_outputs *outputs, const char *folder, assay_error *err)
{
    as_process_options options =
        as_process_defaults((const char *[]){"gnuplot", "-d", "policies.gp", NULL});
    options.env = (const char *[]){"LC_ALL=C", NULL};
    options.folder = folder;
    options.wall_s = 60;
    as_process_result result = {0};
    assay_error failure = {0};
    assay_code code = as_process_run(&options, &result, &failure);
    if (code == ASSAY_E_NOT_FOUND) {
        snprintf(outputs->plot_note, sizeof outputs->plot_note,
                 "No plot: gnuplot is not installed; its script is plots/policies.gp.");
        return ASSAY_OK;
    }
    if (code) {
        if (err) *err = failure;
        return code;
    }
    char *path = as_path_join(folder, "policies.svg");
    if (!path)
        code = as_fail(err, ASSAY_E_MEMORY, "no memory to read the plot");
    else if (result.end == AS_PROCESS_EXITED && result.status == 0)
        code = as_file_read(path, 0, &outputs->svg, err);
    else {
        char how[64];
        as_process_describe(&result, how, sizeof how);
        snprintf(outputs->plot_note, sizeof outputs->plot_note,
                 "No plot: gnuplot ended with %s; its script is plots/policies.gp.", how);
        code = as_path_remove(path, err);
    }
    as_free(path);
    as_process_result_free(&result);
    return code;
}

assay_code as_write_plots(as_outputs *outputs, const char *folder, assay_error *err)
{
    const as_facts *f = outputs->facts;
    bool any = false;
    for (size_t p = 0; p < f->n_policies; p++)
        any = any || is_plotted(f, p);
    if (!any) {
        snprintf(outputs->plot_note, sizeof outputs->plot_note,
                 "No plot: no policy was measured against the baseline.");
        return ASSAY_OK;
    }
    assay_code code = write_rounds(f, folder, err);
    if (!code) code = write_estimates(f, folder, err);
    if (!code) code = write_script(f, folder, err);
    return code ? code : draw(outputs, folder, err);
}
