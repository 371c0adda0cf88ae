/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batch normalisation (Ioffe and Szegedy, Batch Normalization, 2015, algorithm 1), a channel over images
 * and pixels, m of them:
 *
 *     n = (x - mean) / sqrt(variance + epsilon)      y = scale n + shift
 *     dshift = sum dy      dscale = sum dy n
 *     dx = scale / sqrt(variance + epsilon) * (dy - dshift / m - n dscale / m)
 *
 * Sums are chains in double over the pixels in order.  Running values take a tenth of each batch, the
 * variance that of m - 1, as PyTorch's do, so that the same network trains alike in both.
 */
#include <math.h>
#include <string.h>

#include "train/layers.h"

static const double epsilon = 1e-5, momentum = 0.1;

static const char *fit(as_layer *l)
{
    l->out = l->in;
    l->n_weights = l->n_biases = l->in.c; /* scale, shift */
    l->n_state = 2 * l->in.c;             /* running means, variances */
    return NULL;
}

/* layer->batch: means and inverse deviations of the batch, and room for one sum. */
static void batch_moments(as_layer *l, size_t n_pixels, const float *x)
{
    const size_t n = l->in.c;
    double *mean = l->batch, *inverse = mean + n;
    memset(mean, 0, 2 * n * sizeof *mean);
    for (size_t i = 0; i < n_pixels * n; i += n)
        for (size_t c = 0; c < n; c++)
            mean[c] += (double)x[i + c];
    for (size_t c = 0; c < n; c++)
        mean[c] /= (double)n_pixels;
    for (size_t i = 0; i < n_pixels * n; i += n)
        for (size_t c = 0; c < n; c++) {
            const double d = (double)x[i + c] - mean[c];
            inverse[c] += d * d;
        }
}

/* `inverse` holds sums of squares; they become inverse deviations and part of the running values. */
static void keep_moments(const as_network *net, as_layer *l, size_t n_pixels)
{
    const size_t n = l->in.c;
    const double *mean = l->batch;
    double *inverse = l->batch + n;
    float *running = net->state + l->state;
    const double others = n_pixels > 1 ? (double)(n_pixels - 1) : 1;
    for (size_t c = 0; c < n; c++) {
        const double squares = inverse[c];
        running[c] = (float)((1 - momentum) * (double)running[c] + momentum * mean[c]);
        running[n + c] =
            (float)((1 - momentum) * (double)running[n + c] + momentum * squares / others);
        inverse[c] = 1 / sqrt(squares / (double)n_pixels + epsilon);
    }
}

static void use_running(const as_network *net, as_layer *l)
{
    const float *running = net->state + l->state;
    for (size_t c = 0; c < l->in.c; c++) {
        l->batch[c] = (double)running[c];
        l->batch[l->in.c + c] = 1 / sqrt((double)running[l->in.c + c] + epsilon);
    }
}

static void forward(const as_pass *pass, as_layer *l, const float *x)
{
    const size_t n = l->in.c, n_pixels = pass->n * l->in.h * l->in.w;
    const float *scale = pass->network->parameters + l->parameters, *shift = scale + n;
    if (pass->is_training) {
        batch_moments(l, n_pixels, x);
        keep_moments(pass->network, l, n_pixels);
    } else {
        use_running(pass->network, l);
    }
    const double *mean = l->batch, *inverse = mean + n;
    for (size_t i = 0; i < n_pixels * n; i += n)
        for (size_t c = 0; c < n; c++)
            l->values[i + c] =
                (float)((double)scale[c] * inverse[c] * ((double)x[i + c] - mean[c]) +
                        (double)shift[c]);
}

static void backward(const as_pass *pass, as_layer *l, const float *x, float *dx)
{
    const size_t n = l->in.c, n_pixels = pass->n * l->in.h * l->in.w;
    const float *scale = pass->network->parameters + l->parameters, *dy = l->gradient;
    float *d_scale = pass->network->gradients + l->parameters, *d_shift = d_scale + n;
    const double *mean = l->batch, *inverse = mean + n;
    double *sum = l->batch + 2 * n, *product = sum + n;
    memset(sum, 0, 2 * n * sizeof *sum);
    for (size_t i = 0; i < n_pixels * n; i += n)
        for (size_t c = 0; c < n; c++) {
            sum[c] += (double)dy[i + c];
            product[c] += (double)dy[i + c] * ((double)x[i + c] - mean[c]) * inverse[c];
        }
    for (size_t c = 0; c < n; c++) {
        d_scale[c] = (float)product[c];
        d_shift[c] = (float)sum[c];
    }
    if (!dx) return;
    const double m = (double)n_pixels;
    for (size_t i = 0; i < n_pixels * n; i += n)
        for (size_t c = 0; c < n; c++) {
            const double normal = ((double)x[i + c] - mean[c]) * inverse[c];
            dx[i + c] = (float)((double)scale[c] * inverse[c] *
                                ((double)dy[i + c] - sum[c] / m - normal * product[c] / m));
        }
}

const as_layer_kind as_layer_batchnorm = {"batchnorm", fit, forward, backward};
