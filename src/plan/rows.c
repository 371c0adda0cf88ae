/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/rows.h"

#include "base/size.h"

/* A window along the height, as convolutions and pools have it. */
typedef struct window {
    size_t k, stride, dilation, pad;
} window;

static size_t window_first(const window *w, size_t row)
{
    size_t at = row * w->stride;
    return at > w->pad ? at - w->pad : 0;
}

static size_t window_end(const window *w, size_t end)
{
    if (end == 0) return 0;
    size_t at = (end - 1) * w->stride + (w->k - 1) * w->dilation + 1;
    return at > w->pad ? at - w->pad : 0;
}

static bool window_of(const as_layer *layer, window *out)
{
    if (layer->kind == AS_LAYER_CONV) {
        const as_conv_shape *s = &layer->args.conv.shape;
        *out = (window){s->kh, s->sh, s->dh, s->pad_top};
        return true;
    }
    if (layer->kind == AS_LAYER_POOL) {
        const as_pool_args *a = &layer->args.pool;
        *out = (window){a->kh, a->sh, a->dh, a->pad_top};
        return true;
    }
    return false;
}

/* What maps output rows to rows of an operand one by one, or NULL. */
static const uint32_t *map_of(const as_layer *layer, int operand)
{
    if (operand >= 0) return layer->epilogue.steps[operand].row_map;
    return layer->kind == AS_LAYER_MAP ? layer->args.map.row_map : NULL;
}

static size_t in_height(const as_layer *layer, int operand)
{
    if (operand >= 0) return layer->epilogue.steps[operand].view.h;
    const as_view *in = as_layer_in((as_layer *)(uintptr_t)layer);
    return in ? in->h : as_layer_height(layer);
}

size_t as_rows_first(const as_layer *layer, int operand, size_t row)
{
    const size_t height = in_height(layer, operand);
    const uint32_t *map = map_of(layer, operand);
    window w;
    if (row >= as_layer_height(layer)) return height;
    if (map) return map[row];
    if (operand >= 0) return row;
    if (window_of(layer, &w)) return as_min(window_first(&w, row), height);
    if (layer->kind == AS_LAYER_DECONV) return row / layer->args.conv.shape.sh;
    return row;
}

size_t as_rows_end(const as_layer *layer, int operand, size_t end)
{
    const uint32_t *map = map_of(layer, operand);
    window w;
    if (end == 0) return 0;
    if (map) return (size_t)map[end - 1] + 1;
    if (operand >= 0) return end;
    if (window_of(layer, &w)) return as_min(window_end(&w, end), in_height(layer, operand));
    if (layer->kind == AS_LAYER_DECONV) return (end - 1) / layer->args.conv.shape.sh + 1;
    return end;
}

as_view *as_layer_in(as_layer *layer)
{
    switch (layer->kind) {
    case AS_LAYER_CONV:
    case AS_LAYER_DECONV:
        return &layer->args.conv.in;
    case AS_LAYER_MAP:
        return &layer->args.map.in;
    case AS_LAYER_MEAN:
    case AS_LAYER_ROW_SUM:
        return &layer->args.mean.in;
    case AS_LAYER_POOL:
        return &layer->args.pool.in;
    case AS_LAYER_SOFTMAX:
        return &layer->args.softmax.in;
    case AS_LAYER_TO_NCHW:
        return &layer->args.layout.view;
    case AS_LAYER_FROM_NCHW:
        return NULL;
    }
    return NULL;
}

as_view *as_layer_out(as_layer *layer)
{
    switch (layer->kind) {
    case AS_LAYER_CONV:
    case AS_LAYER_DECONV:
        return &layer->args.conv.out;
    case AS_LAYER_MAP:
        return &layer->args.map.out;
    case AS_LAYER_MEAN:
    case AS_LAYER_ROW_SUM:
        return &layer->args.mean.out;
    case AS_LAYER_POOL:
        return &layer->args.pool.out;
    case AS_LAYER_SOFTMAX:
        return &layer->args.softmax.out;
    case AS_LAYER_FROM_NCHW:
        return &layer->args.layout.view;
    case AS_LAYER_TO_NCHW:
        return NULL;
    }
    return NULL;
}

size_t as_layer_height(const as_layer *layer)
{
    const as_view *out = as_layer_out((as_layer *)(uintptr_t)layer);
    return out ? out->h : layer->args.layout.view.h;
}

bool as_step_has_rows(const as_step *step)
{
    return as_step_has_operand(step) &&
           (step->operand == AS_OPERAND_TENSOR || step->operand == AS_OPERAND_PIXEL);
}
