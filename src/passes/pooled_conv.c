/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mean of what a pointwise convolution makes, taken before the convolution:
 *
 *     y = conv1x1(x);  m = mean(y)     ->     y = conv1x1(x);  m = conv1x1(mean(x))
 *
 * Squeeze-excite behind a pointwise convolution then waits for x alone, and its scale can ride on the
 * convolution's own store: y is written once and read by nobody but its consumers.  Only where x has
 * no more channels than y; else the mean would read more than it saves.
 */
#include <stdio.h>

#include "passes/match.h"
#include "passes/passes.h"

#define NAME_ROOM 256

static bool is_pointwise(const as_node *conv)
{
    const as_window *w = &conv->attributes.conv.window;
    return w->kernel[0] == 1 && w->kernel[1] == 1 && w->strides[0] == 1 && w->strides[1] == 1 &&
           !as_match_has_padding(conv);
}

static bool is_candidate(const as_graph *graph, const as_node *mean, const as_node *conv)
{
    if (!conv || !is_pointwise(conv)) return false;
    const as_tensor *w = as_node_input(graph, conv, 1);
    if (!w || !w->data || w->rank != 4 || as_graph_is_output(graph, mean->outputs[0]))
        return false;
    return w->dims[1] * conv->attributes.conv.group <= w->dims[0];
}

/* A node of one fresh output.  @return that output, -1 without memory. */
static int append(as_graph *graph, as_op op, const char *name, const int *inputs, int n_inputs,
                  int *node)
{
    const int output = as_graph_add_tensor(graph, "", AS_F32, NULL);
    if (output < 0) return -1;
    *node = as_graph_add_node(graph, op, name, inputs, n_inputs, &output, 1);
    return *node < 0 ? -1 : output;
}

static bool pull_ahead(as_graph *graph, const as_node *mean, const as_node *conv)
{
    char name[NAME_ROOM];
    const as_attributes attributes = conv->attributes;
    int inputs[3] = {-1, conv->inputs[1], conv->n_inputs > 2 ? conv->inputs[2] : -1};
    int node = -1;
    inputs[0] =
        append(graph, AS_OP_GLOBAL_AVERAGE_POOL, mean->name, &conv->inputs[0], 1, &node);
    if (inputs[0] < 0) return false;
    snprintf(name, sizeof name, "%s of the mean", conv->name);
    const int pooled = append(graph, AS_OP_CONV, name, inputs, conv->n_inputs, &node);
    if (pooled < 0) return false;
    as_graph_edit_node(graph, node)->attributes = attributes;
    if (!as_graph_replace_uses(graph, mean->outputs[0], pooled)) return false;
    as_graph_remove_node(graph, mean->id);
    return true;
}

assay_code as_pass_pooled_conv(as_graph *graph, as_pass_stats *stats, assay_error *err)
{
    const int n = as_graph_n_nodes(graph);
    for (int i = 0; i < n; i++) {
        const as_node *mean = as_graph_node(graph, i);
        if (mean->op != AS_OP_GLOBAL_AVERAGE_POOL) continue;
        const as_node *conv = as_match_writer(graph, mean->inputs[0], AS_OP_CONV);
        if (!is_candidate(graph, mean, conv)) continue;
        if (!pull_ahead(graph, mean, conv))
            return as_fail(err, ASSAY_E_MEMORY, "no memory to pull mean %d '%s' ahead", i,
                           mean->name);
        stats->n_changes++;
    }
    return ASSAY_OK;
}
