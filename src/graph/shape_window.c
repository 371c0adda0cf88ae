/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shapes of what slides a window over h and w.  Source: the ONNX operator specification of Conv,
 * ConvTranspose, MaxPool and AveragePool.
 *
 *     reach  = (kernel - 1) * dilation + 1                      rows that a window covers
 *     output = floor((input + pads - reach) / stride) + 1       ceil() when ceil_mode
 *     output = ceil(input / stride)                             SAME
 *     output = stride * (input - 1) + reach + output_padding - pads      transposed
 */
#include "graph/shape_rules.h"

static int64_t reach(const as_window *w, int axis)
{
    return (int64_t)(w->kernel[axis] - 1) * w->dilations[axis] + 1;
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

void as_window_pads(const as_window *window, int64_t ih, int64_t iw, int64_t pads[4])
{
    int64_t in[2] = {ih, iw};
    for (int axis = 0; axis < 2; axis++) {
        int64_t *before = &pads[axis], *behind = &pads[axis + 2];
        *before = window->auto_pad == AS_PAD_EXPLICIT ? window->pads[axis] : 0;
        *behind = window->auto_pad == AS_PAD_EXPLICIT ? window->pads[axis + 2] : 0;
        if (!is_same(window)) continue;
        int64_t stride = window->strides[axis], out = (in[axis] + stride - 1) / stride;
        split_pad((out - 1) * stride + reach(window, axis) - in[axis],
                  window->auto_pad == AS_PAD_SAME_UPPER, before, behind);
    }
}

void as_window_transpose_pads(const as_conv_attributes *conv, int64_t ih, int64_t iw,
                              int64_t pads[4])
{
    const as_window *window = &conv->window;
    int64_t in[2] = {ih, iw};
    as_window_pads(window, ih, iw, pads);
    for (int axis = 0; axis < 2; axis++) {
        int64_t stride = window->strides[axis], out = conv->output_shape[axis];
        if (out == 0 && is_same(window)) out = in[axis] * stride;
        if (out == 0) continue;
        split_pad(stride * (in[axis] - 1) + conv->output_padding[axis] + reach(window, axis) -
                      out,
                  window->auto_pad == AS_PAD_SAME_UPPER, &pads[axis], &pads[axis + 2]);
    }
}

/* One axis of a window's output; -1 when the input is not known. */
static assay_code window_out(const as_shape_call *call, const as_window *w, int axis,
                             bool is_ceil, int64_t in, int64_t *out)
{
    *out = -1;
    if (in < 0) return ASSAY_OK;
    int64_t stride = w->strides[axis];
    if (is_same(w)) {
        *out = (in + stride - 1) / stride;
        return ASSAY_OK;
    }
    int64_t pads[4];
    as_window_pads(w, in, in, pads);
    int64_t room = in + pads[axis] + pads[axis + 2] - reach(w, axis);
    if (is_ceil ? room <= -stride : room < 0)
        return as_fail(call->err, as_shape_mismatch_code(call),
                       "its input has %lld %s and %lld of padding, its window needs %lld",
                       (long long)in, axis ? "columns" : "rows",
                       (long long)(pads[axis] + pads[axis + 2]), (long long)reach(w, axis));
    *out =
        (is_ceil ? (room + stride - 1) / stride : room / stride) + 1; /* both dividends >= 0 */
    /* A last window that would begin in the padding behind does not count. */
    if (is_ceil && (*out - 1) * stride >= in + pads[axis]) *out -= 1;
    return ASSAY_OK;
}

/* The window itself, whoever wrote it. */
static assay_code check_window(const as_shape_call *call, const as_window *w)
{
    for (int axis = 0; axis < 2; axis++) {
        if (w->kernel[axis] < 1 || w->strides[axis] < 1 || w->dilations[axis] < 1)
            return as_fail(
                call->err, ASSAY_E_FORMAT,
                "its kernel, stride and dilation are %d, %d, %d, each must be above 0",
                w->kernel[axis], w->strides[axis], w->dilations[axis]);
        if (w->pads[axis] < 0 || w->pads[axis + 2] < 0)
            return as_fail(call->err, ASSAY_E_FORMAT,
                           "its pads are %d and %d, they must be >= 0", w->pads[axis],
                           w->pads[axis + 2]);
    }
    return ASSAY_OK;
}

/* What Conv and ConvTranspose share: ranks, kernel against weights, channels and bias. */
static assay_code check_conv(const as_shape_call *call, int64_t weight_ic, int64_t oc)
{
    const as_conv_attributes *conv = &call->node->attributes.conv;
    const as_shape *x = as_shape_in(call, 0), *w = as_shape_in(call, 1),
                   *b = as_shape_in(call, 2);
    for (int axis = 0; axis < 2; axis++)
        if (w->dims[2 + axis] >= 0 && w->dims[2 + axis] != conv->window.kernel[axis])
            return as_fail(call->err, ASSAY_E_FORMAT,
                           "its kernel_shape is %dx%d, its weights are %lldx%lld",
                           conv->window.kernel[0], conv->window.kernel[1],
                           (long long)w->dims[2], (long long)w->dims[3]);
    if (conv->group < 1 || (oc >= 0 && oc % conv->group != 0))
        return as_fail(call->err, ASSAY_E_FORMAT,
                       "its group is %d, its output has %lld channels", conv->group,
                       (long long)oc);
    if (x->dims[1] >= 0 && weight_ic >= 0 && x->dims[1] != weight_ic)
        return as_fail(call->err, as_shape_mismatch_code(call),
                       "its input has %lld channels, its weights need %lld",
                       (long long)x->dims[1], (long long)weight_ic);
    if (b && oc >= 0 && !(b->rank == 1 && (b->dims[0] < 0 || b->dims[0] == oc))) {
        char text[64];
        return as_fail(call->err, ASSAY_E_FORMAT, "its bias is %s, its weights need [%lld]",
                       as_shape_text(b, text, sizeof text), (long long)oc);
    }
    return check_window(call, &conv->window);
}

/* n * group, or -1 when n is not known. */
static int64_t times(int64_t n, int group) { return n < 0 ? -1 : n * group; }

assay_code as_shape_conv(const as_shape_call *call)
{
    const as_conv_attributes *conv = &call->node->attributes.conv;
    assay_code code = as_shape_need_rank(call, 0, 4);
    if (!code) code = as_shape_need_rank(call, 1, 4);
    if (code) return code;
    const as_shape *x = as_shape_in(call, 0), *w = as_shape_in(call, 1);
    code = check_conv(call, times(w->dims[1], conv->group), w->dims[0]);
    as_shape out = {.rank = 4, .dims = {x->dims[0], w->dims[0]}};
    for (int axis = 0; !code && axis < 2; axis++)
        code = window_out(call, &conv->window, axis, false, x->dims[2 + axis],
                          &out.dims[2 + axis]);
    *call->out = out;
    return code;
}

assay_code as_shape_conv_transpose(const as_shape_call *call)
{
    const as_conv_attributes *conv = &call->node->attributes.conv;
    assay_code code = as_shape_need_rank(call, 0, 4);
    if (!code) code = as_shape_need_rank(call, 1, 4);
    if (code) return code;
    const as_shape *x = as_shape_in(call, 0), *w = as_shape_in(call, 1);
    int64_t oc = times(w->dims[1], conv->group);
    code = check_conv(call, w->dims[0], oc);
    if (code) return code;
    if (w->dims[0] >= 0 && w->dims[0] % conv->group != 0)
        return as_fail(call->err, ASSAY_E_FORMAT,
                       "its group is %d, its input has %lld channels", conv->group,
                       (long long)w->dims[0]);
    as_shape out = {.rank = 4, .dims = {x->dims[0], oc, -1, -1}};
    for (int axis = 0; axis < 2; axis++) {
        /* The specification's input * stride needs negative pads then, which engines clamp. */
        int64_t covered = reach(&conv->window, axis) + conv->output_padding[axis];
        if (is_same(&conv->window) && covered < conv->window.strides[axis])
            return as_fail(call->err, ASSAY_E_UNSUPPORTED,
                           "its auto_pad is SAME with a stride of %d above its window of %lld",
                           conv->window.strides[axis], (long long)covered);
        int64_t in = x->dims[2 + axis], pads[4];
        if (conv->output_shape[axis]) out.dims[2 + axis] = conv->output_shape[axis];
        if (in < 0 || conv->output_shape[axis]) continue;
        as_window_transpose_pads(conv, in, in, pads);
        int64_t extent = conv->window.strides[axis] * (in - 1) + reach(&conv->window, axis) +
                         conv->output_padding[axis] - pads[axis] - pads[axis + 2];
        if (is_same(&conv->window)) extent = in * conv->window.strides[axis];
        if (extent < 1)
            return as_fail(call->err, as_shape_mismatch_code(call),
                           "its pads %lld and %lld leave nothing of its output",
                           (long long)pads[axis], (long long)pads[axis + 2]);
        out.dims[2 + axis] = extent;
    }
    *call->out = out;
    return ASSAY_OK;
}

assay_code as_shape_pool(const as_shape_call *call)
{
    const as_pool_attributes *pool = &call->node->attributes.pool;
    assay_code code = as_shape_need_rank(call, 0, 4);
    if (!code) code = check_window(call, &pool->window);
    if (code) return code;
    as_shape out = *as_shape_in(call, 0);
    for (int axis = 0; !code && axis < 2; axis++) {
        /* A window that lies in the padding alone would have nothing to take. */
        const as_window *w = &pool->window;
        if (w->pads[axis] >= reach(w, axis) || w->pads[axis + 2] >= reach(w, axis))
            return as_fail(call->err, ASSAY_E_FORMAT,
                           "its pads are %d and %d, they must be below its window's %lld",
                           w->pads[axis], w->pads[axis + 2], (long long)reach(w, axis));
        code =
            window_out(call, w, axis, pool->ceil_mode, out.dims[2 + axis], &out.dims[2 + axis]);
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
