/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The messages are put together in one arena and borrow the graph's names and weights; protobuf-c
 * writes them in the order of their fields, so that the bytes depend on the graph alone.
 */
#include "onnx/save.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "onnx/onnx.h"
#include "onnx/saver.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "raw_data is little-endian");

void *as_saver_array(as_saver *saver, size_t n, size_t element_bytes)
{
    void *array = as_arena_array(saver->memory, n ? n : 1, element_bytes);
    if (!array) saver->is_out_of_memory = true;
    return array;
}

/* protobuf-c's structs have no const; packing only reads. */
static char *borrow(const char *text) { return (char *)(uintptr_t)text; }

/* ONNX's number of an element type (TensorProto.DataType). */
static int32_t data_type(as_dtype dtype)
{
    static const int32_t types[] = {
        [AS_F32] = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT,
        [AS_I64] = ONNX__TENSOR_PROTO__DATA_TYPE__INT64,
        [AS_I32] = ONNX__TENSOR_PROTO__DATA_TYPE__INT32,
        [AS_BOOL] = ONNX__TENSOR_PROTO__DATA_TYPE__BOOL,
    };
    return types[dtype];
}

/* ---- Inputs, outputs and weights ---- */

static Onnx__TensorShapeProto__Dimension *make_dim(as_saver *s, const as_tensor *t, int d)
{
    static const Onnx__TensorShapeProto__Dimension empty =
        ONNX__TENSOR_SHAPE_PROTO__DIMENSION__INIT;
    Onnx__TensorShapeProto__Dimension *dim = as_saver_array(s, 1, sizeof *dim);
    if (!dim) return NULL;
    *dim = empty;
    if (t->dims[d] >= 0) {
        dim->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        dim->dim_value = t->dims[d];
    } else if (t->dim_names[d][0]) {
        dim->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
        dim->dim_param = borrow(t->dim_names[d]);
    }
    return dim;
}

static Onnx__TensorShapeProto *make_shape(as_saver *s, const as_tensor *t)
{
    static const Onnx__TensorShapeProto empty = ONNX__TENSOR_SHAPE_PROTO__INIT;
    Onnx__TensorShapeProto *shape = as_saver_array(s, 1, sizeof *shape);
    if (!shape) return NULL;
    *shape = empty;
    shape->dim = as_saver_array(s, (size_t)t->rank, sizeof *shape->dim);
    if (!shape->dim) return NULL;
    shape->n_dim = (size_t)t->rank;
    for (int d = 0; d < t->rank; d++)
        shape->dim[d] = make_dim(s, t, d);
    return shape;
}

/* A name with its type and, where it is known, its shape. */
static Onnx__ValueInfoProto *make_info(as_saver *s, const as_tensor *t)
{
    static const Onnx__ValueInfoProto empty = ONNX__VALUE_INFO_PROTO__INIT;
    static const Onnx__TypeProto no_type = ONNX__TYPE_PROTO__INIT;
    static const Onnx__TypeProto__Tensor no_tensor = ONNX__TYPE_PROTO__TENSOR__INIT;
    Onnx__ValueInfoProto *info = as_saver_array(s, 1, sizeof *info);
    Onnx__TypeProto *type = as_saver_array(s, 1, sizeof *type);
    Onnx__TypeProto__Tensor *tensor = as_saver_array(s, 1, sizeof *tensor);
    if (s->is_out_of_memory) return NULL;
    *info = empty;
    *type = no_type;
    *tensor = no_tensor;
    info->name = borrow(t->name);
    info->type = type;
    type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    type->tensor_type = tensor;
    tensor->has_elem_type = 1;
    tensor->elem_type = data_type(t->dtype);
    if (t->rank >= 0) tensor->shape = make_shape(s, t);
    return info;
}

static Onnx__ValueInfoProto **make_infos(as_saver *s, const int *tensors, size_t n)
{
    Onnx__ValueInfoProto **infos = as_saver_array(s, n, sizeof *infos);
    for (size_t i = 0; infos && i < n; i++)
        infos[i] = make_info(s, as_graph_tensor(s->graph, tensors[i]));
    return infos;
}

static Onnx__TensorProto *make_weight(as_saver *s, const as_tensor *t)
{
    static const Onnx__TensorProto empty = ONNX__TENSOR_PROTO__INIT;
    Onnx__TensorProto *weight = as_saver_array(s, 1, sizeof *weight);
    int64_t *dims = as_saver_array(s, (size_t)t->rank, sizeof *dims);
    if (!weight || !dims) return NULL;
    *weight = empty;
    memcpy(dims, t->dims, (size_t)t->rank * sizeof *dims);
    weight->n_dims = (size_t)t->rank;
    weight->dims = dims;
    weight->has_data_type = 1;
    weight->data_type = data_type(t->dtype);
    weight->name = borrow(t->name);
    weight->has_raw_data = 1;
    weight->raw_data.len = t->n_elements * as_dtype_bytes(t->dtype);
    weight->raw_data.data = (uint8_t *)(uintptr_t)t->data;
    return weight;
}

/* A constant, also where a Constant node of a file gave it. */
static bool is_weight(const as_graph *graph, const as_tensor *t)
{
    return t->data &&
           (t->producer < 0 || as_graph_node(graph, t->producer)->op == AS_OP_CONSTANT);
}

/* Constants that somebody reads, by id. */
static void make_weights(as_saver *s, Onnx__GraphProto *out)
{
    const int n = as_graph_n_tensors(s->graph);
    out->initializer = as_saver_array(s, (size_t)n, sizeof *out->initializer);
    for (int i = 0; out->initializer && i < n; i++) {
        const as_tensor *t = as_graph_tensor(s->graph, i);
        const bool is_read =
            as_graph_consumers(s->graph, i, NULL) > 0 || as_graph_is_output(s->graph, i);
        if (is_read && is_weight(s->graph, t))
            out->initializer[out->n_initializer++] = make_weight(s, t);
    }
}

/* ---- Nodes ---- */

/* The names of tensors, "" for one that is left out. */
static assay_code make_names(as_saver *s, const int *tensors, int n, char ***out)
{
    *out = as_saver_array(s, (size_t)n, sizeof **out);
    for (int i = 0; *out && i < n; i++) {
        const char *name = tensors[i] < 0 ? "" : as_graph_tensor(s->graph, tensors[i])->name;
        if (tensors[i] >= 0 && !name[0])
            return as_fail(s->err, ASSAY_E_ARGUMENT,
                           "its tensor %d has no name, a file needs one", tensors[i]);
        (*out)[i] = borrow(name);
    }
    return ASSAY_OK;
}

static assay_code make_node(as_saver *s, const as_node *node, Onnx__NodeProto *out)
{
    static const Onnx__NodeProto empty = ONNX__NODE_PROTO__INIT;
    *out = empty;
    out->name = borrow(node->name);
    out->op_type = borrow(as_op_info(node->op)->op_type);
    out->n_input = (size_t)node->n_inputs;
    out->n_output = (size_t)node->n_outputs;
    assay_code code = make_names(s, node->inputs, node->n_inputs, &out->input);
    if (!code) code = make_names(s, node->outputs, node->n_outputs, &out->output);
    return code ? code : as_onnx_write_attributes(s, node, out);
}

/* All but Constant nodes, whose tensors are weights. */
static assay_code make_nodes(as_saver *s, Onnx__GraphProto *out)
{
    const int n = as_graph_n_nodes(s->graph);
    assay_code code = ASSAY_OK;
    out->node = as_saver_array(s, (size_t)n, sizeof *out->node);
    for (int i = 0; !code && !s->is_out_of_memory && i < n; i++) {
        const as_node *node = as_graph_node(s->graph, i);
        if (node->op == AS_OP_CONSTANT) continue;
        Onnx__NodeProto *made = as_saver_array(s, 1, sizeof *made);
        if (!made || !out->node) break;
        code = make_node(s, node, made);
        if (code) as_error_where(s->err, "node %d '%s' (%s)", i, node->name, node->op_type);
        out->node[out->n_node++] = made;
    }
    return code;
}

/* ---- The model ---- */

static assay_code pack(const Onnx__ModelProto *model, as_bytes *out, assay_error *err)
{
    const size_t size = onnx__model_proto__get_packed_size(model);
    if (size > AS_ONNX_MAX_BYTES)
        return as_fail(err, ASSAY_E_UNSUPPORTED,
                       "the model has %zu bytes, a file takes at most %zu", size,
                       AS_ONNX_MAX_BYTES);
    out->data = as_alloc(size + 1);
    if (!out->data)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for a file of %zu bytes", size);
    out->size = onnx__model_proto__pack(model, out->data);
    return ASSAY_OK;
}

static assay_code print(as_saver *s, as_bytes *out)
{
    const as_graph *g = s->graph;
    const char *producer = as_graph_producer_name(g);
    Onnx__OperatorSetIdProto opset = ONNX__OPERATOR_SET_ID_PROTO__INIT, *opsets[] = {&opset};
    Onnx__GraphProto graph = ONNX__GRAPH_PROTO__INIT;
    Onnx__ModelProto model = ONNX__MODEL_PROTO__INIT;
    opset.domain = borrow("");
    opset.has_version = model.has_ir_version = 1;
    opset.version = AS_ONNX_SAVED_OPSET;
    model.ir_version = AS_ONNX_SAVED_IR;
    model.n_opset_import = 1;
    model.opset_import = opsets;
    model.producer_name = borrow(producer[0] ? producer : "assay");
    model.graph = &graph;
    graph.name = borrow(as_graph_name(g)[0] ? as_graph_name(g) : "network");
    graph.n_input = (size_t)as_graph_n_inputs(g);
    graph.input = make_infos(s, as_graph_inputs(g), graph.n_input);
    graph.n_output = (size_t)as_graph_n_outputs(g);
    graph.output = make_infos(s, as_graph_outputs(g), graph.n_output);
    make_weights(s, &graph);
    assay_code code = make_nodes(s, &graph);
    if (!code && s->is_out_of_memory)
        code = as_fail(s->err, ASSAY_E_MEMORY, "no memory for a model of %d nodes",
                       as_graph_n_nodes(g));
    return code ? code : pack(&model, out, s->err);
}

assay_code as_onnx_print(const as_graph *graph, as_bytes *out, assay_error *err)
{
    as_saver s = {.graph = graph, .memory = as_arena_new(), .err = err};
    *out = (as_bytes){0};
    if (!s.memory) return as_fail(err, ASSAY_E_MEMORY, "no memory for a model");
    assay_code code = print(&s, out);
    as_arena_free(s.memory);
    return code;
}

assay_code as_onnx_save(const as_graph *graph, const char *path, assay_error *err)
{
    as_bytes bytes;
    assay_code code = as_onnx_print(graph, &bytes, err);
    if (!code) code = as_file_write(path, bytes.data, bytes.size, err);
    as_bytes_free(&bytes);
    return code;
}
