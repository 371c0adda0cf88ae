/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/outputs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/size.h"

/* Of a layout: every output with eight dims of ten digits. */
enum { LAYOUT_BYTES = AS_ENGINE_PORTS * (ASSAY_MAX_RANK * 12 + 8) };

char *as_outputs_folder(const char *run_folder) { return as_path_join(run_folder, "outputs"); }

static size_t elements_of(const assay_tensor *t)
{
    size_t n = 1;
    for (int d = 0; d < t->rank; d++)
        n *= (size_t)t->dims[d];
    return n;
}

/* "f4[1,1000];i8[1]\n"; @return its length. */
static size_t write_layout(const as_engine_tensors *outputs, char text[LAYOUT_BYTES])
{
    static const char *const types[] = {
        [ASSAY_F32] = "f4", [ASSAY_I64] = "i8", [ASSAY_I32] = "i4", [ASSAY_BOOL] = "b1"};
    size_t at = 0;
    for (size_t i = 0; i < outputs->n; i++) {
        const assay_tensor *t = &outputs->items[i];
        at += (size_t)snprintf(text + at, LAYOUT_BYTES - at, "%s%s[", i ? ";" : "",
                               types[t->dtype]);
        for (int d = 0; d < t->rank; d++)
            at += (size_t)snprintf(text + at, LAYOUT_BYTES - at, "%s%" PRId64, d ? "," : "",
                                   t->dims[d]);
        at += (size_t)snprintf(text + at, LAYOUT_BYTES - at, "]");
    }
    text[at++] = '\n';
    return at;
}

static size_t count_not_finite(const as_engine_tensors *outputs)
{
    size_t n = 0;
    for (size_t i = 0; i < outputs->n; i++) {
        const assay_tensor *t = &outputs->items[i];
        const float *values = t->data;
        for (size_t k = 0; t->dtype == ASSAY_F32 && k < elements_of(t); k++)
            n += !isfinite(values[k]);
    }
    return n;
}

/* Layout and bytes in one block (as_bytes_free). */
static assay_code make_content(const as_engine_tensors *outputs, as_bytes *out,
                               assay_error *err)
{
    char layout[LAYOUT_BYTES];
    size_t n_layout = write_layout(outputs, layout), total = n_layout;
    for (size_t i = 0; i < outputs->n; i++)
        total += elements_of(&outputs->items[i]) * assay_dtype_bytes(outputs->items[i].dtype);
    *out = (as_bytes){.data = as_alloc(total + 1), .size = total};
    if (!out->data)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu bytes of outputs", total);
    memcpy(out->data, layout, n_layout);
    for (size_t i = 0, at = n_layout; i < outputs->n; i++) {
        const assay_tensor *t = &outputs->items[i];
        size_t bytes = elements_of(t) * assay_dtype_bytes(t->dtype);
        if (bytes) memcpy(out->data + at, t->data, bytes);
        at += bytes;
    }
    return ASSAY_OK;
}

assay_code as_outputs_keep(const char *folder, const as_engine_tensors *outputs,
                           char hex[AS_SHA256_HEX], size_t *n_not_finite, assay_error *err)
{
    as_bytes content = {0};
    char *path = NULL;
    assay_code code = make_content(outputs, &content, err);
    if (!code) code = as_sha256_bytes(content.data, content.size, hex, err);
    if (!code && !(path = as_path_join(folder, hex)))
        code = as_fail(err, ASSAY_E_MEMORY, "no memory for outputs");
    if (!code && !as_file_exists(path))
        code = as_file_write(path, content.data, content.size, err);
    *n_not_finite += code ? 0 : count_not_finite(outputs);
    as_bytes_free(&content);
    as_free(path);
    return code;
}

static assay_code store_file(const char *folder, const char *name, as_evidence_writer *writer,
                             assay_error *err)
{
    as_bytes content = {0};
    char hex[AS_SHA256_HEX], *path = as_path_join(folder, name);
    if (!path) return as_fail(err, ASSAY_E_MEMORY, "no memory for outputs");
    assay_code code = as_file_read(path, 0, &content, err);
    if (!code) code = as_sha256_bytes(content.data, content.size, hex, err);
    if (!code && strcmp(hex, name) != 0)
        code = as_fail(err, ASSAY_E_CHILD,
                       "the worker wrote outputs %.16s... with SHA-256 %.16s...", name, hex);
    as_output_row row = {.sha256 = hex, .content = content.data, .content_bytes = content.size};
    if (!code) code = as_evidence_add_output(writer, &row, err);
    as_bytes_free(&content);
    as_free(path);
    return code;
}

assay_code as_outputs_store(const char *folder, as_evidence_writer *writer, assay_error *err)
{
    as_names names = {0};
    assay_code code = as_folder_list(folder, &names, err);
    for (size_t i = 0; i < names.n && !code; i++)
        code = store_file(folder, names.items[i], writer, err);
    as_names_free(&names);
    return code;
}
