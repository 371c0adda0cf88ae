/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/tensor_call.h"

#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/npy.h"

/* The types that a frozen array may have. */
static const struct {
    as_npy_type npy;
    assay_dtype dtype;
} types[] = {{AS_NPY_F4, ASSAY_F32},
             {AS_NPY_I8, ASSAY_I64},
             {AS_NPY_I4, ASSAY_I32},
             {AS_NPY_B1, ASSAY_BOOL}};

static assay_code read_array(const char *corpus_path, const as_input_row *input, as_npy *out,
                             assay_error *err)
{
    as_bytes file = {0};
    char hex[AS_SHA256_HEX], *path = as_path_join(corpus_path, input->file);
    if (!path) return as_fail(err, ASSAY_E_MEMORY, "no memory for %s", input->file);
    assay_code code = as_file_read(path, 0, &file, err);
    if (!code) code = as_sha256_bytes(file.data, file.size, hex, err);
    if (!code && strcmp(hex, input->sha256) != 0)
        code = as_fail(err, ASSAY_E_CHANGED,
                       "array %.100s has SHA-256 %.12s..., %.12s... was frozen", input->file,
                       hex, input->sha256);
    if (!code) code = as_npy_parse(file.data, file.size, input->file, out, err);
    as_bytes_free(&file);
    as_free(path);
    return code;
}

static assay_code tensor_of(const as_npy *array, const as_input_row *input, assay_tensor *out,
                            assay_error *err)
{
    *out = (assay_tensor){.rank = array->rank, .data = array->data};
    memcpy(out->dims, array->dims, sizeof array->dims);
    for (size_t i = 0; i < AS_COUNT_OF(types); i++) {
        out->dtype = types[i].dtype;
        if (types[i].npy == array->type) return ASSAY_OK;
    }
    return as_fail(err, ASSAY_E_UNSUPPORTED, "%s holds %s, which no input is", input->file,
                   as_npy_type_name(array->type));
}

static assay_code read_inputs(const as_job *job, const as_call_row *call,
                              const char *corpus_path, as_npy *arrays,
                              as_engine_tensors *inputs, assay_error *err)
{
    assay_code code = ASSAY_OK;
    inputs->n = call->shape.n;
    for (size_t i = 0; i < inputs->n && !code; i++) {
        const as_input_row *input = &job->inputs[call->inputs[i]];
        inputs->names[i] = input->tensor;
        code = read_array(corpus_path, input, &arrays[i], err);
        if (!code) code = tensor_of(&arrays[i], input, &inputs->items[i], err);
    }
    return code;
}

assay_code as_tensor_call_run(as_engine *engine, const as_job *job, const as_call_row *call,
                              const char *corpus_path, int64_t resolution_ns,
                              as_engine_tensors *outputs, as_call_report *report,
                              assay_error *err)
{
    as_npy arrays[AS_ENGINE_PORTS] = {{0}};
    as_engine_tensors inputs = {0};
    if (call->shape.n > AS_ENGINE_PORTS)
        return as_fail(err, ASSAY_E_UNSUPPORTED, "a call of %zu inputs, at most %d are taken",
                       call->shape.n, AS_ENGINE_PORTS);
    assay_code code = read_inputs(job, call, corpus_path, arrays, &inputs, err);
    *report = (as_call_report){
        .call = {call->shape.n, call->shape.c, call->shape.h, call->shape.w}, .n_pieces = 1};
    report->pieces[0] = report->call;
    const as_stamp begin = as_clock_stamp();
    if (!code) code = as_engine_run(engine, &inputs, outputs, err);
    const as_stamp end = as_clock_stamp();
    report->forward_ns = end.raw_ns - begin.raw_ns;
    report->clock = as_clock_judge(&begin, &end, resolution_ns);
    for (size_t i = 0; i < call->shape.n; i++)
        as_npy_free(&arrays[i]);
    return code;
}
