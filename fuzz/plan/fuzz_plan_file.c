/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as a plan file of `assay tune`, held to a small network; what was read can be written, and then
 * reads as the same text.
 */
#include <string.h>

#include "base/memory.h"
#include "file.h"
#include "fuzz.h"
#include "plan/plan_file.h"

/* A graph of one convolution, node 0, named "a". */
static as_graph *one_convolution(void)
{
    as_graph *graph = as_graph_new();
    as_shape x = {.rank = 4, .dims = {1, 5, 7, 9}}, w = {.rank = 4, .dims = {3, 5, 1, 1}};
    int inputs[2] = {as_graph_add_tensor(graph, "x", AS_F32, &x),
                     as_graph_add_constant(graph, "w", AS_F32, &w, NULL)};
    int output = as_graph_add_tensor(graph, "y", AS_F32, NULL);
    if (!as_graph_add_input(graph, inputs[0]) ||
        as_graph_add_node(graph, AS_OP_CONV, "a", inputs, 2, &output, 1) < 0 ||
        !as_graph_add_output(graph, output) || as_graph_sort(graph, NULL))
        abort();
    return graph;
}

static char *text_of(const uint8_t *data, size_t size, const as_graph *graph)
{
    char path[64], *text = NULL;
    int fd = fuzz_file(data, size, path);
    as_plan_file *file;
    assay_error err;
    if (as_plan_file_read(path, &file, &err)) {
        if (file || !err.message[0]) abort();
    } else {
        (void)as_plan_file_check_cpu(file, &file->cpu, file->isa, &err);
        (void)as_plan_file_check(file, graph, as_kernels_get(AS_ISA_SCALAR), file->model_sha256,
                                 &err);
        if (as_plan_file_text(file, &text, &err)) abort();
    }
    as_plan_file_free(file);
    close(fd);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    as_graph *graph = one_convolution();
    char *first = text_of(data, size, graph);
    if (first) {
        char *second = text_of((const uint8_t *)first, strlen(first), graph);
        if (!second || strcmp(first, second) != 0) abort();
        as_free(second);
    }
    as_free(first);
    as_graph_free(graph);
    return 0;
}
