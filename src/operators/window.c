/* SPDX-License-Identifier: Apache-2.0 */
#include "operators/window.h"

#include "graph/shape.h"

/* What the node says of its window, with what is not said filled in. */
static as_conv_attributes attributes_of(const as_op_call *call)
{
    const as_attributes *a = &call->node->attributes;
    const bool is_conv = as_op_info(call->node->op)->attributes == AS_ATTRIBUTES_conv;
    as_conv_attributes conv = {0};
    if (is_conv)
        conv = a->conv;
    else
        conv.window = a->pool.window;
    conv.window.n_axes = call->in[0]->shape.rank - 2;
    as_window_fill(&conv.window, is_conv ? &call->in[1]->shape : NULL);
    return conv;
}

as_geometry as_geometry_of(const as_op_call *call, bool is_transposed)
{
    const as_conv_attributes conv = attributes_of(call);
    const as_window *w = &conv.window;
    as_geometry g = {.in = {1, 1, 1},
                     .out = {1, 1, 1},
                     .kernel = {1, 1, 1},
                     .stride = {1, 1, 1},
                     .dilation = {1, 1, 1}};
    for (int axis = 0; axis < w->n_axes; axis++) {
        const int at = 3 - w->n_axes + axis, entry = as_window_entry(w->n_axes, axis);
        g.in[at] = call->in[0]->shape.dims[2 + axis];
        g.out[at] = call->out[0]->shape.dims[2 + axis];
        g.kernel[at] = w->kernel[entry];
        g.stride[at] = w->strides[entry];
        g.dilation[at] = w->dilations[entry];
        if (is_transposed)
            as_window_transpose_pad(&conv, entry, g.in[at], &g.before[at], &g.behind[at]);
        else
            as_window_pad(w, entry, g.in[at], &g.before[at], &g.behind[at]);
    }
    return g;
}

as_output_row as_output_row_of(const as_geometry *g, size_t channels, size_t row)
{
    as_output_row at;
    at.h = (int64_t)(row % (size_t)g->out[1]);
    row /= (size_t)g->out[1];
    at.d = (int64_t)(row % (size_t)g->out[0]);
    row /= (size_t)g->out[0];
    at.c = row % channels;
    at.n = row / channels;
    return at;
}

/* The least i >= 0 with i * stride >= x. */
static int64_t reach(int64_t x, int64_t stride)
{
    return x <= 0 ? 0 : (x + stride - 1) / stride;
}

void as_inside(const as_geometry *g, int axis, int64_t k, int64_t *begin, int64_t *end)
{
    const int64_t shift = g->before[axis] - k * g->dilation[axis], out = g->out[axis];
    *begin = reach(shift, g->stride[axis]);
    *end = reach(shift + g->in[axis], g->stride[axis]);
    if (*end > out) *end = out;
    if (*begin > *end) *begin = *end;
}
