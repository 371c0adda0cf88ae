/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolutions, and fully connected layers as convolutions of one pixel.  With y = w * x + b:
 *
 *     dw = the kernel weight_grad of x and dy       db = the sum of dy over images and pixels
 *     dx = the transposed convolution of dy by w    (its weights lie as w does, [oc][ic / group][kh][kw])
 *
 * At stride 1 the last is a convolution too, of dy by w turned half around with its channels exchanged,
 * for which the faster kernels are.
 */
#include <string.h>

#include "train/layers.h"

static const char *fit_conv(as_layer *l)
{
    const as_unit *u = &l->unit;
    if (u->kernel == 0 || u->stride == 0 || u->out == 0 || u->group == 0)
        return "a convolution needs out, kernel, stride and group above 0";
    if (l->in.c % u->group || u->out % u->group) return "its groups do not divide its channels";
    const char *why = as_layer_slide(l, u->out);
    if (why) return why;
    l->fan_in = l->in.c / u->group * u->kernel * u->kernel;
    l->n_weights = u->out * l->fan_in;
    l->n_biases = u->has_bias ? u->out : 0;
    return NULL;
}

static const char *fit_linear(as_layer *l)
{
    if (l->unit.out == 0) return "a linear unit needs out above 0";
    if (l->in.h != 1 || l->in.w != 1) return "a linear unit reads vectors, flatten maps first";
    l->unit.kernel = l->unit.stride = l->unit.group = 1;
    return fit_conv(l);
}

as_conv_shape as_layer_shape(const as_layer *l, size_t n)
{
    const as_unit *u = &l->unit;
    return (as_conv_shape){.n = n,
                           .ih = l->in.h,
                           .iw = l->in.w,
                           .ic = l->in.c,
                           .oh = l->out.h,
                           .ow = l->out.w,
                           .oc = l->out.c,
                           .kh = u->kernel,
                           .kw = u->kernel,
                           .sh = u->stride,
                           .sw = u->stride,
                           .dh = 1,
                           .dw = 1,
                           .pad_top = u->pad,
                           .pad_left = u->pad,
                           .group = u->group};
}

bool as_layer_back_is_conv(const as_layer *l) { return l->unit.stride == 1; }

as_conv_shape as_layer_back_shape(const as_layer *l, size_t n)
{
    as_conv_shape s = as_layer_shape(l, n);
    s.ih = l->out.h, s.iw = l->out.w, s.ic = l->out.c;
    s.oh = l->in.h, s.ow = l->in.w, s.oc = l->in.c;
    if (as_layer_back_is_conv(l)) s.pad_top = s.pad_left = l->unit.kernel - 1 - l->unit.pad;
    return s;
}

/* w[group][o][i][taps] -> turned[group][i][o][taps], the taps from the last to the first. */
static void turn(const as_layer *l, const float *restrict w, float *restrict turned)
{
    const size_t n_o = l->unit.out / l->unit.group, n_i = l->in.c / l->unit.group;
    const size_t n_taps = l->unit.kernel * l->unit.kernel;
    for (size_t g = 0; g < l->unit.group; g++)
        for (size_t o = 0; o < n_o; o++)
            for (size_t i = 0; i < n_i; i++, w += n_taps) {
                float *to = turned + ((g * n_i + i) * n_o + o) * n_taps;
                for (size_t t = 0; t < n_taps; t++)
                    to[t] = w[n_taps - 1 - t];
            }
}

/* Weights into both routes' layouts, where training has changed them. */
static void pack(const as_network *net, as_layer *l)
{
    if (l->packed_version == net->version) return;
    const float *weights = net->parameters + l->parameters;
    const as_conv_shape shape = as_layer_shape(l, 1), back = as_layer_back_shape(l, 1);
    l->route->pack(&shape, weights, l->n_biases ? weights + l->n_weights : NULL, l->packed);
    if (l->turned) turn(l, weights, l->turned);
    l->back->pack(&back, l->turned ? l->turned : weights, NULL, l->packed_back);
    l->packed_version = net->version;
}

/* A route at work on one batch. */
typedef struct conv_job {
    const as_network *net;
    const as_route *route;
    as_conv_args args;
} conv_job;

static void conv_part(void *context, size_t begin, size_t end, size_t thread)
{
    const conv_job *job = context;
    job->route->run(&job->args, begin, end,
                    job->net->scratch + thread * job->net->scratch_floats);
}

static void run_route(const as_pass *pass, const as_route *route, const as_conv_shape *s,
                      const float *packed, const float *x, float *y)
{
    conv_job job = {.net = pass->network, .route = route};
    job.args = (as_conv_args){.shape = *s,
                              .packed = packed,
                              .in = as_view_of((float *)x, s->n, s->ih, s->iw, s->ic),
                              .out = as_view_of(y, s->n, s->oh, s->ow, s->oc)};
    as_threads_run(pass->pool, route->n_items(s), conv_part, &job);
}

static void forward(const as_pass *pass, as_layer *l, const float *x)
{
    const as_conv_shape s = as_layer_shape(l, pass->n);
    pack(pass->network, l);
    run_route(pass, l->route, &s, l->packed, x, l->values);
}

typedef struct weight_job {
    const as_kernels *kernels;
    as_weight_grad_args args;
} weight_job;

static void weight_part(void *context, size_t begin, size_t end, size_t thread)
{
    const weight_job *job = context;
    (void)thread;
    job->kernels->weight_grad(&job->args, begin, end);
}

static void backward_weights(const as_pass *pass, const as_layer *l, const float *x)
{
    const as_kernels *k = pass->network->kernels;
    const as_conv_shape s = as_layer_shape(l, pass->n);
    weight_job job = {.kernels = k};
    job.args =
        (as_weight_grad_args){.shape = s,
                              .in = as_view_of((float *)x, s.n, s.ih, s.iw, s.ic),
                              .out_gradient = as_view_of(l->gradient, s.n, s.oh, s.ow, s.oc),
                              .weights = pass->network->gradients + l->parameters};
    as_threads_run(pass->pool, k->weight_grad_items(&job.args), weight_part, &job);
}

static void backward_biases(const as_pass *pass, const as_layer *l)
{
    float *restrict bias = pass->network->gradients + l->parameters + l->n_weights;
    const float *restrict dy = l->gradient;
    const size_t n_pixels = pass->n * l->out.h * l->out.w, n = l->n_biases;
    memset(bias, 0, n * sizeof *bias);
    for (size_t i = 0; i < n_pixels; i++, dy += n)
        for (size_t c = 0; c < n; c++)
            bias[c] += dy[c];
}

static void backward(const as_pass *pass, as_layer *l, const float *x, float *dx)
{
    backward_weights(pass, l, x);
    if (l->n_biases) backward_biases(pass, l);
    if (!dx) return;
    const as_conv_shape s = as_layer_back_shape(l, pass->n);
    run_route(pass, l->back, &s, l->packed_back, l->gradient, dx);
}

const as_layer_kind as_layer_conv = {"conv", fit_conv, forward, backward};
const as_layer_kind as_layer_linear = {"linear", fit_linear, forward, backward};
