/* SPDX-License-Identifier: Apache-2.0 */
#include "passes/affine.h"

#include <math.h>

#include "base/memory.h"
#include "passes/match.h"

void as_affine_free(as_affine *affine)
{
    as_free(affine->scale);
    as_free(affine->shift);
    *affine = (as_affine){0};
}

static assay_code make(as_affine *out, int x, size_t n, assay_error *err)
{
    *out = (as_affine){.x = x,
                       .n = n,
                       .scale = as_alloc_array(n, sizeof *out->scale),
                       .shift = as_alloc_array(n, sizeof *out->shift)};
    if (out->scale && out->shift) return ASSAY_OK;
    as_affine_free(out);
    return as_fail(err, ASSAY_E_MEMORY, "no memory for an affine of %zu channels", n);
}

/* Constant floats, `n` of them. */
static const float *floats(const as_tensor *tensor, size_t n)
{
    return tensor && tensor->data && tensor->dtype == AS_F32 && tensor->n_elements == n
               ? tensor->data
               : NULL;
}

/*
 * Whether constant `c` beside x of shape `x` is one number for all or one a channel, without
 * changing the shape of x.  *n receives 1 or the channels.
 */
static bool suits_channels(const as_tensor *c, const as_shape *x, size_t *n)
{
    if (!c->data || c->dtype != AS_F32 || c->rank > (x->rank < 0 ? 0 : x->rank)) return false;
    *n = c->n_elements;
    if (*n == 1) return true;
    for (int i = 0; i < c->rank; i++) {
        bool is_channel = x->rank - c->rank + i == 1;
        if (c->dims[i] != 1 && !(is_channel && c->dims[i] == x->dims[1])) return false;
    }
    return *n > 1;
}

/* One channel of x (op) c, or of c (op) x when `is_first`; false where that is no affine. */
static bool combine(as_op op, double c, bool is_first, double *scale, double *shift)
{
    *scale = 1;
    *shift = 0;
    switch (op) {
    case AS_OP_ADD:
        *shift = c;
        return true;
    case AS_OP_MUL:
        *scale = c;
        return true;
    case AS_OP_SUB:
        *scale = is_first ? -1 : 1;
        *shift = is_first ? c : -c;
        return true;
    case AS_OP_DIV:
        *scale = 1 / c;
        return !is_first;
    default:
        return false;
    }
}

static assay_code read_binary(const as_graph *graph, const as_shapes *shapes,
                              const as_node *node, as_affine *out, bool *is_affine,
                              assay_error *err)
{
    const as_tensor *a = as_node_input(graph, node, 0), *b = as_node_input(graph, node, 1);
    bool is_first = a->data != NULL; /* the constant */
    const as_tensor *c = is_first ? a : b, *x = is_first ? b : a;
    size_t n = 0;
    double unused[2];
    if (x->data || x->id >= shapes->n || !suits_channels(c, &shapes->of[x->id], &n) ||
        !combine(node->op, 1, is_first, &unused[0], &unused[1]))
        return ASSAY_OK;
    assay_code code = make(out, x->id, n, err);
    if (code) return code;
    const float *values = c->data;
    for (size_t i = 0; i < n; i++)
        combine(node->op, (double)values[i], is_first, &out->scale[i], &out->shift[i]);
    *is_affine = true;
    return ASSAY_OK;
}

/* BatchNormalization of a trained network, a scale and a shift a channel. */
static bool is_channelwise(const as_graph *graph, const as_node *node)
{
    const as_attributes *a = &node->attributes;
    for (int k = 1; k < node->n_outputs; k++)
        if (as_match_is_seen(graph, node, k)) return false;
    return !a->batch_norm.is_training && !a->batch_norm.is_per_activation;
}

/* scale = gamma / sqrt(variance + epsilon), shift = beta - mean * scale. */
static assay_code read_batch_norm(const as_graph *graph, const as_node *node, as_affine *out,
                                  bool *is_affine, assay_error *err)
{
    const as_tensor *first = as_node_input(graph, node, 1);
    size_t n = first ? first->n_elements : 0;
    const float *p[4];
    for (int i = 0; i < 4; i++) {
        p[i] = floats(as_node_input(graph, node, 1 + i), n);
        if (!p[i] || n == 0) return ASSAY_OK;
    }
    if (!is_channelwise(graph, node)) return ASSAY_OK;
    assay_code code = make(out, node->inputs[0], n, err);
    if (code) return code;
    double epsilon = (double)node->attributes.batch_norm.epsilon;
    for (size_t i = 0; i < n; i++) {
        out->scale[i] = (double)p[0][i] / sqrt((double)p[3][i] + epsilon);
        out->shift[i] = (double)p[1][i] - (double)p[2][i] * out->scale[i];
    }
    *is_affine = true;
    return ASSAY_OK;
}

static assay_code read_affine(const as_graph *graph, const as_node *node, as_affine *out,
                              bool *is_affine, assay_error *err)
{
    size_t n = as_node_input(graph, node, 1)->n_elements;
    const float *scale = floats(as_node_input(graph, node, 1), n);
    const float *shift = floats(as_node_input(graph, node, 2), n);
    if (!scale || !shift || n == 0) return ASSAY_OK;
    assay_code code = make(out, node->inputs[0], n, err);
    if (code) return code;
    for (size_t i = 0; i < n; i++) {
        out->scale[i] = (double)scale[i];
        out->shift[i] = (double)shift[i];
    }
    *is_affine = true;
    return ASSAY_OK;
}

/* A division by 0 or a variance below 0 stays for the network's run to meet. */
static bool is_finite(const as_affine *affine)
{
    for (size_t i = 0; i < affine->n; i++)
        if (!isfinite(affine->scale[i]) || !isfinite(affine->shift[i])) return false;
    return true;
}

assay_code as_affine_read(const as_graph *graph, const as_shapes *shapes, const as_node *node,
                          as_affine *out, bool *is_affine, assay_error *err)
{
    *out = (as_affine){0};
    *is_affine = false;
    assay_code code = ASSAY_OK;
    switch (node->op) {
    case AS_OP_ADD:
    case AS_OP_SUB:
    case AS_OP_MUL:
    case AS_OP_DIV:
        code = read_binary(graph, shapes, node, out, is_affine, err);
        break;
    case AS_OP_BATCH_NORM:
        code = read_batch_norm(graph, node, out, is_affine, err);
        break;
    case AS_OP_AFFINE:
        code = read_affine(graph, node, out, is_affine, err);
        break;
    default:
        return ASSAY_OK;
    }
    if (*is_affine && !is_finite(out)) {
        as_affine_free(out);
        *is_affine = false;
    }
    return code;
}

assay_code as_affine_compose(as_affine *first, const as_affine *second, assay_error *err)
{
    as_affine both;
    size_t n = first->n > second->n ? first->n : second->n;
    assay_code code = make(&both, first->x, n, err);
    if (code) return code;
    for (size_t c = 0; c < n; c++) {
        double scale = as_affine_at(second->scale, second->n, c);
        both.scale[c] = scale * as_affine_at(first->scale, first->n, c);
        both.shift[c] = scale * as_affine_at(first->shift, first->n, c) +
                        as_affine_at(second->shift, second->n, c);
    }
    as_affine_free(first);
    *first = both;
    return ASSAY_OK;
}
