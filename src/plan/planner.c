/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/planner.h"

#include <limits.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/size.h"

/* NHWC extents of an ONNX shape: rank 4 is NCHW, rank 3 NCW, rank 2 NC, rank 1 C. */
static bool extents(const as_shape *shape, as_value *value)
{
    size_t d[AS_MAX_RANK];
    for (int i = 0; i < shape->rank; i++) {
        if (shape->dims[i] < 1) return false;
        d[i] = (size_t)shape->dims[i];
    }
    value->n = value->h = value->w = value->c = 1;
    switch (shape->rank) {
    case 4:
        value->n = d[0], value->c = d[1], value->h = d[2], value->w = d[3];
        return true;
    case 3:
        value->n = d[0], value->c = d[1], value->w = d[2];
        return true;
    case 2:
        value->n = d[0], value->c = d[1];
        return true;
    case 1:
        value->c = d[0];
        return true;
    case 0:
        return true;
    default:
        return false;
    }
}

assay_code as_planner_value(as_planner *p, const as_shape *shape, int *out, assay_error *err)
{
    as_value value = {.shape = *shape, .parent = -1};
    char text[128];
    if (!extents(shape, &value))
        return as_fail(err, ASSAY_E_UNSUPPORTED,
                       "a tensor has the shape %s, kernels take ranks of 0 to 4",
                       as_shape_text(shape, text, sizeof text));
    as_value *values = as_grow(p->values, p->n_values, &p->values_room, sizeof *values);
    if (!values) return as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
    p->values = values;
    values[p->n_values] = value;
    *out = (int)p->n_values++;
    return ASSAY_OK;
}

as_layer *as_planner_layer(as_planner *p, as_layer_kind kind, const as_node *node)
{
    as_layer *layer = &p->plan->layers[p->plan->n_layers++];
    layer->kind = kind;
    layer->node = node ? node->id : -1;
    layer->name = node ? node->name : "";
    layer->op_type = node ? node->op_type : "Layout";
    layer->n_nodes = node ? 1 : 0;
    return layer;
}

static assay_code add_fixup(as_planner *p, as_fixup fixup, assay_error *err)
{
    as_fixup *fixups = as_grow(p->fixups, p->n_fixups, &p->fixups_room, sizeof *fixups);
    if (!fixups) return as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
    p->fixups = fixups;
    fixups[p->n_fixups++] = fixup;
    return ASSAY_OK;
}

static int layer_index(const as_planner *p, const as_layer *layer)
{
    return layer ? (int)(layer - p->plan->layers) : INT_MAX;
}

assay_code as_planner_view(as_planner *p, const as_layer *layer, as_view *view, int value,
                           assay_error *err)
{
    const as_value *v = &p->values[value];
    *view = as_view_of(NULL, v->n, v->h, v->w, v->c);
    return add_fixup(
        p, (as_fixup){.view = view, .value = value, .layer = layer_index(p, layer)}, err);
}

assay_code as_planner_pointer(as_planner *p, const as_layer *layer, float **pointer, int value,
                              assay_error *err)
{
    return add_fixup(
        p, (as_fixup){.pointer = pointer, .value = value, .layer = layer_index(p, layer)}, err);
}

assay_code as_planner_input(as_planner *p, const as_node *node, int i, int *value,
                            assay_error *err)
{
    const as_tensor *tensor = as_node_input(p->graph, node, i);
    if (!tensor) return as_planner_refuse(p, node, err, "input %d is left out", i);
    if (tensor->dtype != AS_F32)
        return as_planner_refuse(p, node, err, "input %d is of type %s, float32 is needed", i,
                                 as_dtype_name(tensor->dtype));
    *value = p->value_of[tensor->id];
    if (*value < 0)
        return as_planner_refuse(p, node, err, "input %d is a constant, it must be computed",
                                 i);
    return ASSAY_OK;
}

const as_shape *as_planner_shape(const as_planner *p, int tensor)
{
    return &p->shapes->of[tensor];
}

void *as_planner_alloc(as_planner *p, size_t n, size_t element_bytes)
{
    return as_arena_array(p->plan->memory, n, element_bytes);
}

assay_code as_planner_refuse_at(const as_planner *p, const as_node *node, assay_error *err,
                                const char *file, int line, const char *format, ...)
{
    char reason[160];
    va_list values;
    va_start(values, format);
    vsnprintf(reason, sizeof reason, format, values);
    va_end(values);
    as_fail_at(err, ASSAY_E_UNSUPPORTED, file, line, "%s cannot be run: %s", node->op_type,
               reason);
    as_error_where(err, "%s: node %d '%.60s'", as_graph_name(p->graph), node->id, node->name);
    return ASSAY_E_UNSUPPORTED;
}
