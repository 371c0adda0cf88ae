/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of normalisations.  Source: the ONNX operator specification. */
#include "graph/shape_rules.h"

/* Input 0 must have channels, which lie behind its first dim. */
static assay_code need_channels(const as_shape_call *call)
{
    if (as_shape_in(call, 0)->rank >= 2) return ASSAY_OK;
    return as_fail(call->err, as_shape_mismatch_code(call),
                   "its input has %d dims, it needs at least 2", as_shape_in(call, 0)->rank);
}

/* Inputs [from, to) must be lists of `n` numbers (-1: not known). */
static assay_code need_lists(const as_shape_call *call, int from, int to, int64_t n)
{
    for (int i = from; i < to; i++) {
        const as_shape *in = as_shape_in(call, i);
        if (in->rank == 1 && (n < 0 || in->dims[0] < 0 || in->dims[0] == n)) continue;
        char text[64];
        return as_fail(call->err, as_shape_mismatch_code(call),
                       "its input %d is %s, it needs [%lld]", i,
                       as_shape_text(in, text, sizeof text), (long long)n);
    }
    return ASSAY_OK;
}

/* BatchNormalization of old: its lists have all dims of the input but the first. */
static assay_code check_per_activation(const as_shape_call *call)
{
    const as_shape *x = as_shape_in(call, 0);
    for (int i = 1; i < 5; i++) {
        const as_shape *in = as_shape_in(call, i);
        bool fits = in->rank == x->rank - 1;
        for (int d = 0; fits && d < in->rank; d++)
            fits = in->dims[d] < 0 || x->dims[d + 1] < 0 || in->dims[d] == x->dims[d + 1];
        if (!fits)
            return as_fail(call->err, as_shape_mismatch_code(call),
                           "its input %d has not the dims of its first one behind the batch",
                           i);
    }
    return ASSAY_OK;
}

assay_code as_shape_batch_norm(const as_shape_call *call)
{
    const as_attributes *a = &call->node->attributes;
    const as_shape *x = as_shape_in(call, 0);
    /* A list has one channel too: a batch of numbers. */
    const int64_t c = x->rank > 1 ? x->dims[1] : 1;
    assay_code code = a->batch_norm.is_per_activation ? check_per_activation(call)
                                                      : need_lists(call, 1, 5, c);
    *call->out = *x;
    for (int k = 1; k < call->node->n_outputs; k++)
        call->out[k] = *as_shape_in(call, 3);
    return code;
}

assay_code as_shape_instance_norm(const as_shape_call *call)
{
    assay_code code = need_channels(call);
    if (!code) code = need_lists(call, 1, 3, as_shape_in(call, 0)->dims[1]);
    *call->out = *as_shape_in(call, 0);
    return code;
}

assay_code as_shape_layer_norm(const as_shape_call *call)
{
    const as_shape *x = as_shape_in(call, 0);
    int axis;
    assay_code code = as_shape_axis(call, call->node->attributes.norm.axis, x->rank, &axis);
    for (int i = 1; !code && i < call->node->n_inputs; i++)
        code = as_shape_need_spread(call, i, x);
    as_shape left = *x;
    for (int i = axis; !code && i < x->rank; i++)
        left.dims[i] = 1;
    *call->out = *x;
    for (int k = 1; k < call->node->n_outputs; k++)
        call->out[k] = left;
    return code;
}

assay_code as_shape_group_norm(const as_shape_call *call)
{
    const as_attributes *a = &call->node->attributes;
    const as_shape *x = as_shape_in(call, 0);
    assay_code code = need_channels(call);
    if (code) return code;
    const int64_t c = x->dims[1];
    if (a->norm.n_groups < 1 || (c >= 0 && c % a->norm.n_groups != 0))
        return as_fail(call->err, ASSAY_E_FORMAT,
                       "its num_groups is %d, its input has %lld channels", a->norm.n_groups,
                       (long long)c);
    *call->out = *x;
    return need_lists(call, 1, 3, a->norm.is_per_group ? a->norm.n_groups : c);
}

assay_code as_shape_lrn(const as_shape_call *call)
{
    *call->out = *as_shape_in(call, 0);
    if (call->node->attributes.lrn.size < 1)
        return as_fail(call->err, ASSAY_E_FORMAT, "its size is %d, it must be above 0",
                       call->node->attributes.lrn.size);
    return need_channels(call);
}
