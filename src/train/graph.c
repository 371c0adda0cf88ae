/* SPDX-License-Identifier: Apache-2.0 */
/* A trained network as a graph: one node a unit, in the operators that every engine reads. */
#include <stdio.h>

#include "base/memory.h"
#include "train/layers.h"

enum { NAME_ROOM = 48, MOST_INPUTS = 5 };

/* A graph that is being made; -1 anywhere means that memory ended. */
typedef struct draft {
    const as_network *net;
    as_graph *graph;
    int *tensors; /* [n_layers] of each unit's output; owns */
    int input;
    bool is_flat; /* a FLATTEN was there: from then on vectors */
} draft;

static int output_of(const draft *d, int i) { return i < 0 ? d->input : d->tensors[i]; }

/* A constant named after its unit. */
static int constant(draft *d, size_t i, const char *what, const as_shape *shape,
                    const float *data)
{
    char name[NAME_ROOM];
    snprintf(name, sizeof name, "%zu.%s", i, what);
    return as_graph_add_constant(d->graph, name, AS_F32, shape, data);
}

static as_shape vector_of(size_t n) { return (as_shape){.rank = 1, .dims = {(int64_t)n}}; }

/* Rows of a LINEAR behind a FLATTEN: NHWC's order becomes NCHW's. */
static int linear_weights(draft *d, size_t i)
{
    const as_layer *l = &d->net->layers[i];
    const as_extent e = i && d->net->layers[i - 1].unit.kind == AS_UNIT_FLATTEN
                            ? d->net->layers[i - 1].in
                            : (as_extent){1, 1, l->in.c};
    const as_shape shape = {.rank = 2, .dims = {(int64_t)l->out.c, (int64_t)l->in.c}};
    const float *from = d->net->parameters + l->parameters;
    const int id = constant(d, i, "weight", &shape, from);
    if (id < 0) return -1;
    float *to = as_graph_edit_data(d->graph, id);
    for (size_t o = 0; o < l->out.c; o++, from += l->in.c)
        for (size_t c = 0; c < e.c; c++)
            for (size_t p = 0; p < e.h * e.w; p++)
                *to++ = from[p * e.c + c];
    return id;
}

static int conv_weights(draft *d, size_t i)
{
    const as_layer *l = &d->net->layers[i];
    const as_conv_shape s = as_layer_shape(l, 1);
    const as_shape shape = {
        .rank = 4,
        .dims = {(int64_t)s.oc, (int64_t)(s.ic / s.group), (int64_t)s.kh, (int64_t)s.kw}};
    return constant(d, i, "weight", &shape, d->net->parameters + l->parameters);
}

/* What the node of a unit reads besides the unit before it. @return how many in all, 0 without memory. */
static int inputs_of(draft *d, size_t i, int inputs[MOST_INPUTS])
{
    const as_layer *l = &d->net->layers[i];
    const float *own = d->net->parameters + l->parameters, *state = d->net->state + l->state;
    const as_shape channels = vector_of(l->out.c);
    int n = 1;
    inputs[0] = output_of(d, (int)i - 1);
    if (l->unit.kind == AS_UNIT_ADD) inputs[n++] = output_of(d, l->unit.from);
    if (l->unit.kind == AS_UNIT_CONV) inputs[n++] = conv_weights(d, i);
    if (l->unit.kind == AS_UNIT_LINEAR) inputs[n++] = linear_weights(d, i);
    if (l->unit.kind == AS_UNIT_BATCHNORM) {
        inputs[n++] = constant(d, i, "scale", &channels, own);
        inputs[n++] = constant(d, i, "shift", &channels, own + l->n_weights);
        inputs[n++] = constant(d, i, "mean", &channels, state);
        inputs[n++] = constant(d, i, "variance", &channels, state + l->in.c);
    } else if (l->n_biases) {
        inputs[n++] = constant(d, i, "bias", &channels, own + l->n_weights);
    }
    for (int j = 0; j < n; j++)
        if (inputs[j] < 0) return 0;
    return n;
}

static void set_window(as_window *w, const as_unit *u)
{
    w->n_axes = 2;
    for (int i = 0; i < 2; i++) {
        w->kernel[i] = (int)u->kernel;
        w->strides[i] = (int)u->stride;
        w->pads[i] = w->pads[2 + i] = (int)u->pad;
    }
}

static void set_attributes(as_node *node, const as_unit *u)
{
    switch (u->kind) {
    case AS_UNIT_CONV:
        set_window(&node->attributes.conv.window, u);
        node->attributes.conv.group = (int)u->group;
        break;
    case AS_UNIT_AVERAGE_POOL:
    case AS_UNIT_MAX_POOL:
        set_window(&node->attributes.pool.window, u);
        break;
    case AS_UNIT_LINEAR:
        node->attributes.gemm.is_b_transposed = true;
        break;
    default:
        break; /* ONNX's defaults: epsilon 1e-5, axis 1 */
    }
}

/* As ONNX's checker wants a model's inputs and outputs to have it; a batch has any size. */
static as_shape shape_of(const as_extent *e, bool is_flat)
{
    if (is_flat) return (as_shape){.rank = 2, .dims = {-1, (int64_t)e->c}};
    return (as_shape){.rank = 4, .dims = {-1, (int64_t)e->c, (int64_t)e->h, (int64_t)e->w}};
}

static bool add_unit(draft *d, size_t i)
{
    static const as_op ops[AS_UNIT_N] = {
        [AS_UNIT_CONV] = AS_OP_CONV,         [AS_UNIT_LINEAR] = AS_OP_GEMM,
        [AS_UNIT_RELU] = AS_OP_RELU,         [AS_UNIT_AVERAGE_POOL] = AS_OP_AVERAGE_POOL,
        [AS_UNIT_MAX_POOL] = AS_OP_MAX_POOL, [AS_UNIT_BATCHNORM] = AS_OP_BATCH_NORM,
        [AS_UNIT_ADD] = AS_OP_ADD,           [AS_UNIT_FLATTEN] = AS_OP_FLATTEN,
    };
    const as_unit *u = &d->net->layers[i].unit;
    const bool is_last = i + 1 == d->net->n_layers;
    int inputs[MOST_INPUTS];
    char name[NAME_ROOM];
    snprintf(name, sizeof name, "%zu.%s", i, as_unit_name(u->kind));
    const int n = inputs_of(d, i, inputs);
    d->is_flat = d->is_flat || u->kind == AS_UNIT_FLATTEN;
    const as_shape shape = shape_of(&d->net->layers[i].out, d->is_flat);
    d->tensors[i] =
        n ? as_graph_add_tensor(d->graph, is_last ? "logits" : name, AS_F32, &shape) : -1;
    if (d->tensors[i] < 0) return false;
    const int node =
        as_graph_add_node(d->graph, ops[u->kind], name, inputs, n, &d->tensors[i], 1);
    if (node < 0) return false;
    set_attributes(as_graph_edit_node(d->graph, node), u);
    return !is_last || as_graph_add_output(d->graph, d->tensors[i]);
}

static bool add_input(draft *d)
{
    const as_shape shape = shape_of(&d->net->input, false);
    d->input = as_graph_add_tensor(d->graph, "input", AS_F32, &shape);
    return d->input >= 0 && as_graph_add_input(d->graph, d->input);
}

assay_code as_network_graph(const as_network *net, const char *name, as_graph **out,
                            assay_error *err)
{
    draft d = {.net = net, .graph = as_graph_new()};
    *out = NULL;
    d.tensors = as_alloc_array(net->n_layers, sizeof *d.tensors);
    bool is_made = d.graph && d.tensors && add_input(&d);
    for (size_t i = 0; i < net->n_layers && is_made; i++)
        is_made = add_unit(&d, i);
    as_free(d.tensors);
    assay_code code = is_made ? as_graph_sort(d.graph, err)
                              : as_fail(err, ASSAY_E_MEMORY, "no memory for a graph");
    if (!code && !as_graph_set_info(d.graph, name, "assay", 0))
        code = as_fail(err, ASSAY_E_MEMORY, "no memory for a graph");
    if (!code) code = as_graph_set_types(d.graph, err);
    if (code)
        as_graph_free(d.graph);
    else
        *out = d.graph;
    return code;
}
