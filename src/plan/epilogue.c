/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes that ride on a layer's last store.
 *
 *     Conv -> Mul(constant) -> HardSwish -> Add(shortcut)      four nodes, one layer
 *
 * A node rides when it alone reads the running value, a step does it, and its other operand is
 * ready: a constant, or made by an earlier layer.  Of the two producers of an Add the later one
 * carries it.
 */
#include <float.h>
#include <math.h>

#include "base/size.h"
#include "plan/planner.h"

/* Operators that are one step without operands. */
static bool unary_step(const as_node *node, as_step *step)
{
    switch (node->op) {
    case AS_OP_RELU:
        step->kind = AS_STEP_RELU;
        return true;
    case AS_OP_SIGMOID:
        step->kind = AS_STEP_SIGMOID;
        return true;
    case AS_OP_HARD_SWISH:
        step->kind = AS_STEP_HARD_SWISH;
        return true;
    case AS_OP_ERF:
        step->kind = AS_STEP_ERF;
        return true;
    case AS_OP_TANH:
        step->kind = AS_STEP_TANH;
        return true;
    case AS_OP_EXP:
        step->kind = AS_STEP_EXP;
        return true;
    case AS_OP_SQRT:
        step->kind = AS_STEP_SQRT;
        return true;
    case AS_OP_ABS:
        step->kind = AS_STEP_ABS;
        return true;
    case AS_OP_NEG:
        step->kind = AS_STEP_NEG;
        return true;
    case AS_OP_GELU:
        step->kind = AS_STEP_GELU;
        return !node->attributes.gelu.is_tanh;
    case AS_OP_LEAKY_RELU:
        step->kind = AS_STEP_LEAKY;
        step->a = node->attributes.activation.alpha;
        return true;
    case AS_OP_HARD_SIGMOID:
        step->kind = AS_STEP_HARD_SIGMOID;
        step->a = node->attributes.activation.alpha;
        step->b = node->attributes.activation.beta;
        return true;
    case AS_OP_CLIP:
        step->kind = AS_STEP_CLIP;
        step->a = node->attributes.clip.min;
        step->b = node->attributes.clip.max;
        return node->attributes.clip.is_resolved;
    default:
        return false;
    }
}

/* y = x * scale + shift per channel of an Affine node, or of a BatchNormalization as ONNX has it:
 * scale = gamma / sqrt(variance + epsilon), shift = beta - mean * scale, in double. */
static assay_code scale_step(as_planner *p, const as_node *node, as_step *step, bool *fits,
                             assay_error *err)
{
    const as_tensor *in[5] = {0};
    int n_constants = node->op == AS_OP_AFFINE ? 3 : 5;
    size_t c = 0;
    if (node->op == AS_OP_BATCH_NORM && (node->attributes.batch_norm.is_training ||
                                         node->attributes.batch_norm.is_per_activation))
        return ASSAY_OK;
    for (int i = 1; i < n_constants; i++) {
        in[i] = as_node_input(p->graph, node, i);
        if (!in[i] || !in[i]->data || in[i]->dtype != AS_F32) return ASSAY_OK;
        if (i == 1) c = in[i]->n_elements;
        if (in[i]->n_elements != c) return ASSAY_OK;
    }
    step->kind = AS_STEP_SCALE_SHIFT;
    step->scale = in[1]->data;
    step->shift = in[2]->data;
    if (node->op == AS_OP_BATCH_NORM) {
        float *scale = as_planner_alloc(p, c, sizeof *scale);
        float *shift = as_planner_alloc(p, c, sizeof *shift);
        if (!scale || !shift) return as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
        const float *gamma = in[1]->data, *beta = in[2]->data, *mean = in[3]->data;
        const float *variance = in[4]->data;
        for (size_t i = 0; i < c; i++) {
            double s =
                gamma[i] / sqrt((double)variance[i] + node->attributes.batch_norm.epsilon);
            scale[i] = (float)s;
            shift[i] = (float)(beta[i] - mean[i] * s);
        }
        step->scale = scale;
        step->shift = shift;
    }
    *fits = true;
    return ASSAY_OK;
}

/* The step of a binary operator; `x_is_first` says which operand runs through the layer. */
static bool binary_kind(as_op op, bool x_is_first, as_step_kind *kind)
{
    switch (op) {
    case AS_OP_ADD:
        *kind = AS_STEP_ADD;
        return true;
    case AS_OP_MUL:
        *kind = AS_STEP_MUL;
        return true;
    case AS_OP_SUB:
        *kind = x_is_first ? AS_STEP_SUB : AS_STEP_RSUB;
        return true;
    case AS_OP_DIV:
        *kind = x_is_first ? AS_STEP_DIV : AS_STEP_RDIV;
        return true;
    default:
        return false;
    }
}

/* Dim `i` counted from the last of the other operand, seen at the rank of the result. */
static int64_t dim_from_end(const as_shape *shape, int i)
{
    return i < shape->rank ? shape->dims[shape->rank - 1 - i] : 1;
}

static bool equal_shapes(const as_shape *a, const as_shape *b)
{
    if (a->rank != b->rank) return false;
    for (int i = 0; i < a->rank; i++)
        if (a->dims[i] != b->dims[i]) return false;
    return true;
}

/* Which axis, counted from the end, is the channel of a tensor of this rank. */
static int channel_from_end(int rank) { return rank <= 1 ? 0 : rank - 2; }

/* A constant operand: one number, or one for each channel. */
static bool constant_operand(const as_tensor *y, const as_shape *x, as_step *step)
{
    as_shape shape = as_tensor_shape(y);
    if (y->dtype != AS_F32 || shape.rank > x->rank) return false;
    if (y->n_elements == 1) {
        step->operand = AS_OPERAND_SCALAR;
        step->a = *(const float *)y->data;
        return true;
    }
    int channel = channel_from_end(x->rank);
    for (int i = 0; i < shape.rank; i++) {
        int64_t needed = i == channel ? dim_from_end(x, channel) : 1;
        if (dim_from_end(&shape, i) != needed) return false;
    }
    if (channel >= shape.rank) return false;
    step->operand = AS_OPERAND_CHANNEL;
    step->view = as_view_of((float *)(uintptr_t)y->data, 1, 1, 1, y->n_elements);
    return true;
}

/* A map that always gives 0: the operand has one row or column for all. */
static const uint32_t *zero_map(as_planner *p, size_t n)
{
    return as_planner_alloc(p, n, sizeof(uint32_t));
}

/* A computed operand `y` of a layer whose result is `x`: the same shape, one vector an image, one
 * value a pixel, or rows and columns of extent 1. */
static assay_code computed_operand(as_planner *p, as_layer *layer, as_step *step, int y,
                                   const as_shape *x_shape, bool *fits, assay_error *err)
{
    const as_value *v = &p->values[y];
    int rank = x_shape->rank;
    if (v->shape.rank != rank || rank < 2) return ASSAY_OK;
    int64_t n = x_shape->dims[0], c = x_shape->dims[1];
    int64_t h = rank == 4 ? x_shape->dims[2] : 1;
    int64_t w = rank >= 3 ? x_shape->dims[rank - 1] : 1;
    if ((int64_t)v->n != n) return ASSAY_OK;
    bool full_h = (int64_t)v->h == h, full_w = (int64_t)v->w == w;
    if ((!full_h && v->h != 1) || (!full_w && v->w != 1)) return ASSAY_OK;
    if ((int64_t)v->c == c && (!full_h || !full_w) && v->h == 1 && v->w == 1) {
        step->operand = AS_OPERAND_IMAGE;
    } else if ((int64_t)v->c == c || v->c == 1) {
        step->operand = (int64_t)v->c == c ? AS_OPERAND_TENSOR : AS_OPERAND_PIXEL;
        if (!full_h) step->row_map = zero_map(p, (size_t)h);
        if (!full_w) step->col_map = zero_map(p, (size_t)w);
        if ((!full_h && !step->row_map) || (!full_w && !step->col_map))
            return as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
    } else {
        return ASSAY_OK;
    }
    as_step *kept = &layer->epilogue.steps[layer->epilogue.n_steps];
    *kept = *step;
    *fits = true;
    return as_planner_view(p, layer, &kept->view, y, err);
}

/*
 * The other operand is a nearest resize that nobody else reads and that is not made yet: the step
 * reads the small map through the resize's row and column maps.
 */
static assay_code resized_operand(as_planner *p, as_layer *layer, as_step *step,
                                  const as_node *resize, bool *fits, assay_error *err)
{
    const int value = p->value_of[resize->inputs[0]];
    step->operand = AS_OPERAND_TENSOR;
    assay_code code = as_planner_resize_maps(p, resize, &step->row_map, &step->col_map, err);
    if (code) return code;
    as_step *kept = &layer->epilogue.steps[layer->epilogue.n_steps];
    *kept = *step;
    *fits = true;
    p->is_done[resize->id] = true;
    layer->n_nodes++;
    return as_planner_view(p, layer, &kept->view, value, err);
}

/* The resize that gives `tensor` to `reader` alone and could be taken along, or NULL. */
static const as_node *open_resize(const as_planner *p, int tensor, const as_node *reader)
{
    const as_node *resize = as_graph_producer(p->graph, tensor);
    if (resize) resize = as_planner_node(p, resize);
    if (!resize || (resize->op != AS_OP_RESIZE && resize->op != AS_OP_UPSAMPLE)) return NULL;
    if (resize->attributes.resize.mode != AS_RESIZE_NEAREST) return NULL;
    if (as_planner_only_reader(p, tensor) != reader) return NULL;
    return p->value_of[resize->inputs[0]] >= 0 ? resize : NULL;
}

static assay_code binary_step(as_planner *p, as_layer *layer, const as_node *node, int x,
                              bool *fits, assay_error *err)
{
    as_step step = {0};
    bool x_is_first = node->inputs[0] == x;
    int other = node->inputs[x_is_first ? 1 : 0];
    const as_shape *x_shape = as_planner_shape(p, x);
    if (!binary_kind(node->op, x_is_first, &step.kind)) return ASSAY_OK;
    if (!equal_shapes(x_shape, as_planner_shape(p, node->outputs[0]))) return ASSAY_OK;
    const as_tensor *y = as_graph_tensor(p->graph, other);
    if (y->data) {
        *fits = constant_operand(y, x_shape, &step);
        if (*fits) layer->epilogue.steps[layer->epilogue.n_steps] = step;
        return ASSAY_OK;
    }
    const as_node *resize = open_resize(p, other, node);
    if (p->value_of[other] < 0 && resize && equal_shapes(x_shape, as_planner_shape(p, other)))
        return resized_operand(p, layer, &step, resize, fits, err);
    if (p->value_of[other] < 0) return ASSAY_OK;
    return computed_operand(p, layer, &step, p->value_of[other], x_shape, fits, err);
}

bool as_epilogue_has_step(const as_node *node)
{
    as_step step;
    return unary_step(node, &step) || binary_kind(node->op, true, &step.kind) ||
           node->op == AS_OP_AFFINE || node->op == AS_OP_BATCH_NORM;
}

assay_code as_epilogue_add(as_planner *p, as_layer *layer, const as_node *node, int x,
                           bool *fits, assay_error *err)
{
    *fits = false;
    as_epilogue *epilogue = &layer->epilogue;
    if (epilogue->n_steps == AS_EPILOGUE_STEPS) return ASSAY_OK;
    if (!as_planner_has_one_output(p, node)) return ASSAY_OK;
    assay_code code = ASSAY_OK;
    as_step step = {0};
    if (node->op == AS_OP_AFFINE || node->op == AS_OP_BATCH_NORM) {
        code = scale_step(p, node, &step, fits, err);
        if (*fits) epilogue->steps[epilogue->n_steps] = step;
    } else if (unary_step(node, &step)) {
        epilogue->steps[epilogue->n_steps] = step;
        *fits = true;
    } else if (node->n_inputs == 2) {
        code = binary_step(p, layer, node, x, fits, err);
    }
    if (*fits) epilogue->n_steps++;
    return code;
}

assay_code as_epilogue_finish(as_planner *p, as_layer *layer, int tensor, as_view *out,
                              assay_error *err)
{
    assay_code code = ASSAY_OK;
    bool fits = p->options->fuse;
    while (!code && fits) {
        const as_node *next = as_planner_only_reader(p, tensor);
        if (!next) break;
        code = as_epilogue_add(p, layer, next, tensor, &fits, err);
        if (code || !fits) break;
        p->is_done[next->id] = true;
        layer->n_nodes++;
        tensor = next->outputs[0];
    }
    int value = -1;
    if (!code) code = as_planner_value(p, as_planner_shape(p, tensor), &value, err);
    if (!code) code = as_planner_view(p, layer, out, value, err);
    if (code) return code;
    p->value_of[tensor] = value;
    return as_planner_sum_rows(p, tensor, err);
}
