/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Load any network and run it once.
 *
 *     cc load_and_run.c -o load_and_run $(pkg-config --cflags --libs assay)
 *     ./load_and_run model.onnx 1 3 32 64
 *
 * The numbers are the dims of its input, which is filled with halves.  Each output of floats is printed
 * with its dims, least and largest value.
 */
#include <stdio.h>
#include <stdlib.h>

#include <assay/assay.h>

/* Parse the dims; returns the number of elements, 0 where they are none. */
static size_t parse_dims(int n, char **words, assay_tensor *tensor)
{
    size_t elements = 1;
    for (int i = 0; i < n; i++) {
        char *end;
        long dim = strtol(words[i], &end, 10);
        if (*end || dim < 1 || dim > 65536) return 0;
        elements *= (size_t)dim;
        if (elements > (size_t)1 << 28) return 0;
        tensor->dims[i] = dim;
    }
    tensor->rank = n;
    return elements;
}

static void print_output(const char *name, const assay_tensor *tensor)
{
    const float *values = tensor->data;
    size_t elements = 1;
    printf("%s [", name);
    for (int i = 0; i < tensor->rank; i++) {
        elements *= (size_t)tensor->dims[i];
        printf("%s%lld", i ? ", " : "", (long long)tensor->dims[i]);
    }
    if (tensor->dtype != ASSAY_F32) {
        printf("] %zu bytes an element, no floats\n", assay_dtype_bytes(tensor->dtype));
        return;
    }
    float least = 0, largest = 0;
    for (size_t i = 0; tensor->dtype == ASSAY_F32 && i < elements; i++) {
        if (i == 0 || values[i] < least) least = values[i];
        if (i == 0 || values[i] > largest) largest = values[i];
    }
    if (tensor->dtype == ASSAY_F32)
        printf("] %.9g %.9g\n", least, largest);
    else
        printf("] of integers\n");
}

static int fail(const assay_error *err)
{
    fprintf(stderr, "%s%s%s\n", err->where, err->where[0] ? ": " : "", err->message);
    return 1;
}

int main(int argc, char **argv)
{
    assay_tensor input = {.rank = 0};
    size_t elements =
        argc < 3 || argc - 2 > ASSAY_MAX_RANK ? 0 : parse_dims(argc - 2, argv + 2, &input);
    if (!elements) {
        fprintf(stderr, "usage: load_and_run MODEL.onnx DIM...\n");
        return 2;
    }
    float *values = malloc(elements * sizeof *values);
    if (!values) return 1;
    for (size_t i = 0; i < elements; i++)
        values[i] = 0.5F;
    input.data = values;

    assay_error err;
    assay_model *model = NULL;
    assay_session *session = NULL;
    assay_code code = assay_model_load(argv[1], NULL, &model, &err);
    if (!code) code = assay_session_new(model, 0, &session, &err);
    int n_outputs = code ? 0 : assay_model_n_outputs(model);
    assay_tensor *outputs = calloc((size_t)n_outputs + 1, sizeof *outputs);
    if (!code && outputs)
        code = assay_session_run(session, &input, 1, outputs, n_outputs, &err);
    int status = code ? fail(&err) : 0;
    for (int i = 0; !code && outputs && i < n_outputs; i++)
        print_output(assay_model_output_name(model, i), &outputs[i]);

    free(outputs);
    assay_session_free(session);
    assay_model_free(model);
    free(values);
    return status;
}
