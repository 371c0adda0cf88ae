/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx/import.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "graph/shape.h"
#include "onnx.pb-c.h"
#include "onnx/attributes.h"
#include "onnx/decode.h"
#include "onnx/list_inputs.h"
#include "onnx/old_forms.h"
#include "onnx/onnx.h"
#include "operators/infer.h"

/* The state of one import. */
typedef struct importer {
    const Onnx__GraphProto *proto;
    ProtobufCAllocator *memory;
    as_external *external;
    as_graph *graph;
    int opset;
    int *ids; /* owns; room for the inputs or outputs of the node with the most */
    assay_error *err;
} importer;

static const char *text(const char *string) { return string ? string : ""; }

static assay_code no_memory(const importer *im)
{
    return as_fail(im->err, ASSAY_E_MEMORY, "no memory for the graph of %zu nodes",
                   im->proto->n_node);
}

static assay_code at_node(const importer *im, size_t i, assay_code code)
{
    const Onnx__NodeProto *p = im->proto->node[i];
    as_error_where(im->err, "node %zu '%s' (%s)", i, text(p->name), text(p->op_type));
    return code;
}

static bool is_default_domain(const char *domain)
{
    return text(domain)[0] == '\0' || strcmp(domain, "ai.onnx") == 0;
}

/* Whether `p` reads or writes the tensor. */
static bool is_user(const Onnx__NodeProto *p, const char *tensor)
{
    for (size_t k = 0; k < p->n_input; k++)
        if (strcmp(text(p->input[k]), tensor) == 0) return true;
    for (size_t k = 0; k < p->n_output; k++)
        if (strcmp(text(p->output[k]), tensor) == 0) return true;
    return false;
}

/* A tensor that cannot be, told with the first node that has to do with it. */
static assay_code at_user(const importer *im, const char *tensor, assay_code code)
{
    size_t i = 0;
    while (i < im->proto->n_node && !is_user(im->proto->node[i], tensor))
        i++;
    const bool has_place = im->err && im->err->where[0]; /* a file beside the model */
    if (code != ASSAY_E_UNSUPPORTED || has_place || i == im->proto->n_node) return code;
    const Onnx__NodeProto *p = im->proto->node[i];
    as_error_where(im->err, "node %zu '%s' (%s of opset %d)", i, text(p->name),
                   text(p->op_type), im->opset);
    return code;
}

/* A file that does not name ONNX's operators may have others alone. */
static assay_code without_opset(const importer *im, const Onnx__ModelProto *model,
                                const char *name)
{
    for (size_t i = 0; i < im->proto->n_node; i++) {
        const Onnx__NodeProto *p = im->proto->node[i];
        long long opset = 0;
        if (is_default_domain(p->domain)) continue;
        for (size_t k = 0; k < model->n_opset_import; k++)
            if (strcmp(text(model->opset_import[k]->domain), p->domain) == 0)
                opset = (long long)model->opset_import[k]->version;
        as_fail(im->err, ASSAY_E_UNSUPPORTED,
                "operator '%s' is of domain '%s' (opset %lld), assay runs ONNX's own",
                text(p->op_type), p->domain, opset);
        return at_node(im, i, ASSAY_E_UNSUPPORTED);
    }
    return as_fail(im->err, ASSAY_E_FORMAT,
                   "%s has no opset_import for ONNX's operators, their meaning is open", name);
}

static assay_code find_opset(importer *im, const Onnx__ModelProto *model, const char *name)
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

/* ---- Tensors ---- */

/* A name that is there already: who gave it first. */
static assay_code defined_twice(const importer *im, const char *name)
{
    for (size_t i = 0; i < im->proto->n_node; i++) {
        const Onnx__NodeProto *p = im->proto->node[i];
        for (size_t k = 0; k < p->n_output; k++)
            if (strcmp(text(p->output[k]), name) == 0)
                return as_fail(im->err, ASSAY_E_FORMAT,
                               "tensor '%s' is produced twice, first by node %zu '%s'", name, i,
                               text(p->name));
    }
    return as_fail(im->err, ASSAY_E_FORMAT, "input or initializer '%s' is defined twice", name);
}

/* A tensor that nothing has defined yet; -1 in *out stands for an empty name. */
static assay_code define(importer *im, const char *name, as_dtype dtype, const as_shape *shape,
                         int *out)
{
    *out = -1;
    if (!name[0]) return ASSAY_OK;
    if (as_graph_find_tensor(im->graph, name) >= 0) return defined_twice(im, name);
    *out = as_graph_add_tensor(im->graph, name, dtype, shape);
    return *out < 0 ? no_memory(im) : ASSAY_OK;
}

static assay_code define_weight(importer *im, const Onnx__TensorProto *proto, const char *name,
                                int *out)
{
    as_decoded decoded;
    assay_code code =
        as_onnx_decode(proto, im->memory, im->external, "weight tensor", &decoded, im->err);
    if (!code) code = define(im, name, decoded.dtype, &decoded.shape, out);
    if (!code && *out >= 0)
        as_graph_set_data(im->graph, *out, decoded.data, decoded.n_elements);
    return code;
}

static assay_code define_weights(importer *im)
{
    if (im->proto->n_sparse_initializer > 0)
        return as_fail(im->err, ASSAY_E_UNSUPPORTED,
                       "%zu weights are sparse, assay reads dense ones",
                       im->proto->n_sparse_initializer);
    assay_code code = ASSAY_OK;
    for (size_t i = 0; !code && i < im->proto->n_initializer; i++) {
        const Onnx__TensorProto *proto = im->proto->initializer[i];
        int id;
        code = at_user(im, text(proto->name), define_weight(im, proto, text(proto->name), &id));
    }
    return code;
}

/* One dim of an input or output; what is not a positive number is dynamic. */
static assay_code set_dim(importer *im, const Onnx__TensorShapeProto__Dimension *dim,
                          as_tensor *tensor, int i)
{
    bool is_value = dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
    bool is_name = dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
    if (is_value && dim->dim_value > AS_MAX_DIM)
        return as_fail(im->err, ASSAY_E_FORMAT,
                       "tensor '%s' has the dimension %lld, %d is the most", tensor->name,
                       (long long)dim->dim_value, AS_MAX_DIM);
    tensor->dims[i] = is_value && dim->dim_value > 0 ? dim->dim_value : -1;
    if (!is_name || !dim->dim_param) return ASSAY_OK;
    size_t bytes = strlen(dim->dim_param) + 1;
    char *copy = as_graph_alloc(im->graph, bytes);
    if (!copy) return no_memory(im);
    tensor->dim_names[i] = memcpy(copy, dim->dim_param, bytes);
    return ASSAY_OK;
}

/* What an input or output says of its type. */
static assay_code set_type(importer *im, const Onnx__ValueInfoProto *info, int id)
{
    const char *name = text(info->name);
    if (!info->type || info->type->value_case == ONNX__TYPE_PROTO__VALUE__NOT_SET)
        return ASSAY_OK;
    if (info->type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE)
        return as_fail(im->err, ASSAY_E_UNSUPPORTED, "'%s' is no tensor but a sequence or map",
                       name);
    const Onnx__TypeProto__Tensor *type = info->type->tensor_type;
    as_dtype dtype;
    if (!as_onnx_dtype(type->elem_type, &dtype))
        return as_fail(im->err, ASSAY_E_UNSUPPORTED,
                       "tensor '%s' has elements %s, which assay does not run", name,
                       as_onnx_dtype_name(type->elem_type));
    as_graph_edit_tensor(im->graph, id)->dtype = dtype;
    if (!type->shape) return ASSAY_OK;
    if (type->shape->n_dim > AS_MAX_RANK)
        return as_fail(im->err, ASSAY_E_UNSUPPORTED,
                       "tensor '%s' has %zu dims, at most %d are read", name,
                       type->shape->n_dim, AS_MAX_RANK);
    as_tensor *tensor = as_graph_edit_tensor(im->graph, id);
    assay_code code = ASSAY_OK;
    tensor->rank = (int)type->shape->n_dim;
    for (int i = 0; !code && i < tensor->rank; i++)
        code = set_dim(im, type->shape->dim[i], tensor, i);
    return code;
}

static assay_code define_inputs(importer *im)
{
    for (size_t i = 0; i < im->proto->n_input; i++) {
        const Onnx__ValueInfoProto *info = im->proto->input[i];
        int id = as_graph_find_tensor(im->graph, text(info->name));
        if (id >= 0 && as_graph_tensor(im->graph, id)->data) continue; /* a weight's default */
        assay_code code = define(im, text(info->name), AS_F32, NULL, &id);
        if (!code && id < 0)
            code = as_fail(im->err, ASSAY_E_FORMAT, "input %zu has no name", i);
        if (!code && !as_graph_add_input(im->graph, id)) code = no_memory(im);
        if (code) return code;
    }
    return ASSAY_OK;
}

/* What inputs are, told after what nodes are: a node that cannot run is the better reason. */
static assay_code type_inputs(importer *im)
{
    assay_code code = ASSAY_OK;
    for (size_t i = 0; !code && i < im->proto->n_input; i++) {
        const Onnx__ValueInfoProto *info = im->proto->input[i];
        const int id = as_graph_find_tensor(im->graph, text(info->name));
        if (!as_graph_tensor(im->graph, id)->data)
            code = at_user(im, text(info->name), set_type(im, info, id));
    }
    return code;
}

static assay_code add_outputs(importer *im)
{
    if (im->proto->n_output == 0)
        return as_fail(im->err, ASSAY_E_FORMAT, "the graph has no outputs");
    for (size_t i = 0; i < im->proto->n_output; i++) {
        const Onnx__ValueInfoProto *info = im->proto->output[i];
        int id = as_graph_find_tensor(im->graph, text(info->name));
        if (id < 0)
            return as_fail(im->err, ASSAY_E_FORMAT,
                           "graph output '%s' is not produced by any node", text(info->name));
        const as_tensor *tensor = as_graph_tensor(im->graph, id);
        assay_code code = tensor->rank < 0 ? set_type(im, info, id) : ASSAY_OK;
        if (!code && !as_graph_add_output(im->graph, id)) code = no_memory(im);
        if (code) return code;
    }
    return ASSAY_OK;
}

/* ---- Nodes ---- */

static assay_code check_operator(const importer *im, const Onnx__NodeProto *p, as_op *op)
{
    if (!is_default_domain(p->domain))
        return as_fail(
            im->err, ASSAY_E_UNSUPPORTED,
            "operator '%s' is of domain '%s' (model opset %d), assay runs ONNX's own",
            text(p->op_type), p->domain, im->opset);
    if (!as_op_find(text(p->op_type), op))
        return as_fail(im->err, ASSAY_E_UNSUPPORTED,
                       "operator '%s' (domain ai.onnx, opset %d) is not one that assay runs",
                       text(p->op_type), im->opset);
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
    while (n > 0 && text(names[n - 1])[0] == '\0')
        n--;
    return n;
}

/* Inputs and outputs must be as many as the operator takes, and its first ones not empty. */
static assay_code check_counts(const importer *im, const as_op_entry *entry, char *const *names,
                               size_t n, bool is_input)
{
    int min = is_input ? entry->min_inputs : entry->min_outputs;
    int max = is_input ? entry->max_inputs : entry->max_outputs;
    const char *what = is_input ? "inputs" : "outputs";
    if (n < (size_t)min || n > (size_t)max)
        return as_fail(im->err, n > (size_t)max ? ASSAY_E_UNSUPPORTED : ASSAY_E_FORMAT,
                       "it has %zu %s, assay takes %d to %d", n, what, min, max);
    for (int i = 0; i < min; i++)
        if (text(names[i])[0] == '\0')
            return as_fail(im->err, ASSAY_E_FORMAT, "number %d of its %s is left out", i, what);
    return ASSAY_OK;
}

/* A Constant's value, of which there is one: as a tensor, a number or a list. */
static assay_code define_constant(importer *im, const Onnx__NodeProto *p, const char *name)
{
    if (p->n_attribute != 1 || !p->attribute[0]->name)
        return as_fail(im->err, ASSAY_E_FORMAT, "it has %zu values, it needs one",
                       p->n_attribute);
    const Onnx__AttributeProto *a = p->attribute[0];
    int id;
    if (strcmp(a->name, "value") == 0 && a->t) return define_weight(im, a->t, name, &id);

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
    if (as_graph_find_tensor(im->graph, name) >= 0) return defined_twice(im, name);
    return as_graph_add_constant(im->graph, name, dtype, shape, data) < 0 ? no_memory(im)
                                                                          : ASSAY_OK;
}

/* All outputs come before any node, since nodes may stand in any order. */
static assay_code define_node_outputs(importer *im, size_t i)
{
    const Onnx__NodeProto *p = im->proto->node[i];
    as_op op;
    assay_code code = check_operator(im, p, &op);
    size_t n = count_names(p->output, p->n_output);
    if (!code) code = check_counts(im, as_op_info(op), p->output, n, false);
    if (!code && op == AS_OP_CONSTANT) return define_constant(im, p, p->output[0]);
    for (size_t k = 0; !code && k < n; k++) {
        int id;
        code = define(im, text(p->output[k]), AS_F32, NULL, &id);
    }
    return code;
}

static assay_code find_inputs(importer *im, const Onnx__NodeProto *p, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const char *name = text(p->input[k]);
        im->ids[k] = name[0] ? as_graph_find_tensor(im->graph, name) : -1;
        if (name[0] && im->ids[k] < 0)
            return as_fail(im->err, ASSAY_E_FORMAT,
                           "it reads the undefined tensor '%s', which no node, input or "
                           "weight gives",
                           name);
    }
    return ASSAY_OK;
}

static assay_code add_node(importer *im, size_t i)
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
        outputs[k] = as_graph_find_tensor(im->graph, text(p->output[k]));
    int id = as_graph_add_node(im->graph, op, text(p->name), im->ids, (int)n_in, outputs,
                               (int)n_out);
    if (id < 0) return no_memory(im);
    if (op == AS_OP_CONSTANT) return ASSAY_OK; /* its one attribute is its tensor's data */
    return as_onnx_read_attributes(p, im->opset, as_graph_edit_node(im->graph, id), im->err);
}

static assay_code add_nodes(importer *im)
{
    assay_code code = ASSAY_OK;
    size_t most = 1;
    for (size_t i = 0; !code && i < im->proto->n_node; i++) {
        const Onnx__NodeProto *p = im->proto->node[i];
        if (p->n_input + p->n_output > most) most = p->n_input + p->n_output;
        code = define_node_outputs(im, i);
        if (code) return at_node(im, i, code);
    }
    if (most > INT_MAX) return no_memory(im);
    im->ids = as_alloc_array(most + AS_ONNX_MOST_ADDED, sizeof *im->ids);
    if (!im->ids) return no_memory(im);
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
static assay_code check_old_resize(const importer *im)
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
static assay_code check_shapes(const importer *im)
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
    importer im = {.proto = model->graph,
                   .memory = memory,
                   .external = external,
                   .graph = graph,
                   .err = err};
    assay_code code = find_opset(&im, model, name);
    if (!code && !as_graph_set_info(graph, text(model->graph->name), text(model->producer_name),
                                    im.opset))
        code = no_memory(&im);
    if (!code) code = define_weights(&im);
    if (!code) code = define_inputs(&im);
    if (!code) code = add_nodes(&im);
    if (!code) code = type_inputs(&im);
    if (!code) code = add_outputs(&im);
    if (!code) code = as_graph_sort(graph, err);
    if (!code) code = as_graph_resolve(graph, err);
    if (!code) code = check_old_resize(&im);
    if (!code) code = check_shapes(&im);
    if (!code && im.opset < 7) code = as_onnx_renew_broadcasts(graph, err);
    as_free(im.ids);
    return code;
}
