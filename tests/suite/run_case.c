/* SPDX-License-Identifier: Apache-2.0 */
#include "run_case.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "assay/session.h"
#include "base/compiler.h"
#include "onnx/onnx.h"

/* Within what outputs must be right: onnx.backend.test.case.test_case.TestCase's defaults. */
#define RTOL 1e-3
#define ATOL 1e-7

#define MOST_TENSORS 64

static suite_result result(suite_verdict verdict, const char *format, ...) AS_PRINTF(2, 3);

static suite_result result(suite_verdict verdict, const char *format, ...)
{
    suite_result r = {.verdict = verdict};
    va_list values;
    va_start(values, format);
    vsnprintf(r.reason, sizeof r.reason, format, values);
    va_end(values);
    return r;
}

/* Refused where the command line would exit with 4, failed otherwise. */
static suite_result of_error(const assay_error *err)
{
    const bool is_refusal = err->code == ASSAY_E_UNSUPPORTED || err->code == ASSAY_E_FORMAT;
    return result(is_refusal ? SUITE_REFUSED : SUITE_FAILED, "%s: %s",
                  strchr(err->where, ':') ? strchr(err->where, ':') + 2 : err->where,
                  err->message);
}

static bool is_near(float ours, float theirs)
{
    if (isnan(ours) || isnan(theirs)) return isnan(ours) && isnan(theirs);
    if (isinf(ours) || isinf(theirs)) return ours == theirs;
    return fabs((double)ours - (double)theirs) <= ATOL + RTOL * fabs((double)theirs);
}

/* Type, shape and elements of output `i`. */
static suite_result compare(int i, const assay_tensor *ours, const as_onnx_tensor *theirs)
{
    bool fits = (int)ours->dtype == (int)theirs->dtype && ours->rank == theirs->shape.rank;
    for (int d = 0; fits && d < ours->rank; d++)
        fits = ours->dims[d] == theirs->shape.dims[d];
    if (!fits)
        return result(SUITE_FAILED, "output %d has type %d and rank %d, or dims, not %d and %d",
                      i, (int)ours->dtype, ours->rank, (int)theirs->dtype, theirs->shape.rank);
    const size_t bytes = as_dtype_bytes(theirs->dtype);
    for (size_t k = 0; k < theirs->n_elements; k++) {
        if (theirs->dtype == AS_F32) {
            const float a = ((const float *)ours->data)[k], b = ((float *)theirs->data)[k];
            if (!is_near(a, b))
                return result(SUITE_FAILED, "output %d, element %zu: %.9g, not %.9g", i, k,
                              (double)a, (double)b);
        } else if (memcmp((const char *)ours->data + k * bytes,
                          (const char *)theirs->data + k * bytes, bytes) != 0) {
            return result(SUITE_FAILED, "output %d, element %zu differs", i, k);
        }
    }
    return result(SUITE_PASSED, "%s", "");
}

/* <folder>/<kind>_0.pb and so on.  @return how many there are, -1 when one cannot be read. */
static int read_tensors(const char *folder, const char *kind, as_onnx_tensor *out,
                        assay_error *err)
{
    for (int n = 0; n < MOST_TENSORS; n++) {
        char path[4200];
        snprintf(path, sizeof path, "%s/%s_%d.pb", folder, kind, n);
        if (access(path, R_OK) != 0) return n;
        if (as_onnx_tensor_read(path, &out[n], err)) return -1;
    }
    return -1;
}

/* The file that is input `i` of the model: by its name, else by its place. */
static const as_onnx_tensor *find(const assay_model *model, int i, const as_onnx_tensor *in,
                                  int n)
{
    for (int k = 0; k < n; k++)
        if (strcmp(in[k].name, assay_model_input_name(model, i)) == 0) return &in[k];
    return i < n ? &in[i] : NULL;
}

static suite_result run_set(const assay_model *model, assay_session *session,
                            const char *folder)
{
    static as_onnx_tensor in[MOST_TENSORS], wanted[MOST_TENSORS];
    assay_tensor inputs[MOST_TENSORS], outputs[MOST_TENSORS];
    assay_error err = {0};
    const int n_in = read_tensors(folder, "input", in, &err);
    const int n_wanted = n_in < 0 ? -1 : read_tensors(folder, "output", wanted, &err);
    const int n = assay_model_n_inputs(model), n_out = assay_model_n_outputs(model);
    if (n_wanted < 0) return of_error(&err);
    if (n_wanted != n_out || n > MOST_TENSORS)
        return result(SUITE_FAILED, "%d outputs are wanted, the model has %d", n_wanted, n_out);
    for (int i = 0; i < n; i++) {
        const as_onnx_tensor *t = find(model, i, in, n_in);
        if (!t) return result(SUITE_FAILED, "input %d has no file", i);
        inputs[i] = (assay_tensor){
            .rank = t->shape.rank, .data = t->data, .dtype = (assay_dtype)t->dtype};
        memcpy(inputs[i].dims, t->shape.dims, sizeof inputs[i].dims);
    }
    if (assay_session_run(session, inputs, n, outputs, n_out, &err)) return of_error(&err);
    suite_result r = result(SUITE_PASSED, "%s", "");
    for (int i = 0; r.verdict == SUITE_PASSED && i < n_out; i++)
        r = compare(i, &outputs[i], &wanted[i]);
    return r;
}

/* The process ends behind this, and nothing is freed. */
static suite_result run_here(const char *folder)
{
    char path[4096];
    assay_model *model;
    assay_session *session;
    assay_error err = {0};
    snprintf(path, sizeof path, "%s/model.onnx", folder);
    if (assay_model_load(path, NULL, &model, &err)) return of_error(&err);
    if (assay_session_new(model, 1, &session, &err)) return of_error(&err);
    for (int set = 0;; set++) {
        snprintf(path, sizeof path, "%s/test_data_set_%d", folder, set);
        if (access(path, R_OK) != 0)
            return result(set ? SUITE_PASSED : SUITE_FAILED, "%s", set ? "" : "it has no data");
        const suite_result r = run_set(model, session, path);
        if (r.verdict != SUITE_PASSED) return r;
    }
}

suite_result suite_run_case(const char *folder)
{
    int ends[2], status = 0;
    if (pipe(ends) != 0) return result(SUITE_FAILED, "%s", "no pipe");
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const suite_result r = run_here(folder);
        _exit(write(ends[1], &r, sizeof r) == sizeof r ? 0 : 1);
    }
    close(ends[1]);
    suite_result r = {.verdict = SUITE_FAILED};
    size_t at = 0;
    for (ssize_t n; at < sizeof r; at += (size_t)n)
        if ((n = read(ends[0], (char *)&r + at, sizeof r - at)) <= 0) break;
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child || at != sizeof r || status != 0)
        return result(SUITE_FAILED, "its process ended with status %d", status);
    return r;
}
