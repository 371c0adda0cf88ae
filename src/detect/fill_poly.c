/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cv2.fillPoly of OpenCV 5.0.0 (modules/imgproc/src/drawing.cpp: CollectPolyEdges, Line,
 * LineIterator, clipLine, FillEdgeCollection) for 8-connected lines and no fractional bits.  It
 * draws every edge as a Bresenham line and fills each row between the edges' positions, kept with
 * 16 fractional bits.  A row of a convex shape crosses two edges, so no edge list is needed.
 */
#include "detect/fill_poly.h"

#include <stdbool.h>
#include <string.h>

enum { FRACTION_BITS = 16 };
#define ONE ((int64_t)1 << FRACTION_BITS)

typedef struct canvas {
    uint8_t *mask;
    int64_t h, w;
} canvas;

typedef struct place {
    int64_t x, y;
} place;

/* One side of the shape on rows first..end-1; x at row y is x_first + (y - first) * slope. */
typedef struct side {
    int64_t first, end;
    int64_t x_first, slope;
} side;

enum { LEFT_OF = 1, RIGHT_OF = 2, ABOVE = 4, BELOW = 8 };

static int region_x(const canvas *c, int64_t x)
{
    return (x < 0 ? LEFT_OF : 0) | (x > c->w - 1 ? RIGHT_OF : 0);
}

static int region(const canvas *c, place p)
{
    return region_x(c, p.x) | (p.y < 0 ? ABOVE : 0) | (p.y > c->h - 1 ? BELOW : 0);
}

/* Move `p` along the line to `q` onto the top or bottom row. */
static int clip_rows(const canvas *c, int where, place *p, place q)
{
    int64_t row = where & BELOW ? c->h - 1 : 0;
    p->x += (int64_t)((double)(row - p->y) * (double)(q.x - p->x) / (double)(q.y - p->y));
    p->y = row;
    return region_x(c, p->x);
}

/* Move `p` along the line to `q` onto the first or last column. */
static void clip_columns(const canvas *c, int where, place *p, place q)
{
    int64_t column = where & RIGHT_OF ? c->w - 1 : 0;
    p->y += (int64_t)((double)(column - p->x) * (double)(q.y - p->y) / (double)(q.x - p->x));
    p->x = column;
}

/*
 * Cohen and Sutherland's clipping, each end by the line as the steps before left it.
 * @return whether some of the line is on the canvas; the ends move even where none is.
 */
static bool clip_line(const canvas *c, place *p, place *q)
{
    int at_p = region(c, *p), at_q = region(c, *q);
    if ((at_p & at_q) == 0 && (at_p | at_q) != 0) {
        if (at_p & (ABOVE | BELOW)) at_p = clip_rows(c, at_p, p, *q);
        if (at_q & (ABOVE | BELOW)) at_q = clip_rows(c, at_q, q, *p);
        if ((at_p & at_q) == 0 && (at_p | at_q) != 0) {
            if (at_p) clip_columns(c, at_p, p, *q);
            if (at_q) clip_columns(c, at_q, q, *p);
            at_p = at_q = 0;
        }
    }
    return (at_p | at_q) == 0;
}

/* Bresenham's line between two places on the canvas, drawn from left to right. */
static void draw_line(const canvas *c, place from, place to)
{
    int64_t dx = to.x - from.x, dy = to.y - from.y;
    if (dx < 0) {
        from = to;
        dx = -dx;
        dy = -dy;
    }
    int64_t step_y = dy < 0 ? -c->w : c->w;
    if (dy < 0) dy = -dy;
    bool is_steep = dy > dx;
    int64_t along = is_steep ? step_y : 1, aside = is_steep ? 1 : step_y;
    int64_t longer = is_steep ? dy : dx, shorter = is_steep ? dx : dy;
    int64_t error = longer - 2 * shorter;
    uint8_t *pixel = c->mask + from.y * c->w + from.x;
    for (int64_t i = 0; i <= longer; i++) {
        *pixel = 1;
        if (i == longer) break;
        bool turns = error < 0;
        error += -2 * shorter + (turns ? 2 * longer : 0);
        pixel += along + (turns ? aside : 0);
    }
}

/* Draw the edge p-q and describe where it stands on its rows. */
static side edge_side(const canvas *c, as_point p, as_point q)
{
    place on_p = {p.x, p.y}, on_q = {q.x, q.y};
    if (clip_line(c, &on_p, &on_q)) draw_line(c, on_p, on_q);
    int64_t rows = (int64_t)q.y - p.y, clipped_rows = on_q.y - on_p.y;
    if (rows == 0) return (side){0};
    /* The clipped ends give the slope; where they are level, with the rows of the real ends. */
    int64_t p_row = clipped_rows != 0 ? on_p.y : p.y, q_row = clipped_rows != 0 ? on_q.y : q.y;
    int64_t slope = (on_q.x - on_p.x) * ONE / (clipped_rows != 0 ? clipped_rows : rows);
    if (rows > 0) return (side){p.y, q.y, on_p.x * ONE + (p.y - p_row) * slope, slope};
    return (side){q.y, p.y, on_q.x * ONE + (q.y - q_row) * slope, slope};
}

/* Whole pixels of a position, rounded down also below 0. */
static int64_t whole(int64_t position)
{
    return position >= 0 ? position >> FRACTION_BITS
                         : -((-position + ONE - 1) >> FRACTION_BITS);
}

/* Fill from position `low` rounded up to position `high` rounded down. */
static void fill_row(const canvas *c, int64_t y, int64_t low, int64_t high)
{
    int64_t first = whole(low + ONE - 1), last = whole(high);
    if (first >= c->w || last < 0) return;
    if (first < 0) first = 0;
    if (last >= c->w) last = c->w - 1;
    if (first <= last) memset(c->mask + y * c->w + first, 1, (size_t)(last - first + 1));
}

void as_fill_quad(uint8_t *mask, int h, int w, const as_point corners[4])
{
    canvas c = {mask, h, w};
    side sides[4];
    int64_t first = h, end = 0;
    for (int i = 0; i < 4; i++) {
        sides[i] = edge_side(&c, corners[(i + 3) % 4], corners[i]);
        if (sides[i].first == sides[i].end) continue;
        if (sides[i].first < first) first = sides[i].first;
        if (sides[i].end > end) end = sides[i].end;
    }
    if (first < 0) first = 0;
    if (end > h) end = h;
    for (int64_t y = first; y < end; y++) {
        int64_t low = INT64_MAX, high = INT64_MIN;
        for (int i = 0; i < 4; i++) {
            if (y < sides[i].first || y >= sides[i].end) continue;
            int64_t x = sides[i].x_first + (y - sides[i].first) * sides[i].slope;
            if (x < low) low = x;
            if (x > high) high = x;
        }
        if (low <= high) fill_row(&c, y, low, high);
    }
}
