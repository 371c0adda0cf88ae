/* SPDX-License-Identifier: Apache-2.0 */
/* The last run of a session as a trace: a layer is an operator, what its threads did are its spans. */
#include <stdio.h>

#include "base/trace.h"
#include "plan/rows.h"
#include "run/run.h"

enum { SHAPE_ROOM = AS_LAYER_SHAPE_ROOM };

/* A convolution's extents, and what of its kernel is not plain. */
static void describe_conv(const as_conv_shape *s, char *out)
{
    int n = snprintf(out, SHAPE_ROOM, "%zux%zux%zux%zu -> %zux%zux%zux%zu, %zux%zu", s->n,
                     s->ic, s->ih, s->iw, s->n, s->oc, s->oh, s->ow, s->kh, s->kw);
    if (s->sh != 1 || s->sw != 1)
        n += snprintf(out + n, SHAPE_ROOM - (size_t)n, " stride %zux%zu", s->sh, s->sw);
    if (s->dh != 1 || s->dw != 1)
        n += snprintf(out + n, SHAPE_ROOM - (size_t)n, " dilation %zux%zu", s->dh, s->dw);
    if (s->group != 1) snprintf(out + n, SHAPE_ROOM - (size_t)n, " group %zu", s->group);
}

static void describe_views(const as_view *in, const as_view *to, char *out)
{
    snprintf(out, SHAPE_ROOM, "%zux%zux%zux%zu -> %zux%zux%zux%zu", in->n, in->c, in->h, in->w,
             to->n, to->c, to->h, to->w);
}

/* "1x3x80x80" of an array; "1" of a scalar, "-" of what is left out. */
static void describe_array(const as_array *array, char *out, size_t room)
{
    size_t at = 0;
    snprintf(out, room, array ? "1" : "-");
    for (int d = 0; array && d < array->shape.rank && at < room; d++)
        at += (size_t)snprintf(out + at, room - at, "%s%lld", d ? "x" : "",
                               (long long)array->shape.dims[d]);
}

/* Of several operands the first stands for all. */
static void describe_call(const as_op_call *call, char *out)
{
    char in[SHAPE_ROOM / 2 - 4], to[SHAPE_ROOM / 2 - 4];
    describe_array(as_op_in(call, 0), in, sizeof in);
    describe_array(call->n_out > 0 ? call->out[0] : NULL, to, sizeof to);
    snprintf(out, SHAPE_ROOM, "%s -> %s", in, to);
}

void as_layer_shape_text(as_layer *layer, char *out)
{
    switch (layer->kind) {
    case AS_LAYER_CONV:
    case AS_LAYER_DECONV:
        describe_conv(&layer->args.conv.shape, out);
        break;
    case AS_LAYER_FROM_NCHW:
    case AS_LAYER_TO_NCHW:
        describe_views(&layer->args.layout.view, &layer->args.layout.view, out);
        break;
    case AS_LAYER_PLAIN:
        describe_call(&layer->args.plain.call, out);
        break;
    default:
        describe_views(as_layer_in(layer), as_layer_out(layer), out);
        break;
    }
}

static assay_code add_layers(const as_plan *plan, as_trace *trace, assay_error *err)
{
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < plan->n_layers && !code; i++) {
        as_layer *layer = &plan->layers[i];
        char shape[SHAPE_ROOM] = "";
        as_layer_shape_text(layer, shape);
        const as_traced_operator op = {.op = layer->op_type,
                                       .route = as_layer_route(layer),
                                       .name = layer->name,
                                       .shape = shape,
                                       .n_nodes = layer->n_nodes,
                                       .count = 1};
        code = as_trace_add_operator(trace, &op, err);
    }
    return code;
}

assay_code as_session_tell(const assay_session *session, as_trace *trace, assay_error *err)
{
    const as_spans *spans = as_session_spans(session);
    const size_t first = trace->n_operators;
    assay_code code = add_layers(as_session_plan(session), trace, err);
    trace->tells_operators = true;
    for (size_t t = 0; t < spans->n_threads; t++)
        for (size_t i = 0; i < spans->counts[t] && !code; i++) {
            const as_span *s = &spans->items[t * spans->room + i];
            const as_traced_span span = {.op = first + s->layer,
                                         .thread = (int)t,
                                         .begin_ns = s->begin_ns - trace->begin_ns,
                                         .elapsed_ns = s->end_ns - s->begin_ns,
                                         .self_ns = s->end_ns - s->begin_ns};
            code = as_trace_add_span(trace, &span, err);
        }
    return code;
}
