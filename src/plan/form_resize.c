/* SPDX-License-Identifier: Apache-2.0 */
/* Nearest resizes: maps from rows and columns of the output to those of the input. */
#include <math.h>

#include "plan/planner.h"

/* The input row or column of output `i`: ONNX Resize, nearest. */
static uint32_t nearest(const as_resize_attributes *r, size_t i, size_t in, size_t out,
                        double scale)
{
    double x = (double)i / scale;
    switch (r->coordinate) {
    case AS_COORDINATE_HALF_PIXEL:
        x = ((double)i + 0.5) / scale - 0.5;
        break;
    case AS_COORDINATE_PYTORCH_HALF_PIXEL:
        x = out > 1 ? ((double)i + 0.5) / scale - 0.5 : 0.0;
        break;
    case AS_COORDINATE_ALIGN_CORNERS:
        x = out > 1 ? (double)i * (double)(in - 1) / (double)(out - 1) : 0.0;
        break;
    case AS_COORDINATE_ASYMMETRIC:
        break;
    }
    switch (r->nearest) {
    case AS_NEAREST_ROUND_PREFER_FLOOR:
        x = ceil(x - 0.5);
        break;
    case AS_NEAREST_ROUND_PREFER_CEIL:
        x = floor(x + 0.5);
        break;
    case AS_NEAREST_FLOOR:
        x = floor(x);
        break;
    case AS_NEAREST_CEIL:
        x = ceil(x);
        break;
    }
    double last = (double)in - 1.0;
    return (uint32_t)(x < 0.0 ? 0.0 : x > last ? last : x);
}

/* The scale that ONNX gives dimension `axis`: as written, or what the sizes make of it. */
static double scale_of(const as_resize_attributes *r, int axis, int rank, size_t in, size_t out)
{
    for (int i = 0; i < r->n_scales; i++) {
        int at = r->n_axes ? r->axes[i] : i;
        if (at < 0) at += rank;
        if (at == axis) return r->scales[i];
    }
    return (double)out / (double)in;
}

/* Leaves *map NULL when it would map every index to itself. */
static assay_code make_map(as_planner *p, const as_resize_attributes *r, int axis, size_t in,
                           size_t out, const uint32_t **map, assay_error *err)
{
    uint32_t *to = as_planner_alloc(p, out, sizeof *to);
    if (!to) return as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
    double scale = scale_of(r, axis, 4, in, out);
    bool is_identity = in == out;
    for (size_t i = 0; i < out; i++) {
        to[i] = nearest(r, i, in, out, scale);
        is_identity = is_identity && to[i] == i;
    }
    *map = is_identity ? NULL : to;
    return ASSAY_OK;
}

assay_code as_planner_resize_maps(as_planner *p, const as_node *node, const uint32_t **rows,
                                  const uint32_t **columns, assay_error *err)
{
    const as_resize_attributes *r = &node->attributes.resize;
    const as_shape *x = as_planner_shape(p, node->inputs[0]);
    const as_shape *y = as_planner_shape(p, node->outputs[0]);
    if (r->mode != AS_RESIZE_NEAREST)
        return as_planner_refuse(p, node, err, "its mode is not nearest");
    if (x->rank != 4 || x->dims[0] != y->dims[0] || x->dims[1] != y->dims[1])
        return as_planner_refuse(p, node, err, "it resizes more than height and width");
    assay_code code = make_map(p, r, 2, (size_t)x->dims[2], (size_t)y->dims[2], rows, err);
    if (!code) code = make_map(p, r, 3, (size_t)x->dims[3], (size_t)y->dims[3], columns, err);
    return code;
}

assay_code as_form_resize(as_planner *p, const as_node *node, assay_error *err)
{
    as_layer *layer = as_planner_layer(p, AS_LAYER_MAP, node);
    as_map_args *args = &layer->args.map;
    args->epilogue = &layer->epilogue;
    int input = -1;
    assay_code code = as_planner_resize_maps(p, node, &args->row_map, &args->col_map, err);
    if (!code) code = as_planner_input(p, node, 0, &input, err);
    if (!code) code = as_planner_view(p, layer, &args->in, input, err);
    if (!code) code = as_epilogue_finish(p, layer, node->outputs[0], &args->out, err);
    return code;
}
