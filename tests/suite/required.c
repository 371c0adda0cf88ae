/* SPDX-License-Identifier: Apache-2.0 */
#include "required.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onnx.pb-c.h"

/* The operators of FP32 convolutional networks; spaces on both ends of each name. */
static const char operators[] =
    " Conv ConvTranspose MaxPool AveragePool LpPool GlobalAveragePool GlobalMaxPool "
    "GlobalLpPool"
    " BatchNormalization InstanceNormalization LayerNormalization GroupNormalization LRN"
    " Relu LeakyRelu PRelu Elu Selu Celu ThresholdedRelu Clip Sigmoid HardSigmoid HardSwish "
    "Mish"
    " Softplus Softsign Tanh Erf Gelu Exp Log Sqrt Reciprocal Abs Neg Floor Ceil Round Pow"
    " Add Sub Mul Div Min Max Mean Sum Gemm MatMul Softmax LogSoftmax"
    " ReduceMax ReduceMin ReduceMean ReduceSum ReduceProd ReduceL1 ReduceL2 ReduceLogSum"
    " ReduceLogSumExp ReduceSumSquare ArgMax ArgMin"
    " Reshape Flatten Transpose Squeeze Unsqueeze Concat Split Slice Gather Expand Tile Pad"
    " DepthToSpace SpaceToDepth Resize Upsample GridSample"
    " Shape Size Constant ConstantOfShape Range Cast Where"
    " And Or Xor Not Equal Less LessOrEqual Greater GreaterOrEqual Identity Dropout ";

static bool is_listed(const char *list, const char *name)
{
    char word[64];
    snprintf(word, sizeof word, " %s ", name);
    return strstr(list, word) != NULL;
}

static bool is_type(int type)
{
    return type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT ||
           type == ONNX__TENSOR_PROTO__DATA_TYPE__INT32 ||
           type == ONNX__TENSOR_PROTO__DATA_TYPE__INT64 ||
           type == ONNX__TENSOR_PROTO__DATA_TYPE__BOOL;
}

static bool are_tensors(Onnx__ValueInfoProto *const *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const Onnx__TypeProto *type = values[i]->type;
        if (!type || type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE ||
            !is_type(type->tensor_type->elem_type))
            return false;
    }
    return true;
}

static bool has_only_types(const Onnx__NodeProto *node)
{
    for (size_t i = 0; i < node->n_attribute; i++) {
        const Onnx__AttributeProto *a = node->attribute[i];
        if (a->t && !is_type(a->t->data_type)) return false;
        if (strcmp(node->op_type, "Cast") == 0 && strcmp(a->name, "to") == 0 &&
            !is_type((int)a->i))
            return false;
    }
    return true;
}

static bool is_default_domain(const char *domain)
{
    return !domain || !domain[0] || strcmp(domain, "ai.onnx") == 0;
}

/* Note an operator that is not there yet. */
static void add_operator(suite_case *out, const char *name)
{
    char all[sizeof out->operators + 2];
    const size_t n = strlen(out->operators);
    snprintf(all, sizeof all, " %s ", out->operators);
    if (!is_listed(all, name))
        snprintf(out->operators + n, sizeof out->operators - n, "%s%s", n ? " " : "", name);
}

static void look(const Onnx__ModelProto *model, suite_case *out)
{
    const Onnx__GraphProto *graph = model->graph;
    *out = (suite_case){.is_required = are_tensors(graph->input, graph->n_input) &&
                                       are_tensors(graph->output, graph->n_output)};
    for (size_t i = model->n_opset_import; i-- > 0;)
        if (is_default_domain(model->opset_import[i]->domain) || out->opset == 0)
            out->opset = (int)model->opset_import[i]->version;
    for (size_t i = 0; i < graph->n_initializer; i++)
        out->is_required = out->is_required && is_type(graph->initializer[i]->data_type);
    for (size_t i = 0; i < graph->n_node; i++) {
        const Onnx__NodeProto *node = graph->node[i];
        out->is_required = out->is_required && is_default_domain(node->domain) &&
                           is_listed(operators, node->op_type) && has_only_types(node);
        add_operator(out, node->op_type);
    }
}

bool suite_case_read(const char *path, suite_case *out)
{
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    Onnx__ModelProto *model = NULL;
    unsigned char *bytes = NULL;
    long n = 0;
    if (fseek(file, 0, SEEK_END) == 0 && (n = ftell(file)) > 0 &&
        fseek(file, 0, SEEK_SET) == 0 && (bytes = malloc((size_t)n)) &&
        fread(bytes, 1, (size_t)n, file) == (size_t)n)
        model = onnx__model_proto__unpack(NULL, (size_t)n, bytes);
    const bool is_model = model && model->graph;
    if (is_model) look(model, out);
    onnx__model_proto__free_unpacked(model, NULL);
    free(bytes);
    fclose(file);
    return is_model;
}
