/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page -> grey cells -> ink cells.  The paper's brightness is taken from tiles: the 90th percentile
 * of a tile, and of its eight neighbours the brightest, so that a tile inside a heading is not
 * taken for dark paper.
 */
#include "corpus/ink.h"

#include <leptonica/allheaders.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "image/format.h"

enum {
    LONG_SIDE_CELLS = 1600, /* pages are brought near it: 10-point text is then 9 cells high */
    TILE = 32,              /* cells a side; wider than a text line is high */
    SPECK = 2               /* marks of at most so many cells a side are dirt */
};

void as_ink_free(as_ink *ink)
{
    as_free(ink->is_ink);
    *ink = (as_ink){0};
}

/* ITU-R BT.601 luma in 1/256. */
static int grey_of(const uint8_t *bgr)
{
    return (29 * bgr[0] + 150 * bgr[1] + 77 * bgr[2]) >> 8;
}

/* The mean grey of the cell's scale x scale pixels. */
static uint8_t cell_grey(const as_image *page, int scale, int y, int x)
{
    int sum = 0;
    for (int dy = 0; dy < scale; dy++) {
        size_t row = (size_t)(y * scale + dy) * (size_t)page->w;
        const uint8_t *from = page->bgr + (row + (size_t)x * (size_t)scale) * 3;
        for (int dx = 0; dx < scale; dx++)
            sum += grey_of(from + 3 * dx);
    }
    return (uint8_t)(sum / (scale * scale));
}

static uint8_t tile_paper(const uint8_t *grey, const as_ink *ink, int ty, int tx)
{
    int histogram[256] = {0}, n = 0;
    for (int y = ty * TILE; y < (ty + 1) * TILE && y < ink->h; y++)
        for (int x = tx * TILE; x < (tx + 1) * TILE && x < ink->w; x++, n++)
            histogram[grey[(size_t)y * (size_t)ink->w + (size_t)x]]++;
    int above = 0, level = 255;
    while (level > 0 && (above += histogram[level]) * 10 < n)
        level--;
    return (uint8_t)level;
}

static int brightest_around(const uint8_t *paper, int th, int tw, int ty, int tx)
{
    int best = 0;
    for (int y = ty - 1; y <= ty + 1; y++)
        for (int x = tx - 1; x <= tx + 1; x++)
            if (y >= 0 && x >= 0 && y < th && x < tw && paper[y * tw + x] > best)
                best = paper[y * tw + x];
    return best;
}

/* ink->is_ink holds grey values before, ink after. */
static assay_code threshold(as_ink *ink, assay_error *err)
{
    int th = (ink->h + TILE - 1) / TILE, tw = (ink->w + TILE - 1) / TILE;
    uint8_t *paper = as_alloc_array((size_t)th, (size_t)tw);
    if (!paper) return as_fail(err, ASSAY_E_MEMORY, "no memory for a page's brightness");
    for (int ty = 0; ty < th; ty++)
        for (int tx = 0; tx < tw; tx++)
            paper[ty * tw + tx] = tile_paper(ink->is_ink, ink, ty, tx);
    for (int y = 0; y < ink->h; y++)
        for (int x = 0; x < ink->w; x++) {
            uint8_t *cell = ink->is_ink + (size_t)y * (size_t)ink->w + (size_t)x;
            *cell = *cell * 5 < brightest_around(paper, th, tw, y / TILE, x / TILE) * 4;
        }
    as_free(paper);
    return ASSAY_OK;
}

static PIX *to_pix(const as_ink *ink)
{
    PIX *pix = pixCreate(ink->w, ink->h, 1);
    for (int y = 0; pix && y < ink->h; y++) {
        l_uint32 *row = pixGetData(pix) + (size_t)y * (size_t)pixGetWpl(pix);
        for (int x = 0; x < ink->w; x++)
            if (ink->is_ink[(size_t)y * (size_t)ink->w + (size_t)x]) SET_DATA_BIT(row, x);
    }
    return pix;
}

static void from_pix(PIX *pix, as_ink *ink)
{
    for (int y = 0; y < ink->h; y++) {
        const l_uint32 *row = pixGetData(pix) + (size_t)y * (size_t)pixGetWpl(pix);
        for (int x = 0; x < ink->w; x++)
            ink->is_ink[(size_t)y * (size_t)ink->w + (size_t)x] = (uint8_t)GET_DATA_BIT(row, x);
    }
}

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* The median height of marks between 4 cells and 1/30 of the page; a guess where there are few. */
static int median_height(BOXA *marks, const as_ink *ink, int *heights)
{
    int longer = ink->h > ink->w ? ink->h : ink->w, n = 0;
    for (int i = 0; i < boxaGetCount(marks); i++) {
        l_int32 h = 0;
        boxaGetBoxGeometry(marks, i, NULL, NULL, NULL, &h);
        if (h >= 4 && h * 30 <= longer) heights[n++] = h;
    }
    if (n < 10) return longer / 120 > 4 ? longer / 120 : 4;
    qsort(heights, (size_t)n, sizeof *heights, by_value);
    return heights[n / 2];
}

static assay_code clean_and_measure(as_ink *ink, assay_error *err)
{
    assay_code code = ASSAY_OK;
    PIX *all = to_pix(ink);
    PIX *marks =
        all ? pixSelectBySize(all, SPECK, SPECK, 8, L_SELECT_IF_EITHER, L_SELECT_IF_GT, NULL)
            : NULL;
    BOXA *boxes = marks ? pixConnComp(marks, NULL, 8) : NULL;
    int *heights =
        boxes ? as_alloc_array((size_t)boxaGetCount(boxes) + 1, sizeof *heights) : NULL;
    if (heights) {
        from_pix(marks, ink);
        ink->unit = median_height(boxes, ink, heights);
    } else {
        code = as_fail(err, ASSAY_E_MEMORY, "no memory for a page's marks");
    }
    as_free(heights);
    boxaDestroy(&boxes);
    pixDestroy(&marks);
    pixDestroy(&all);
    return code;
}

assay_code as_ink_find(const as_image *page, as_ink *out, assay_error *err)
{
    int longer = page->h > page->w ? page->h : page->w;
    as_ink ink = {.scale = longer / LONG_SIDE_CELLS > 1 ? longer / LONG_SIDE_CELLS : 1};
    *out = (as_ink){0};
    as_leptonica_silence();
    while (ink.scale > 1 && (page->h < ink.scale || page->w < ink.scale))
        ink.scale--;
    ink.h = page->h / ink.scale;
    ink.w = page->w / ink.scale;
    ink.is_ink = as_alloc_array((size_t)ink.h, (size_t)ink.w);
    if (!ink.is_ink)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for %dx%d cells of a page", ink.w,
                       ink.h);
    for (int y = 0; y < ink.h; y++)
        for (int x = 0; x < ink.w; x++)
            ink.is_ink[(size_t)y * (size_t)ink.w + (size_t)x] =
                cell_grey(page, ink.scale, y, x);
    assay_code code = threshold(&ink, err);
    if (!code) code = clean_and_measure(&ink, err);
    if (code)
        as_ink_free(&ink);
    else
        *out = ink;
    return code;
}
