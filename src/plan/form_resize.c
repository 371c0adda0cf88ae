/* SPDX-License-Identifier: Apache-2.0 */
/* Resizes of height and width: nearest ones by maps from rows and columns of the output to those of the
 * input, linear and cubic ones by the places and weights of each window. */
#include "base/size.h"
#include "operators/interpolate.h"
#include "operators/resize.h"
#include "plan/planner.h"

/* Leaves *map NULL when it would map every index to itself. */
static assay_code make_map(as_planner *p, const as_resize_attributes *r,
                           const as_resize_axis *axis, const uint32_t **map, assay_error *err)
{
    const size_t out = (size_t)axis->out;
    uint32_t *to = as_planner_alloc(p, out, sizeof *to);
    if (!to) return as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
    bool is_identity = axis->in == axis->out;
    for (size_t i = 0; i < out; i++) {
        to[i] = (uint32_t)as_resize_index(r, axis, (int64_t)i);
        is_identity = is_identity && to[i] == i;
    }
    *map = is_identity ? NULL : to;
    return ASSAY_OK;
}

/* The axes of a resize of height and width; refuses any other. */
static assay_code spatial_axes(as_planner *p, const as_node *node,
                               as_resize_axis axes[AS_MAX_RANK], assay_error *err)
{
    const as_resize_attributes *r = &node->attributes.resize;
    const as_shape *x = as_planner_shape(p, node->inputs[0]);
    const as_shape *y = as_planner_shape(p, node->outputs[0]);
    if (x->rank != 4 || x->dims[0] != y->dims[0] || x->dims[1] != y->dims[1])
        return as_planner_refuse(p, node, err, "it resizes more than height and width");
    if (r->coordinate == AS_COORDINATE_TF_CROP_AND_RESIZE)
        return as_planner_refuse(p, node, err, "it crops");
    as_resize_axes(r, x, y, NULL, axes);
    return ASSAY_OK;
}

assay_code as_planner_resize_maps(as_planner *p, const as_node *node, const uint32_t **rows,
                                  const uint32_t **columns, assay_error *err)
{
    const as_resize_attributes *r = &node->attributes.resize;
    as_resize_axis axes[AS_MAX_RANK] = {0};
    if (r->mode != AS_RESIZE_NEAREST)
        return as_planner_refuse(p, node, err, "its mode is not nearest");
    assay_code code = spatial_axes(p, node, axes, err);
    if (!code) code = make_map(p, r, &axes[2], rows, err);
    if (!code) code = make_map(p, r, &axes[3], columns, err);
    return code;
}

/* The windows along one axis: places[out][n_taps] inside the input, and their weights. */
static assay_code make_windows(as_planner *p, const as_resize_attributes *r,
                               const as_resize_axis *axis, size_t n_taps,
                               const uint32_t **places, const float **weights, assay_error *err)
{
    const size_t out = (size_t)axis->out;
    uint32_t *at = as_planner_alloc(p, out * n_taps, sizeof *at);
    float *w = as_planner_alloc(p, out * n_taps, sizeof *w);
    if (!at || !w) return as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
    for (size_t i = 0; i < out; i++) {
        int64_t first;
        bool is_outside; /* of a crop alone */
        as_interpolation_weights(r, axis, (int64_t)i, (int64_t)n_taps, &first, &is_outside,
                                 w + i * n_taps);
        for (size_t k = 0; k < n_taps; k++) {
            const int64_t place = first + (int64_t)k;
            at[i * n_taps + k] =
                (uint32_t)(place < 0 ? 0 : as_min((size_t)place, (size_t)axis->in - 1));
        }
    }
    *places = at;
    *weights = w;
    return ASSAY_OK;
}

static assay_code form_interpolation(as_planner *p, const as_node *node, assay_error *err)
{
    const as_resize_attributes *r = &node->attributes.resize;
    as_resize_axis axes[AS_MAX_RANK] = {0};
    assay_code code = spatial_axes(p, node, axes, err);
    if (code) return code;
    if (!axes[0].is_identity || !axes[1].is_identity)
        return as_planner_refuse(p, node, err, "it moves images or channels");
    as_layer *layer = as_planner_layer(p, AS_LAYER_INTERPOLATE, node);
    as_interpolate_args *args = &layer->args.interpolate;
    layer->is_alone = true; /* a band would have to know which rows its windows reach */
    args->row_taps = as_interpolation_taps(r, &axes[2]);
    args->col_taps = as_interpolation_taps(r, &axes[3]);
    if (args->row_taps == 0 || args->col_taps == 0)
        return as_planner_refuse(p, node, err, "its windows are too wide");
    int input = -1;
    code = make_windows(p, r, &axes[2], args->row_taps, &args->rows, &args->row_weights, err);
    if (!code)
        code =
            make_windows(p, r, &axes[3], args->col_taps, &args->cols, &args->col_weights, err);
    if (!code) code = as_planner_input(p, node, 0, &input, err);
    if (!code) code = as_planner_view(p, layer, &args->in, input, err);
    if (!code) code = as_epilogue_finish(p, layer, node->outputs[0], &args->out, err);
    return code;
}

assay_code as_form_resize(as_planner *p, const as_node *node, assay_error *err)
{
    if (node->attributes.resize.mode != AS_RESIZE_NEAREST)
        return form_interpolation(p, node, err);
    as_layer *layer = as_planner_layer(p, AS_LAYER_MAP, node);
    as_map_args *args = &layer->args.map;
    int input = -1;
    assay_code code = as_planner_resize_maps(p, node, &args->row_map, &args->col_map, err);
    if (!code) code = as_planner_input(p, node, 0, &input, err);
    if (!code) code = as_planner_view(p, layer, &args->in, input, err);
    if (!code) code = as_epilogue_finish(p, layer, node->outputs[0], &args->out, err);
    return code;
}
