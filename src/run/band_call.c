/* SPDX-License-Identifier: Apache-2.0 */
#include "run/band_call.h"

/* `view` without its images and rows but [rows.begin, rows.end) of one image, which lie in the
 * arena or in a window of the thread's. */
static void cut(as_view *view, const as_place *place, const as_band_place *at, as_rows rows)
{
    const size_t n_rows = rows.end - rows.begin;
    const as_group *group = at->group;
    if (place->buffer < 0 || group->buffers[place->buffer].is_outside) {
        view->data += (at->image * view->h + rows.begin) * view->w * view->pixel_stride;
    } else {
        const as_band_buffer *buffer = &group->buffers[place->buffer];
        const size_t below = rows.begin - at->walk->top[place->buffer];
        view->data = at->buffers + buffer->offset + place->channel + below * buffer->row_floats;
    }
    view->n = 1;
    view->h = n_rows;
}

/* Rows of the main input that the output rows read. */
static as_rows rows_read(const as_layer *layer, int operand, as_rows rows)
{
    const as_reach reach = as_rows_reach(layer, operand);
    return (as_rows){as_reach_first(&reach, rows.begin), as_reach_end(&reach, rows.end)};
}

static as_epilogue cut_epilogue(const as_layer *layer, const as_band_layer *band,
                                const as_band_place *at, as_rows rows)
{
    as_epilogue e = layer->epilogue;
    for (size_t i = 0; i < e.n_steps; i++) {
        as_step *step = &e.steps[i];
        if (as_step_has_rows(step)) {
            cut(&step->view, &band->steps[i], at, rows_read(layer, (int)i, rows));
            step->row_map = NULL; /* one row a call, or none had a map */
        } else if (as_step_has_operand(step) && step->operand == AS_OPERAND_IMAGE) {
            step->view.data += at->image * step->view.pixel_stride;
            step->view.n = 1;
        }
    }
    return e;
}

/* Rows of padding above the first input row that the output rows read. */
static size_t pad_above(size_t pad, size_t stride, size_t row)
{
    return row * stride < pad ? pad - row * stride : 0;
}

/* Likewise a network input that is read as planes. */
static void cut_planes(as_conv_args *args, const as_band_place *at, as_rows rows)
{
    args->in.data += at->image * args->shape.ic * args->plane + rows.begin * args->shape.iw;
    args->in.n = 1;
    args->in.h = rows.end - rows.begin;
}

static void call_conv(const as_layer *layer, const as_band_layer *band, const as_band_place *at,
                      as_rows rows, const as_epilogue *epilogue)
{
    as_conv_args args = layer->args.conv;
    const as_rows in = rows_read(layer, AS_MAIN_INPUT, rows);
    if (layer->route->reads_planes)
        cut_planes(&args, at, in);
    else
        cut(&args.in, &band->in, at, in);
    cut(&args.out, &band->out, at, rows);
    args.shape.n = 1;
    args.shape.ih = in.end - in.begin;
    args.shape.oh = rows.end - rows.begin;
    if (layer->kind == AS_LAYER_CONV)
        args.shape.pad_top = pad_above(args.shape.pad_top, args.shape.sh, rows.begin);
    args.epilogue = epilogue;
    layer->route->run(&args, 0, layer->route->n_items(&args.shape), at->scratch);
}

static void call_pool(const as_kernels *k, const as_layer *layer, const as_band_layer *band,
                      const as_band_place *at, as_rows rows, const as_epilogue *epilogue)
{
    as_pool_args args = layer->args.pool;
    cut(&args.in, &band->in, at, rows_read(layer, AS_MAIN_INPUT, rows));
    cut(&args.out, &band->out, at, rows);
    args.pad_top = pad_above(args.pad_top, args.sh, rows.begin);
    args.epilogue = epilogue;
    k->pool(&args, 0, k->pool_items(&args));
}

static void call_map(const as_kernels *k, const as_layer *layer, const as_band_layer *band,
                     const as_band_place *at, as_rows rows, const as_epilogue *epilogue)
{
    as_map_args args = layer->args.map;
    cut(&args.in, &band->in, at, rows_read(layer, AS_MAIN_INPUT, rows));
    cut(&args.out, &band->out, at, rows);
    args.row_map = NULL; /* likewise */
    args.epilogue = epilogue;
    k->map(&args, 0, k->map_items(&args));
}

static void call_layout(const as_kernels *k, const as_layer *layer, const as_band_layer *band,
                        const as_band_place *at, as_rows rows)
{
    as_layout_args args = layer->args.layout;
    const as_view *whole = &layer->args.layout.view;
    const bool is_from = layer->kind == AS_LAYER_FROM_NCHW;
    args.plane = whole->h * whole->w;
    args.nchw += at->image * whole->c * args.plane + rows.begin * whole->w;
    cut(&args.view, is_from ? &band->out : &band->in, at, rows);
    (is_from ? k->nchw_to_view : k->view_to_nchw)(&args, 0, k->layout_items(&args));
}

static void call_rows(const as_kernels *k, const as_layer *layer, const as_band_layer *band,
                      const as_band_place *at, as_rows rows)
{
    const as_epilogue epilogue = cut_epilogue(layer, band, at, rows);
    as_mean_args mean;
    as_softmax_args softmax;
    switch (layer->kind) {
    case AS_LAYER_CONV:
    case AS_LAYER_DECONV:
        call_conv(layer, band, at, rows, &epilogue);
        break;
    case AS_LAYER_MAP:
        call_map(k, layer, band, at, rows, &epilogue);
        break;
    case AS_LAYER_POOL:
        call_pool(k, layer, band, at, rows, &epilogue);
        break;
    case AS_LAYER_ROW_SUM:
        mean = layer->args.mean;
        cut(&mean.in, &band->in, at, rows);
        cut(&mean.out, &band->out, at, rows);
        k->row_sum(&mean, 0, k->row_sum_items(&mean));
        break;
    case AS_LAYER_SOFTMAX:
        softmax = layer->args.softmax;
        cut(&softmax.in, &band->in, at, rows);
        cut(&softmax.out, &band->out, at, rows);
        k->softmax(&softmax, 0, k->softmax_items(&softmax));
        break;
    case AS_LAYER_FROM_NCHW:
    case AS_LAYER_TO_NCHW:
        call_layout(k, layer, band, at, rows);
        break;
    case AS_LAYER_MEAN: /* in no group: they need all rows */
    case AS_LAYER_INTERPOLATE:
    case AS_LAYER_PLAIN:
        break;
    }
}

void as_band_call(const as_kernels *kernels, const as_layer *layer, size_t i,
                  const as_band_place *at, as_rows rows)
{
    const as_band_layer *band = &at->group->layers[i];
    if (!band->is_row_by_row) {
        if (rows.begin < rows.end) call_rows(kernels, layer, band, at, rows);
        return;
    }
    for (size_t y = rows.begin; y < rows.end; y++)
        call_rows(kernels, layer, band, at, (as_rows){y, y + 1});
}
