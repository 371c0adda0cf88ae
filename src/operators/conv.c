/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conv and ConvTranspose.  An item is a row of the output; an element's terms are added in the
 * order kernel depth, row, column, channel, as the kernels do it, behind the bias.
 */
#include "operators/window.h"

/* What a row needs. */
typedef struct job {
    as_geometry g;
    const float *x, *w, *b;
    float *y;
    size_t ic, oc, group;
    size_t per_ic, per_oc; /* channels of one group */
} job;

static job job_of(const as_op_call *call, bool is_transposed)
{
    const as_array *b = as_op_in(call, 2);
    job j = {.g = as_geometry_of(call, is_transposed),
             .x = call->in[0]->data,
             .w = call->in[1]->data,
             .b = b ? b->data : NULL,
             .y = call->out[0]->data,
             .ic = (size_t)call->in[0]->shape.dims[1],
             .oc = (size_t)call->out[0]->shape.dims[1],
             .group = (size_t)call->node->attributes.conv.group};
    j.per_ic = j.ic / j.group;
    j.per_oc = j.oc / j.group;
    return j;
}

/* The input's row in channel `c`. */
static const float *input_row(const job *j, size_t n, size_t c, int64_t d, int64_t h)
{
    const as_geometry *g = &j->g;
    const size_t row = ((n * j->ic + c) * (size_t)g->in[0] + (size_t)d) * (size_t)g->in[1];
    return j->x + (row + (size_t)h) * (size_t)g->in[2];
}

/* The weight at (a, b) of w[][..][kd][kh][kw], whose second extent is `n`. */
static float weight(const job *j, size_t a, size_t n, size_t b, const int64_t k[3])
{
    const int64_t *extent = j->g.kernel;
    const size_t place = (size_t)((k[0] * extent[1] + k[1]) * extent[2] + k[2]);
    return j->w[(a * n + b) * (size_t)(extent[0] * extent[1] * extent[2]) + place];
}

/* Start a row with the bias. */
static float *open_row(const job *j, const as_output_row *at, size_t row)
{
    const size_t ow = (size_t)j->g.out[2];
    float *y = j->y + row * ow;
    for (size_t i = 0; i < ow; i++)
        y[i] = j->b ? j->b[at->c] : 0.0F;
    return y;
}

/* ---- Conv ---- */

/* Add kernel place `k`: input rows d, h of all channels of the group. */
static void add_place(const job *j, const as_output_row *at, const int64_t k[3], int64_t d,
                      int64_t h, float *y)
{
    const as_geometry *g = &j->g;
    const size_t first = at->c / j->per_oc * j->per_ic;
    const int64_t stride = g->stride[2], shift = k[2] * g->dilation[2] - g->before[2];
    int64_t begin, end;
    as_inside(g, 2, k[2], &begin, &end);
    for (size_t c = 0; c < j->per_ic; c++) {
        const float *x = input_row(j, at->n, first + c, d, h);
        const float w = weight(j, at->c, j->per_ic, c, k);
        for (int64_t i = begin; i < end; i++)
            y[i] += w * x[i * stride + shift];
    }
}

static void conv_row(const job *j, size_t row)
{
    const as_geometry *g = &j->g;
    const as_output_row at = as_output_row_of(g, j->oc, row);
    float *y = open_row(j, &at, row);
    int64_t k[3];
    for (k[0] = 0; k[0] < g->kernel[0]; k[0]++) {
        const int64_t d = at.d * g->stride[0] - g->before[0] + k[0] * g->dilation[0];
        if (d < 0 || d >= g->in[0]) continue;
        for (k[1] = 0; k[1] < g->kernel[1]; k[1]++) {
            const int64_t h = at.h * g->stride[1] - g->before[1] + k[1] * g->dilation[1];
            if (h < 0 || h >= g->in[1]) continue;
            for (k[2] = 0; k[2] < g->kernel[2]; k[2]++)
                add_place(j, &at, k, d, h, y);
        }
    }
}

void as_plain_conv(const as_op_call *call, size_t begin, size_t end)
{
    const job j = job_of(call, false);
    for (size_t row = begin; row < end; row++)
        conv_row(&j, row);
}

/* ---- ConvTranspose ---- */

/* The input's row that kernel row `k` spreads to output row `at`; -1 when there is none. */
static int64_t source(const as_geometry *g, int axis, int64_t at, int64_t k)
{
    const int64_t spread = at + g->before[axis] - k * g->dilation[axis];
    if (spread < 0 || spread % g->stride[axis] != 0) return -1;
    return spread / g->stride[axis] < g->in[axis] ? spread / g->stride[axis] : -1;
}

/* Columns [*begin, *end) of the input that kernel column `k` spreads to a column of the output. */
static void spread_range(const as_geometry *g, int64_t k, int64_t *begin, int64_t *end)
{
    const int64_t shift = k * g->dilation[2] - g->before[2], s = g->stride[2];
    *begin = shift >= 0 ? 0 : (-shift + s - 1) / s;
    *end = g->out[2] > shift ? (g->out[2] - shift + s - 1) / s : 0;
    if (*end > g->in[2]) *end = g->in[2];
}

static void spread_place(const job *j, const as_output_row *at, const int64_t k[3], int64_t d,
                         int64_t h, float *y)
{
    const as_geometry *g = &j->g;
    const size_t first = at->c / j->per_oc * j->per_ic;
    const int64_t stride = g->stride[2], shift = k[2] * g->dilation[2] - g->before[2];
    int64_t begin, end;
    spread_range(g, k[2], &begin, &end);
    for (size_t c = 0; c < j->per_ic; c++) {
        const float *x = input_row(j, at->n, first + c, d, h);
        const float w = weight(j, first + c, j->per_oc, at->c % j->per_oc, k);
        for (int64_t i = begin; i < end; i++)
            y[i * stride + shift] += w * x[i];
    }
}

static void transposed_row(const job *j, size_t row)
{
    const as_geometry *g = &j->g;
    const as_output_row at = as_output_row_of(g, j->oc, row);
    float *y = open_row(j, &at, row);
    int64_t k[3];
    for (k[0] = 0; k[0] < g->kernel[0]; k[0]++) {
        const int64_t d = source(g, 0, at.d, k[0]);
        for (k[1] = 0; d >= 0 && k[1] < g->kernel[1]; k[1]++) {
            const int64_t h = source(g, 1, at.h, k[1]);
            for (k[2] = 0; h >= 0 && k[2] < g->kernel[2]; k[2]++)
                spread_place(j, &at, k, d, h, y);
        }
    }
}

void as_plain_conv_transpose(const as_op_call *call, size_t begin, size_t end)
{
    const job j = job_of(call, true);
    for (size_t row = begin; row < end; row++)
        transposed_row(&j, row);
}
