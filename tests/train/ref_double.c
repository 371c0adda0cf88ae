/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that the kernels' sources include comes first, as it is; from there on float is double. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/cpu.h"
#include "ref_double.h"

#define float double
#define fmaf                fma
#define fabsf               fabs
#define copysignf           copysign
#define as_ref_conv         as_ref_conv_double
#define as_ref_deconv       as_ref_deconv_double
#define as_ref_weight_grad  as_ref_weight_grad_double
#define as_ref_map          as_ref_map_double
#define as_ref_mean         as_ref_mean_double
#define as_ref_pool         as_ref_pool_double
#define as_ref_interpolate  as_ref_interpolate_double
#define as_ref_softmax      as_ref_softmax_double
#define as_ref_nchw_to_view as_ref_nchw_to_view_double
#define as_ref_view_to_nchw as_ref_view_to_nchw_double
#define as_ref_steps        as_ref_steps_double
#define as_ref_exp          as_ref_exp_double
#define as_view_of          as_view_of_double
#include "kernels/ref/ref_conv.c"
#include "kernels/ref/ref_rest.c"

/* No unit has an epilogue. */
double as_ref_steps_double(const as_epilogue *epilogue, double x, size_t image, size_t y,
                           size_t column, size_t c)
{
    (void)epilogue, (void)image, (void)y, (void)column, (void)c;
    return x;
}

double as_ref_exp_double(double x) { return exp(x); }

static as_view view(const double *data, size_t n, map_size e)
{
    return (as_view){
        .data = (double *)data, .n = n, .h = e.h, .w = e.w, .c = e.c, .pixel_stride = e.c};
}

static void convolve(const as_unit *u, map_size in, map_size out, size_t n, const double *x,
                     const double *weights, double *y)
{
    const size_t group = u->group ? u->group : 1, k = u->kernel ? u->kernel : 1,
                 stride = u->stride ? u->stride : 1;
    const as_conv_args args = {.shape = {.n = n,
                                         .ih = in.h,
                                         .iw = in.w,
                                         .ic = in.c,
                                         .oh = out.h,
                                         .ow = out.w,
                                         .oc = out.c,
                                         .kh = k,
                                         .kw = k,
                                         .sh = stride,
                                         .sw = stride,
                                         .dh = 1,
                                         .dw = 1,
                                         .pad_top = u->pad,
                                         .pad_left = u->pad,
                                         .group = group},
                               .in = view(x, n, in),
                               .out = view(y, n, out)};
    as_ref_conv(&args, weights, u->has_bias ? weights + out.c * (in.c / group) * k * k : NULL);
}

static void pool(const as_unit *u, map_size in, map_size out, size_t n, const double *x,
                 double *y)
{
    const as_pool_args args = {.in = view(x, n, in),
                               .out = view(y, n, out),
                               .kind =
                                   u->kind == AS_UNIT_MAX_POOL ? AS_POOL_MAX : AS_POOL_AVERAGE,
                               .kh = u->kernel,
                               .kw = u->kernel,
                               .sh = u->stride,
                               .sw = u->stride,
                               .dh = 1,
                               .dw = 1,
                               .pad_top = u->pad,
                               .pad_left = u->pad,
                               .pad_bottom = u->pad,
                               .pad_right = u->pad};
    as_ref_pool(&args);
}

/* No kernel of the engine does this: its plans fold it away.  Channel by channel, in two sweeps. */
static void normalise(map_size in, size_t n, const double *x, const double *scale, double *y)
{
    const size_t m = n * in.h * in.w;
    for (size_t c = 0; c < in.c; c++) {
        double mean = 0, variance = 0;
        for (size_t i = 0; i < m; i++)
            mean += x[i * in.c + c] / (double)m;
        for (size_t i = 0; i < m; i++)
            variance += (x[i * in.c + c] - mean) * (x[i * in.c + c] - mean) / (double)m;
        for (size_t i = 0; i < m; i++)
            y[i * in.c + c] =
                scale[c] * (x[i * in.c + c] - mean) / sqrt(variance + 1e-5) + scale[in.c + c];
    }
}

void ref_double_unit(const as_unit *u, map_size in, map_size out, size_t n, const double *x,
                     const double *parameters, const double *other, double *y)
{
    const size_t size = n * out.h * out.w * out.c;
    switch (u->kind) {
    case AS_UNIT_CONV:
    case AS_UNIT_LINEAR:
        convolve(u, in, out, n, x, parameters, y);
        break;
    case AS_UNIT_AVERAGE_POOL:
    case AS_UNIT_MAX_POOL:
        pool(u, in, out, n, x, y);
        break;
    case AS_UNIT_BATCHNORM:
        normalise(in, n, x, parameters, y);
        break;
    default:
        for (size_t i = 0; i < size; i++) {
            y[i] = x[i];
            if (u->kind == AS_UNIT_RELU && x[i] < 0) y[i] = 0;
            if (u->kind == AS_UNIT_ADD) y[i] += other[i];
        }
    }
}
