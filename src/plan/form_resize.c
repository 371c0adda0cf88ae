/* SPDX-License-Identifier: Apache-2.0 */
/* Nearest resizes: maps from rows and columns of the output to those of the input. */
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
    if (r->coordinate == AS_COORDINATE_TF_CROP_AND_RESIZE)
        return as_planner_refuse(p, node, err, "it crops");
    as_resize_axis axes[AS_MAX_RANK];
    as_resize_axes(r, x, y, NULL, axes);
    assay_code code = make_map(p, r, &axes[2], rows, err);
    if (!code) code = make_map(p, r, &axes[3], columns, err);
    return code;
}

assay_code as_form_resize(as_planner *p, const as_node *node, assay_error *err)
{
    as_layer *layer = as_planner_layer(p, AS_LAYER_MAP, node);
    as_map_args *args = &layer->args.map;
    int input = -1;
    assay_code code = as_planner_resize_maps(p, node, &args->row_map, &args->col_map, err);
    if (!code) code = as_planner_input(p, node, 0, &input, err);
    if (!code) code = as_planner_view(p, layer, &args->in, input, err);
    if (!code) code = as_epilogue_finish(p, layer, node->outputs[0], &args->out, err);
    return code;
}
