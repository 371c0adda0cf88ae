/* SPDX-License-Identifier: Apache-2.0 */
/* Our own engine, in this process. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "engine/backend.h"
#include "run/run.h"

typedef struct native {
    char *model_name;       /* owns */
    assay_model *model;     /* owns */
    assay_session *session; /* owns */
    bool fuse, winograd;
    char conv[32];   /* the preferred route, or "default" */
    as_trace *trace; /* borrows; NULL: none */
} native;

static void native_close(void *state)
{
    native *n = state;
    if (!n) return;
    assay_session_free(n->session);
    assay_model_free(n->model);
    as_free(n->model_name);
    as_free(n);
}

static assay_code native_load(const as_policy *policy, const char *model_path, void **state,
                              assay_error *err)
{
    *state = NULL;
    native *n = as_alloc(sizeof *n);
    if (!n) return as_fail(err, ASSAY_E_MEMORY, "no memory for an engine");
    n->model_name = as_strdup(as_path_base(model_path));
    if (!n->model_name) {
        native_close(n);
        return as_fail(err, ASSAY_E_MEMORY, "no memory for an engine");
    }
    n->fuse = policy->fuse;
    n->winograd = policy->winograd;
    snprintf(n->conv, sizeof n->conv, "%s", policy->conv ? policy->conv : "default");
    assay_model_options options = assay_model_options_defaults();
    options.fuse = policy->fuse;
    options.winograd = policy->winograd;
    options.conv = policy->conv;
    options.plan = policy->plan;
    assay_code code = assay_model_load(model_path, &options, &n->model, err);
    if (!code) code = assay_session_new(n->model, policy->threads, &n->session, err);
    if (code)
        native_close(n);
    else
        *state = n;
    return code;
}

/* Hold the plan that just ran to the plan file: each of its layers took the route chosen for it. */
static assay_code check_routes(const native *n, assay_error *err)
{
    const as_plan_file *file = as_model_plan_file(n->model);
    const as_plan *ran = as_session_plan(n->session);
    size_t n_followed = 0;
    if (!file) return ASSAY_OK;
    const as_choices choices = as_plan_file_choices(file);
    for (size_t i = 0; i < ran->n_layers; i++) {
        const as_layer *layer = &ran->layers[i];
        if (!layer->route) continue;
        const char *chosen = as_choice_of(&choices, layer->node);
        if (chosen && strcmp(chosen, layer->route->name) != 0)
            return as_fail(err, ASSAY_E_ENVIRONMENT,
                           "layer '%.60s' ran by route %.30s, the plan file chooses %.30s",
                           layer->name, layer->route->name, chosen);
        n_followed += chosen != NULL;
    }
    if (n_followed == file->n_layers) return ASSAY_OK;
    return as_fail(err, ASSAY_E_ENVIRONMENT,
                   "%zu layers ran by a route of the plan file, it chooses for %zu", n_followed,
                   file->n_layers);
}

/* Tell the trace of a run that is over, with the extents of its first input, which may lack. */
static assay_code tell_run(const native *n, const assay_tensor *in, int64_t begin_ns,
                           int64_t end_ns, assay_error *err)
{
    size_t extents[4] = {1, 1, 1, 1};
    for (int i = 0; in && i < in->rank && i < 4; i++)
        extents[i] = (size_t)in->dims[i];
    const as_traced_forward forward = {.begin_ns = begin_ns - n->trace->begin_ns,
                                       .elapsed_ns = end_ns - begin_ns,
                                       .n = extents[0],
                                       .c = extents[1],
                                       .h = extents[2],
                                       .w = extents[3]};
    assay_code code = as_trace_add_forward(n->trace, &forward, err);
    return code ? code : as_session_tell(n->session, n->trace, err);
}

static assay_code run_session(native *n, const assay_tensor *inputs, int n_inputs,
                              assay_tensor *outputs, int n_outputs, assay_error *err)
{
    int64_t begin_ns = n->trace ? as_clock_ns() : 0;
    assay_code code = assay_session_run(n->session, inputs, n_inputs, outputs, n_outputs, err);
    int64_t end_ns = n->trace ? as_clock_ns() : 0;
    if (!code) code = check_routes(n, err);
    if (code || !n->trace) return code;
    return tell_run(n, n_inputs > 0 ? inputs : NULL, begin_ns, end_ns, err);
}

static assay_code native_forward(void *state, const float *x, as_shape4 shape,
                                 const float **map, as_shape4 *map_shape, assay_error *err)
{
    native *n = state;
    assay_tensor in = {
        .rank = 4,
        .dims = {(int64_t)shape.n, (int64_t)shape.c, (int64_t)shape.h, (int64_t)shape.w},
        .data = x};
    assay_tensor out = {0};
    assay_code code = run_session(n, &in, 1, &out, 1, err);
    if (code) return code;
    if (out.dtype != ASSAY_F32)
        return as_fail(err, ASSAY_E_UNSUPPORTED,
                       "the model's output is of type %s, float32 is taken",
                       as_dtype_name((as_dtype)out.dtype));
    if (out.rank < 1 || out.rank > 4)
        return as_fail(err, ASSAY_E_UNSUPPORTED,
                       "the model's output has rank %d, one to four are taken", out.rank);
    size_t extents[4] = {1, 1, 1, 1};
    for (int i = 0; i < out.rank; i++)
        extents[i] = (size_t)out.dims[i];
    *map = out.data;
    *map_shape = (as_shape4){extents[0], extents[1], extents[2], extents[3]};
    return ASSAY_OK;
}

static assay_code native_check_detector(const void *state, assay_error *err)
{
    const native *n = state;
    int in = assay_model_n_inputs(n->model), out = assay_model_n_outputs(n->model);
    if (in == 1 && out == 1) return ASSAY_OK;
    return as_fail(err, ASSAY_E_UNSUPPORTED,
                   "%s has %d inputs and %d outputs, a text detector has one of each",
                   n->model_name, in, out);
}

/* Put each of the network's inputs in its place. */
static assay_code order_inputs(const native *n, const as_engine_tensors *inputs,
                               assay_tensor ordered[AS_ENGINE_PORTS], assay_error *err)
{
    size_t n_wanted = (size_t)assay_model_n_inputs(n->model);
    if (n_wanted != inputs->n)
        return as_fail(err, ASSAY_E_ARGUMENT, "%s has %zu inputs, %zu tensors are given",
                       n->model_name, n_wanted, inputs->n);
    for (size_t i = 0; i < n_wanted; i++) {
        const char *name = assay_model_input_name(n->model, (int)i);
        size_t at = 0;
        while (at < inputs->n && strcmp(inputs->names[at], name) != 0)
            at++;
        if (at == inputs->n)
            return as_fail(err, ASSAY_E_ARGUMENT,
                           "%s has input '%.60s', no tensor is given for it", n->model_name,
                           name);
        ordered[i] = inputs->items[at];
    }
    return ASSAY_OK;
}

static assay_code native_run(void *state, const as_engine_tensors *inputs,
                             as_engine_tensors *outputs, assay_error *err)
{
    native *n = state;
    assay_tensor ordered[AS_ENGINE_PORTS] = {0};
    int n_outputs = assay_model_n_outputs(n->model);
    if (n_outputs > AS_ENGINE_PORTS)
        return as_fail(err, ASSAY_E_UNSUPPORTED, "%s has %d outputs, at most %d are taken",
                       n->model_name, n_outputs, AS_ENGINE_PORTS);
    assay_code code = order_inputs(n, inputs, ordered, err);
    if (!code) code = run_session(n, ordered, (int)inputs->n, outputs->items, n_outputs, err);
    outputs->n = (size_t)n_outputs;
    for (int i = 0; i < n_outputs; i++)
        outputs->names[i] = assay_model_output_name(n->model, i);
    return code;
}

static void native_trace(void *state, as_trace *trace)
{
    native *n = state;
    n->trace = trace;
    as_session_take_spans(n->session, trace != NULL);
}

static void native_last_route(const void *state, char *text, size_t room)
{
    const native *n = state;
    const as_plan *ran = as_session_plan(n->session);
    for (size_t i = ran ? ran->n_layers : 0; i-- > 0;) {
        const as_layer *layer = &ran->layers[i];
        if (layer->node < 0) continue;
        snprintf(text, room, "%s %s", layer->op_type, as_layer_route(layer));
        return;
    }
}

static void native_cleanup(void *state)
{
    const native *n = state;
    assay_session_clear(n->session);
}

/* "Conv:62 Add:89" of the operators that occur; what does not fit is cut at a whole entry. */
static void write_kinds(const int counts[AS_N_OPS], char *out, size_t room)
{
    size_t used = 0;
    out[0] = '\0';
    for (int op = 0; op < AS_N_OPS; op++) {
        if (!counts[op]) continue;
        int length = snprintf(out + used, room - used, "%s%s:%d", used ? " " : "",
                              as_op_info((as_op)op)->op_type, counts[op]);
        if (length < 0 || (size_t)length >= room - used) {
            out[used] = '\0';
            return;
        }
        used += (size_t)length;
    }
}

static void describe_passes(const native *n, as_engine_facts *out)
{
    int n_passes = 0;
    const as_pass_record *records = as_model_passes(n->model, &n_passes);
    for (int i = 0; i < n_passes && i < AS_PASS_FACTS; i++) {
        as_pass_fact *fact = &out->passes[out->n_passes++];
        snprintf(fact->name, sizeof fact->name, "%s", records[i].name);
        fact->nodes_before = records[i].n_before;
        fact->nodes_after = records[i].n_after;
        fact->seconds = records[i].elapsed_s;
        write_kinds(records[i].ops_before, fact->kinds_before, sizeof fact->kinds_before);
        write_kinds(records[i].ops_after, fact->kinds_after, sizeof fact->kinds_after);
    }
}

static void native_describe(void *state, as_engine_facts *out)
{
    const native *n = state;
    snprintf(out->engine, sizeof out->engine, "native");
    snprintf(out->version, sizeof out->version, "%s", ASSAY_VERSION);
    snprintf(out->device, sizeof out->device, "cpu");
    snprintf(out->dtype, sizeof out->dtype, "float32");
    snprintf(out->isa, sizeof out->isa, "%s", as_isa_name(as_model_kernels(n->model)->isa));
    snprintf(out->flags, sizeof out->flags, "conv=%s,fuse=%s,winograd=%s", n->conv,
             n->fuse ? "on" : "off", n->winograd ? "on" : "off");
    const as_plan_file *file = as_model_plan_file(n->model);
    size_t used = strlen(out->flags);
    if (file) snprintf(out->flags + used, sizeof out->flags - used, ",plan=%s", file->sha256);
    out->threads = as_session_threads(n->session);
    out->plan_bytes = as_session_plan_bytes(n->session) + as_session_arena_bytes(n->session);
    out->weight_bytes = as_model_weight_bytes(n->model);
    describe_passes(n, out);
}

const as_backend as_backend_native = {
    .load = native_load,
    .close = native_close,
    .forward = native_forward,
    .run = native_run,
    .last_route = native_last_route,
    .check_detector = native_check_detector,
    .trace = native_trace,
    .cleanup = native_cleanup,
    .describe = native_describe,
};
