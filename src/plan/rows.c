/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/rows.h"

#include "base/size.h"

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

static void set_window(as_reach *reach, size_t k, size_t stride, size_t dilation, size_t pad)
{
    reach->stride = stride;
    reach->span = (k - 1) * dilation + 1;
    reach->pad = pad;
}

as_reach as_rows_reach(const as_layer *layer, int operand)
{
    const as_conv_shape *conv = &layer->args.conv.shape;
    const as_pool_args *pool = &layer->args.pool;
    as_reach reach = {.map = map_of(layer, operand),
                      .out_height = as_layer_height(layer),
                      .height = in_height(layer, operand),
                      .stride = 1,
                      .divisor = 1,
                      .span = 1};
    if (operand != AS_MAIN_INPUT) return reach;
    if (layer->kind == AS_LAYER_CONV)
        set_window(&reach, conv->kh, conv->sh, conv->dh, conv->pad_top);
    if (layer->kind == AS_LAYER_POOL)
        set_window(&reach, pool->kh, pool->sh, pool->dh, pool->pad_top);
    if (layer->kind == AS_LAYER_DECONV) reach.divisor = conv->sh;
    return reach;
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
    case AS_LAYER_INTERPOLATE:
        return &layer->args.interpolate.in;
    case AS_LAYER_SOFTMAX:
        return &layer->args.softmax.in;
    case AS_LAYER_TO_NCHW:
        return &layer->args.layout.view;
    case AS_LAYER_FROM_NCHW:
    case AS_LAYER_PLAIN:
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
    case AS_LAYER_INTERPOLATE:
        return &layer->args.interpolate.out;
    case AS_LAYER_SOFTMAX:
        return &layer->args.softmax.out;
    case AS_LAYER_FROM_NCHW:
        return &layer->args.layout.view;
    case AS_LAYER_TO_NCHW:
    case AS_LAYER_PLAIN:
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
