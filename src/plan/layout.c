/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One tensor in two layouts.  A layer that brings it from one to the other is put in front of the
 * first that wants it so, once a tensor; none where both are the same floats:
 *
 *     [n,c,1,1], [n,1,h,w]    pixels and C order are one buffer, the second value lies in the first
 */
#include "plan/planner.h"

/* One pixel or one channel. */
static bool is_c_order(const as_value *v) { return v->c == 1 || v->h * v->w == 1; }

static bool can_be_pixels(const as_value *v)
{
    bool can = v->dtype == AS_F32 && !v->data && v->shape.rank <= 4;
    for (int i = 0; can && i < v->shape.rank; i++)
        can = v->shape.dims[i] > 0;
    return can;
}

static as_layer *layout_layer(as_planner *p, as_layer_kind kind, int tensor)
{
    as_layer *layer = as_planner_layer(p, kind, NULL);
    layer->name = as_graph_tensor(p->graph, tensor)->name;
    return layer;
}

assay_code as_planner_pixels(as_planner *p, int tensor, int *value, assay_error *err)
{
    const int plain = p->plain_of[tensor];
    *value = p->value_of[tensor];
    if (*value >= 0 || plain < 0 || !can_be_pixels(&p->values[plain])) return ASSAY_OK;
    const bool is_input = p->values[plain].input >= 0;
    const as_shape shape = p->values[plain].shape;
    assay_code code = as_planner_value(p, &shape, value, err);
    if (code) return code;
    as_value *v = &p->values[*value];
    p->value_of[tensor] = *value;
    size_t channel = 0;
    const int root = as_planner_root(p, plain, &channel);
    if (!is_input && is_c_order(v) && p->values[root].c == v->c) {
        v->parent = plain;
        v->is_tight = true;
        return ASSAY_OK;
    }
    as_layer *layer = layout_layer(p, AS_LAYER_FROM_NCHW, tensor);
    layer->is_alone = !is_input; /* the plain value must be whole */
    code = as_planner_pointer(p, layer, &layer->args.layout.nchw, plain, err);
    return code ? code : as_planner_view(p, layer, &layer->args.layout.view, *value, err);
}

/* A constant, or what is known before the run: no layer makes it. */
static assay_code known_value(as_planner *p, int tensor, const as_array *known, int *value,
                              assay_error *err)
{
    const void *data = as_graph_tensor(p->graph, tensor)->data;
    if (!data) {
        const size_t n = as_array_elements(known), bytes = as_dtype_bytes(known->dtype);
        void *copy = as_planner_alloc(p, n, bytes);
        if (!copy) return as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
        as_copy_elements(copy, 0, known->data, 0, n, bytes);
        data = copy;
    }
    assay_code code = as_planner_plain_value(p, known->dtype, &known->shape, value, err);
    if (code) return code;
    p->values[*value].data = data;
    p->plain_of[tensor] = *value;
    return ASSAY_OK;
}

assay_code as_planner_plain(as_planner *p, int tensor, int *value, assay_error *err)
{
    as_array known;
    const int pixels = p->value_of[tensor];
    *value = p->plain_of[tensor];
    if (*value >= 0) return ASSAY_OK;
    if (as_known_value(p->graph, p->shapes, tensor, &known))
        return known_value(p, tensor, &known, value, err);
    if (pixels < 0) return ASSAY_OK;
    assay_code code =
        as_planner_plain_value(p, AS_F32, as_planner_shape(p, tensor), value, err);
    if (code) return code;
    p->plain_of[tensor] = *value;
    if (is_c_order(&p->values[pixels]) && p->values[pixels].parent < 0) {
        p->values[*value].parent = pixels;
        p->values[pixels].is_tight = true;
        return ASSAY_OK;
    }
    as_layer *layer = layout_layer(p, AS_LAYER_TO_NCHW, tensor);
    code = as_planner_view(p, layer, &layer->args.layout.view, pixels, err);
    return code ? code : as_planner_pointer(p, layer, &layer->args.layout.nchw, *value, err);
}
