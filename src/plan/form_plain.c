/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of plain operators: whatever has no kernel, in C order. */
#include "plan/planner.h"

/* The inputs and outputs of a plain layer in the plan's memory. */
typedef struct ports {
    as_array *in, *out;
    const as_array **ins;
    as_array **outs;
    int *in_values, *out_values; /* -1 = left out */
    int n_in, n_out;
} ports;

static bool make_ports(as_planner *p, int n_in, int n_out, ports *out)
{
    *out = (ports){.in = as_planner_alloc(p, (size_t)n_in, sizeof *out->in),
                   .out = as_planner_alloc(p, (size_t)n_out, sizeof *out->out),
                   .ins = as_planner_alloc(p, (size_t)n_in, sizeof *out->ins),
                   .outs = as_planner_alloc(p, (size_t)n_out, sizeof *out->outs),
                   .in_values = as_planner_alloc(p, (size_t)n_in, sizeof *out->in_values),
                   .out_values = as_planner_alloc(p, (size_t)n_out, sizeof *out->out_values),
                   .n_in = n_in,
                   .n_out = n_out};
    return out->in && out->out && out->ins && out->outs && out->in_values && out->out_values;
}

/* The layer itself; its operator has not been asked yet whether it does this. */
static assay_code add_layer(as_planner *p, const as_node *node, const as_operator *plain,
                            const ports *t, as_layer **out, assay_error *err)
{
    as_layer *layer = as_planner_layer(p, AS_LAYER_PLAIN, node);
    layer->is_alone = true;
    layer->args.plain = (as_plain_args){
        plain,
        {.node = node, .in = t->ins, .out = t->outs, .n_in = t->n_in, .n_out = t->n_out}};
    assay_code code = ASSAY_OK;
    for (int i = 0; !code && i < t->n_in; i++) {
        if (t->in_values[i] < 0) continue;
        t->ins[i] = &t->in[i];
        code = as_planner_array(p, layer, &t->in[i], t->in_values[i], err);
    }
    for (int k = 0; !code && k < t->n_out; k++) {
        if (t->out_values[k] < 0) continue;
        t->outs[k] = &t->out[k];
        code = as_planner_array(p, layer, &t->out[k], t->out_values[k], err);
    }
    *out = layer;
    return code;
}

assay_code as_form_copy(as_planner *p, const char *name, int from, int to, assay_error *err)
{
    ports t;
    as_layer *layer = NULL;
    if (!make_ports(p, 1, 1, &t)) return as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
    t.in_values[0] = from;
    t.out_values[0] = to;
    assay_code code = add_layer(p, NULL, as_operator_of(AS_OP_IDENTITY), &t, &layer, err);
    layer->name = name;
    return code;
}

static assay_code take_inputs(as_planner *p, const as_node *node, const ports *t,
                              assay_error *err)
{
    assay_code code = ASSAY_OK;
    for (int i = 0; !code && i < t->n_in; i++) {
        t->in_values[i] = -1;
        if (node->inputs[i] < 0) continue;
        code = as_planner_plain(p, node->inputs[i], &t->in_values[i], err);
        if (!code && t->in_values[i] < 0)
            code = as_planner_refuse(p, node, err, "its input %d is written by no node", i);
    }
    return code;
}

static assay_code make_outputs(as_planner *p, const as_node *node, const ports *t,
                               assay_error *err)
{
    assay_code code = ASSAY_OK;
    for (int k = 0; !code && k < t->n_out; k++) {
        const int id = node->outputs[k];
        t->out_values[k] = -1;
        if (id < 0) continue;
        code = as_planner_plain_value(p, as_graph_tensor(p->graph, id)->dtype,
                                      as_planner_shape(p, id), &t->out_values[k], err);
    }
    return code;
}

/* The same elements under another shape are the same value, without a layer. */
static assay_code form_alias(as_planner *p, const as_node *node, int from, assay_error *err)
{
    int value = -1;
    const int id = node->outputs[0];
    assay_code code =
        as_planner_plain_value(p, p->values[from].dtype, as_planner_shape(p, id), &value, err);
    if (code) return code;
    as_value *to = &p->values[value];
    to->data = p->values[from].data;
    to->input = p->values[from].input;
    if (!to->data && to->input < 0) to->parent = from;
    p->plain_of[id] = value;
    return ASSAY_OK;
}

assay_code as_form_plain(as_planner *p, const as_node *node, assay_error *err)
{
    const as_operator *plain = as_operator_of(node->op);
    ports t;
    as_layer *layer = NULL;
    assay_error reason = {0};
    if (!plain) return as_planner_refuse(p, node, err, "assay has no kernel for it");
    if (!make_ports(p, node->n_inputs, node->n_outputs, &t))
        return as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
    assay_code code = take_inputs(p, node, &t, err);
    if (!code && plain->run == as_plain_copy && t.n_out == 1)
        return form_alias(p, node, t.in_values[0], err);
    if (!code) code = make_outputs(p, node, &t, err);
    if (!code) code = add_layer(p, node, plain, &t, &layer, err);
    if (code) return code;
    if (plain->accepts(&layer->args.plain.call, &reason))
        return as_planner_refuse(p, node, err, "%s", reason.message);
    layer->macs = as_node_cost(p->graph, node, p->shapes).macs;
    for (int k = 0; k < t.n_out; k++)
        if (t.out_values[k] >= 0) p->plain_of[node->outputs[k]] = t.out_values[k];
    return ASSAY_OK;
}
