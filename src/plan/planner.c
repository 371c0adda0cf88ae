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

static assay_code add_value(as_planner *p, as_value value, int *out, assay_error *err)
{
    as_value *values = as_grow(p->values, p->n_values, &p->values_room, sizeof *values);
    if (!values) return as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
    p->values = values;
    values[p->n_values] = value;
    *out = (int)p->n_values++;
    return ASSAY_OK;
}

assay_code as_planner_value(as_planner *p, const as_shape *shape, int *out, assay_error *err)
{
    as_value value = {.shape = *shape, .dtype = AS_F32, .input = -1, .parent = -1};
    char text[128];
    if (!extents(shape, &value))
        return as_fail(err, ASSAY_E_UNSUPPORTED,
                       "a tensor has the shape %s, kernels take 1 to 4 dims above 0",
                       as_shape_text(shape, text, sizeof text));
    return add_value(p, value, out, err);
}

assay_code as_planner_plain_value(as_planner *p, as_dtype dtype, const as_shape *shape,
                                  int *out, assay_error *err)
{
    as_value value = {.shape = *shape,
                      .dtype = dtype,
                      .is_plain = true,
                      .is_tight = true,
                      .input = -1,
                      .parent = -1};
    if (!extents(shape, &value)) {
        value.n = value.h = value.w = 1;
        if (!as_shape_elements(shape, &value.c))
            return as_fail(err, ASSAY_E_MEMORY, "a tensor of the plan exceeds all memory");
    }
    return add_value(p, value, out, err);
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

static assay_code add_borrow(as_planner *p, as_borrow borrow, assay_error *err)
{
    as_borrow *borrows = as_grow(p->borrows, p->n_borrows, &p->borrows_room, sizeof *borrows);
    if (!borrows) return as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
    p->borrows = borrows;
    borrows[p->n_borrows++] = borrow;
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
    if (v->input >= 0)
        return add_borrow(p, (as_borrow){.input = v->input, .floats = &view->data}, err);
    return add_fixup(
        p, (as_fixup){.view = view, .value = value, .layer = layer_index(p, layer)}, err);
}

assay_code as_planner_pointer(as_planner *p, const as_layer *layer, float **pointer, int value,
                              assay_error *err)
{
    const as_value *v = &p->values[value];
    if (v->input >= 0)
        return add_borrow(p, (as_borrow){.input = v->input, .floats = pointer}, err);
    return add_fixup(
        p, (as_fixup){.pointer = pointer, .value = value, .layer = layer_index(p, layer)}, err);
}

assay_code as_planner_array(as_planner *p, const as_layer *layer, as_array *array, int value,
                            assay_error *err)
{
    const as_value *v = &p->values[value];
    *array = (as_array){v->dtype, v->shape, (void *)(uintptr_t)v->data}; /* only read */
    if (v->data) return ASSAY_OK;
    if (v->input >= 0)
        return add_borrow(p, (as_borrow){.input = v->input, .array = &array->data}, err);
    return add_fixup(
        p, (as_fixup){.array = &array->data, .value = value, .layer = layer_index(p, layer)},
        err);
}

const as_node *as_planner_node(const as_planner *p, const as_node *node)
{
    const as_node *known = p->nodes[node->id];
    return known ? known : node;
}

const as_node *as_planner_only_reader(const as_planner *p, int tensor)
{
    const int *nodes = NULL;
    const as_node *reader = NULL;
    const int n = as_graph_consumers(p->graph, tensor, &nodes);
    if (as_graph_is_output(p->graph, tensor)) return NULL;
    for (int i = 0; i < n; i++) {
        if (p->is_known[nodes[i]]) continue;
        if (reader) return NULL;
        reader = as_graph_node(p->graph, nodes[i]);
    }
    return reader ? as_planner_node(p, reader) : NULL;
}

bool as_planner_has_one_output(const as_planner *p, const as_node *node)
{
    for (int k = 1; k < node->n_outputs; k++) {
        const int id = node->outputs[k];
        if (id < 0) continue;
        if (as_graph_is_output(p->graph, id) || as_graph_consumers(p->graph, id, NULL) > 0)
            return false;
    }
    return true;
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
    const int opset = as_graph_opset(p->graph);
    char version[32] = "";
    if (opset > 0) snprintf(version, sizeof version, " (opset %d)", opset);
    as_fail_at(err, ASSAY_E_UNSUPPORTED, file, line, "%s%s cannot be run: %s", node->op_type,
               version, reason);
    as_error_where(err, "%s: node %d '%.60s'", as_graph_name(p->graph), node->id, node->name);
    return ASSAY_E_UNSUPPORTED;
}
