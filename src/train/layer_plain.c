/* SPDX-License-Identifier: Apache-2.0 */
/* Layers without weights that look at one element at a time: ReLU, sums, flattening. */
#include <string.h>

#include "train/layers.h"

static const char *fit_same(as_layer *l)
{
    l->out = l->in;
    return NULL;
}

static void relu(const as_pass *pass, as_layer *l, const float *x)
{
    const size_t n = pass->n * as_extent_size(l->out);
    float *restrict y = l->values;
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] < 0.0F ? 0.0F : x[i]; /* a NaN stays one: training has to see it */
}

static void relu_back(const as_pass *pass, as_layer *l, const float *x, float *dx)
{
    const size_t n = pass->n * as_extent_size(l->out);
    const float *restrict dy = l->gradient;
    float *restrict to = dx;
    if (!dx) return;
    for (size_t i = 0; i < n; i++) {
        const float d = dy[i];
        to[i] = x[i] > 0.0F ? d : 0.0F;
    }
}

static void add(const as_pass *pass, as_layer *l, const float *x)
{
    const size_t n = pass->n * as_extent_size(l->out);
    const float *restrict other = as_pass_values(pass, l->unit.from);
    float *restrict y = l->values;
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] + other[i];
}

static void copy(const as_pass *pass, as_layer *l, const float *x)
{
    memcpy(l->values, x, pass->n * as_extent_size(l->out) * sizeof *x);
}

static void copy_back(const as_pass *pass, as_layer *l, const float *x, float *dx)
{
    (void)x;
    if (dx) memcpy(dx, l->gradient, pass->n * as_extent_size(l->out) * sizeof *dx);
}

static const char *fit_flat(as_layer *l)
{
    l->out = (as_extent){1, 1, as_extent_size(l->in)};
    return NULL;
}

const as_layer_kind as_layer_relu = {"relu", fit_same, relu, relu_back};
const as_layer_kind as_layer_add = {"add", fit_same, add, copy_back};
const as_layer_kind as_layer_flatten = {"flatten", fit_flat, copy, copy_back};
