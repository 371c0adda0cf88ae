/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Normalisations.  Source: the ONNX operator specification.  Means and variances are computed in
 * double in two passes; y = (x - mean) / sqrt(variance + epsilon) * scale + bias in double too, and
 * is rounded once.
 *
 *     BatchNormalization       x [n][c][inner]      an item is a channel, over all n
 *     InstanceNormalization    x [n][c][inner]      an item is one of n * c planes
 *     GroupNormalization       x [n][g][c / g][inner]    an item is one of n * g groups
 *     LayerNormalization       x [outer][inner]     an item is a row
 */
#include <math.h>

#include "operators/broadcast.h"

/* Mean and population variance. */
typedef struct moments {
    double mean, variance;
} moments;

/* Of `n_blocks` blocks of n floats, `step` apart. */
static moments moments_of(const float *x, size_t n_blocks, size_t step, size_t n)
{
    moments m = {0, 0};
    const double count = (double)n_blocks * (double)n;
    for (size_t b = 0; b < n_blocks; b++)
        for (size_t i = 0; i < n; i++)
            m.mean += (double)x[b * step + i];
    m.mean /= count;
    for (size_t b = 0; b < n_blocks; b++)
        for (size_t i = 0; i < n; i++) {
            const double d = (double)x[b * step + i] - m.mean;
            m.variance += d * d;
        }
    m.variance /= count;
    return m;
}

static double inverse_deviation(const moments *m, float epsilon)
{
    return 1 / sqrt(m->variance + (double)epsilon);
}

/* y[i] = (x[i] - mean) * scale + bias */
static void apply(const float *x, float *y, size_t n, double mean, double scale, double bias)
{
    for (size_t i = 0; i < n; i++)
        y[i] = (float)(((double)x[i] - mean) * scale + bias);
}

static const float *floats(const as_array *array) { return array ? array->data : NULL; }

/* ---- BatchNormalization ---- */

size_t as_items_batch_norm(const as_op_call *call) { return as_array_elements(call->in[1]); }

assay_code as_accepts_batch_norm(const as_op_call *call, assay_error *err)
{
    const as_attributes *a = &call->node->attributes;
    for (int k = 1; k < call->n_out; k++)
        if (call->out[k] && !a->batch_norm.is_training)
            return as_fail(err, ASSAY_E_UNSUPPORTED,
                           "its output %d is of training, which it is not in", k);
    if (call->n_out > 3)
        for (int k = 3; k < call->n_out; k++)
            if (call->out[k])
                return as_fail(err, ASSAY_E_UNSUPPORTED,
                               "its output %d is wanted, assay gives 3", k);
    return ASSAY_OK;
}

/* What training makes of channel c's running mean and variance. */
static void keep_running(const as_op_call *call, size_t c, const moments *now)
{
    const double share = (double)call->node->attributes.batch_norm.momentum;
    const double current[2] = {now->mean, now->variance};
    for (int k = 1; k < call->n_out && k < 3; k++)
        if (call->out[k])
            ((float *)call->out[k]->data)[c] =
                (float)((double)floats(call->in[2 + k])[c] * share +
                        current[k - 1] * (1 - share));
}

void as_plain_batch_norm(const as_op_call *call, size_t begin, size_t end)
{
    const as_attributes *a = &call->node->attributes;
    const size_t n_channels = as_items_batch_norm(call);
    const size_t n_all = as_array_elements(call->in[0]);
    const size_t n = as_array_product(call->in[0], 0, call->in[0]->shape.rank > 0);
    if (n_all == 0) return;
    const size_t inner = n_all / n / n_channels;
    for (size_t c = begin; c < end; c++) {
        const float *x = floats(call->in[0]) + c * inner;
        float *y = (float *)call->out[0]->data + c * inner;
        moments m = {(double)floats(call->in[3])[c], (double)floats(call->in[4])[c]};
        if (a->batch_norm.is_training) {
            m = moments_of(x, n, n_channels * inner, inner);
            keep_running(call, c, &m);
        }
        const double scale =
            (double)floats(call->in[1])[c] * inverse_deviation(&m, a->batch_norm.epsilon);
        for (size_t b = 0; b < n; b++)
            apply(x + b * n_channels * inner, y + b * n_channels * inner, inner, m.mean, scale,
                  (double)floats(call->in[2])[c]);
    }
}

/* y = x * scale + shift a channel, what passes make of a BatchNormalization. */
void as_plain_affine(const as_op_call *call, size_t begin, size_t end)
{
    const size_t n_channels = as_items_batch_norm(call);
    const size_t n_all = as_array_elements(call->in[0]);
    const size_t n = as_array_product(call->in[0], 0, call->in[0]->shape.rank > 0);
    if (n_all == 0) return;
    const size_t inner = n_all / n / n_channels;
    for (size_t c = begin; c < end; c++)
        for (size_t b = 0; b < n; b++) {
            const size_t from = (b * n_channels + c) * inner;
            apply(floats(call->in[0]) + from, (float *)call->out[0]->data + from, inner, 0,
                  (double)floats(call->in[1])[c], (double)floats(call->in[2])[c]);
        }
}

/* ---- InstanceNormalization and GroupNormalization: an instance is a group of one channel ---- */

static size_t groups_of(const as_op_call *call)
{
    return call->node->op == AS_OP_INSTANCE_NORM ? (size_t)call->in[0]->shape.dims[1]
                                                 : (size_t)call->node->attributes.norm.n_groups;
}

size_t as_items_group_norm(const as_op_call *call)
{
    if (as_array_elements(call->in[0]) == 0) return 0;
    return (size_t)call->in[0]->shape.dims[0] * groups_of(call);
}

void as_plain_group_norm(const as_op_call *call, size_t begin, size_t end)
{
    const as_attributes *a = &call->node->attributes;
    const as_array *x = call->in[0];
    const size_t n_groups = groups_of(call);
    const size_t channels = (size_t)x->shape.dims[1] / n_groups;
    const size_t inner = as_array_product(x, 2, x->shape.rank);
    const float *scale = floats(call->in[1]), *bias = floats(call->in[2]);
    for (size_t i = begin; i < end; i++) {
        const size_t from = i * channels * inner, group = i % n_groups;
        const moments m = moments_of(floats(x) + from, 1, 0, channels * inner);
        const double inverse = inverse_deviation(&m, a->norm.epsilon);
        for (size_t c = 0; c < channels; c++) {
            const size_t k = a->norm.is_per_group ? group : group * channels + c;
            apply(floats(x) + from + c * inner, (float *)call->out[0]->data + from + c * inner,
                  inner, m.mean, inverse * (double)scale[k], (double)bias[k]);
        }
    }
}

/* ---- LayerNormalization ---- */

static size_t layer_inner(const as_op_call *call)
{
    const as_array *x = call->in[0];
    const int axis = call->node->attributes.norm.axis;
    return as_array_product(x, axis < 0 ? axis + x->shape.rank : axis, x->shape.rank);
}

size_t as_items_layer_norm(const as_op_call *call)
{
    const size_t n = as_array_elements(call->in[0]);
    return n ? n / layer_inner(call) : 0;
}

/* Scale, and bias where it is there, spread over elements [from, from + n) of the output. */
static void scale_row(const as_op_call *call, size_t from, size_t n, const float *x,
                      const moments *m, double inverse)
{
    const as_array *bias = as_op_in(call, 2);
    const as_array *in[2] = {call->in[1], bias ? bias : call->in[1]};
    const as_broadcast b = as_broadcast_of(call->out[0], in, 2);
    float *y = call->out[0]->data;
    for (as_row row = as_row_first(&b, from, from + n); row.n; row = as_row_next(&b, &row)) {
        const float *s = floats(in[0]) + row.from[0], *t = floats(in[1]) + row.from[1];
        for (size_t i = 0; i < row.n; i++) {
            const double normal = ((double)x[row.at + i] - m->mean) * inverse;
            y[row.at + i] = (float)(normal * (double)s[i * row.step[0]] +
                                    (bias ? (double)t[i * row.step[1]] : 0));
        }
    }
}

void as_plain_layer_norm(const as_op_call *call, size_t begin, size_t end)
{
    const float epsilon = call->node->attributes.norm.epsilon;
    const size_t inner = layer_inner(call);
    const float *x = floats(call->in[0]);
    for (size_t i = begin; i < end; i++) {
        const moments m = moments_of(x + i * inner, 1, 0, inner);
        const double inverse = inverse_deviation(&m, epsilon);
        scale_row(call, i * inner, inner, x, &m, inverse);
        if (call->n_out > 1 && call->out[1]) ((float *)call->out[1]->data)[i] = (float)m.mean;
        if (call->n_out > 2 && call->out[2]) ((float *)call->out[2]->data)[i] = (float)inverse;
    }
}

/* ---- LRN: an item is one of n * c planes ---- */

size_t as_items_planes(const as_op_call *call)
{
    return as_array_elements(call->out[0]) ? as_array_product(call->out[0], 0, 2) : 0;
}

/* y = x / (bias + alpha / size * sum of squares of the channels around) ^ beta */
void as_plain_lrn(const as_op_call *call, size_t begin, size_t end)
{
    const as_attributes *a = &call->node->attributes;
    const as_array *in = call->in[0];
    const size_t n_channels = (size_t)in->shape.dims[1];
    const size_t inner = as_array_product(in, 2, in->shape.rank);
    const size_t size = (size_t)a->lrn.size, before = (size - 1) / 2,
                 behind = size - 1 - before;
    for (size_t item = begin; item < end; item++) {
        const size_t c = item % n_channels;
        const size_t first = c < before ? 0 : c - before;
        const size_t last = behind >= n_channels - c ? n_channels - 1 : c + behind;
        const float *batch = floats(in) + (item - c) * inner;
        float *y = (float *)call->out[0]->data + item * inner;
        for (size_t i = 0; i < inner; i++) {
            double sum = 0;
            for (size_t k = first; k <= last; k++)
                sum += (double)batch[k * inner + i] * (double)batch[k * inner + i];
            const double base =
                (double)a->lrn.bias + (double)a->lrn.alpha / (double)a->lrn.size * sum;
            y[i] = (float)((double)batch[c * inner + i] / pow(base, (double)a->lrn.beta));
        }
    }
}
