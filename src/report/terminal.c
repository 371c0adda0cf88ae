/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict as text: the sentence, one line a policy, what to know. */
#include <math.h>
#include <string.h>

#include "base/compiler.h"
#include "report/outputs.h"
#include "report/text.h"

enum { N_COLUMNS = 9 };
static const char *const titles[N_COLUMNS] = /* said */ {
    "policy", "median s", "range", "n", "change", "PSS MiB", "RSS MiB", "boxes", "verdict"};
/** Columns set flush right. */
static const bool is_number[N_COLUMNS] = {false, true, true,  true, true,
                                          true,  true, false, false};

typedef struct line {
    char cells[N_COLUMNS][64];
} line;

static void put_bytes(char cell[64], int64_t bytes)
{
    if (bytes < 0)
        snprintf(cell, 64, "-");
    else
        snprintf(cell, 64, "%.0f", (double)bytes / 1048576);
}

static line line_of(const as_facts *f, size_t p)
{
    const as_policy_facts *policy = &f->policy[p];
    const as_candidate *c = &policy->candidate;
    line l;
    snprintf(l.cells[0], 64, "%s", policy->row->name);
    snprintf(l.cells[1], 64, "-");
    snprintf(l.cells[2], 64, "-");
    snprintf(l.cells[4], 64, "-");
    if (policy->detection.n) {
        snprintf(l.cells[1], 64, "%.3f", policy->detection.median);
        snprintf(l.cells[2], 64, "%.3f..%.3f", policy->detection.least,
                 policy->detection.greatest);
    }
    snprintf(l.cells[3], 64, "%zu", policy->detection.n);
    if (c->is_baseline)
        as_say_into(l.cells[4], 64, f->language, "baseline");
    else if (c->estimate.has_interval)
        snprintf(l.cells[4], 64, "%+.1f %% [%+.1f, %+.1f]",
                 as_percent((c->estimate.ratio - 1) * 100),
                 as_percent((c->estimate.low - 1) * 100),
                 as_percent((c->estimate.high - 1) * 100));
    else if (isfinite(policy->reduction))
        snprintf(l.cells[4], 64, "%+.1f %%", as_percent(-policy->reduction));
    put_bytes(l.cells[5], policy->peak_pss[AS_WORKER]);
    put_bytes(l.cells[6], policy->peak_rss[AS_WORKER]);
    if (policy->n_inputs_checked == 0)
        as_say_into(l.cells[7], 64, f->language, c->is_baseline ? "the truth" : "not checked");
    else if (policy->n_inputs_differing == 0)
        as_say_into(l.cells[7], 64, f->language, "%zu equal", policy->n_inputs_checked);
    else
        as_say_into(l.cells[7], 64, f->language, "%zu of %zu differ",
                    policy->n_inputs_differing, policy->n_inputs_checked);
    const char *verdict = as_verdict_name(c->verdict);
    if (p == f->choice.policy) verdict = c->is_baseline ? "stays" : "chosen";
    snprintf(l.cells[8], 64, "%s", as_say(f->language, verdict));
    return l;
}

static void put_line(FILE *out, const char *const cells[N_COLUMNS],
                     const size_t widths[N_COLUMNS])
{
    for (int c = 0; c < N_COLUMNS; c++) {
        size_t columns = as_text_columns(cells[c]);
        int pad = (int)(widths[c] > columns ? widths[c] - columns : 0);
        if (c) fputs("  ", out);
        if (is_number[c]) fprintf(out, "%*s", pad, "");
        as_put_plain(out, cells[c]);
        if (!is_number[c] && c + 1 < N_COLUMNS) fprintf(out, "%*s", pad, "");
    }
    putc('\n', out);
}

assay_code as_write_terminal(const as_outputs *outputs, FILE *out, assay_error *err)
{
    const as_facts *f = outputs->facts;
    size_t widths[N_COLUMNS];
    (void)err;
    const char *said[N_COLUMNS];
    for (int c = 0; c < N_COLUMNS; c++) {
        said[c] = as_say(f->language, titles[c]);
        widths[c] = as_text_columns(said[c]);
    }
    for (size_t p = 0; p < f->n_policies; p++) {
        line l = line_of(f, p);
        for (int c = 0; c < N_COLUMNS; c++) {
            size_t columns = as_text_columns(l.cells[c]);
            if (columns > widths[c]) widths[c] = columns;
        }
    }
    as_put_plain(out, f->headline);
    putc('\n', out);
    as_put_plain(out, f->certainty);
    fputs("\n\n", out);
    put_line(out, said, widths);
    for (size_t p = 0; p < f->n_policies; p++) {
        line l = line_of(f, p);
        const char *cells[N_COLUMNS];
        for (int c = 0; c < N_COLUMNS; c++)
            cells[c] = l.cells[c];
        put_line(out, cells, widths);
    }
    return ASSAY_OK;
}
