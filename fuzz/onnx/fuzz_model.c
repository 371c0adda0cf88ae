/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as a model's file: read, simplified, planned, and run once on small inputs.
 *
 *     bytes -> file in memory -> assay_model_load -> assay_session_run
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "operators/infer.h"
#include "run/run.h"

/* What one run may take, so that it takes milliseconds. */
#define MOST_INPUT_ELEMENTS ((size_t)1 << 14)
#define MOST_ELEMENTS       ((size_t)1 << 20) /* of all tensors together */
#define MOST_MACS           ((uint64_t)1 << 22)
/* A dynamic dim. */
#define DIM                 3

/* Inputs of the sizes that the file asks for; false when that is too much for a small run. */
static bool choose_inputs(const as_graph *graph, as_shape *shapes)
{
    for (int i = 0; i < as_graph_n_inputs(graph); i++) {
        const as_tensor *tensor = as_graph_tensor(graph, as_graph_inputs(graph)[i]);
        size_t n = 0;
        shapes[i] = as_tensor_shape(tensor);
        if (shapes[i].rank < 0) shapes[i].rank = 4;
        for (int d = 0; d < shapes[i].rank; d++)
            if (tensor->rank < 0 || shapes[i].dims[d] < 0) shapes[i].dims[d] = DIM;
        if (!as_shape_elements(&shapes[i], &n) || n > MOST_INPUT_ELEMENTS) return false;
    }
    return true;
}

static bool is_small(const as_graph *graph, const as_shape *inputs)
{
    as_shapes shapes;
    if (as_shape_infer(graph, inputs, as_graph_n_inputs(graph), &shapes, NULL)) return true;
    uint64_t macs = 0;
    size_t elements = 0;
    for (int i = 0; i < as_graph_n_nodes(graph) && macs <= MOST_MACS; i++)
        macs += as_node_cost(graph, as_graph_node(graph, i), &shapes).macs;
    for (int i = 0; i < shapes.n && elements <= MOST_ELEMENTS; i++) {
        size_t n = 0;
        if (shapes.of[i].rank >= 0)
            elements += as_shape_elements(&shapes.of[i], &n) ? n : MOST_ELEMENTS;
    }
    as_shapes_free(&shapes);
    return macs <= MOST_MACS && elements <= MOST_ELEMENTS;
}

/* Elements of each type: floats on both sides of 0, integers that are small sizes and indices. */
static const void *values_of(as_dtype dtype)
{
    static float floats[MOST_INPUT_ELEMENTS];
    static int64_t longs[MOST_INPUT_ELEMENTS];
    static int32_t integers[MOST_INPUT_ELEMENTS];
    static unsigned char bools[MOST_INPUT_ELEMENTS];
    for (size_t i = 0; longs[0] == 0 && i < MOST_INPUT_ELEMENTS; i++) {
        floats[i] = (float)(i % 7) - 3;
        integers[i] = (int32_t)(i % 3 + 1);
        longs[i] = integers[i];
        bools[i] = i % 2 == 0;
    }
    return dtype == AS_F32   ? (const void *)floats
           : dtype == AS_I64 ? (const void *)longs
           : dtype == AS_I32 ? (const void *)integers
                             : (const void *)bools;
}

static void run(assay_model *model)
{
    const as_graph *graph = as_model_graph(model);
    int n_in = as_graph_n_inputs(graph), n_out = as_graph_n_outputs(graph);
    as_shape *shapes = calloc((size_t)n_in + 1, sizeof *shapes);
    assay_tensor *inputs = calloc((size_t)n_in + 1, sizeof *inputs);
    assay_tensor *outputs = calloc((size_t)n_out + 1, sizeof *outputs);
    assay_session *session = NULL;
    if (!shapes || !inputs || !outputs) abort();
    if (choose_inputs(graph, shapes) && is_small(graph, shapes) &&
        !assay_session_new(model, 1, &session, NULL)) {
        for (int i = 0; i < n_in; i++) {
            as_dtype dtype = as_graph_tensor(graph, as_graph_inputs(graph)[i])->dtype;
            inputs[i] = (assay_tensor){
                .rank = shapes[i].rank, .data = values_of(dtype), .dtype = (assay_dtype)dtype};
            for (int d = 0; d < shapes[i].rank; d++)
                inputs[i].dims[d] = shapes[i].dims[d];
        }
        assay_error err;
        assay_session_run(session, inputs, n_in, outputs, n_out, &err);
    }
    assay_session_free(session);
    free(shapes);
    free(inputs);
    free(outputs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    assay_model *model = NULL;
    assay_error err;
    int fd = memfd_create("model", MFD_CLOEXEC);
    if (fd < 0) abort();
    if (write(fd, data, size) != (ssize_t)size) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assay_code code = assay_model_load(path, NULL, &model, &err);
    if (code == ASSAY_E_ENVIRONMENT) abort(); /* then nothing would be tried */
    if (!code) run(model);
    assay_model_free(model);
    close(fd);
    return 0;
}
