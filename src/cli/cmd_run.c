/* SPDX-License-Identifier: Apache-2.0 */
/* assay run: any network on given tensors. */
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/npy.h"
#include "cli/cli.h"
#include "onnx/onnx.h"
#include "run/run.h"

typedef struct run_options {
    as_strings inputs;
    const char *output, *conv;
    int64_t threads;
    bool force, no_fuse;
} run_options;

static const as_option options[] = {
    AS_LIST(run_options, inputs, "input", "NAME=FILE",
            "tensor of an input: .npy, or ONNX's .pb; NAME= may be left out for the only one"),
    AS_TEXT(run_options, output, "o,output", "DIR", "folder for the outputs, NAME.npy each"),
    AS_INT(run_options, threads, "threads", "N", 1, 1024,
           "threads; default: what the process may use"),
    AS_TEXT(run_options, conv, "conv", "ROUTE", "prefer this convolution route"),
    AS_FLAG(run_options, no_fuse, "no-fuse", "run every node by itself"),
    AS_FLAG(run_options, force, "force", "overwrite outputs"),
    AS_OPTIONS_END,
};

/* A network with the tensors that it is fed. */
typedef struct work {
    const as_cli *cli;
    const run_options *options;
    assay_model *model;     /* owns */
    assay_session *session; /* owns */
    assay_tensor *inputs;   /* owns, with each data; [n_inputs] */
    assay_tensor *outputs;  /* owns; data is the session's; [n_outputs] */
    int n_inputs, n_outputs;
} work;

static bool has_end(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* The types that both NumPy's files and networks have. */
static const struct {
    as_npy_type npy;
    assay_dtype dtype;
} types[] = {{AS_NPY_F4, ASSAY_F32},
             {AS_NPY_I8, ASSAY_I64},
             {AS_NPY_I4, ASSAY_I32},
             {AS_NPY_B1, ASSAY_BOOL}};

static assay_code read_npy(const char *path, assay_tensor *out, assay_error *err)
{
    as_npy array = {0};
    size_t at = 0;
    assay_code code = as_npy_read(path, &array, err);
    if (code) return code;
    while (at < AS_COUNT_OF(types) && types[at].npy != array.type)
        at++;
    if (at == AS_COUNT_OF(types)) {
        code = as_fail(err, ASSAY_E_UNSUPPORTED, "%s holds %s, <f4, <i8, <i4 or |b1 is needed",
                       path, as_npy_type_name(array.type));
        as_npy_free(&array);
        return code;
    }
    *out = (assay_tensor){.rank = array.rank, .data = array.data, .dtype = types[at].dtype};
    memcpy(out->dims, array.dims, sizeof array.dims);
    return ASSAY_OK; /* `out` owns the data now */
}

static assay_code read_pb(const char *path, assay_tensor *out, assay_error *err)
{
    as_onnx_tensor tensor = {0};
    assay_code code = as_onnx_tensor_read(path, &tensor, err);
    if (code) return code;
    *out = (assay_tensor){
        .rank = tensor.shape.rank, .data = tensor.data, .dtype = (assay_dtype)tensor.dtype};
    memcpy(out->dims, tensor.shape.dims, sizeof tensor.shape.dims);
    tensor.data = NULL; /* `out` owns it now */
    as_onnx_tensor_free(&tensor);
    return ASSAY_OK;
}

/* Index of the model's input that "NAME=FILE" is for, and where FILE begins. */
static int find_input(const work *w, const char *text, const char **file)
{
    for (int i = 0; i < w->n_inputs; i++) {
        const char *name = assay_model_input_name(w->model, i);
        size_t length = strlen(name);
        if (strncmp(text, name, length) == 0 && text[length] == '=') {
            *file = text + length + 1;
            return i;
        }
    }
    *file = text;
    return w->n_inputs == 1 && !strchr(text, '=') ? 0 : -1;
}

static assay_code read_input(work *w, const char *text, assay_error *err)
{
    const char *file = NULL;
    int i = find_input(w, text, &file);
    if (i < 0)
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "--input %.60s names no input; the model's first of %d is '%.40s'", text,
                       w->n_inputs, assay_model_input_name(w->model, 0));
    if (w->inputs[i].data)
        return as_fail(err, ASSAY_E_ARGUMENT, "input '%.60s' is given twice",
                       assay_model_input_name(w->model, i));
    return has_end(file, ".pb") ? read_pb(file, &w->inputs[i], err)
                                : read_npy(file, &w->inputs[i], err);
}

static assay_code open_work(work *w, assay_error *err)
{
    const run_options *o = w->options;
    if (!o->output) return as_fail(err, ASSAY_E_ARGUMENT, "-o DIR is missing");
    assay_model_options how = assay_model_options_defaults();
    how.conv = o->conv;
    how.fuse = !o->no_fuse;
    assay_code code = assay_model_load(w->cli->arguments.items[0], &how, &w->model, err);
    if (!code) code = assay_session_new(w->model, (size_t)o->threads, &w->session, err);
    if (code) return code;
    w->n_inputs = assay_model_n_inputs(w->model);
    w->n_outputs = assay_model_n_outputs(w->model);
    w->inputs = as_alloc_array((size_t)w->n_inputs, sizeof *w->inputs);
    w->outputs = as_alloc_array((size_t)w->n_outputs, sizeof *w->outputs);
    if (!w->inputs || !w->outputs) return as_fail(err, ASSAY_E_MEMORY, "no memory for tensors");
    for (size_t i = 0; !code && i < o->inputs.n; i++)
        code = read_input(w, o->inputs.items[i], err);
    for (int i = 0; !code && i < w->n_inputs; i++)
        if (!w->inputs[i].data)
            code = as_fail(err, ASSAY_E_ARGUMENT, "input '%.60s' has no --input",
                           assay_model_input_name(w->model, i));
    return code;
}

static assay_code write_output(const work *w, int i, assay_error *err)
{
    const assay_tensor *t = &w->outputs[i];
    as_npy array = {.rank = t->rank, .data = (void *)(uintptr_t)t->data, .n_elements = 1};
    for (size_t k = 0; k < AS_COUNT_OF(types); k++)
        if (types[k].dtype == t->dtype) array.type = types[k].npy;
    for (int d = 0; d < t->rank; d++) {
        array.dims[d] = t->dims[d];
        array.n_elements *= (size_t)t->dims[d];
    }
    char *path =
        as_format("%s/%s.npy", w->options->output, assay_model_output_name(w->model, i));
    if (!path) return as_fail(err, ASSAY_E_MEMORY, "no memory for a path");
    for (char *at = path + strlen(w->options->output) + 1; *at; at++)
        if (*at == '/') *at = '_'; /* an output's name must not leave the folder */
    assay_code code = as_output_claim(path, w->options->force, err);
    if (!code) code = as_npy_write(path, &array, err);
    as_free(path);
    return code;
}

static int run(const as_cli *cli, const void *values)
{
    work w = {.cli = cli, .options = values};
    assay_error err = {0};
    assay_code code = open_work(&w, &err);
    if (!code)
        code = assay_session_run(w.session, w.inputs, w.n_inputs, w.outputs, w.n_outputs, &err);
    if (!code) code = as_folder_make(w.options->output, &err);
    for (int i = 0; !code && i < w.n_outputs; i++)
        code = write_output(&w, i, &err);
    for (int i = 0; w.inputs && i < w.n_inputs; i++)
        as_free((void *)(uintptr_t)w.inputs[i].data);
    as_free(w.inputs);
    as_free(w.outputs);
    assay_session_free(w.session);
    assay_model_free(w.model);
    return code ? as_cli_fail(cli, &err) : AS_EXIT_DONE;
}

const as_verb as_verb_run = {
    .name = "run",
    .summary = "run a network on given tensors",
    .usage = "MODEL --input NAME=FILE.npy... -o DIR",
    .description = "Each output becomes DIR/NAME.npy, a '/' in its name written '_'.",
    .example = "assay run models/ch_PP-OCRv4_det_infer.onnx --input x=page.npy -o out",
    .options = options,
    .values_bytes = sizeof(run_options),
    .least_arguments = 1,
    .most_arguments = 1,
    .run = run,
};
