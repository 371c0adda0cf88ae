/* SPDX-License-Identifier: Apache-2.0 */
/* Everything without weights: elementwise nodes, concatenations, pools, means. */
#include "base/size.h"
#include "plan/planner.h"

static bool is_shape_of(const as_planner *p, int tensor, const as_shape *shape)
{
    const as_shape *s = as_planner_shape(p, tensor);
    if (s->rank != shape->rank) return false;
    for (int i = 0; i < s->rank; i++)
        if (s->dims[i] != shape->dims[i]) return false;
    return true;
}

/* The operand that runs through the layer: computed, and of the result's shape. */
static int running_operand(const as_planner *p, const as_node *node)
{
    const as_shape *y = as_planner_shape(p, node->outputs[0]);
    for (int i = 0; i < node->n_inputs; i++) {
        int x = node->inputs[i];
        if (x >= 0 && p->value_of[x] >= 0 && is_shape_of(p, x, y)) return i;
    }
    return -1;
}

assay_code as_form_elementwise(as_planner *p, const as_node *node, assay_error *err)
{
    int operand = running_operand(p, node);
    if (operand < 0)
        return as_planner_refuse(p, node, err, "no operand has the shape of the result");
    as_layer *layer = as_planner_layer(p, AS_LAYER_MAP, node);
    as_map_args *args = &layer->args.map;
    int input = -1;
    bool fits = false;
    assay_code code = as_planner_input(p, node, operand, &input, err);
    if (!code) code = as_planner_view(p, layer, &args->in, input, err);
    if (!code) code = as_epilogue_add(p, layer, node, node->inputs[operand], &fits, err);
    if (!code && !fits)
        code = as_planner_refuse(p, node, err, "no kernel does it for these operands");
    if (!code) code = as_epilogue_finish(p, layer, node->outputs[0], &args->out, err);
    return code;
}

/* Count how often the concatenation reads each value. */
static void count_parts(as_planner *p, const as_node *node)
{
    for (int i = 0; i < node->n_inputs; i++)
        p->values[p->value_of[node->inputs[i]]].n_parts = 0;
    for (int i = 0; i < node->n_inputs; i++)
        p->values[p->value_of[node->inputs[i]]].n_parts++;
}

/* Whether the producer of this part can write straight into the concatenation: the part has a
 * buffer of its own, and the concatenation reads it once. */
static bool is_placed(const as_planner *p, int value)
{
    const as_value *v = &p->values[value];
    return v->parent < 0 && !v->is_tight && v->n_parts == 1;
}

/* Copy a part that cannot be placed. */
static assay_code copy_part(as_planner *p, const as_node *node, int i, int whole,
                            size_t channel, assay_error *err)
{
    as_layer *layer = as_planner_layer(p, AS_LAYER_MAP, node);
    layer->n_nodes = 0;
    as_map_args *args = &layer->args.map;
    int input = -1, slice = -1;
    assay_code code = as_planner_input(p, node, i, &input, err);
    if (!code) code = as_planner_view(p, layer, &args->in, input, err);
    if (!code) code = as_planner_value(p, as_planner_shape(p, node->inputs[i]), &slice, err);
    if (code) return code;
    p->values[slice].parent = whole;
    p->values[slice].channel = channel;
    return as_planner_view(p, layer, &args->out, slice, err);
}

assay_code as_form_concat(as_planner *p, const as_node *node, assay_error *err)
{
    const as_shape *y = as_planner_shape(p, node->outputs[0]);
    int axis = node->attributes.axis.axis;
    if (axis < 0) axis += y->rank;
    if (axis != 1 || y->rank < 2)
        return as_planner_refuse(p, node, err, "it concatenates axis %d, channels are axis 1",
                                 axis);
    int whole = -1;
    for (int i = 0; i < node->n_inputs; i++)
        if (p->value_of[node->inputs[i]] < 0)
            return as_planner_refuse(p, node, err, "its input %d is no computed float32", i);
    assay_code code = as_planner_value(p, y, &whole, err);
    if (!code) count_parts(p, node);
    size_t channel = 0;
    for (int i = 0; !code && i < node->n_inputs; i++) {
        const int part = p->value_of[node->inputs[i]];
        if (is_placed(p, part)) {
            p->values[part].parent = whole;
            p->values[part].channel = channel;
        } else {
            code = copy_part(p, node, i, whole, channel, err);
        }
        channel += (size_t)as_planner_shape(p, node->inputs[i])->dims[1];
    }
    if (!code) p->value_of[node->outputs[0]] = whole;
    return code;
}

assay_code as_form_pool(as_planner *p, const as_node *node, assay_error *err)
{
    const as_pool_attributes *pool = &node->attributes.pool;
    const as_shape *x = as_planner_shape(p, node->inputs[0]);
    if (x->rank != 3 && x->rank != 4)
        return as_planner_refuse(p, node, err, "its input has rank %d, 3 or 4 is needed",
                                 x->rank);
    int64_t pads[4]; /* over one axis: an image of one row */
    as_window_pads(&pool->window, x->rank == 4 ? x->dims[2] : 1, x->dims[x->rank - 1], pads);
    for (int i = 0; i < 4; i++)
        if (pads[i] < 0) return as_planner_refuse(p, node, err, "it has negative pads");
    as_layer *layer = as_planner_layer(p, AS_LAYER_POOL, node);
    as_pool_args *args = &layer->args.pool;
    *args = (as_pool_args){.kind = node->op == AS_OP_MAX_POOL ? AS_POOL_MAX : AS_POOL_AVERAGE,
                           .kh = (size_t)pool->window.kernel[0],
                           .kw = (size_t)pool->window.kernel[1],
                           .sh = (size_t)pool->window.strides[0],
                           .sw = (size_t)pool->window.strides[1],
                           .dh = (size_t)pool->window.dilations[0],
                           .dw = (size_t)pool->window.dilations[1],
                           .pad_top = (size_t)pads[0],
                           .pad_left = (size_t)pads[1],
                           .pad_bottom = (size_t)pads[2],
                           .pad_right = (size_t)pads[3],
                           .counts_pad = pool->count_include_pad};
    int input = -1;
    assay_code code = as_planner_input(p, node, 0, &input, err);
    if (!code) code = as_planner_view(p, layer, &args->in, input, err);
    if (!code) code = as_epilogue_finish(p, layer, node->outputs[0], &args->out, err);
    return code;
}

/* Whether a ReduceMean is over height and width and keeps both. */
static bool is_spatial(const as_node *node, int rank)
{
    const as_reduce_attributes *r = &node->attributes.reduce;
    if (!r->is_resolved || !r->keepdims || r->n_axes != 2 || rank != 4) return false;
    int first = r->axes[0] < 0 ? r->axes[0] + rank : r->axes[0];
    int second = r->axes[1] < 0 ? r->axes[1] + rank : r->axes[1];
    return (first == 2 && second == 3) || (first == 3 && second == 2);
}

/* Whether somebody takes the mean of `tensor` over height and width. */
static bool is_averaged(const as_planner *p, int tensor)
{
    const int *nodes = NULL;
    const int n = as_graph_consumers(p->graph, tensor, &nodes);
    for (int i = 0; i < n; i++)
        if (as_graph_node(p->graph, nodes[i])->op == AS_OP_GLOBAL_AVERAGE_POOL) return true;
    return false;
}

assay_code as_planner_sum_rows(as_planner *p, int tensor, assay_error *err)
{
    const as_value v = p->values[p->value_of[tensor]];
    if (!p->options->fuse || v.h < 2 || v.w < 2) return ASSAY_OK;
    if (!is_averaged(p, tensor)) return ASSAY_OK;
    const as_shape shape = {.rank = 4, .dims = {(int64_t)v.n, (int64_t)v.c, (int64_t)v.h, 1}};
    as_layer *layer = as_planner_layer(p, AS_LAYER_ROW_SUM, NULL);
    layer->name = as_graph_tensor(p->graph, tensor)->name;
    layer->op_type = "RowSum";
    int sums = -1;
    assay_code code = as_planner_view(p, layer, &layer->args.mean.in, p->value_of[tensor], err);
    if (!code) code = as_planner_value(p, &shape, &sums, err);
    if (!code) code = as_planner_view(p, layer, &layer->args.mean.out, sums, err);
    p->sums_of[tensor] = sums;
    return code;
}

assay_code as_form_mean(as_planner *p, const as_node *node, assay_error *err)
{
    const int x = node->inputs[0];
    int rank = as_planner_shape(p, x)->rank;
    if (node->op == AS_OP_REDUCE_MEAN && !is_spatial(node, rank))
        return as_planner_refuse(p, node, err, "it is not over height and width with keepdims");
    int input = -1;
    assay_code code = as_planner_input(p, node, 0, &input, err);
    if (code) return code;
    as_layer *layer = as_planner_layer(p, AS_LAYER_MEAN, node);
    as_mean_args *args = &layer->args.mean;
    args->n_pixels = p->values[input].h * p->values[input].w;
    if (p->sums_of[x] >= 0) input = p->sums_of[x];
    code = as_planner_view(p, layer, &args->in, input, err);
    if (!code) code = as_epilogue_finish(p, layer, node->outputs[0], &args->out, err);
    return code;
}

assay_code as_form_softmax(as_planner *p, const as_node *node, assay_error *err)
{
    const as_shape *x = as_planner_shape(p, node->inputs[0]);
    int axis = node->attributes.softmax.axis;
    if (axis < 0) axis += x->rank;
    bool flattens = node->attributes.softmax.is_flattened && x->rank > 2;
    if (axis != 1 || x->rank < 2 || flattens)
        return as_planner_refuse(p, node, err, "it is not over the channels alone");
    as_layer *layer = as_planner_layer(p, AS_LAYER_SOFTMAX, node);
    as_softmax_args *args = &layer->args.softmax;
    int input = -1, value = -1;
    assay_code code = as_planner_input(p, node, 0, &input, err);
    if (!code) code = as_planner_view(p, layer, &args->in, input, err);
    if (!code) code = as_planner_value(p, x, &value, err);
    if (!code) code = as_planner_view(p, layer, &args->out, value, err);
    if (!code) p->value_of[node->outputs[0]] = value;
    return code;
}

assay_code as_form_reshape(as_planner *p, const as_node *node, assay_error *err)
{
    const as_shape *y = as_planner_shape(p, node->outputs[0]);
    int input = -1, value = -1;
    if (p->plain_of[node->inputs[0]] >=
        0) /* then it is another shape of that, without a layer */
        return as_planner_refuse(p, node, err, "its input lies in C order");
    assay_code code = as_planner_input(p, node, 0, &input, err);
    if (!code) code = as_planner_value(p, y, &value, err);
    if (code) return code;
    const as_value *in = &p->values[input];
    as_value *out = &p->values[value];
    p->value_of[node->outputs[0]] = value;
    if (out->h * out->w != 1)
        return as_planner_refuse(p, node, err, "its result is not [n,c] or [n,c,1,1]");
    if (in->h * in->w == 1 && in->n == out->n) { /* the same floats under another shape */
        out->parent = input;
        return ASSAY_OK;
    }
    out->is_tight = true;
    as_layer *layer = as_planner_layer(p, AS_LAYER_TO_NCHW, node);
    code = as_planner_view(p, layer, &layer->args.layout.view, input, err);
    if (!code) code = as_planner_pointer(p, layer, &layer->args.layout.nchw, value, err);
    return code;
}
