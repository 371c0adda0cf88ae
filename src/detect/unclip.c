/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What ClipperOffset of Angus Johnson's Clipper 6.4.2 (clipper.cpp: ClipperOffset::DoOffset,
 * OffsetPoint, DoRound, GetUnitNormal), with pyclipper 1.4.0's arc tolerance of 0.25, does to one
 * closed path with round joins.
 *
 * Clipper then merges the path with itself (a union with positive filling).  For a rectangle that
 * changes nothing but this, so no polygon clipper is needed here:
 *   - corners that repeat or lie on a straight line go;
 *   - the result starts behind the rightmost of its topmost points (the scan closes there).
 * Why: a rectangle whose sides are at least 3 stays convex when its corners lose less than one
 * pixel a coordinate: a side turns by less than asin(sqrt(2) / 3) = 28 degrees, so right angles stay
 * below 180.  Around a convex shape the unrounded outline is convex, so along it x and y each rise
 * once and fall once; rounding is monotone and keeps that; and an outline with that property that
 * is wider than 3 pixels does not meet itself.  Distances below 2 pixels are the exception: Clipper
 * then skips slight corners, which may dent the outline by a pixel.  That the merge leaves those
 * outlines too is measured, not proved: tests/detect/differ.py draws such ratios.
 */
#include "detect/unclip.h"

#include <math.h>
#include <stdbool.h>

/* Largest distance between an arc and its chords, in pixels (pyclipper's and Clipper's default). */
static const double ARC_TOLERANCE = 0.25;

typedef struct normal {
    double x, y;
} normal;

/* The box with integer corners, and how its arcs are stepped. */
typedef struct offsetter {
    as_point corners[4];
    normal normals[4]; /* of the side from corner i to corner i + 1, outwards */
    double distance;
    double steps_per_radian;
    double sine, cosine; /* of one step */
    as_points *out;      /* borrowed */
} offsetter;

/* Area as GEOS sums it (Area::ofRingSigned: x relative to the first corner). */
static double quad_area(const as_quad *box)
{
    double x0 = box->corners[0][0];
    double sum = 0;
    for (int i = 1; i < 4; i++) {
        double x = box->corners[i][0] - x0;
        sum += x * ((double)box->corners[i - 1][1] - (double)box->corners[(i + 1) % 4][1]);
    }
    return fabs(sum / 2);
}

static double quad_perimeter(const as_quad *box)
{
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        const float *p = box->corners[i], *q = box->corners[(i + 1) % 4];
        double dx = (double)q[0] - p[0], dy = (double)q[1] - p[1];
        sum += sqrt(dx * dx + dy * dy);
    }
    return sum;
}

static int64_t turn(as_point a, as_point b, as_point c)
{
    return ((int64_t)b.x - a.x) * ((int64_t)c.y - b.y) -
           ((int64_t)b.y - a.y) * ((int64_t)c.x - b.x);
}

/* Truncate the corners and walk them so that every turn is positive; false where that fails. */
static bool take_corners(offsetter *o, const as_quad *box)
{
    as_point *c = o->corners;
    for (int i = 0; i < 4; i++)
        c[i] = (as_point){(int32_t)box->corners[i][0], (int32_t)box->corners[i][1]};
    if (turn(c[0], c[1], c[2]) < 0) {
        for (int i = 0; i < 2; i++) {
            as_point swap = c[i];
            c[i] = c[3 - i];
            c[3 - i] = swap;
        }
    }
    for (int i = 0; i < 4; i++)
        if (turn(c[i], c[(i + 1) % 4], c[(i + 2) % 4]) <= 0) return false;
    return true;
}

static void prepare_arcs(offsetter *o)
{
    double d = o->distance;
    double tolerance = ARC_TOLERANCE > d * ARC_TOLERANCE ? d * ARC_TOLERANCE : ARC_TOLERANCE;
    double steps = M_PI / acos(1 - tolerance / d);
    if (steps > d * M_PI) steps = d * M_PI;
    o->sine = sin(2 * M_PI / steps);
    o->cosine = cos(2 * M_PI / steps);
    o->steps_per_radian = steps / (2 * M_PI);
    for (int i = 0; i < 4; i++) {
        as_point p = o->corners[i], q = o->corners[(i + 1) % 4];
        double dx = (double)(q.x - p.x), dy = (double)(q.y - p.y);
        double inverse = 1. / sqrt(dx * dx + dy * dy);
        dx *= inverse;
        dy *= inverse;
        o->normals[i] = (normal){dy, -dx};
    }
}

/* Halves away from zero. */
static int32_t round_half_away(double value)
{
    return (int32_t)(value < 0 ? value - 0.5 : value + 0.5);
}

static assay_code put(const offsetter *o, int corner, normal to, assay_error *err)
{
    as_point p = {round_half_away(o->corners[corner].x + to.x * o->distance),
                  round_half_away(o->corners[corner].y + to.y * o->distance)};
    return as_points_add(o->out, p, err);
}

static assay_code put_arc(const offsetter *o, int corner, normal from, normal to, double sine,
                          double cosine, assay_error *err)
{
    int steps = round_half_away(o->steps_per_radian * fabs(atan2(sine, cosine)));
    if (steps < 1) steps = 1;
    normal n = from;
    for (int i = 0; i < steps; i++) {
        assay_code code = put(o, corner, n, err);
        if (code) return code;
        n = (normal){n.x * o->cosine - o->sine * n.y, n.x * o->sine + n.y * o->cosine};
    }
    return put(o, corner, to, err);
}

/* Around corner j, from the normal of side k to that of side j; *is_slight where k stays. */
static assay_code put_corner(const offsetter *o, int j, int k, bool *is_slight,
                             assay_error *err)
{
    normal from = o->normals[k], to = o->normals[j];
    double sine = from.x * to.y - to.x * from.y;
    double cosine = from.x * to.x + to.y * from.y;
    *is_slight = fabs(sine * o->distance) < 1. && cosine > 0;
    if (*is_slight) return put(o, j, from, err);
    if (sine < 0) { /* after a slight turn `from` belongs to an older side */
        assay_code code = put(o, j, from, err);
        if (code == ASSAY_OK) code = as_points_add(o->out, o->corners[j], err);
        return code ? code : put(o, j, to, err);
    }
    if (sine > 1) sine = 1;
    return put_arc(o, j, from, to, sine, cosine, err);
}

static assay_code put_outline(const offsetter *o, assay_error *err)
{
    int k = 3;
    for (int j = 0; j < 4; j++) {
        bool is_slight;
        assay_code code = put_corner(o, j, k, &is_slight, err);
        if (code) return code;
        if (!is_slight) k = j;
    }
    return ASSAY_OK;
}

/* Drop points that repeat their neighbour or lie between theirs on a straight line. */
static void drop_straight(as_points *ring)
{
    as_point *p = ring->items;
    for (bool changed = true; changed && ring->n > 2;) {
        size_t kept = 0;
        for (size_t i = 0; i < ring->n; i++) {
            as_point before = kept > 0 ? p[kept - 1] : p[ring->n - 1];
            as_point after = i + 1 < ring->n ? p[i + 1] : p[0];
            if (turn(before, p[i], after) != 0) p[kept++] = p[i];
        }
        changed = kept != ring->n;
        ring->n = kept;
    }
}

static void reverse(as_point *p, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        as_point swap = p[i];
        p[i] = p[n - 1 - i];
        p[n - 1 - i] = swap;
    }
}

/* Turn the ring so that it starts behind the rightmost of its topmost points. */
static void start_below_top(as_points *ring)
{
    as_point *p = ring->items;
    size_t n = ring->n, top = 0;
    for (size_t i = 1; i < n; i++)
        if (p[i].y < p[top].y || (p[i].y == p[top].y && p[i].x > p[top].x)) top = i;
    size_t first = (top + 1) % n;
    /* A rotation by three reversals. */
    reverse(p, first);
    reverse(p + first, n - first);
    reverse(p, n);
}

assay_code as_unclip(const as_quad *box, double ratio, as_points *out, assay_error *err)
{
    offsetter o = {.out = out};
    out->n = 0;
    o.distance = quad_area(box) * ratio / quad_perimeter(box);
    if (!take_corners(&o, box)) return ASSAY_OK;
    assay_code code = ASSAY_OK;
    if (o.distance < 1e-20) { /* Clipper's NEAR_ZERO: the box stays as it is */
        for (int i = 0; i < 4 && !code; i++)
            code = as_points_add(out, o.corners[i], err);
    } else {
        prepare_arcs(&o);
        code = put_outline(&o, err);
    }
    if (code) return code;
    drop_straight(out);
    if (out->n < 3)
        out->n = 0;
    else
        start_below_top(out);
    return ASSAY_OK;
}
