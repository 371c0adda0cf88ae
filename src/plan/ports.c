/* SPDX-License-Identifier: Apache-2.0 */
/* The network's inputs, which lie with the caller, and its outputs, which lie in the plan's memory. */
#include "plan/planner.h"

/* The value that the plan is made for, when shapes depend on it. */
static assay_code keep_value(as_planner *p, as_plan_port *port, const as_array *given,
                             assay_error *err)
{
    const size_t n = as_array_elements(given), bytes = as_dtype_bytes(given->dtype);
    port->array.data = as_planner_alloc(p, n, bytes);
    if (!port->array.data) return as_fail(err, ASSAY_E_MEMORY, "no memory for a plan");
    as_copy_elements(port->array.data, 0, given->data, 0, n, bytes);
    return ASSAY_OK;
}

assay_code as_planner_inputs(as_planner *p, const as_array *inputs, assay_error *err)
{
    assay_code code = ASSAY_OK;
    for (int i = 0; !code && i < p->plan->n_inputs; i++) {
        as_plan_port *port = &p->plan->inputs[i];
        int value = -1;
        port->tensor = as_graph_inputs(p->graph)[i];
        port->array = (as_array){as_graph_tensor(p->graph, port->tensor)->dtype,
                                 *as_planner_shape(p, port->tensor), NULL};
        code = as_planner_plain_value(p, port->array.dtype, &port->array.shape, &value, err);
        if (!code && p->shapes->is_defining[i]) code = keep_value(p, port, &inputs[i], err);
        if (code) return code;
        p->values[value].input = i;
        p->plain_of[port->tensor] = value;
    }
    return code;
}

/* An output that is an input becomes a copy: outputs are the session's, inputs the caller's. */
static assay_code copy_input(as_planner *p, int tensor, int *value, assay_error *err)
{
    const as_value from = p->values[*value];
    int copy = -1;
    assay_code code = as_planner_plain_value(p, from.dtype, &from.shape, &copy, err);
    if (!code)
        code = as_form_copy(p, as_graph_tensor(p->graph, tensor)->name, *value, copy, err);
    *value = copy;
    return code;
}

assay_code as_planner_outputs(as_planner *p, assay_error *err)
{
    assay_code code = ASSAY_OK;
    for (int i = 0; !code && i < p->plan->n_outputs; i++) {
        as_plan_port *port = &p->plan->outputs[i];
        int value = -1;
        port->tensor = as_graph_outputs(p->graph)[i];
        code = as_planner_plain(p, port->tensor, &value, err);
        if (!code && value < 0)
            code = as_fail(err, ASSAY_E_UNSUPPORTED, "output '%.60s' is written by no node",
                           as_graph_tensor(p->graph, port->tensor)->name);
        if (!code && p->values[value].input >= 0)
            code = copy_input(p, port->tensor, &value, err);
        if (!code) code = as_planner_array(p, NULL, &port->array, value, err);
    }
    return code;
}
