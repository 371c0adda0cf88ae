/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx/cut.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "onnx.pb-c.h"

/* Which names are needed, as a growing list; small enough to be walked. */
typedef struct wanted {
    const char **names; /* owns the array */
    size_t n, room;
} wanted;

static bool is_wanted(const wanted *w, const char *name)
{
    for (size_t i = 0; i < w->n; i++)
        if (strcmp(w->names[i], name) == 0) return true;
    return false;
}

static assay_code want(wanted *w, const char *name, assay_error *err)
{
    if (!name[0] || is_wanted(w, name)) return ASSAY_OK;
    const char **grown = as_grow(w->names, w->n, &w->room, sizeof *grown);
    if (!grown) return as_fail(err, ASSAY_E_MEMORY, "no memory to cut a model");
    w->names = grown;
    w->names[w->n++] = name;
    return ASSAY_OK;
}

/* What a graph inside a node reads of the graph around it stands among its nodes' inputs. */
static assay_code want_of(wanted *w, const Onnx__NodeProto *node, assay_error *err)
{
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < node->n_input && !code; i++)
        code = want(w, node->input[i], err);
    for (size_t i = 0; i < node->n_attribute && !code; i++) {
        const Onnx__GraphProto *inner = node->attribute[i]->g;
        for (size_t k = 0; inner && k < inner->n_node && !code; k++)
            code = want_of(w, inner->node[k], err);
    }
    return code;
}

static bool makes_wanted(const wanted *w, const Onnx__NodeProto *node)
{
    for (size_t i = 0; i < node->n_output; i++)
        if (node->output[i][0] && is_wanted(w, node->output[i])) return true;
    return false;
}

/* Drop the nodes that nobody needs; those of a file stand in topological order. */
static assay_code keep_nodes(Onnx__GraphProto *graph, wanted *w, assay_error *err)
{
    size_t first = graph->n_node;
    for (size_t i = graph->n_node; i-- > 0;) {
        Onnx__NodeProto *node = graph->node[i];
        if (makes_wanted(w, node)) {
            assay_code code = want_of(w, node, err);
            if (code) return code;
            graph->node[--first] = node;
            if (first != i) graph->node[i] = NULL;
        } else {
            onnx__node_proto__free_unpacked(node, NULL);
            graph->node[i] = NULL;
        }
    }
    graph->n_node -= first;
    memmove(graph->node, graph->node + first, graph->n_node * sizeof(Onnx__NodeProto *));
    return ASSAY_OK;
}

static assay_code keep_weights(Onnx__GraphProto *graph, const wanted *w, assay_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < graph->n_initializer; i++) {
        Onnx__TensorProto *weight = graph->initializer[i];
        if (weight->has_data_location &&
            weight->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL)
            return as_fail(err, ASSAY_E_UNSUPPORTED,
                           "weight '%.60s' lies in a file of its own, such a model is not cut",
                           weight->name);
        if (is_wanted(w, weight->name)) {
            graph->initializer[i] = graph->initializer[n];
            graph->initializer[n++] = weight;
        }
    }
    for (size_t i = n; i < graph->n_initializer; i++)
        onnx__tensor_proto__free_unpacked(graph->initializer[i], NULL);
    graph->n_initializer = n;
    return ASSAY_OK;
}

/* The tensor as the only output, its type left to who loads it. */
static assay_code set_output(Onnx__GraphProto *graph, const char *tensor, assay_error *err)
{
    if (graph->n_output == 0)
        return as_fail(err, ASSAY_E_FORMAT, "the model has no output, a network has one");
    for (size_t i = 1; i < graph->n_output; i++)
        onnx__value_info_proto__free_unpacked(graph->output[i], NULL);
    graph->n_output = 1;
    Onnx__ValueInfoProto *output = graph->output[0];
    if (strcmp(output->name, tensor) == 0) return ASSAY_OK;
    char *name = malloc(strlen(tensor) + 1); /* protobuf-c's own allocator frees it */
    if (!name) return as_fail(err, ASSAY_E_MEMORY, "no memory to cut a model");
    strcpy(name, tensor);
    if (output->name != protobuf_c_empty_string) free(output->name);
    output->name = name;
    if (output->type) onnx__type_proto__free_unpacked(output->type, NULL);
    output->type = NULL;
    return ASSAY_OK;
}

static assay_code pack(const Onnx__ModelProto *model, as_bytes *out, assay_error *err)
{
    size_t size = onnx__model_proto__get_packed_size(model);
    *out = (as_bytes){.data = as_alloc(size + 1), .size = size};
    if (!out->data) return as_fail(err, ASSAY_E_MEMORY, "no memory to cut a model");
    onnx__model_proto__pack(model, out->data);
    return ASSAY_OK;
}

assay_code as_onnx_cut(const void *bytes, size_t size, const char *tensor, as_bytes *out,
                       assay_error *err)
{
    wanted w = {0};
    *out = (as_bytes){0};
    Onnx__ModelProto *model = onnx__model_proto__unpack(NULL, size, bytes);
    if (!model || !model->graph) {
        if (model) onnx__model_proto__free_unpacked(model, NULL);
        return as_fail(err, ASSAY_E_FORMAT, "%zu bytes are no model that could be cut", size);
    }
    Onnx__GraphProto *graph = model->graph;
    assay_code code = want(&w, tensor, err);
    if (!code) code = keep_nodes(graph, &w, err);
    if (!code && graph->n_node == 0)
        code = as_fail(err, ASSAY_E_FORMAT, "no node makes tensor '%.80s'", tensor);
    if (!code) code = keep_weights(graph, &w, err);
    if (!code) code = set_output(graph, tensor, err);
    if (!code) code = pack(model, out, err);
    onnx__model_proto__free_unpacked(model, NULL);
    as_free(w.names);
    return code;
}
