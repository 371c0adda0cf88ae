/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paragraphs in a block of running text.  Papers set them without white space between; what shows
 * where one begins is an indented line, a line that stands out to the left (lists, references), a
 * line before it that ends early, or a larger gap.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "corpus/segment.h"

/* A line of text: its rows, its own left and right, and the white gaps in it of a table's width. */
typedef struct line {
    int y0, y1, x0, x1;
    int n_wide_gaps;
} line;

/* A block's lines and what is usual among them. */
typedef struct lines {
    line *items; /* owns */
    int n;
    int height, left; /* medians */
    int gap;          /* lower quartile, as in segment.c */
    int right;        /* the farthest */
    bool is_ragged;   /* most lines end early: their ends tell nothing */
} lines;

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* The value below which n * part / 4 of the values are; 0 of none.  Sorts them. */
static int quartile(int *values, int n, int part)
{
    qsort(values, (size_t)n, sizeof *values, by_value);
    return n ? values[n * part / 4] : 0;
}

/* Accents and dots that stand above a line free of it belong to the line below. */
static void join_crumbs(as_run *runs, int *n, int unit)
{
    int kept = 0;
    for (int i = 0; i < *n; i++) {
        bool is_crumb = 2 * (runs[i].end - runs[i].begin) < unit;
        if (is_crumb && i + 1 < *n && 2 * (runs[i + 1].begin - runs[i].end) < unit)
            runs[i + 1].begin = runs[i].begin;
        else
            runs[kept++] = runs[i];
    }
    *n = kept;
}

/* Gaps of at least 2.5 units: what parts the columns of a table, and no words of a sentence. */
static int count_wide_gaps(const as_ink *ink, as_rect r)
{
    int n = 0, width = 0;
    for (int x = r.x0; x < r.x1; x++) {
        bool is_white = true;
        for (int y = r.y0; y < r.y1 && is_white; y++)
            is_white = !ink->is_ink[(size_t)y * (size_t)ink->w + (size_t)x];
        if (!is_white) n += 2 * width >= 5 * ink->unit;
        width = is_white ? width + 1 : 0;
    }
    return n;
}

static void measure(lines *all, int unit, int *scratch)
{
    int n = all->n, n_early = 0;
    for (int i = 0; i < n; i++)
        scratch[i] = all->items[i].y1 - all->items[i].y0;
    all->height = quartile(scratch, n, 2);
    for (int i = 1; i < n; i++)
        scratch[i - 1] = all->items[i].y0 - all->items[i - 1].y1;
    all->gap = n > 1 ? quartile(scratch, n - 1, 1) : 0;
    for (int i = 0; i < n; i++)
        scratch[i] = all->items[i].x0;
    all->left = quartile(scratch, n, 2);
    all->right = 0;
    for (int i = 0; i < n; i++)
        if (all->items[i].x1 > all->right) all->right = all->items[i].x1;
    for (int i = 0; i < n; i++)
        n_early += all->items[i].x1 < all->right - 4 * unit;
    all->is_ragged = 2 * n_early > n;
}

static assay_code find_lines(const as_ink *ink, as_rect block, lines *all, assay_error *err)
{
    size_t h = (size_t)(block.y1 - block.y0);
    as_run *runs = as_alloc_array(h, sizeof *runs);
    int *scratch = as_alloc_array(h, sizeof *scratch);
    all->items = as_alloc_array(h, sizeof *all->items);
    assay_code code = ASSAY_OK;
    if (runs && scratch && all->items) {
        as_ink_rows(ink, block, runs, &all->n);
        join_crumbs(runs, &all->n, ink->unit);
        for (int i = 0; i < all->n; i++) {
            as_rect r =
                as_ink_bounds(ink, (as_rect){block.x0, runs[i].begin, block.x1, runs[i].end});
            all->items[i] = (line){r.y0, r.y1, r.x0, r.x1, count_wide_gaps(ink, r)};
        }
        measure(all, ink->unit, scratch);
    } else {
        code = as_fail(err, ASSAY_E_MEMORY, "no memory for the lines of a page");
    }
    as_free(runs);
    as_free(scratch);
    return code;
}

/* Three or more lines of text size, most of them alike, and no table. */
static bool is_running_text(const lines *all, int unit, int width)
{
    int n_alike = 0, n_of_table = 0;
    for (int i = 0; i < all->n; i++) {
        int h = all->items[i].y1 - all->items[i].y0;
        n_alike += 10 * h >= 6 * all->height && 10 * h <= 16 * all->height;
        n_of_table += all->items[i].n_wide_gaps >= 2;
    }
    return all->n >= 3 && 10 * all->height >= 8 * unit && all->height <= 4 * unit &&
           10 * n_alike >= 7 * all->n && 2 * n_of_table < all->n && width >= 10 * unit;
}

/* Whether a paragraph begins with line i > 0. */
static bool begins_paragraph(const lines *all, int i, int unit)
{
    const line *before = &all->items[i - 1], *here = &all->items[i];
    int gap = here->y0 - before->y1, indent = here->x0 - all->left;
    int indent_before = before->x0 - all->left;
    bool is_indented = 10 * indent > 8 * unit && indent < 6 * unit && 2 * indent_before <= unit;
    bool stands_out = 10 * -indent > 8 * unit && 2 * -indent_before <= unit;
    bool ended_early = !all->is_ragged && before->x1 < all->right - 4 * unit;
    bool is_apart = 2 * gap > 3 * all->gap + unit;
    return is_indented || stands_out || ended_early || is_apart;
}

/* A region of `rows` with a margin of half a unit that does not reach into the next line. */
static as_rect with_margin(as_rect r, as_run column, int unit, int gap_above, int gap_below)
{
    int margin = (unit + 1) / 2;
    int above = gap_above / 2 < margin ? gap_above / 2 : margin;
    int below = gap_below / 2 < margin ? gap_below / 2 : margin;
    if (2 * (r.x1 - r.x0) >= column.end - column.begin) {
        r.x0 = column.begin;
        r.x1 = column.end;
    }
    return (as_rect){r.x0 - margin, r.y0 - above, r.x1 + margin, r.y1 + below};
}

static assay_code add_paragraph(const lines *all, int first, int behind, as_run column,
                                int unit, as_rects *out, assay_error *err)
{
    as_rect r = {all->items[first].x0, all->items[first].y0, all->items[first].x1,
                 all->items[behind - 1].y1};
    for (int i = first; i < behind; i++) {
        if (all->items[i].x0 < r.x0) r.x0 = all->items[i].x0;
        if (all->items[i].x1 > r.x1) r.x1 = all->items[i].x1;
    }
    int above = first > 0 ? r.y0 - all->items[first - 1].y1 : 2 * unit;
    int below = behind < all->n ? all->items[behind].y0 - r.y1 : 2 * unit;
    return as_rects_add(out, with_margin(r, column, unit, above, below), err);
}

assay_code as_cut_paragraphs(const as_ink *ink, as_rect block, as_run column, as_rects *out,
                             assay_error *err)
{
    lines all = {0};
    int unit = ink->unit;
    assay_code code = find_lines(ink, block, &all, err);
    if (!code && !is_running_text(&all, unit, block.x1 - block.x0)) {
        code = as_rects_add(out, with_margin(block, column, unit, 2 * unit, 2 * unit), err);
    } else if (!code) {
        int first = 0;
        for (int i = 1; !code && i <= all.n; i++) {
            if (i < all.n && !begins_paragraph(&all, i, unit)) continue;
            code = add_paragraph(&all, first, i, column, unit, out, err);
            first = i;
        }
    }
    as_free(all.items);
    return code;
}
