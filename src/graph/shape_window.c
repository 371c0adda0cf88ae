/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shapes of what slides a window over one to three axes.  Source: the ONNX operator specification
 * of Conv, ConvTranspose, MaxPool, AveragePool and LpPool.
 *
 *     reach  = (kernel - 1) * dilation + 1                      rows that a window covers
 *     output = floor((input + pads - reach) / stride) + 1       ceil() when ceil_mode
 *     output = ceil(input / stride)                             SAME
 *     output = stride * (input - 1) + reach + output_padding - pads      transposed
 */
#include <limits.h>

#include "graph/shape_rules.h"

int as_window_entry(int n_axes, int axis)
{
    int entry = axis + 2 - n_axes;
    return entry < 0 ? 2 : entry;
}

void as_window_fill(as_window *window, const as_shape *weights)
{
    for (int axis = 0; weights && axis < window->n_axes; axis++) {
        const int64_t extent = weights->dims[2 + axis];
        int *kernel = &window->kernel[as_window_entry(window->n_axes, axis)];
        if (*kernel == 0 && extent > 0 && extent <= INT_MAX) *kernel = (int)extent;
    }
    if (window->n_axes == 1) window->kernel[0] = 1;
}

int64_t as_window_reach(const as_window *w, int entry)
{
    return (int64_t)(w->kernel[entry] - 1) * w->dilations[entry] + 1;
}

static bool is_same(const as_window *w)
{
    return w->auto_pad == AS_PAD_SAME_UPPER || w->auto_pad == AS_PAD_SAME_LOWER;
}

/* Split a total so that the odd one is where auto_pad wants it. */
static void split_pad(int64_t total, bool is_more_behind, int64_t *before, int64_t *behind)
{
    if (total < 0) total = 0;
    *before = is_more_behind ? total / 2 : total - total / 2;
    *behind = total - *before;
}

void as_window_pad(const as_window *window, int entry, int64_t in, int64_t *before,
                   int64_t *behind)
{
    const int *pads = entry < 2 ? &window->pads[entry] : &window->pads[4];
    *before = window->auto_pad == AS_PAD_EXPLICIT ? pads[0] : 0;
    *behind = window->auto_pad == AS_PAD_EXPLICIT ? pads[entry < 2 ? 2 : 1] : 0;
    if (!is_same(window)) return;
    int64_t stride = window->strides[entry], out = (in + stride - 1) / stride;
    split_pad((out - 1) * stride + as_window_reach(window, entry) - in,
              window->auto_pad == AS_PAD_SAME_UPPER, before, behind);
}

void as_window_transpose_pad(const as_conv_attributes *conv, int entry, int64_t in,
                             int64_t *before, int64_t *behind)
{
    const as_window *window = &conv->window;
    as_window_pad(window, entry, in, before, behind);
    int64_t stride = window->strides[entry], out = conv->output_shape[entry];
    if (out == 0 && is_same(window)) out = in * stride;
    if (out == 0) return;
    split_pad(stride * (in - 1) + conv->output_padding[entry] + as_window_reach(window, entry) -
                  out,
              window->auto_pad == AS_PAD_SAME_UPPER, before, behind);
}

void as_window_pads(const as_window *window, int64_t ih, int64_t iw, int64_t pads[4])
{
    as_window_pad(window, 0, ih, &pads[0], &pads[2]);
    as_window_pad(window, 1, iw, &pads[1], &pads[3]);
}

void as_window_transpose_pads(const as_conv_attributes *conv, int64_t ih, int64_t iw,
                              int64_t pads[4])
{
    as_window_transpose_pad(conv, 0, ih, &pads[0], &pads[2]);
    as_window_transpose_pad(conv, 1, iw, &pads[1], &pads[3]);
}

/* One axis of a window's output; -1 when the input is not known. */
static assay_code window_out(const as_shape_call *call, const as_window *w, int entry,
                             bool is_ceil, int64_t in, int64_t *out)
{
    *out = -1;
    if (in < 0 || w->kernel[entry] == 0) return ASSAY_OK;
    int64_t stride = w->strides[entry], before, behind;
    if (is_same(w)) {
        *out = (in + stride - 1) / stride;
        return ASSAY_OK;
    }
    as_window_pad(w, entry, in, &before, &behind);
    int64_t room = in + before + behind - as_window_reach(w, entry);
    if (is_ceil ? room <= -stride : room < 0)
        return as_fail(call->err, as_shape_mismatch_code(call),
                       "its input has %lld %s and %lld of padding, its window needs %lld: the "
                       "output size would be %lld",
                       (long long)in,
                       entry == 0   ? "rows"
                       : entry == 1 ? "columns"
                                    : "layers",
                       (long long)(before + behind), (long long)as_window_reach(w, entry),
                       (long long)(1 - (stride - 1 - room) / stride)); /* rounded down */
    *out =
        (is_ceil ? (room + stride - 1) / stride : room / stride) + 1; /* both dividends >= 0 */
    /* A last window that would begin in the padding behind does not count. */
    if (is_ceil && (*out - 1) * stride >= in + before) *out -= 1;
    return ASSAY_OK;
}

/* A window for an input of `rank` dims: its axes, and its kernel where the weights say it. */
static assay_code open_window(const as_shape_call *call, const as_window *from,
                              const as_shape *weights, as_window *out)
{
    const as_shape *x = as_shape_in(call, 0);
    *out = *from;
    if (x->rank < 3 || x->rank > 2 + AS_MAX_SPATIAL ||
        (from->n_axes && from->n_axes != x->rank - 2)) {
        char text[64];
        as_shape_text(x, text, sizeof text);
        if (from->n_axes)
            return as_fail(call->err, as_shape_mismatch_code(call),
                           "its input 0 is %s, whose pads needs %d values, its window is of %d "
                           "axes and has %d",
                           text, 2 * (x->rank - 2), from->n_axes, 2 * from->n_axes);
        return as_fail(call->err, as_shape_mismatch_code(call),
                       "its input 0 is %s, it needs 3 to %d dims", text, 2 + AS_MAX_SPATIAL);
    }
    out->n_axes = x->rank - 2;
    if (weights) {
        assay_code code = as_shape_need_rank(call, 1, x->rank);
        if (code) return code;
    }
    as_window_fill(out, weights);
    return ASSAY_OK;
}

/* The window itself, whoever wrote it; a kernel of 0 is one that the weights do not say yet. */
static assay_code check_window(const as_shape_call *call, const as_window *w, bool is_computed)
{
    for (int axis = 0; axis < w->n_axes; axis++) {
        const int at = as_window_entry(w->n_axes, axis);
        const int before = w->pads[at < 2 ? at : 4], behind = w->pads[at < 2 ? at + 2 : 5];
        if (w->kernel[at] < (is_computed ? 0 : 1) || w->strides[at] < 1 || w->dilations[at] < 1)
            return as_fail(call->err, ASSAY_E_FORMAT,
                           "its kernel_shape, strides and dilations are %d, %d, %d on axis %d, "
                           "each must be "
                           "above 0",
                           w->kernel[at], w->strides[at], w->dilations[at], axis);
        if (as_window_reach(w, at) > AS_MAX_DIM)
            return as_fail(
                call->err, ASSAY_E_FORMAT,
                "its kernel_shape %d and dilations %d make a window of %lld, too large: "
                "%d is the most",
                w->kernel[at], w->dilations[at], (long long)as_window_reach(w, at), AS_MAX_DIM);
        if (before < 0 || behind < 0)
            return as_fail(call->err, ASSAY_E_FORMAT,
                           "its pads are %d and %d, they must be >= 0", before, behind);
    }
    return ASSAY_OK;
}

/* What Conv and ConvTranspose share: kernel against weights, channels and bias. */
static assay_code check_conv(const as_shape_call *call, const as_window *window,
                             int64_t weight_ic, int64_t oc)
{
    const int group = call->node->attributes.conv.group;
    const as_shape *x = as_shape_in(call, 0), *w = as_shape_in(call, 1),
                   *b = as_shape_in(call, 2);
    bool is_computed = false;
    for (int axis = 0; axis < window->n_axes; axis++) {
        const int64_t has = w->dims[2 + axis];
        const int says = window->kernel[as_window_entry(window->n_axes, axis)];
        is_computed = is_computed || has < 0;
        if (has >= 0 && has != says) {
            char text[64];
            return as_fail(call->err, ASSAY_E_FORMAT,
                           "its kernel_shape is %d on axis %d, its weights are %s", says, axis,
                           as_shape_text(w, text, sizeof text));
        }
    }
    if (group < 1)
        return as_fail(call->err, ASSAY_E_FORMAT, "its group is %d, it must be above 0", group);
    if ((x->dims[1] >= 0 && x->dims[1] % group != 0) || (oc >= 0 && oc % group != 0))
        return as_fail(call->err, as_shape_mismatch_code(call),
                       "its group %d does not divide %lld input channels and %lld output "
                       "channels",
                       group, (long long)x->dims[1], (long long)oc);
    if (x->dims[1] >= 0 && weight_ic >= 0 && x->dims[1] != weight_ic)
        return as_fail(call->err, as_shape_mismatch_code(call),
                       "its weights expect %lld input channels, it gets %lld",
                       (long long)weight_ic, (long long)x->dims[1]);
    if (b && oc >= 0 && !(b->rank == 1 && (b->dims[0] < 0 || b->dims[0] == oc))) {
        char text[64];
        return as_fail(call->err, ASSAY_E_FORMAT, "its bias is %s, its weights need [%lld]",
                       as_shape_text(b, text, sizeof text), (long long)oc);
    }
    return check_window(call, window, is_computed);
}

/* n * group, or -1 when n is not known. */
static int64_t times(int64_t n, int group) { return n < 0 ? -1 : n * group; }

assay_code as_shape_conv(const as_shape_call *call)
{
    const as_conv_attributes *conv = &call->node->attributes.conv;
    const as_shape *x = as_shape_in(call, 0), *w = as_shape_in(call, 1);
    as_window window;
    assay_code code = open_window(call, &conv->window, w, &window);
    if (!code) code = check_conv(call, &window, times(w->dims[1], conv->group), w->dims[0]);
    as_shape out = {.rank = x->rank, .dims = {x->dims[0], w->dims[0]}};
    for (int axis = 0; !code && axis < window.n_axes; axis++)
        code = window_out(call, &window, as_window_entry(window.n_axes, axis), false,
                          x->dims[2 + axis], &out.dims[2 + axis]);
    *call->out = out;
    return code;
}

/* One axis of a transposed convolution's output; -1 when the input is not known. */
static assay_code transposed_out(const as_shape_call *call, const as_conv_attributes *conv,
                                 int entry, int64_t in, int64_t *out)
{
    const as_window *w = &conv->window;
    *out = -1;
    if (w->kernel[entry] == 0) return ASSAY_OK;
    /* The specification's input * stride needs negative pads then, which engines clamp. */
    int64_t covered = as_window_reach(w, entry) + conv->output_padding[entry];
    if (is_same(w) && covered < w->strides[entry])
        return as_fail(call->err, ASSAY_E_UNSUPPORTED,
                       "its auto_pad is SAME with a stride of %d above its window of %lld",
                       w->strides[entry], (long long)covered);
    if (conv->output_shape[entry]) {
        *out = conv->output_shape[entry];
        return ASSAY_OK;
    }
    if (in < 0) return ASSAY_OK;
    int64_t before, behind;
    as_window_transpose_pad(conv, entry, in, &before, &behind);
    *out = w->strides[entry] * (in - 1) + covered - before - behind;
    if (is_same(w)) *out = in * w->strides[entry];
    if (*out >= 1) return ASSAY_OK;
    return as_fail(call->err, as_shape_mismatch_code(call),
                   "its pads %lld and %lld leave nothing of its output", (long long)before,
                   (long long)behind);
}

assay_code as_shape_conv_transpose(const as_shape_call *call)
{
    as_conv_attributes conv = call->node->attributes.conv;
    const as_shape *x = as_shape_in(call, 0), *w = as_shape_in(call, 1);
    assay_code code = open_window(call, &conv.window, w, &conv.window);
    if (code) return code;
    int64_t oc = times(w->dims[1], conv.group);
    code = check_conv(call, &conv.window, w->dims[0], oc);
    if (code) return code;
    if (w->dims[0] >= 0 && w->dims[0] % conv.group != 0)
        return as_fail(call->err, ASSAY_E_FORMAT,
                       "its group is %d, its input has %lld channels", conv.group,
                       (long long)w->dims[0]);
    as_shape out = {.rank = x->rank, .dims = {x->dims[0], oc}};
    for (int axis = 0; !code && axis < conv.window.n_axes; axis++)
        code = transposed_out(call, &conv, as_window_entry(conv.window.n_axes, axis),
                              x->dims[2 + axis], &out.dims[2 + axis]);
    *call->out = out;
    return code;
}

assay_code as_shape_pool(const as_shape_call *call)
{
    const as_pool_attributes *pool = &call->node->attributes.pool;
    as_window window;
    assay_code code = open_window(call, &pool->window, NULL, &window);
    if (!code) code = check_window(call, &window, false);
    if (code) return code;
    as_shape out = *as_shape_in(call, 0);
    for (int axis = 0; !code && axis < window.n_axes; axis++) {
        /* A window that lies in the padding alone would have nothing to take. */
        const int at = as_window_entry(window.n_axes, axis);
        const int before = window.pads[at < 2 ? at : 4],
                  behind = window.pads[at < 2 ? at + 2 : 5];
        const int64_t reach = as_window_reach(&window, at);
        if (before >= reach || behind >= reach)
            return as_fail(call->err, ASSAY_E_FORMAT,
                           "its pads are %d and %d, they must be below its window's %lld",
                           before, behind, (long long)reach);
        code = window_out(call, &window, at, pool->ceil_mode, out.dims[2 + axis],
                          &out.dims[2 + axis]);
    }
    *call->out = out;
    return code;
}

assay_code as_shape_global_pool(const as_shape_call *call)
{
    as_shape out = *as_shape_in(call, 0);
    if (out.rank < 3)
        return as_fail(call->err, as_shape_mismatch_code(call),
                       "its input has %d dims, it needs at least 3", out.rank);
    for (int i = 2; i < out.rank; i++)
        out.dims[i] = 1;
    *call->out = out;
    return ASSAY_OK;
}
