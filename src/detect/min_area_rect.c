/* SPDX-License-Identifier: Apache-2.0 */
/*
 * G. Toussaint, "Solving geometric problems with the rotating calipers" (1983): the least rectangle
 * has a side on an edge of the hull, so four supporting lines turn round it from edge to edge.
 * Types and order of every operation follow OpenCV 5.0.0 (modules/imgproc/src/rotcalipers.cpp,
 * RotatedRect::points in modules/core/src/types.cpp), which its wheels compile for SSE3, without
 * fused multiply-adds.
 *
 *              TOP           base = (a, b) is the direction of the BOTTOM line;
 *        +-----------+       the others are it turned by 90, 180 and 270 degrees.
 *   LEFT |           | RIGHT
 *        +-----------+       y grows upwards in this picture only.
 *            BOTTOM
 */
#include "detect/min_area_rect.h"

#include <float.h>
#include <math.h>

#include "detect/hull.h"

enum { BOTTOM, RIGHT, TOP, LEFT, N_SIDES };

typedef struct vector {
    float x, y;
} vector;

/* The hull and where the supporting lines touch it. */
typedef struct calipers {
    int32_t n;
    vector *points;  /* [n] */
    vector *edges;   /* [n] points[i + 1] - points[i] */
    float *inverses; /* [n] 1 / length of the edge */
    int32_t touch[N_SIDES];
    vector base;
} calipers;

/* The best rectangle so far. */
typedef struct candidate {
    int32_t left, bottom;
    vector base;
    float width, height, area;
} candidate;

static assay_code calipers_init(calipers *c, const as_points *hull, as_room *room,
                                assay_error *err)
{
    assay_code code = as_room_reserve(room, hull->n, 2 * sizeof(vector) + sizeof(float), err);
    if (code) return code;
    *c = (calipers){.n = (int32_t)hull->n, .points = room->data};
    c->edges = c->points + c->n;
    c->inverses = (float *)(c->edges + c->n);
    for (int32_t i = 0; i < c->n; i++)
        c->points[i] = (vector){(float)hull->items[i].x, (float)hull->items[i].y};
    for (int32_t i = 0; i < c->n; i++) {
        vector from = c->points[i], to = c->points[i + 1 < c->n ? i + 1 : 0];
        double dx = to.x - from.x, dy = to.y - from.y;
        c->edges[i] = (vector){(float)dx, (float)dy};
        c->inverses[i] = (float)(1. / sqrt(dx * dx + dy * dy));
    }
    return ASSAY_OK;
}

/* Lay the lines along the axes; the first of several extreme corners counts. */
static void calipers_start(calipers *c)
{
    int32_t *touch = c->touch;
    for (int32_t i = 1; i < c->n; i++) {
        vector p = c->points[i];
        if (p.x < c->points[touch[LEFT]].x) touch[LEFT] = i;
        if (p.x > c->points[touch[RIGHT]].x) touch[RIGHT] = i;
        if (p.y > c->points[touch[TOP]].y) touch[TOP] = i;
        if (p.y < c->points[touch[BOTTOM]].y) touch[BOTTOM] = i;
    }
    vector a = c->edges[c->n - 1];
    for (int32_t i = 0; i < c->n; i++) {
        vector b = c->edges[i];
        double turn = (double)a.x * b.y - (double)a.y * b.x;
        if (turn != 0) {
            c->base = (vector){turn > 0 ? 1.f : -1.f, 0};
            return;
        }
        a = b;
    }
}

/* The edge behind a touching corner, turned so that the four can be compared. */
static vector edge_turned(const calipers *c, int side)
{
    vector e = c->edges[c->touch[side]];
    switch (side) {
    case RIGHT:
        return (vector){e.y, -e.x};
    case TOP:
        return (vector){-e.x, -e.y};
    case LEFT:
        return (vector){-e.y, e.x};
    default:
        return e;
    }
}

/* Turn the lines until the first of them lies on an edge, and step over that edge. */
static void calipers_turn(calipers *c)
{
    int main_side = BOTTOM;
    vector first = edge_turned(c, BOTTOM);
    for (int side = RIGHT; side < N_SIDES; side++) {
        vector e = edge_turned(c, side);
        if (e.y * first.x + -e.x * first.y < 0) {
            main_side = side;
            first = e;
        }
    }
    float inverse = c->inverses[c->touch[main_side]];
    c->base = (vector){first.x * inverse, first.y * inverse};
    if (++c->touch[main_side] == c->n) c->touch[main_side] = 0;
}

static void candidate_update(candidate *best, const calipers *c)
{
    const vector *p = c->points;
    const int32_t *touch = c->touch;
    float dx = p[touch[RIGHT]].x - p[touch[LEFT]].x;
    float dy = p[touch[RIGHT]].y - p[touch[LEFT]].y;
    float width = dx * c->base.x + dy * c->base.y;
    dx = p[touch[TOP]].x - p[touch[BOTTOM]].x;
    dy = p[touch[TOP]].y - p[touch[BOTTOM]].y;
    float height = -dx * c->base.y + dy * c->base.x;
    float area = width * height;
    if (area <= best->area)
        *best = (candidate){touch[LEFT], touch[BOTTOM], c->base, width, height, area};
}

/*
 * Give `rect` the direction (x, y) of its width, in degrees in -90..0: each quarter turn lets width
 * and height change places.  The angle stays in double until it is stored.
 */
static void rect_turn(as_rect *rect, double x, double y)
{
    double angle = atan2(y, x) * 180 / M_PI;
    while (angle >= 0 || angle < -90) {
        angle += angle >= 0 ? -90 : 90;
        float width = rect->width;
        rect->width = rect->height;
        rect->height = width;
    }
    rect->angle_deg = (float)angle;
}

/* The corner where the left and the bottom line meet, and the sides from there. */
static as_rect candidate_rect(const candidate *best, const vector *points)
{
    float a1 = best->base.x, b1 = best->base.y;
    float a2 = -best->base.y, b2 = best->base.x;
    vector left = points[best->left], bottom = points[best->bottom];
    float c1 = a1 * left.x + left.y * b1;
    float c2 = a2 * bottom.x + bottom.y * b2;
    float inverse = 1.f / (a1 * b2 - a2 * b1);
    vector corner = {(c1 * b2 - c2 * b1) * inverse, (a1 * c2 - a2 * c1) * inverse};
    vector along = {a1 * best->width, b1 * best->width};
    vector across = {a2 * best->height, b2 * best->height};
    as_rect rect = {
        .center_x = corner.x + (along.x + across.x) * 0.5f,
        .center_y = corner.y + (along.y + across.y) * 0.5f,
        .width = (float)sqrt((double)along.x * along.x + (double)along.y * along.y),
        .height = (float)sqrt((double)across.x * across.x + (double)across.y * across.y),
    };
    rect_turn(&rect, along.x, along.y);
    return rect;
}

/* Two corners: a rectangle without height. */
static as_rect segment_rect(as_point a, as_point b)
{
    float ax = (float)a.x, ay = (float)a.y, bx = (float)b.x, by = (float)b.y;
    double dx = bx - ax, dy = by - ay;
    as_rect rect = {
        .center_x = (ax + bx) * 0.5f,
        .center_y = (ay + by) * 0.5f,
        .width = (float)sqrt(dx * dx + dy * dy),
    };
    rect_turn(&rect, dx, dy);
    return rect;
}

assay_code as_min_area_rect(const as_point *points, size_t n, as_rect_room *room, as_rect *rect,
                            assay_error *err)
{
    calipers c = {0};
    candidate best = {.area = FLT_MAX};
    assay_code code = as_hull_find(points, n, &room->sort, &room->hull, err);
    if (code) return code;
    const as_points *hull = &room->hull;
    if (hull->n > 2) {
        code = calipers_init(&c, hull, &room->calipers, err);
        if (code) return code;
        calipers_start(&c);
        for (int32_t i = 0; i < c.n; i++) {
            calipers_turn(&c);
            candidate_update(&best, &c);
        }
        *rect = candidate_rect(&best, c.points);
    } else {
        *rect = segment_rect(hull->items[0], hull->items[hull->n - 1]);
    }
    return ASSAY_OK;
}

as_quad as_rect_corners(const as_rect *rect)
{
    double angle = rect->angle_deg * M_PI / 180.;
    float b = (float)cos(angle) * 0.5f;
    float a = (float)sin(angle) * 0.5f;
    float x = rect->center_x, y = rect->center_y, w = rect->width, h = rect->height;
    return (as_quad){{{x - a * h - b * w, y + b * h - a * w},
                      {x + a * h - b * w, y - b * h - a * w},
                      {x + a * h + b * w, y - b * h + a * w},
                      {x - a * h + b * w, y + b * h + a * w}}};
}

void as_rect_room_free(as_rect_room *room)
{
    as_room_free(&room->sort);
    as_points_free(&room->hull);
    as_room_free(&room->calipers);
}
