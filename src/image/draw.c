/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/size.h"
#include "image/image.h"

/* A segment from a to b. */
typedef struct segment {
    double ax, ay, bx, by;
} segment;

/* One side of Liang-Barsky clipping: keep the t in *lo..*hi with from + t * step >= edge. */
static bool clip_side(double from, double step, double edge, double *lo, double *hi)
{
    if (step == 0) return from >= edge;
    double t = (edge - from) / step;
    if (step > 0 && t > *lo) *lo = t;
    if (step < 0 && t < *hi) *hi = t;
    return *lo <= *hi;
}

/* Shorten `s` to what lies within `margin` of the picture.  @return false when nothing does. */
static bool clip(segment *s, const as_image *image, double margin)
{
    double lo = 0, hi = 1, dx = s->bx - s->ax, dy = s->by - s->ay;
    if (!clip_side(s->ax, dx, -margin, &lo, &hi) ||
        !clip_side(-s->ax, -dx, -(image->w + margin), &lo, &hi) ||
        !clip_side(s->ay, dy, -margin, &lo, &hi) ||
        !clip_side(-s->ay, -dy, -(image->h + margin), &lo, &hi))
        return false;
    *s = (segment){s->ax + lo * dx, s->ay + lo * dy, s->ax + hi * dx, s->ay + hi * dy};
    return true;
}

static int within(int value, int most) { return value < 0 ? 0 : value > most ? most : value; }

/* Fill the square of `side` pixels around (x, y), as far as it lies inside. */
static void stamp(as_image *image, double x, double y, as_bgr colour, int side)
{
    int left = (int)lround(x) - (side - 1) / 2, top = (int)lround(y) - (side - 1) / 2;
    int x1 = within(left + side, image->w), y1 = within(top + side, image->h);
    for (int py = within(top, image->h); py < y1; py++)
        for (int px = within(left, image->w); px < x1; px++) {
            uint8_t *to = image->bgr + ((size_t)py * (size_t)image->w + (size_t)px) * 3;
            to[0] = colour.b;
            to[1] = colour.g;
            to[2] = colour.r;
        }
}

void as_image_draw_quad(as_image *image, const int32_t corners[4][2], as_bgr colour,
                        int thickness_px)
{
    for (int i = 0; i < 4; i++) {
        const int32_t *a = corners[i], *b = corners[(i + 1) % 4];
        segment s = {a[0], a[1], b[0], b[1]};
        if (!clip(&s, image, thickness_px)) continue;
        double dx = s.bx - s.ax, dy = s.by - s.ay;
        int n = (int)ceil(fmax(fabs(dx), fabs(dy)));
        for (int step = 0; step <= n; step++) {
            double t = n ? (double)step / n : 0;
            stamp(image, s.ax + t * dx, s.ay + t * dy, colour, thickness_px);
        }
    }
}
