/* SPDX-License-Identifier: Apache-2.0 */
/* Weights, inputs and outputs into the graph. */
#include <string.h>

#include "onnx/decode.h"
#include "onnx/importer.h"
#include "onnx/onnx.h"

/* Whether `p` reads or writes the tensor. */
static bool is_user(const Onnx__NodeProto *p, const char *tensor)
{
    for (size_t k = 0; k < p->n_input; k++)
        if (strcmp(as_onnx_text(p->input[k]), tensor) == 0) return true;
    for (size_t k = 0; k < p->n_output; k++)
        if (strcmp(as_onnx_text(p->output[k]), tensor) == 0) return true;
    return false;
}

/* A tensor that cannot be, told with the first node that has to do with it. */
static assay_code at_user(const as_importer *im, const char *tensor, assay_code code)
{
    const bool has_place = im->err && im->err->where[0]; /* a file beside the model */
    if (code != ASSAY_E_UNSUPPORTED || has_place) return code;
    size_t i = 0;
    while (i < im->proto->n_node && !is_user(im->proto->node[i], tensor))
        i++;
    if (i == im->proto->n_node) return code;
    const Onnx__NodeProto *p = im->proto->node[i];
    as_error_where(im->err, "node %zu '%s' (%s of opset %d)", i, as_onnx_text(p->name),
                   as_onnx_text(p->op_type), im->opset);
    return code;
}

assay_code as_import_twice(const as_importer *im, const char *name)
{
    for (size_t i = 0; i < im->proto->n_node; i++) {
        const Onnx__NodeProto *p = im->proto->node[i];
        for (size_t k = 0; k < p->n_output; k++)
            if (strcmp(as_onnx_text(p->output[k]), name) == 0)
                return as_fail(im->err, ASSAY_E_FORMAT,
                               "tensor '%s' is produced twice, first by node %zu '%s'", name, i,
                               as_onnx_text(p->name));
    }
    return as_fail(im->err, ASSAY_E_FORMAT, "input or initializer '%s' is defined twice", name);
}

assay_code as_import_tensor(as_importer *im, const char *name, as_dtype dtype,
                            const as_shape *shape, int *out)
{
    *out = -1;
    if (!name[0]) return ASSAY_OK;
    if (as_graph_find_tensor(im->graph, name) >= 0) return as_import_twice(im, name);
    *out = as_graph_add_tensor(im->graph, name, dtype, shape);
    return *out < 0 ? as_import_no_memory(im) : ASSAY_OK;
}

assay_code as_import_weight(as_importer *im, const Onnx__TensorProto *proto, const char *name,
                            int *out)
{
    as_decoded decoded;
    assay_code code =
        as_onnx_decode(proto, im->memory, im->external, "weight tensor", &decoded, im->err);
    if (!code) code = as_import_tensor(im, name, decoded.dtype, &decoded.shape, out);
    if (!code && *out >= 0)
        as_graph_set_data(im->graph, *out, decoded.data, decoded.n_elements);
    return code;
}

assay_code as_import_weights(as_importer *im)
{
    if (im->proto->n_sparse_initializer > 0)
        return as_fail(im->err, ASSAY_E_UNSUPPORTED,
                       "%zu weights are sparse, assay reads dense ones",
                       im->proto->n_sparse_initializer);
    assay_code code = ASSAY_OK;
    for (size_t i = 0; !code && i < im->proto->n_initializer; i++) {
        const Onnx__TensorProto *proto = im->proto->initializer[i];
        int id;
        code = at_user(im, as_onnx_text(proto->name),
                       as_import_weight(im, proto, as_onnx_text(proto->name), &id));
    }
    return code;
}

/* One dim of an input or output; what is not a positive number is dynamic. */
static assay_code set_dim(as_importer *im, const Onnx__TensorShapeProto__Dimension *dim,
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
    if (!copy) return as_import_no_memory(im);
    tensor->dim_names[i] = memcpy(copy, dim->dim_param, bytes);
    return ASSAY_OK;
}

/* What an input or output says of its type. */
static assay_code set_type(as_importer *im, const Onnx__ValueInfoProto *info, int id)
{
    const char *name = as_onnx_text(info->name);
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

assay_code as_import_inputs(as_importer *im)
{
    for (size_t i = 0; i < im->proto->n_input; i++) {
        const Onnx__ValueInfoProto *info = im->proto->input[i];
        int id = as_graph_find_tensor(im->graph, as_onnx_text(info->name));
        if (id >= 0 && as_graph_tensor(im->graph, id)->data) continue; /* a weight's default */
        assay_code code = as_import_tensor(im, as_onnx_text(info->name), AS_F32, NULL, &id);
        if (!code && id < 0)
            code = as_fail(im->err, ASSAY_E_FORMAT, "input %zu has no name", i);
        if (!code && !as_graph_add_input(im->graph, id)) code = as_import_no_memory(im);
        if (code) return code;
    }
    return ASSAY_OK;
}

assay_code as_import_input_types(as_importer *im)
{
    assay_code code = ASSAY_OK;
    for (size_t i = 0; !code && i < im->proto->n_input; i++) {
        const Onnx__ValueInfoProto *info = im->proto->input[i];
        const int id = as_graph_find_tensor(im->graph, as_onnx_text(info->name));
        if (!as_graph_tensor(im->graph, id)->data)
            code = at_user(im, as_onnx_text(info->name), set_type(im, info, id));
    }
    return code;
}

assay_code as_import_outputs(as_importer *im)
{
    if (im->proto->n_output == 0)
        return as_fail(im->err, ASSAY_E_FORMAT, "the graph has no outputs");
    for (size_t i = 0; i < im->proto->n_output; i++) {
        const Onnx__ValueInfoProto *info = im->proto->output[i];
        int id = as_graph_find_tensor(im->graph, as_onnx_text(info->name));
        if (id < 0)
            return as_fail(im->err, ASSAY_E_FORMAT,
                           "graph output '%s' is not produced by any node",
                           as_onnx_text(info->name));
        const as_tensor *tensor = as_graph_tensor(im->graph, id);
        assay_code code = tensor->rank < 0 ? set_type(im, info, id) : ASSAY_OK;
        if (!code && !as_graph_add_output(im->graph, id)) code = as_import_no_memory(im);
        if (code) return code;
    }
    return ASSAY_OK;
}
