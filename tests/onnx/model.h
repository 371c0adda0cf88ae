/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TESTS_ONNX_MODEL_H
#define ASSAY_TESTS_ONNX_MODEL_H
/*
 * ONNX models for tests, written with protobuf-c: one model at a time, in static memory.
 *
 *     begin_model(13);
 *     add_input("x", 4, (int64_t[]){-1, 3, -1, -1});
 *     begin_node("Relu", "r", "x", "y");
 *     add_output("y");
 *     code = load_model(&graph, &err);
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph/shape.h"
#include "onnx.pb-c.h"
#include "onnx/onnx.h"

#define INT    ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT
#define FLOAT  ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT
#define STRING ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING
#define INTS   ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS
#define FLOATS ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS
#define TENSOR ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR

#define F32 ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT
#define I64 ONNX__TENSOR_PROTO__DATA_TYPE__INT64

enum { MOST = 16, MOST_DIMS = 12 };

/* One model and everything in it. */
static struct {
    Onnx__ModelProto model;
    Onnx__GraphProto graph;
    Onnx__OperatorSetIdProto opsets[2];
    Onnx__OperatorSetIdProto *opset_list[2];
    Onnx__NodeProto nodes[MOST];
    Onnx__NodeProto *node_list[MOST];
    char *names[MOST][MOST_DIMS];
    Onnx__AttributeProto attributes[MOST][MOST];
    Onnx__AttributeProto *attribute_list[MOST][MOST];
    int64_t ints[MOST][MOST][MOST_DIMS];
    Onnx__TensorProto weights[MOST];
    Onnx__TensorProto *weight_list[MOST];
    int64_t dims[MOST][MOST_DIMS];
    Onnx__ValueInfoProto infos[MOST];
    Onnx__ValueInfoProto *input_list[MOST], *output_list[MOST];
    Onnx__TypeProto types[MOST];
    Onnx__TypeProto__Tensor tensor_types[MOST];
    Onnx__TensorShapeProto shapes[MOST];
    Onnx__TensorShapeProto__Dimension info_dims[MOST][MOST_DIMS];
    Onnx__TensorShapeProto__Dimension *info_dim_list[MOST][MOST_DIMS];
    size_t n_infos;
} m;

static inline void begin_model(int opset)
{
    memset(&m, 0, sizeof m);
    m.model = (Onnx__ModelProto)ONNX__MODEL_PROTO__INIT;
    m.graph = (Onnx__GraphProto)ONNX__GRAPH_PROTO__INIT;
    m.graph.name = "test";
    m.graph.node = m.node_list;
    m.graph.initializer = m.weight_list;
    m.graph.input = m.input_list;
    m.graph.output = m.output_list;
    m.model.graph = &m.graph;
    m.model.producer_name = "maker";
    m.opsets[0] = (Onnx__OperatorSetIdProto)ONNX__OPERATOR_SET_ID_PROTO__INIT;
    m.opsets[0].has_version = 1;
    m.opsets[0].version = opset;
    m.opset_list[0] = &m.opsets[0];
    m.model.opset_import = m.opset_list;
    m.model.n_opset_import = 1;
}

/* An input's or output's name and dims: 0 and below are dynamic, named "d0", "d1" ... */
static inline Onnx__ValueInfoProto *new_info(const char *name, int rank, const int64_t *dims)
{
    static char *const dim_names[MOST_DIMS] = {"d0", "d1", "d2", "d3", "d4",  "d5",
                                               "d6", "d7", "d8", "d9", "d10", "d11"};
    size_t k = m.n_infos++;
    m.infos[k] = (Onnx__ValueInfoProto)ONNX__VALUE_INFO_PROTO__INIT;
    m.types[k] = (Onnx__TypeProto)ONNX__TYPE_PROTO__INIT;
    m.tensor_types[k] = (Onnx__TypeProto__Tensor)ONNX__TYPE_PROTO__TENSOR__INIT;
    m.shapes[k] = (Onnx__TensorShapeProto)ONNX__TENSOR_SHAPE_PROTO__INIT;
    m.infos[k].name = (char *)(uintptr_t)name;
    m.infos[k].type = &m.types[k];
    m.types[k].value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    m.types[k].tensor_type = &m.tensor_types[k];
    m.tensor_types[k].has_elem_type = 1;
    m.tensor_types[k].elem_type = F32;
    m.tensor_types[k].shape = &m.shapes[k];
    m.shapes[k].dim = m.info_dim_list[k];
    m.shapes[k].n_dim = (size_t)rank;
    for (int i = 0; i < rank; i++) {
        Onnx__TensorShapeProto__Dimension *dim = m.info_dim_list[k][i] = &m.info_dims[k][i];
        *dim = (Onnx__TensorShapeProto__Dimension)ONNX__TENSOR_SHAPE_PROTO__DIMENSION__INIT;
        dim->value_case = dims[i] > 0 ? ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE
                                      : ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
        if (dims[i] > 0)
            dim->dim_value = dims[i];
        else
            dim->dim_param = dim_names[i];
    }
    return &m.infos[k];
}

static inline void add_input(const char *name, int rank, const int64_t *dims)
{
    m.input_list[m.graph.n_input++] = new_info(name, rank, dims);
}

static inline void add_output(const char *name)
{
    m.output_list[m.graph.n_output] = new_info(name, 0, NULL);
    m.output_list[m.graph.n_output++]->type = NULL;
}

/* A weight whose raw_data are `n_bytes` at `data`. */
static inline Onnx__TensorProto *new_weight(const char *name, int type, int rank,
                                            const int64_t *dims, const void *data,
                                            size_t n_bytes)
{
    size_t k = m.graph.n_initializer;
    while (m.weights[k].base.descriptor)
        k++; /* behind those that are in attributes */
    Onnx__TensorProto *w = &m.weights[k];
    *w = (Onnx__TensorProto)ONNX__TENSOR_PROTO__INIT;
    w->name = (char *)(uintptr_t)name;
    w->has_data_type = 1;
    w->data_type = type;
    w->dims = m.dims[k];
    w->n_dims = (size_t)rank;
    for (int i = 0; i < rank; i++)
        w->dims[i] = dims[i];
    w->has_raw_data = data != NULL;
    w->raw_data = (ProtobufCBinaryData){.len = n_bytes, .data = (uint8_t *)(uintptr_t)data};
    return w;
}

static inline Onnx__TensorProto *add_weight(const char *name, int type, int rank,
                                            const int64_t *dims, const void *data,
                                            size_t n_bytes)
{
    Onnx__TensorProto *w = new_weight(name, type, rank, dims, data, n_bytes);
    m.weight_list[m.graph.n_initializer++] = w;
    return w;
}

/* A node; `inputs` and `outputs` are up to six names parted by one space, "-" = left out. */
static inline void begin_node(const char *op_type, const char *name, const char *inputs,
                              const char *outputs)
{
    static char text[MOST][256];
    size_t k = m.graph.n_node++;
    Onnx__NodeProto *node = m.node_list[k] = &m.nodes[k];
    *node = (Onnx__NodeProto)ONNX__NODE_PROTO__INIT;
    node->op_type = (char *)(uintptr_t)op_type;
    node->name = (char *)(uintptr_t)name;
    node->input = m.names[k];
    node->attribute = m.attribute_list[k];
    snprintf(text[k], sizeof text[k], "%s|%s", inputs, outputs);
    char *at = text[k], *bar = strchr(at, '|');
    *bar = '\0';
    for (char *word = strtok(at, " "); word; word = strtok(NULL, " "))
        node->input[node->n_input++] = strcmp(word, "-") == 0 ? "" : word;
    node->output = node->input + node->n_input;
    for (char *word = strtok(bar + 1, " "); word; word = strtok(NULL, " "))
        node->output[node->n_output++] = strcmp(word, "-") == 0 ? "" : word;
}

/* An attribute of the node that was begun last. */
static inline Onnx__AttributeProto *add_attribute(const char *name,
                                                  Onnx__AttributeProto__AttributeType type)
{
    size_t k = m.graph.n_node - 1;
    Onnx__NodeProto *node = &m.nodes[k];
    Onnx__AttributeProto *a = &m.attributes[k][node->n_attribute];
    *a = (Onnx__AttributeProto)ONNX__ATTRIBUTE_PROTO__INIT;
    a->name = (char *)(uintptr_t)name;
    a->has_type = 1;
    a->type = type;
    m.attribute_list[k][node->n_attribute++] = a;
    return a;
}

static inline void add_int(const char *name, int64_t value)
{
    Onnx__AttributeProto *a = add_attribute(name, INT);
    a->has_i = 1;
    a->i = value;
}

static inline void add_float(const char *name, float value)
{
    Onnx__AttributeProto *a = add_attribute(name, FLOAT);
    a->has_f = 1;
    a->f = value;
}

static inline void add_string(const char *name, const char *value)
{
    Onnx__AttributeProto *a = add_attribute(name, STRING);
    a->has_s = 1;
    a->s = (ProtobufCBinaryData){.len = strlen(value), .data = (uint8_t *)(uintptr_t)value};
}

static inline void add_ints(const char *name, int n, const int64_t *values)
{
    size_t k = m.graph.n_node - 1, i = m.nodes[k].n_attribute;
    Onnx__AttributeProto *a = add_attribute(name, INTS);
    a->ints = m.ints[k][i];
    a->n_ints = (size_t)n;
    memcpy(a->ints, values, (size_t)n * sizeof *values);
}

/* The model as a file's bytes; the caller frees. */
static inline unsigned char *pack_model(size_t *size)
{
    *size = onnx__model_proto__get_packed_size(&m.model);
    unsigned char *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(onnx__model_proto__pack(&m.model, bytes), *size);
    return bytes;
}

static inline assay_code load_model(as_graph **graph, assay_error *err)
{
    size_t size;
    unsigned char *bytes = pack_model(&size);
    assay_code code = as_onnx_parse(bytes, size, "dir/m.onnx", graph, err);
    free(bytes);
    return code;
}

/* Load what must load. */
static inline as_graph *load(void)
{
    assay_error err = {0};
    as_graph *graph = NULL;
    if (load_model(&graph, &err)) fail_msg("%s: %s", err.where, err.message);
    return graph;
}

/* Load what must fail so. */
static inline void assert_refused(assay_code code, const char *message, const char *where)
{
    assay_error err = {0};
    as_graph *graph = NULL;
    assay_code got = load_model(&graph, &err);
    assert_string_equal(err.message, message);
    assert_string_equal(err.where, where);
    assert_int_equal(got, code);
    assert_int_equal(err.code, code);
    assert_null(graph);
}

#endif
