/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx/import.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "graph/shape.h"
#include "onnx/attributes.h"
#include "onnx/importer.h"
#include "onnx/list_inputs.h"
#include "onnx/old_forms.h"
#include "onnx/onnx.h"
#include "operators/infer.h"

assay_code as_import_no_memory(const as_importer *im)
{
    return as_fail(im->err, ASSAY_E_MEMORY, "no memory for the graph of %zu nodes",
                   im->proto->n_node);
}

static assay_code at_node(const as_importer *im, size_t i, assay_code code)
{
    const Onnx__NodeProto *p = im->proto->node[i];
    as_error_where(im->err, "node %zu '%s' (%s)", i, as_onnx_text(p->name),
                   as_onnx_text(p->op_type));
    return code;
}

static bool is_default_domain(const char *domain)
{
    return as_onnx_text(domain)[0] == '\0' || strcmp(domain, "ai.onnx") == 0;
}

/* A file that does not name ONNX's operators may have others alone. */
static assay_code without_opset(const as_importer *im, const Onnx__ModelProto *model,
                                const char *name)
{
    for (size_t i = 0; i < im->proto->n_node; i++) {
        const Onnx__NodeProto *p = im->proto->node[i];
        long long opset = 0;
        if (is_default_domain(p->domain)) continue;
        for (size_t k = 0; k < model->n_opset_import; k++)
            if (strcmp(as_onnx_text(model->opset_import[k]->domain), p->domain) == 0)
                opset = (long long)model->opset_import[k]->version;
        as_fail(im->err, ASSAY_E_UNSUPPORTED,
                "operator '%s' is of domain '%s' (opset %lld), assay runs ONNX's own",
                as_onnx_text(p->op_type), p->domain, opset);
        return at_node(im, i, ASSAY_E_UNSUPPORTED);
    }
    return as_fail(im->err, ASSAY_E_FORMAT,
                   "%s has no opset_import for ONNX's operators, their meaning is open", name);
}

static assay_code find_opset(as_importer *im, const Onnx__ModelProto *model, const char *name)
{
    long long opset = 0;
    for (size_t i = 0; i < model->n_opset_import; i++)
        if (is_default_domain(model->opset_import[i]->domain))
            opset = (long long)model->opset_import[i]->version;
    if (opset == 0) return without_opset(im, model, name);
    if (opset < AS_ONNX_OLDEST_OPSET || opset > AS_ONNX_NEWEST_OPSET)
        return as_fail(im->err, ASSAY_E_UNSUPPORTED,
                       "%s is of opset %lld, the lowest supported is %d, the highest supported "
                       "is %d",
                       name, opset, AS_ONNX_OLDEST_OPSET, AS_ONNX_NEWEST_OPSET);
    im->opset = (int)opset;
    return ASSAY_OK;
}

/* ---- Nodes ---- */

static assay_code check_operator(const as_importer *im, const Onnx__NodeProto *p, as_op *op)
{
    if (!is_default_domain(p->domain))
        return as_fail(
            im->err, ASSAY_E_UNSUPPORTED,
            "operator '%s' is of domain '%s' (model opset %d), assay runs ONNX's own",
            as_onnx_text(p->op_type), p->domain, im->opset);
    if (!as_op_find(as_onnx_text(p->op_type), op))
        return as_fail(im->err, ASSAY_E_UNSUPPORTED,
                       "operator '%s' (domain ai.onnx, opset %d) is not one that assay runs",
                       as_onnx_text(p->op_type), im->opset);
    const as_op_entry *entry = as_op_info(*op);
    if (im->opset < entry->first_opset)
        return as_fail(
            im->err, ASSAY_E_UNSUPPORTED,
            "operator '%s' (domain ai.onnx) is of opset %d, assay reads it from %d on",
            entry->op_type, im->opset, entry->first_opset);
    return ASSAY_OK;
}

/* A list of names without the empty ones at its end, which ONNX allows. */
static size_t count_names(char *const *names, size_t n)
{
    while (n > 0 && as_onnx_text(names[n - 1])[0] == '\0')
        n--;
    return n;
}

/* Inputs and outputs must be as many as the operator takes, and its first ones not empty. */
static assay_code check_counts(const as_importer *im, const as_op_entry *entry,
                               char *const *names, size_t n, bool is_input)
{
    int min = is_input ? entry->min_inputs : entry->min_outputs;
    int max = is_input ? entry->max_inputs : entry->max_outputs;
    const char *what = is_input ? "inputs" : "outputs";
    if (n < (size_t)min || n > (size_t)max)
        return as_fail(im->err, n > (size_t)max ? ASSAY_E_UNSUPPORTED : ASSAY_E_FORMAT,
                       "it has %zu %s, assay takes %d to %d", n, what, min, max);
    for (int i = 0; i < min; i++)
        if (as_onnx_text(names[i])[0] == '\0')
            return as_fail(im->err, ASSAY_E_FORMAT, "number %d of its %s is left out", i, what);
    return ASSAY_OK;
}

/* A Constant's value, of which there is one: as a tensor, a number or a list. */
static assay_code define_constant(as_importer *im, const Onnx__NodeProto *p, const char *name)
{
    if (p->n_attribute != 1 || !p->attribute[0]->name)
        return as_fail(im->err, ASSAY_E_FORMAT, "it has %zu values, it needs one",
                       p->n_attribute);
    const Onnx__AttributeProto *a = p->attribute[0];
    int id;
    if (strcmp(a->name, "value") == 0 && a->t) return as_import_weight(im, a->t, name, &id);

    as_shape scalar = {.rank = 0}, list = {.rank = 1};
    const as_shape *shape = &scalar;
    as_dtype dtype = AS_F32;
    const void *data = NULL;
    if (strcmp(a->name, "value_float") == 0) {
        data = &a->f;
    } else if (strcmp(a->name, "value_int") == 0) {
        data = &a->i;
        dtype = AS_I64;
    } else if (strcmp(a->name, "value_floats") == 0) {
        data = a->floats ? (const void *)a->floats : "";
        list.dims[0] = (int64_t)a->n_floats;
        shape = &list;
    } else if (strcmp(a->name, "value_ints") == 0) {
        data = a->ints ? (const void *)a->ints : "";
        list.dims[0] = (int64_t)a->n_ints;
        shape = &list;
        dtype = AS_I64;
    } else {
        return as_fail(im->err, ASSAY_E_UNSUPPORTED, "its value is a '%s', assay takes numbers",
                       a->name);
    }
    if (as_graph_find_tensor(im->graph, name) >= 0) return as_import_twice(im, name);
    return as_graph_add_constant(im->graph, name, dtype, shape, data) < 0
               ? as_import_no_memory(im)
               : ASSAY_OK;
}

/* All outputs come before any node, since nodes may stand in any order. */
static assay_code define_node_outputs(as_importer *im, size_t i)
{
    const Onnx__NodeProto *p = im->proto->node[i];
    as_op op;
    assay_code code = check_operator(im, p, &op);
    size_t n = count_names(p->output, p->n_output);
    if (!code) code = check_counts(im, as_op_info(op), p->output, n, false);
    if (!code && op == AS_OP_CONSTANT) return define_constant(im, p, p->output[0]);
    for (size_t k = 0; !code && k < n; k++) {
        int id;
        code = as_import_tensor(im, as_onnx_text(p->output[k]), AS_F32, NULL, &id);
    }
    return code;
}

static assay_code find_inputs(as_importer *im, const Onnx__NodeProto *p, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const char *name = as_onnx_text(p->input[k]);
        im->ids[k] = name[0] ? as_graph_find_tensor(im->graph, name) : -1;
        if (name[0] && im->ids[k] < 0)
            return as_fail(im->err, ASSAY_E_FORMAT,
                           "it reads the undefined tensor '%s', which no node, input or "
                           "weight gives",
                           name);
    }
    return ASSAY_OK;
}

static assay_code add_node(as_importer *im, size_t i)
{
    const Onnx__NodeProto *p = im->proto->node[i];
    as_op op;
    assay_code code = check_operator(im, p, &op);
    if (code) return code;
    size_t n_in = count_names(p->input, p->n_input),
           n_out = count_names(p->output, p->n_output);
    code = check_counts(im, as_op_info(op), p->input, n_in, true);
    if (!code) code = find_inputs(im, p, n_in);
    if (!code) code = as_onnx_add_inputs(im->graph, p, op, im->opset, im->ids, &n_in, im->err);
    if (code) return code;
    int *outputs = im->ids + n_in;
    for (size_t k = 0; k < n_out; k++)
        outputs[k] = as_graph_find_tensor(im->graph, as_onnx_text(p->output[k]));
    int id = as_graph_add_node(im->graph, op, as_onnx_text(p->name), im->ids, (int)n_in,
                               outputs, (int)n_out);
    if (id < 0) return as_import_no_memory(im);
    if (op == AS_OP_CONSTANT) return ASSAY_OK; /* its one attribute is its tensor's data */
    return as_onnx_read_attributes(p, im->opset, as_graph_edit_node(im->graph, id), im->err);
}

static assay_code add_nodes(as_importer *im)
{
    assay_code code = ASSAY_OK;
    size_t most = 1;
    for (size_t i = 0; !code && i < im->proto->n_node; i++) {
        const Onnx__NodeProto *p = im->proto->node[i];
        if (p->n_input + p->n_output > most) most = p->n_input + p->n_output;
        code = define_node_outputs(im, i);
        if (code) return at_node(im, i, code);
    }
    if (most > INT_MAX) return as_import_no_memory(im);
    im->ids = as_alloc_array(most + AS_ONNX_MOST_ADDED, sizeof *im->ids);
    if (!im->ids) return as_import_no_memory(im);
    for (size_t i = 0; !code && i < im->proto->n_node; i++) {
        code = add_node(im, i);
        if (code) return at_node(im, i, code);
    }
    return ASSAY_OK;
}

/* ---- What the sorted graph still needs ---- */

/* Whether every place of a resize by `scale` is a whole number, and so any rounding the same. */
static bool is_power_of_two(float scale)
{
    int exponent;
    return frexpf(scale, &exponent) == 0.5F;
}

/* Opset 10 leaves open which pixel is nearest when Resize shrinks. */
static assay_code check_old_resize(const as_importer *im)
{
    if (im->opset != 10) return ASSAY_OK;
    for (int i = 0; i < as_graph_n_nodes(im->graph); i++) {
        const as_node *node = as_graph_node(im->graph, i);
        const as_resize_attributes *r = &node->attributes.resize;
        if (node->op != AS_OP_RESIZE || r->mode != AS_RESIZE_NEAREST) continue;
        for (int k = 0; k < r->n_scales; k++) {
            if (r->scales[k] >= 1 || is_power_of_two(r->scales[k])) continue;
            as_fail(im->err, ASSAY_E_UNSUPPORTED,
                    "it shrinks by %g, and opset 10 does not say which pixel is nearest",
                    (double)r->scales[k]);
            as_error_where(im->err, "node %d '%s' (%s)", i, node->name, node->op_type);
            return ASSAY_E_UNSUPPORTED;
        }
    }
    return ASSAY_OK;
}

/* Shapes that do not fit each other whatever the input are better told now than later. */
static assay_code check_shapes(const as_importer *im)
{
    as_shapes shapes;
    assay_code code = as_shape_infer(im->graph, NULL, 0, &shapes, im->err);
    as_shapes_free(&shapes);
    return code;
}

assay_code as_onnx_import(const Onnx__ModelProto *model, ProtobufCAllocator *memory,
                          as_external *external, const char *name, as_graph *graph,
                          assay_error *err)
{
    if (!model->graph)
        return as_fail(err, ASSAY_E_FORMAT, "%s is not an ONNX model: there is no graph in it",
                       name);
    as_importer im = {.proto = model->graph,
                      .memory = memory,
                      .external = external,
                      .graph = graph,
                      .err = err};
    assay_code code = find_opset(&im, model, name);
    if (!code && !as_graph_set_info(graph, as_onnx_text(model->graph->name),
                                    as_onnx_text(model->producer_name), im.opset))
        code = as_import_no_memory(&im);
    if (!code) code = as_import_weights(&im);
    if (!code) code = as_import_inputs(&im);
    if (!code) code = add_nodes(&im);
    if (!code) code = as_import_input_types(&im);
    if (!code) code = as_import_outputs(&im);
    if (!code) code = as_graph_sort(graph, err);
    if (!code) code = as_graph_resolve(graph, err);
    if (!code) code = check_old_resize(&im);
    if (!code) code = check_shapes(&im);
    if (!code && im.opset < 7) code = as_onnx_renew_broadcasts(graph, err);
    as_free(im.ids);
    return code;
}
