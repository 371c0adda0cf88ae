/* SPDX-License-Identifier: Apache-2.0 */
/* An affine into the weights and the bias of the convolution before or behind it. */
#include <string.h>

#include "base/memory.h"
#include "passes/affine.h"
#include "passes/match.h"

/* How a convolution's weights lie: float w[n_outer][n_inner][taps]. */
typedef struct layout {
    size_t n_outer, n_inner, taps; /* Conv: oc, ic / group; ConvTranspose: ic, oc / group */
    size_t oc, ic, group;
    bool is_transposed;
} layout;

static layout layout_of(const as_graph *graph, const as_node *conv)
{
    const as_tensor *w = as_node_input(graph, conv, 1);
    layout l = {.n_outer = (size_t)w->dims[0],
                .n_inner = (size_t)w->dims[1],
                .taps = (size_t)w->dims[2] * (size_t)w->dims[3],
                .group = (size_t)conv->attributes.conv.group,
                .is_transposed = conv->op == AS_OP_CONV_TRANSPOSE};
    l.oc = l.is_transposed ? l.n_inner * l.group : l.n_outer;
    l.ic = l.is_transposed ? l.n_outer : l.n_inner * l.group;
    return l;
}

/*
 * Channels of the weights at [outer][0]; at [outer][inner] the inner one is `inner` more: ic of a
 * Conv, oc of a ConvTranspose.
 */
static void first_channels(const layout *l, size_t outer, size_t *oc, size_t *ic)
{
    size_t group = outer / (l->n_outer / l->group);
    *oc = l->is_transposed ? group * l->n_inner : outer;
    *ic = l->is_transposed ? outer : group * l->n_inner;
}

bool as_affine_can_edit(const as_graph *graph, const as_node *conv)
{
    if (conv->op != AS_OP_CONV && conv->op != AS_OP_CONV_TRANSPOSE) return false;
    const as_tensor *w = as_node_input(graph, conv, 1), *b = as_node_input(graph, conv, 2);
    return w && w->data && w->dtype == AS_F32 && w->rank == 4 && w->n_elements > 0 &&
           (!b || (b->data && b->dtype == AS_F32));
}

bool as_affine_can_fold_ahead(const as_graph *graph, const as_node *conv,
                              const as_affine *affine)
{
    if (!as_affine_can_edit(graph, conv)) return false;
    for (int i = 1; i < conv->n_inputs; i++)
        if (conv->inputs[i] == conv->inputs[0]) return false;
    layout l = layout_of(graph, conv);
    if (affine->n != 1 && affine->n != l.ic) return false;
    bool has_shift = false;
    for (size_t c = 0; c < affine->n; c++)
        has_shift = has_shift || affine->shift[c] != 0;
    /* How many taps of a ConvTranspose meet in a pixel depends on the pixel. */
    return !has_shift || (conv->op == AS_OP_CONV && !as_match_has_padding(conv));
}

/* Input `i` of `conv` for writing: the tensor itself when nobody else reads it, or a copy. */
static float *writable(as_graph *graph, int conv, int i)
{
    const as_node *node = as_graph_node(graph, conv);
    const as_tensor *tensor = as_node_input(graph, node, i);
    if (as_graph_only_consumer(graph, tensor->id)) return as_graph_edit_data(graph, tensor->id);
    as_shape shape = as_tensor_shape(tensor);
    int copy = as_graph_add_constant(graph, "", AS_F32, &shape, tensor->data);
    if (copy < 0 || !as_graph_set_input(graph, conv, i, copy)) return NULL;
    return as_graph_edit_data(graph, copy);
}

/* The bias for writing; zeros when there was none. */
static float *writable_bias(as_graph *graph, int conv, size_t oc)
{
    const as_node *node = as_graph_node(graph, conv);
    if (as_node_input(graph, node, 2)) return writable(graph, conv, 2);
    as_shape shape = {.rank = 1, .dims = {(int64_t)oc}};
    int bias = as_graph_add_constant(graph, "", AS_F32, &shape, NULL);
    int inputs[3] = {node->inputs[0], node->inputs[1], bias};
    as_attributes attributes = node->attributes;
    if (bias < 0 || !as_graph_change_node(graph, conv, node->op, inputs, 3)) return NULL;
    as_graph_edit_node(graph, conv)->attributes = attributes;
    return as_graph_edit_data(graph, bias);
}

static assay_code no_memory(const as_node *conv, assay_error *err)
{
    return as_fail(err, ASSAY_E_MEMORY, "no memory for the folded weights of node %d '%s'",
                   conv->id, conv->name);
}

/* Whether the affine only shifts, as a bias that a file has as an Add of its own. */
static bool is_all_one(const as_affine *affine)
{
    for (size_t c = 0; c < affine->n; c++)
        if (affine->scale[c] != 1) return false;
    return true;
}

static void scale_run(float *w, size_t n, double scale)
{
    for (size_t i = 0; i < n; i++)
        w[i] = (float)((double)w[i] * scale);
}

/* The sum with what the shift adds to it by these weights. */
static double add_run(const float *w, size_t n, double shift, double sum)
{
    for (size_t i = 0; i < n; i++)
        sum += (double)w[i] * shift;
    return sum;
}

assay_code as_affine_fold_behind(as_graph *graph, int conv, const as_affine *affine,
                                 assay_error *err)
{
    const as_node *node = as_graph_node(graph, conv);
    layout l = layout_of(graph, node);
    bool is_scaled = !is_all_one(affine);
    float *bias = writable_bias(graph, conv, l.oc);
    float *w = is_scaled ? writable(graph, conv, 1) : NULL;
    if (!bias || (is_scaled && !w)) return no_memory(node, err);
    for (size_t outer = 0; outer < l.n_outer && is_scaled; outer++) {
        size_t oc, ic;
        first_channels(&l, outer, &oc, &ic);
        /* All weights of a Conv's row have one scale, those of a ConvTranspose one each oc. */
        size_t n_runs = l.is_transposed ? l.n_inner : 1, n = l.n_inner * l.taps / n_runs;
        for (size_t run = 0; run < n_runs; run++, oc++, w += n)
            scale_run(w, n, as_affine_at(affine->scale, affine->n, oc));
    }
    for (size_t c = 0; c < l.oc; c++)
        bias[c] = (float)((double)bias[c] * as_affine_at(affine->scale, affine->n, c) +
                          as_affine_at(affine->shift, affine->n, c));
    return ASSAY_OK;
}

assay_code as_affine_fold_ahead(as_graph *graph, int conv, const as_affine *affine,
                                assay_error *err)
{
    const as_node *node = as_graph_node(graph, conv);
    layout l = layout_of(graph, node);
    double *sums = as_alloc_array(l.oc, sizeof *sums); /* what the shift adds to each output */
    float *w = sums ? writable(graph, conv, 1) : NULL;
    float *bias = w ? writable_bias(graph, conv, l.oc) : NULL;
    if (!w || !bias) {
        as_free(sums);
        return no_memory(node, err);
    }
    for (size_t outer = 0; outer < l.n_outer; outer++) {
        size_t oc, ic;
        first_channels(&l, outer, &oc, &ic);
        double sum = 0;
        for (size_t inner = 0; inner < l.n_inner; inner++, w += l.taps) {
            sum = add_run(w, l.taps, as_affine_at(affine->shift, affine->n, ic), sum);
            scale_run(w, l.taps, as_affine_at(affine->scale, affine->n, ic));
            ic += !l.is_transposed;
        }
        if (!l.is_transposed) sums[oc] = sum; /* a ConvTranspose takes no shift */
    }
    for (size_t c = 0; c < l.oc; c++)
        bias[c] = (float)((double)bias[c] + sums[c]);
    as_free(sums);
    return ASSAY_OK;
}
