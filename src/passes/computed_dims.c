/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exporters write a Reshape whose dims are computed from shapes, since a dim may be dynamic:
 *
 *     x --> Shape --> Slice [0:1] --> Concat --> Reshape(x, .)       x [n,200,1,1] -> [n,200]
 *                                 200 --^
 *
 * The computation is followed back number by number.  A number is known, or it is some dim of some
 * tensor.  Dim i of x itself at place i is what Reshape's 0 means; any other unknown dim is the one
 * that -1 leaves to be found, since all others being known there is but one that fits.
 */
#include "graph/shape.h"
#include "operators/infer.h"
#include "passes/passes.h"

/* Producers that are followed, one behind the other, at most. */
#define MOST_STEPS 32

/* A number: known, or dim `dim` of `tensor`. */
typedef struct number {
    int64_t value; /* when tensor is -1 */
    int tensor, dim;
} number;

typedef struct numbers {
    number items[AS_MAX_RANK];
    int n;
} numbers;

typedef struct site {
    const as_graph *graph;
    const as_shapes *shapes;
} site;

static bool append(numbers *list, number one)
{
    if (list->n == AS_MAX_RANK) return false;
    list->items[list->n++] = one;
    return true;
}

static bool take_constant(const as_tensor *tensor, numbers *out)
{
    int64_t values[AS_MAX_RANK];
    int n = 0;
    if (!as_tensor_integers(tensor, values, &n)) return false;
    for (int i = 0; i < n; i++)
        out->items[out->n++] = (number){.value = values[i], .tensor = -1};
    return true;
}

/* One constant integer at input i, or `otherwise` where that is left out. */
static bool take_one(const site *s, const as_node *node, int i, int64_t otherwise, int64_t *out)
{
    int64_t values[AS_MAX_RANK] = {otherwise};
    int n = 1;
    const as_tensor *tensor = as_node_input(s->graph, node, i);
    if (tensor && !as_tensor_integers(tensor, values, &n)) return false;
    *out = values[0];
    return n == 1;
}

static bool take_dims(const site *s, const as_node *node, numbers *out)
{
    const int x = node->inputs[0];
    const as_shape *shape = &s->shapes->of[x];
    if (shape->rank < 0) return false;
    int64_t first;
    int64_t n = as_slice_range(shape->rank, node->attributes.span.start,
                               node->attributes.span.end, 1, &first);
    for (int64_t i = first; i < first + n; i++) {
        const int64_t dim = shape->dims[i];
        out->items[out->n++] = dim >= 0 ? (number){.value = dim, .tensor = -1}
                                        : (number){.tensor = x, .dim = (int)i};
    }
    return true;
}

static bool take_slice(const site *s, const as_node *node, const numbers *all, numbers *out)
{
    int64_t start, end, axis, step, first;
    if (!take_one(s, node, 1, 0, &start) || !take_one(s, node, 2, 0, &end) ||
        !take_one(s, node, 3, 0, &axis) || !take_one(s, node, 4, 1, &step))
        return false;
    if ((axis != 0 && axis != -1) || step == 0 || step == INT64_MIN || all->n == 0)
        return false;
    const int64_t n = as_slice_range(all->n, start, end, step, &first);
    for (int64_t i = 0; i < n; i++)
        out->items[out->n++] = all->items[first + i * step];
    return true;
}

static bool take_gather(const site *s, const as_node *node, const numbers *all, numbers *out)
{
    int64_t indices[AS_MAX_RANK];
    int n = 0;
    const as_tensor *tensor = as_node_input(s->graph, node, 1);
    if (node->attributes.axis.axis != 0 && node->attributes.axis.axis != -1) return false;
    if (!tensor || !as_tensor_integers(tensor, indices, &n)) return false;
    for (int i = 0; i < n; i++) {
        const int64_t at = indices[i] < 0 ? indices[i] + all->n : indices[i];
        if (at < 0 || at >= all->n) return false;
        out->items[out->n++] = all->items[at];
    }
    return true;
}

static bool follow(const site *s, int tensor, int steps, numbers *out);

static bool take_concat(const site *s, const as_node *node, int steps, numbers *out)
{
    if (node->attributes.axis.axis != 0 && node->attributes.axis.axis != -1) return false;
    for (int i = 0; i < node->n_inputs; i++) {
        numbers part = {.n = 0};
        if (node->inputs[i] < 0 || !follow(s, node->inputs[i], steps, &part)) return false;
        for (int k = 0; k < part.n; k++)
            if (!append(out, part.items[k])) return false;
    }
    return true;
}

/* A type that holds every dim as it is. */
static bool is_integer(int dtype) { return dtype == AS_I64 || dtype == AS_I32; }

static bool take_node(const site *s, const as_node *node, int steps, numbers *out)
{
    numbers all = {.n = 0};
    if (node->op == AS_OP_SHAPE) return take_dims(s, node, out);
    if (node->op == AS_OP_CONCAT) return take_concat(s, node, steps, out);
    if (node->n_inputs == 0 || node->inputs[0] < 0) return false;
    if (!follow(s, node->inputs[0], steps, &all)) return false;
    switch (node->op) {
    case AS_OP_SLICE:
        return take_slice(s, node, &all, out);
    case AS_OP_GATHER:
        return take_gather(s, node, &all, out);
    case AS_OP_CAST:
        *out = all;
        return is_integer(node->attributes.cast.to);
    case AS_OP_SQUEEZE: /* a list of one and a number are the same here */
    case AS_OP_UNSQUEEZE:
        *out = all;
        return all.n == 1;
    case AS_OP_IDENTITY:
        *out = all;
        return true;
    default:
        return false;
    }
}

/* The numbers of `tensor`.  @return false when they do not come from shapes and constants alone. */
static bool follow(const site *s, int tensor, int steps, numbers *out)
{
    const as_tensor *t = as_graph_tensor(s->graph, tensor);
    if (t->data) return take_constant(t, out);
    const as_node *node = as_graph_producer(s->graph, tensor);
    return node && steps > 0 && take_node(s, node, steps - 1, out);
}

/* As Reshape's constant dims.  @return false when more than one dim would be left to be found. */
static bool to_dims(const as_node *reshape, const numbers *list, int64_t dims[AS_MAX_RANK])
{
    int n_rest = 0;
    for (int i = 0; i < list->n; i++) {
        const number *one = &list->items[i];
        bool is_own = one->tensor == reshape->inputs[0] && one->dim == i &&
                      !reshape->attributes.reshape.allow_zero;
        dims[i] = one->tensor < 0 ? one->value : is_own ? 0 : -1;
        n_rest += dims[i] == -1;
    }
    return n_rest <= 1;
}

/* Give one Reshape its dims.  @return ASSAY_E_MEMORY. */
static assay_code fold(as_graph *graph, const as_shapes *shapes, const as_node *node,
                       as_pass_stats *stats, assay_error *err)
{
    const site s = {.graph = graph, .shapes = shapes};
    numbers list = {.n = 0};
    int64_t dims[AS_MAX_RANK];
    if (!follow(&s, node->inputs[1], MOST_STEPS, &list) || !to_dims(node, &list, dims))
        return ASSAY_OK;
    const as_shape shape = {.rank = 1, .dims = {list.n}};
    int constant = as_graph_add_constant(graph, "", AS_I64, &shape, dims);
    if (constant < 0 || !as_graph_set_input(graph, node->id, 1, constant))
        return as_fail(err, ASSAY_E_MEMORY, "no memory for the dims of node %d", node->id);
    stats->n_changes++;
    return ASSAY_OK;
}

/* One Reshape a time, since it tells the shapes behind it.  @return whether there was one. */
static assay_code fold_next(as_graph *graph, as_pass_stats *stats, assay_error *err)
{
    as_shapes shapes;
    const int n_before = stats->n_changes;
    assay_code code = as_shape_infer(graph, NULL, 0, &shapes, err);
    for (int i = 0; !code && stats->n_changes == n_before && i < as_graph_n_nodes(graph); i++) {
        const as_node *node = as_graph_node(graph, i);
        if (node->op == AS_OP_RESHAPE && !node->attributes.reshape.is_resolved)
            code = fold(graph, &shapes, node, stats, err);
    }
    as_shapes_free(&shapes);
    return code;
}

assay_code as_pass_computed_dims(as_graph *graph, as_pass_stats *stats, assay_error *err)
{
    assay_code code = ASSAY_OK;
    for (int n_before = -1; !code && n_before != stats->n_changes;) {
        n_before = stats->n_changes;
        code = fold_next(graph, stats, err);
        if (!code && n_before != stats->n_changes) code = as_graph_resolve(graph, err);
    }
    return code;
}
