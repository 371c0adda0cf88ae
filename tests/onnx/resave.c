/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a model and writes it again: resave IN.onnx OUT.onnx.  written.py asks ONNX Runtime. */
#include <stdio.h>

#include "onnx/onnx.h"
#include "onnx/save.h"

int main(int argc, char **argv)
{
    as_graph *graph = NULL;
    assay_error err = {0};
    if (argc != 3) return 2;
    assay_code code = as_onnx_load(argv[1], &graph, &err);
    if (!code) code = as_onnx_save(graph, argv[2], &err);
    if (code) fprintf(stderr, "%s (%s)\n", err.message, err.where);
    as_graph_free(graph);
    return code ? 1 : 0;
}
