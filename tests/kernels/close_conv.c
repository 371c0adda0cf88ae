/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The transforms stand here once more, made from the points by the general rule, so that a slip in
 * the kernels' constants shows: row i of A^T and of G are powers of the points, G's divided by the
 * product of differences; row i of B^T has the coefficients of the product of (x - p) over the
 * other points.
 */
#include "close_conv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/ref/ref.h"

#define MAX_TILE 6

/* What denormals may be worth here that were taken for zeros: values stay below 2^5, and sums and
 * transforms multiply them by less than 2^16. */
#define FLUSHED 0x1p-100

#define OVERFLOWS 1e38

typedef struct transform {
    size_t tile, out;
    double at[MAX_TILE][MAX_TILE], g[MAX_TILE][3], bt[MAX_TILE][MAX_TILE]; /* absolute values */
    double n_roundings;
} transform;

/* c = c * (x - root), coefficients from x^0 on. */
static void multiply_by_root(double *c, size_t n, double root)
{
    for (size_t i = n; i-- > 0;)
        c[i] = (i ? c[i - 1] : 0) - root * c[i];
}

static transform make_transform(size_t tile)
{
    static const double points2[] = {0, 1, -1}, points4[] = {0, 0.75, -0.75, 1.5, -1.5};
    const double *points = tile == 4 ? points2 : points4;
    const size_t n = tile - 1;
    transform t = {.tile = tile, .out = tile - 2, .n_roundings = tile == 4 ? 8 : 12};
    for (size_t i = 0; i <= n; i++) {
        double c[MAX_TILE] = {1}, scale = 1;
        for (size_t j = 0; j < n; j++) {
            if (j == i) continue;
            multiply_by_root(c, tile, points[j]);
            if (i < n) scale *= points[i] - points[j];
        }
        for (size_t j = 0; j < tile; j++)
            t.bt[i][j] = fabs(c[j]);
        for (size_t j = 0; j < 3; j++)
            t.g[i][j] = i < n ? fabs(pow(points[i], (double)j) / scale) : j == 2;
        for (size_t j = 0; j < t.out; j++)
            t.at[j][i] = i < n ? fabs(pow(points[i], (double)j)) : j == t.out - 1;
    }
    return t;
}

/* |G| |g| |G^T| of all weights: double[ic][oc][tile][tile]. */
static double *kernel_reach(const transform *t, const as_conv_shape *s, const float *weights)
{
    const size_t n = t->tile * t->tile;
    double *u = calloc(s->ic * s->oc * n, sizeof *u);
    if (!u) abort();
    for (size_t oc = 0; oc < s->oc; oc++)
        for (size_t ic = 0; ic < s->ic; ic++)
            for (size_t e = 0; e < n; e++)
                for (size_t k = 0; k < 9; k++)
                    u[(ic * s->oc + oc) * n + e] +=
                        t->g[e / t->tile][k / 3] * t->g[e % t->tile][k % 3] *
                        fabs((double)weights[(oc * s->ic + ic) * 9 + k]);
    return u;
}

/* |B^T| |d| |B| of a tile's channel. */
static void input_reach(const transform *t, const as_conv_args *args, size_t image, size_t y0,
                        size_t x0, size_t c, double v[MAX_TILE * MAX_TILE])
{
    const as_conv_shape *s = &args->shape;
    double half[MAX_TILE][MAX_TILE] = {{0}};
    for (size_t y = 0; y < t->tile; y++)
        for (size_t x = 0; x < t->tile; x++) {
            const size_t iy = y0 + y - s->pad_top, ix = x0 + x - s->pad_left;
            if (iy >= s->ih || ix >= s->iw) continue;
            const double d = fabs((double)*as_ref_at(&args->in, image, iy, ix, c));
            for (size_t i = 0; i < t->tile; i++)
                if (t->bt[i][y] != 0) half[i][x] += t->bt[i][y] * d;
        }
    for (size_t i = 0; i < t->tile; i++)
        for (size_t j = 0; j < t->tile; j++) {
            double sum = 0;
            for (size_t x = 0; x < t->tile; x++)
                if (t->bt[j][x] != 0) sum += t->bt[j][x] * half[i][x];
            v[i * t->tile + j] = sum;
        }
}

/* An output in double, without its bias, and the same of absolute values. */
typedef struct answer {
    double sum, reach;
} answer;

static answer right_answer(const as_conv_args *args, const float *weights, size_t image,
                           size_t oy, size_t ox, size_t oc)
{
    const as_conv_shape *s = &args->shape;
    const size_t icg = s->ic / s->group, first = oc / (s->oc / s->group) * icg;
    answer right = {0};
    for (size_t k = 0; k < s->kh * s->kw; k++) {
        const size_t iy = oy * s->sh + k / s->kw * s->dh - s->pad_top;
        const size_t ix = ox * s->sw + k % s->kw * s->dw - s->pad_left;
        const bool is_inside = iy < s->ih && ix < s->iw; /* padding is a zero like any other */
        for (size_t i = 0; i < icg; i++) {
            const float *x = is_inside ? as_ref_at(&args->in, image, iy, ix, first + i) : NULL;
            const double product =
                (x ? (double)*x : 0) * (double)weights[(oc * icg + i) * s->kh * s->kw + k];
            right.sum += product;
            right.reach += fabs(product);
        }
    }
    return right;
}

/* Largest error in a tile; m is the reach before |A^T| .. |A|: double[oc][tile][tile]. */
static double tile_error(const transform *t, const as_conv_args *args, const float *weights,
                         const float *bias, size_t image, size_t y0, size_t x0, const double *m)
{
    const as_conv_shape *s = &args->shape;
    const double unit = 0x1p-24 * ((double)s->ic + t->n_roundings) * (1 + 0x1p-10);
    double worst = 0;
    for (size_t oc = 0; oc < s->oc; oc++, m += t->tile * t->tile)
        for (size_t i = 0; i < t->out * t->out; i++) {
            const size_t y = i / t->out, x = i % t->out;
            if (y0 + y >= s->oh || x0 + x >= s->ow) continue;
            const double first = bias ? (double)bias[oc] : 0;
            double reach = fabs(first);
            for (size_t e = 0; e < t->tile * t->tile; e++)
                reach += t->at[y][e / t->tile] * t->at[x][e % t->tile] * m[e];
            if (!(reach < OVERFLOWS)) continue;
            const double want =
                first + right_answer(args, weights, image, y0 + y, x0 + x, oc).sum;
            const double got = (double)*as_ref_at(&args->out, image, y0 + y, x0 + x, oc);
            const double part = fabs(got - want) / (unit * reach + FLUSHED);
            if (!(part <= worst)) worst = part; /* a NaN is caught, too */
        }
    return worst;
}

/* A product's reach; no bound holds where a transform overflows. */
static double reach_of(double u, double v)
{
    return u < OVERFLOWS && v < OVERFLOWS ? u * v : INFINITY;
}

static double winograd_error(const as_conv_args *args, size_t tile, const float *weights,
                             const float *bias)
{
    const transform t = make_transform(tile);
    const as_conv_shape *s = &args->shape;
    const size_t n = tile * tile, wide = (s->ow + t.out - 1) / t.out;
    const size_t high = (s->oh + t.out - 1) / t.out;
    double *u = kernel_reach(&t, s, weights), *m = malloc(s->oc * n * sizeof *m), worst = 0;
    if (!m) abort();
    for (size_t at = 0; at < s->n * high * wide; at++) {
        const size_t image = at / wide / high, y0 = at / wide % high * t.out;
        const size_t x0 = at % wide * t.out;
        for (size_t i = 0; i < s->oc * n; i++)
            m[i] = 0;
        for (size_t c = 0; c < s->ic; c++) {
            double v[MAX_TILE * MAX_TILE];
            input_reach(&t, args, image, y0, x0, c, v);
            for (size_t i = 0; i < s->oc * n; i++)
                m[i] += reach_of(u[c * s->oc * n + i], v[i % n]);
        }
        const double error = tile_error(&t, args, weights, bias, image, y0, x0, m);
        if (!(error <= worst)) worst = error;
    }
    free(u);
    free(m);
    return worst;
}

static double chains_error(const as_conv_args *args, const float *weights, const float *bias)
{
    const as_conv_shape *s = &args->shape;
    const double n_roundings = (double)(s->kh * s->kw * (s->ic / s->group)) + 3;
    double worst = 0;
    for (size_t i = 0; i < s->n * s->oh * s->ow * s->oc; i++) {
        const size_t oc = i % s->oc, x = i / s->oc % s->ow, row = i / s->oc / s->ow;
        const answer right = right_answer(args, weights, row / s->oh, row % s->oh, x, oc);
        const double first = bias ? (double)bias[oc] : 0;
        const double reach = right.reach + fabs(first);
        if (!(reach < OVERFLOWS)) continue;
        const double got = (double)*as_ref_at(&args->out, row / s->oh, row % s->oh, x, oc);
        const double part = fabs(got - first - right.sum) /
                            (0x1p-24 * n_roundings * (1 + 0x1p-10) * reach + FLUSHED);
        if (!(part <= worst)) worst = part;
    }
    return worst;
}

double close_conv_error(const as_conv_args *args, const char *route, const float *weights,
                        const float *bias)
{
    if (strcmp(route, "chains") == 0) return chains_error(args, weights, bias);
    return winograd_error(args, strcmp(route, "winograd2") == 0 ? 4 : 6, weights, bias);
}
