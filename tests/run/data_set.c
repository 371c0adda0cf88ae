/* SPDX-License-Identifier: Apache-2.0 */
#include "data_set.h"

data_set data_set_read(const char *kind, int i)
{
    data_set set;
    char path[256];
    snprintf(path, sizeof path, CASE "/%s/test_data_set_%d/input_0.pb", kind, i);
    assert_int_equal(as_onnx_tensor_read(path, &set.input, NULL), ASSAY_OK);
    snprintf(path, sizeof path, CASE "/%s/test_data_set_%d/output_0.pb", kind, i);
    assert_int_equal(as_onnx_tensor_read(path, &set.output, NULL), ASSAY_OK);
    return set;
}

void data_set_free(data_set *set)
{
    as_onnx_tensor_free(&set->input);
    as_onnx_tensor_free(&set->output);
}

assay_tensor data_set_input(const data_set *set)
{
    assay_tensor tensor = {.rank = set->input.shape.rank, .data = set->input.data};
    memcpy(tensor.dims, set->input.shape.dims, sizeof set->input.shape.dims);
    return tensor;
}
