/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CORPUS_SEGMENT_H
#define ASSAY_CORPUS_SEGMENT_H
/*
 * Page segmentation: the paragraphs, headings, figures and tables of a page as rectangles in
 * reading order.  Deterministic, without a network:
 *
 *     page --ink.c--> ink --segment.c, white gaps--> blocks --paragraphs.c, indents--> regions
 *
 *     code = as_segment(&page, &regions, err);
 *     for (size_t i = 0; i < regions.n; i++) ... regions.items[i]
 *     as_rects_free(&regions);
 */
#include <stddef.h>

#include "base/error.h"
#include "corpus/ink.h"
#include "image/image.h"

/** A rectangle, x1 and y1 behind its last column and row. */
typedef struct as_rect {
    int x0, y0, x1, y1;
} as_rect;

/** Growing list; owns `items`. */
typedef struct as_rects {
    as_rect *items;
    size_t n, room;
} as_rects;

assay_code as_rects_add(as_rects *rects, as_rect rect, assay_error *err);
void as_rects_free(as_rects *rects);

/**
 * The regions of a page, in its pixels.  A blank page has none; page numbers, rules and specks are
 * left out.
 * @param out  owned by the caller on success, empty on failure.
 */
assay_code as_segment(const as_image *page, as_rects *out, assay_error *err);

/** A maximal run of rows (or columns) with ink, or without. */
typedef struct as_run {
    int begin, end;
} as_run;

/** Rows of `rect` with ink as runs; *n of them, at most rect's height. @param runs as_run[height] */
void as_ink_rows(const as_ink *ink, as_rect rect, as_run *runs, int *n);

/** The least rectangle in `rect` that holds its ink; x0 == x1 where there is none. */
as_rect as_ink_bounds(const as_ink *ink, as_rect rect);

/**
 * Cut a block of running text where its paragraphs begin; other blocks stay whole.
 * @param column  x0 and x1 of the column the block stands in: text as wide as half of it becomes
 *                regions as wide as it, so that a column's paragraphs share a network width.
 * Rectangles are in cells, with a margin, and are appended to `out`.
 */
assay_code as_cut_paragraphs(const as_ink *ink, as_rect block, as_run column, as_rects *out,
                             assay_error *err);

#endif
