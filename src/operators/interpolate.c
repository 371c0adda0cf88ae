/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An element is the sum over a window of the input of value times the product of one weight an
 * axis.  A row's last axis is done a chunk at a time, so that its weights are computed once.
 *
 *     linear  1-t  t                       at floor(x), floor(x) + 1        t = x - floor(x)
 *     cubic   Keys' four                   at floor(x) - 1 .. floor(x) + 2
 *
 * Antialiased and shrinking, the window is as many times wider and its weights add up to 1.
 * Sources: the ONNX specification of Resize; R. Keys, "Cubic convolution interpolation for digital
 * image processing", 1981, equation 4, with coefficient `a`.
 */
#include "operators/interpolate.h"

#include <math.h>

#include "base/size.h"

/* Most elements of a window along one axis: a shrink to 1/256 for a cubic. */
#define MOST 1024
/* Weights of the last axis that are held at a time. */
#define ROOM 4096

/* The window of one output index along one axis; places outside are the border's. */
typedef struct window {
    int64_t first;
    bool is_outside;
    float weights[MOST];
} window;

void as_cubic_weights(double t, double a, double weights[4])
{
    const double s = 1.0 - t;
    weights[0] = ((a * (t + 1.0) - 5.0 * a) * (t + 1.0) + 8.0 * a) * (t + 1.0) - 4.0 * a;
    weights[1] = ((a + 2.0) * t - (a + 3.0)) * t * t + 1.0;
    weights[2] = ((a + 2.0) * s - (a + 3.0)) * s * s + 1.0;
    weights[3] = ((a * (s + 1.0) - 5.0 * a) * (s + 1.0) + 8.0 * a) * (s + 1.0) - 4.0 * a;
}

/* The scale by which an antialiased window widens; 1 for all others. */
static double shrink(const as_resize_attributes *r, const as_resize_axis *axis)
{
    const double scale = axis->size / axis->of;
    return r->is_antialiased && scale < 1.0 ? scale : 1.0;
}

/* Elements of a window along an axis: 2 or 4, more where it shrinks antialiased. */
static double reach(const as_resize_attributes *r, const as_resize_axis *axis)
{
    const double half = r->mode == AS_RESIZE_LINEAR ? 1.0 : 2.0;
    if (axis->is_identity) return 1.0;
    return 2.0 - 2.0 * (floor(-half / shrink(r, axis)) + 1.0);
}

static double kernel(const as_resize_attributes *r, double x)
{
    const double a = (double)r->cubic_a;
    x = fabs(x);
    if (r->mode == AS_RESIZE_LINEAR) return x < 1.0 ? 1.0 - x : 0.0;
    if (x <= 1.0) return ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
    return x < 2.0 ? ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a : 0.0;
}

static void scale_to_one(double *weights, int64_t n)
{
    double sum = 0.0;
    for (int64_t k = 0; k < n; k++)
        sum += weights[k];
    for (int64_t k = 0; k < n; k++)
        weights[k] /= sum;
}

void as_interpolation_weights(const as_resize_attributes *r, const as_resize_axis *axis,
                              int64_t i, int64_t n, int64_t *first, bool *is_outside,
                              float *weights)
{
    double w[MOST];
    const double x = as_resize_source(axis, i), scale = shrink(r, axis);
    *is_outside = as_resize_is_outside(axis, x);
    *first = axis->is_identity ? i : 0;
    for (int64_t k = 0; k < n; k++)
        w[k] = k == 0 ? 1.0 : 0.0;
    if (!axis->is_identity && !*is_outside) {
        *first = (int64_t)floor(x) - n / 2 + 1;
        const double t = x - floor(x);
        if (scale < 1.0) {
            for (int64_t k = 0; k < n; k++)
                w[k] = kernel(r, ((double)(*first + k) - floor(x) - t) * scale);
            scale_to_one(w, n);
        } else if (r->mode == AS_RESIZE_LINEAR) {
            w[0] = 1.0 - t;
            w[1] = t;
        } else {
            as_cubic_weights(t, (double)r->cubic_a, w);
        }
        if (r->excludes_outside) {
            for (int64_t k = 0; k < n; k++)
                w[k] = *first + k >= 0 && *first + k < axis->in ? w[k] : 0.0;
            scale_to_one(w, n);
        }
    }
    for (int64_t k = 0; k < n; k++)
        weights[k] = (float)w[k];
}

size_t as_interpolation_taps(const as_resize_attributes *r, const as_resize_axis *axis)
{
    const double taps = reach(r, axis);
    return taps <= MOST ? (size_t)taps : 0;
}

assay_code as_accepts_interpolation(const as_op_call *call, assay_error *err)
{
    const as_resize_attributes *r = &call->node->attributes.resize;
    as_resize_axis axes[AS_MAX_RANK];
    as_resize_axes(r, &call->in[0]->shape, &call->out[0]->shape, NULL, axes);
    for (int axis = 0; axis < call->in[0]->shape.rank; axis++)
        if (!(reach(r, &axes[axis]) <= MOST))
            return as_fail(err, ASSAY_E_UNSUPPORTED,
                           "its window has %.0f elements on axis %d, assay takes %d",
                           reach(r, &axes[axis]), axis, MOST);
    return ASSAY_OK;
}

/* The state of some rows. */
typedef struct rows {
    const as_resize_attributes *r;
    const as_resize_axis *axes;
    const float *x;
    int rank; /* axes before the last one are 0 .. rank - 2 */
    int64_t n[AS_MAX_RANK], stride[AS_MAX_RANK];
    window outer[AS_MAX_RANK - 1];
    /* the chunk of the last axis */
    size_t n_chunk;
    int64_t first[ROOM];
    bool is_outside[ROOM];
    float weights[ROOM];
} rows;

static int64_t clamp(int64_t at, int64_t n) { return at < 0 ? 0 : at >= n ? n - 1 : at; }

/* Add `weight` times what the row of the input at `base` gives. */
static void add_row(const rows *s, int64_t base, float weight, float *out)
{
    const int last = s->rank - 1;
    const int64_t n = s->n[last], in = s->axes[last].in;
    const float *x = s->x + base;
    for (size_t j = 0; j < s->n_chunk; j++) {
        const float *w = &s->weights[j * (size_t)n];
        float sum = 0.0F;
        for (int64_t k = 0; k < n; k++)
            sum += w[k] * x[clamp(s->first[j] + k, in)];
        out[j] += weight * sum;
    }
}

/* Go through the window over the axes before the last one. */
static void sum_rows(const rows *s, float *out)
{
    int64_t k[AS_MAX_RANK] = {0};
    for (int axis = 0; axis >= 0;) {
        float weight = 1.0F;
        int64_t base = 0;
        for (int d = 0; d < s->rank - 1; d++) {
            weight *= s->outer[d].weights[k[d]];
            base += clamp(s->outer[d].first + k[d], s->axes[d].in) * s->stride[d];
        }
        if (weight != 0.0F) add_row(s, base, weight, out);
        axis = s->rank - 2;
        while (axis >= 0 && ++k[axis] == s->n[axis])
            k[axis--] = 0;
    }
}

/* Whether the row is outside as a whole. */
static bool open_row(rows *s, size_t row)
{
    bool is_outside = false;
    for (int axis = s->rank - 2; axis >= 0; axis--) {
        const size_t dim = (size_t)s->axes[axis].out;
        window *w = &s->outer[axis];
        as_interpolation_weights(s->r, &s->axes[axis], (int64_t)(row % dim), s->n[axis],
                                 &w->first, &w->is_outside, w->weights);
        is_outside = is_outside || w->is_outside;
        row /= dim;
    }
    return is_outside;
}

static void do_row(rows *s, size_t row, float *out)
{
    const bool is_outside = open_row(s, row);
    for (size_t j = 0; j < s->n_chunk; j++)
        out[j] = 0.0F;
    if (!is_outside) sum_rows(s, out);
    for (size_t j = 0; j < s->n_chunk; j++)
        if (is_outside || s->is_outside[j]) out[j] = s->r->extrapolation;
}

void as_interpolate_rows(const as_op_call *call, const as_resize_axis axes[AS_MAX_RANK],
                         size_t begin, size_t end)
{
    const as_resize_attributes *r = &call->node->attributes.resize;
    const int rank = call->in[0]->shape.rank, last = rank - 1;
    rows s = {.r = r, .axes = axes, .x = call->in[0]->data, .rank = rank};
    if (begin == end || rank == 0) return;
    int64_t stride = 1;
    for (int axis = last; axis >= 0; axis--) {
        s.n[axis] = (int64_t)reach(r, &axes[axis]);
        s.stride[axis] = stride;
        stride *= axes[axis].in;
    }
    const size_t length = (size_t)axes[last].out, n = (size_t)s.n[last], most = ROOM / n;
    float *y = call->out[0]->data;
    for (size_t at = 0; at < length; at += s.n_chunk) {
        s.n_chunk = as_min(most, length - at);
        for (size_t j = 0; j < s.n_chunk; j++)
            as_interpolation_weights(r, &axes[last], (int64_t)(at + j), s.n[last], &s.first[j],
                                     &s.is_outside[j], &s.weights[j * n]);
        for (size_t row = begin; row < end; row++)
            do_row(&s, row, y + row * length + at);
    }
}
