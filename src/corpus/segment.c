/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recursive cutting along white gaps (the XY-cut of G. Nagy and S. Seth, "Hierarchical
 * representation of optically scanned documents", ICPR 1984), columns before rows:
 *
 *     +------------------+        +------------------+
 *     |      title       |        |      title       |  1
 *     |                  |        +------------------+
 *     | text    |  text  |   ->   | 2      | | 4     |
 *     | text    |        |        +--------+ |       |
 *     |         |  table |        |        | +-------+
 *     | text    |        |        | 3      | | 5     |
 *     +------------------+        +--------+ +-------+
 *
 * A gap in x is a gutter when it is wide and the block tall and both sides wide; a block without a
 * gutter is cut at its widest gap in y, when that is wider than those between its lines.
 * Lengths are in units of as_ink.unit, about half a text size, so that they hold for every
 * resolution and script; they were chosen by looking at the pages of papers, books and scans.
 */
#include "corpus/segment.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/size.h"

enum { MOST_DEPTH = 400 };

/* One page being cut. */
typedef struct cutter {
    const as_ink *ink;
    int longer;      /* side of the page, in cells */
    int *projection; /* int[longer], scratch */
    as_run *runs;    /* as_run[longer], scratch */
    as_rects *out;   /* borrows */
    assay_error *err;
} cutter;

/* What a block inherits from those it was cut from. */
typedef struct context {
    as_run column; /* x range of its column */
    int usual_gap; /* between lines, in cells; 0 = not known yet */
    int depth;
} context;

assay_code as_rects_add(as_rects *rects, as_rect rect, assay_error *err)
{
    as_rect *grown = as_grow(rects->items, rects->n, &rects->room, sizeof *rects->items);
    if (!grown) return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu regions", rects->n + 1);
    rects->items = grown;
    rects->items[rects->n++] = rect;
    return ASSAY_OK;
}

void as_rects_free(as_rects *rects)
{
    as_free(rects->items);
    *rects = (as_rects){0};
}

static bool row_has_ink(const as_ink *ink, int y, int x0, int x1)
{
    return memchr(ink->is_ink + (size_t)y * (size_t)ink->w + (size_t)x0, 1,
                  (size_t)(x1 - x0)) != NULL;
}

static bool column_has_ink(const as_ink *ink, int x, int y0, int y1)
{
    for (int y = y0; y < y1; y++)
        if (ink->is_ink[(size_t)y * (size_t)ink->w + (size_t)x]) return true;
    return false;
}

as_rect as_ink_bounds(const as_ink *ink, as_rect r)
{
    while (r.y0 < r.y1 && !row_has_ink(ink, r.y0, r.x0, r.x1))
        r.y0++;
    while (r.y1 > r.y0 && !row_has_ink(ink, r.y1 - 1, r.x0, r.x1))
        r.y1--;
    if (r.y0 == r.y1) r.x1 = r.x0;
    while (r.x0 < r.x1 && !column_has_ink(ink, r.x0, r.y0, r.y1))
        r.x0++;
    while (r.x1 > r.x0 && !column_has_ink(ink, r.x1 - 1, r.y0, r.y1))
        r.x1--;
    return r;
}

void as_ink_rows(const as_ink *ink, as_rect rect, as_run *runs, int *n)
{
    *n = 0;
    for (int y = rect.y0; y < rect.y1; y++) {
        if (!row_has_ink(ink, y, rect.x0, rect.x1)) continue;
        if (*n && runs[*n - 1].end == y)
            runs[*n - 1].end++;
        else
            runs[(*n)++] = (as_run){y, y + 1};
    }
}

/* Columns of `rect` with ink, as runs in c->runs. */
static int ink_columns(cutter *c, as_rect rect)
{
    memset(c->projection, 0, (size_t)c->longer * sizeof *c->projection);
    for (int y = rect.y0; y < rect.y1; y++) {
        const uint8_t *row = c->ink->is_ink + (size_t)y * (size_t)c->ink->w;
        for (int x = rect.x0; x < rect.x1; x++)
            c->projection[x] |= row[x];
    }
    int n = 0;
    for (int x = rect.x0; x < rect.x1; x++) {
        if (!c->projection[x]) continue;
        if (n && c->runs[n - 1].end == x)
            c->runs[n - 1].end++;
        else
            c->runs[n++] = (as_run){x, x + 1};
    }
    return n;
}

/*
 * Where the first gutter of `rect` begins and ends: at least 1.5 units wide, 8 units of block on
 * either side (bullets and reference numbers are not columns), in a block at least 12 units and a
 * tenth of the page high.
 */
static bool find_gutter(cutter *c, as_rect rect, as_run *gutter)
{
    int unit = c->ink->unit, h = rect.y1 - rect.y0;
    if (h < 12 * unit || h * 10 < c->ink->h) return false;
    int n = ink_columns(c, rect);
    for (int i = 1; i < n; i++) {
        *gutter = (as_run){c->runs[i - 1].end, c->runs[i].begin};
        if (2 * (gutter->end - gutter->begin) >= 3 * unit &&
            gutter->begin - rect.x0 >= 8 * unit && rect.x1 - gutter->end >= 8 * unit)
            return true;
    }
    return false;
}

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/*
 * The widest gap between rows of `rect`, the first among equals, when it is plainly wider than
 * those between the block's lines (the lower quartile of its gaps, since short paragraphs have as
 * many gaps around as inside), or wider than any line spacing.
 */
static bool find_row_gap(cutter *c, as_rect rect, int *usual_gap, as_run *gap)
{
    int n, unit = c->ink->unit;
    as_ink_rows(c->ink, rect, c->runs, &n);
    *gap = (as_run){0, 0};
    for (int i = 1; i < n; i++) {
        as_run here = {c->runs[i - 1].end, c->runs[i].begin};
        c->projection[i - 1] = here.end - here.begin;
        if (here.end - here.begin > gap->end - gap->begin) *gap = here;
    }
    if (n >= 5) {
        qsort(c->projection, (size_t)n - 1, sizeof *c->projection, by_value);
        *usual_gap = c->projection[(n - 1) / 4];
    }
    int width = gap->end - gap->begin;
    return 2 * width > 7 * unit || (width > unit && 4 * width > 6 * *usual_gap + 3 * unit);
}

/* A horizontal rule, perhaps a double one: flat, and some row of it mostly ink. */
static bool is_rule(const as_ink *ink, const as_rect *r)
{
    int w = r->x1 - r->x0, h = r->y1 - r->y0;
    if (5 * h > 6 * ink->unit || w < 20 * h) return false;
    for (int y = r->y0; y < r->y1; y++) {
        const uint8_t *row = ink->is_ink + (size_t)y * (size_t)ink->w;
        int n = 0;
        for (int x = r->x0; x < r->x1; x++)
            n += row[x];
        if (100 * n >= 45 * w) return true;
    }
    return false;
}

/* Page numbers and the like (under 3 % wide and 2 % high of the longer side), rules and specks. */
static bool is_furniture(const cutter *c, const as_rect *r)
{
    int w = r->x1 - r->x0, h = r->y1 - r->y0, thin = c->longer * 3 / 1000;
    return (w * 100 < c->longer * 3 && h * 100 < c->longer * 2) || w <= thin || h <= thin ||
           is_rule(c->ink, r);
}

static assay_code cut(cutter *c, as_rect rect, context at);

/*
 * Cut one of the two parts beside a gap in y.  Its column is the block's, unless it is tall, or the
 * other part is furniture, which may have stood in the gutter: then it is as wide as its own ink.
 */
static assay_code cut_part(cutter *c, as_rect part, as_rect other, context at)
{
    int unit = c->ink->unit;
    at.depth++;
    if (part.y1 - part.y0 >= 12 * unit || is_furniture(c, &other))
        at.column = (as_run){part.x0, part.x1};
    return cut(c, part, at);
}

static assay_code cut(cutter *c, as_rect rect, context at)
{
    as_run gap;
    rect = as_ink_bounds(c->ink, rect);
    if (rect.x0 == rect.x1) return ASSAY_OK;
    if (at.depth < MOST_DEPTH && find_gutter(c, rect, &gap)) {
        as_rect left = rect, right = rect;
        left.x1 = gap.begin;
        right.x0 = gap.end;
        context l = {{left.x0, left.x1}, at.usual_gap, at.depth + 1};
        context r = {{right.x0, right.x1}, at.usual_gap, at.depth + 1};
        assay_code code = cut(c, left, l);
        return code ? code : cut(c, right, r);
    }
    if (at.depth < MOST_DEPTH && find_row_gap(c, rect, &at.usual_gap, &gap)) {
        as_rect above = as_ink_bounds(c->ink, (as_rect){rect.x0, rect.y0, rect.x1, gap.begin});
        as_rect below = as_ink_bounds(c->ink, (as_rect){rect.x0, gap.end, rect.x1, rect.y1});
        assay_code code = cut_part(c, above, below, at);
        return code ? code : cut_part(c, below, above, at);
    }
    if (is_furniture(c, &rect)) return ASSAY_OK;
    return as_cut_paragraphs(c->ink, rect, at.column, c->out, c->err);
}

/* From cells to page pixels, inside the page. */
static as_rect on_page(as_rect r, const as_ink *ink, const as_image *page)
{
    as_rect p = {r.x0 * ink->scale, r.y0 * ink->scale, r.x1 * ink->scale, r.y1 * ink->scale};
    if (p.x0 < 0) p.x0 = 0;
    if (p.y0 < 0) p.y0 = 0;
    if (p.x1 > page->w) p.x1 = page->w;
    if (p.y1 > page->h) p.y1 = page->h;
    return p;
}

static assay_code segment_ink(const as_ink *ink, as_rects *cells, assay_error *err)
{
    cutter c = {
        .ink = ink, .longer = ink->h > ink->w ? ink->h : ink->w, .out = cells, .err = err};
    c.projection = as_alloc_array((size_t)c.longer, sizeof *c.projection);
    c.runs = as_alloc_array((size_t)c.longer, sizeof *c.runs);
    assay_code code;
    if (c.projection && c.runs) {
        as_rect all = as_ink_bounds(ink, (as_rect){0, 0, ink->w, ink->h});
        code = cut(&c, all, (context){{all.x0, all.x1}, 0, 0});
    } else {
        code = as_fail(err, ASSAY_E_MEMORY, "no memory to segment a page");
    }
    as_free(c.projection);
    as_free(c.runs);
    return code;
}

assay_code as_segment(const as_image *page, as_rects *out, assay_error *err)
{
    as_ink ink;
    as_rects cells = {0};
    *out = (as_rects){0};
    assay_code code = as_ink_find(page, &ink, err);
    if (!code) code = segment_ink(&ink, &cells, err);
    for (size_t i = 0; !code && i < cells.n; i++)
        code = as_rects_add(out, on_page(cells.items[i], &ink, page), err);
    as_rects_free(&cells);
    as_ink_free(&ink);
    if (code) as_rects_free(out);
    return code;
}
