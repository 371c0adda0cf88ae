/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GridSample: the grid says for each pixel of the output where in the input it lies, -1 and 1
 * being the borders, x before y before z.  Source: the ONNX operator specification; what lies
 * outside is found as ONNX's reference does it, first for the place, then for each element of its
 * window.
 */
#include <math.h>

#include "operators/interpolate.h"
#include "operators/operators.h"

/* One axis at one pixel: elements and weights. */
typedef struct window {
    int64_t at[4]; /* -1: outside, a zero */
    float weights[4];
} window;

/* The place on an axis of `n` elements; 1e9 away where the grid has no number. */
static float place(const as_grid_attributes *g, float x, int64_t n)
{
    const float at = g->aligns_corners ? (x + 1.0F) / 2.0F * (float)(n - 1)
                                       : ((x + 1.0F) * (float)n - 1.0F) / 2.0F;
    return at > -1e9F ? (at < 1e9F ? at : 1e9F) : -1e9F;
}

/* Mirror `x` at the borders until it lies between them. */
static double reflect(double x, double low, double high)
{
    const double range = high - low;
    if (range <= 0.0) return low;
    const double away = x < low ? low - x : x > high ? x - high : -1.0;
    if (away < 0.0) return x;
    const double times = floor(away / range), rest = away - times * range;
    const bool is_even = fmod(times, 2.0) == 0.0;
    return (x < low) == is_even ? low + rest : high - rest;
}

static double low_border(const as_grid_attributes *g) { return g->aligns_corners ? 0.0 : -0.5; }

static double high_border(const as_grid_attributes *g, int64_t n)
{
    return (double)n - (g->aligns_corners ? 1.0 : 0.5);
}

static int64_t clamp(int64_t i, int64_t n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

/* The element that stands for element `i`, -1 for a zero. */
static int64_t element(const as_grid_attributes *g, int64_t i, int64_t n)
{
    if (i >= 0 && i < n) return i;
    switch (g->border) {
    case AS_BORDER_EDGE:
        return clamp(i, n);
    case AS_BORDER_REFLECT:
        return clamp((int64_t)reflect((double)i, low_border(g), high_border(g, n)), n);
    case AS_BORDER_CONSTANT:
    case AS_BORDER_WRAP:
        break;
    }
    return -1;
}

static void open_window(const as_grid_attributes *g, float grid, int64_t n, window *w)
{
    float x = place(g, grid, n);
    if (g->mode == AS_RESIZE_NEAREST) x = rintf(x);
    const bool is_outside = (double)x < low_border(g) || (double)x > high_border(g, n);
    if (is_outside && g->border == AS_BORDER_EDGE) x = x < 0.0F ? 0.0F : (float)(n - 1);
    if (is_outside && g->border == AS_BORDER_REFLECT)
        x = (float)reflect((double)x, low_border(g), high_border(g, n));
    const double t = (double)x - floor((double)x);
    const int64_t first = (int64_t)floorf(x);
    if (g->mode == AS_RESIZE_CUBIC) {
        double weights[4];
        as_cubic_weights(t, -0.75, weights);
        for (int k = 0; k < 4; k++) {
            w->at[k] = element(g, first - 1 + k, n);
            w->weights[k] = (float)weights[k];
        }
        return;
    }
    w->at[0] = element(g, first, n);
    w->at[1] = element(g, first + 1, n);
    w->weights[0] = g->mode == AS_RESIZE_NEAREST ? 1.0F : (float)(1.0 - t);
    w->weights[1] = (float)t;
}

static int window_size(const as_grid_attributes *g)
{
    return g->mode == AS_RESIZE_NEAREST ? 1 : g->mode == AS_RESIZE_LINEAR ? 2 : 4;
}

/* An item is one pixel, of all channels. */
size_t as_items_grid_sample(const as_op_call *call)
{
    const as_array *grid = call->in[1];
    if (as_array_elements(call->out[0]) == 0) return 0;
    return as_array_product(grid, 0, grid->shape.rank - 1);
}

/* One channel: the sum over the product of the axes' windows. */
static float sample(const float *x, const int64_t *dims, int n_axes, const window *windows,
                    int size)
{
    int k[AS_MAX_SPATIAL] = {0};
    float sum = 0.0F;
    for (int axis = 0; axis >= 0;) {
        float weight = 1.0F;
        int64_t at = 0;
        for (int d = 0; d < n_axes; d++) {
            const int64_t i = windows[d].at[k[d]];
            weight *= windows[d].weights[k[d]];
            at = i < 0 || at < 0 ? -1 : at * dims[d] + i;
        }
        if (at >= 0) sum += weight * x[at];
        axis = n_axes - 1;
        while (axis >= 0 && ++k[axis] == size)
            k[axis--] = 0;
    }
    return sum;
}

void as_plain_grid_sample(const as_op_call *call, size_t begin, size_t end)
{
    const as_grid_attributes *g = &call->node->attributes.grid;
    const as_array *x = call->in[0], *grid = call->in[1], *y = call->out[0];
    const int rank = x->shape.rank, n_axes = rank - 2;
    const size_t pixels = as_array_product(y, 2, rank), channels = (size_t)x->shape.dims[1];
    const size_t plane = as_array_product(x, 2, rank);
    for (size_t item = begin; item < end; item++) {
        const size_t n = item / pixels, pixel = item % pixels;
        const float *at = (const float *)grid->data + item * (size_t)n_axes;
        window windows[AS_MAX_SPATIAL];
        for (int d = 0; d < n_axes; d++)
            open_window(g, at[n_axes - 1 - d], x->shape.dims[2 + d], &windows[d]);
        for (size_t c = 0; c < channels; c++)
            ((float *)y->data)[(n * channels + c) * pixels + pixel] =
                sample((const float *)x->data + (n * channels + c) * plane, &x->shape.dims[2],
                       n_axes, windows, window_size(g));
    }
}
