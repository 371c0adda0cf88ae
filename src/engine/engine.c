/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/engine.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "engine/backend.h"

struct as_engine {
    const as_backend *backend;
    const as_policy *policy; /* borrows */
    void *state;             /* owns, through backend->close */
    size_t n_loads, n_forwards;
};

assay_code as_engine_start(const as_policy *policy, as_engine **out, assay_error *err)
{
    *out = NULL;
    as_engine *engine = as_alloc(sizeof *engine);
    if (!engine) return as_fail(err, ASSAY_E_MEMORY, "no memory for an engine");
    bool is_native = strcmp(policy->engine, "native") == 0;
    engine->backend = is_native ? &as_backend_native : &as_backend_process;
    engine->policy = policy;
    assay_code code = ASSAY_OK;
    if (engine->backend->start) code = engine->backend->start(policy, &engine->state, err);
    if (code)
        as_engine_close(engine);
    else
        *out = engine;
    return code;
}

assay_code as_engine_load(as_engine *engine, const char *model_path, assay_error *err)
{
    assay_code code = engine->backend->load(engine->policy, model_path, &engine->state, err);
    if (!code) engine->n_loads++;
    return code;
}

assay_code as_engine_open(const as_policy *policy, const char *model_path, as_engine **out,
                          assay_error *err)
{
    assay_code code = as_engine_start(policy, out, err);
    if (!code) code = as_engine_load(*out, model_path, err);
    if (code) {
        as_engine_close(*out);
        *out = NULL;
    }
    return code;
}

void as_engine_close(as_engine *engine)
{
    if (!engine) return;
    engine->backend->close(engine->state);
    as_free(engine);
}

assay_code as_engine_forward(as_engine *engine, const float *x, as_shape4 shape,
                             const float **map, as_shape4 *map_shape, assay_error *err)
{
    assay_code code = engine->backend->forward(engine->state, x, shape, map, map_shape, err);
    if (!code) engine->n_forwards++;
    return code;
}

void as_engine_trace(as_engine *engine, as_trace *trace)
{
    engine->backend->trace(engine->state, trace);
}

/* By forward, which takes one float tensor of rank 4. */
static assay_code run_by_forward(as_engine *engine, const as_engine_tensors *inputs,
                                 as_engine_tensors *outputs, assay_error *err)
{
    const assay_tensor *in = &inputs->items[0];
    const float *map = NULL;
    as_shape4 got = {0};
    if (inputs->n != 1 || in->dtype != ASSAY_F32 || in->rank != 4)
        return as_fail(
            err, ASSAY_E_UNSUPPORTED,
            "engine %s takes one float32 tensor of rank 4, not %zu tensors, the first of "
            "rank %d",
            engine->policy->engine, inputs->n, in->rank);
    const as_shape4 shape = {(size_t)in->dims[0], (size_t)in->dims[1], (size_t)in->dims[2],
                             (size_t)in->dims[3]};
    assay_code code = engine->backend->forward(engine->state, in->data, shape, &map, &got, err);
    outputs->n = 1;
    outputs->items[0] =
        (assay_tensor){.rank = 4,
                       .dims = {(int64_t)got.n, (int64_t)got.c, (int64_t)got.h, (int64_t)got.w},
                       .data = map};
    return code;
}

assay_code as_engine_run(as_engine *engine, const as_engine_tensors *inputs,
                         as_engine_tensors *outputs, assay_error *err)
{
    *outputs = (as_engine_tensors){0};
    assay_code code = engine->backend->run
                          ? engine->backend->run(engine->state, inputs, outputs, err)
                          : run_by_forward(engine, inputs, outputs, err);
    if (!code) engine->n_forwards++;
    return code;
}

assay_code as_engine_check_detector(const as_engine *engine, assay_error *err)
{
    const as_backend *backend = engine->backend;
    return backend->check_detector ? backend->check_detector(engine->state, err) : ASSAY_OK;
}

assay_code as_engine_input(as_engine *engine, size_t n_floats, float **out, assay_error *err)
{
    *out = NULL;
    return engine->backend->input ? engine->backend->input(engine->state, n_floats, out, err)
                                  : ASSAY_OK;
}

assay_code as_engine_time(as_engine *engine, const float *x, as_shape4 shape, size_t n,
                          int64_t *ns, assay_error *err)
{
    const as_backend *backend = engine->backend;
    if (backend->time) {
        assay_code code = backend->time(engine->state, x, shape, n, ns, err);
        if (!code) engine->n_forwards += n;
        return code;
    }
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < n && !code; i++) {
        const float *map;
        as_shape4 map_shape;
        int64_t begin_ns = as_clock_ns();
        code = as_engine_forward(engine, x, shape, &map, &map_shape, err);
        ns[i] = as_clock_ns() - begin_ns;
    }
    return code;
}

void as_engine_last_route(const as_engine *engine, char *text, size_t room)
{
    snprintf(text, room, "%s", engine->policy->engine);
    if (engine->backend->last_route) engine->backend->last_route(engine->state, text, room);
}

pid_t as_engine_process(const as_engine *engine)
{
    const as_backend *backend = engine->backend;
    return backend->process_id ? backend->process_id(engine->state) : 0;
}

void as_engine_cleanup(as_engine *engine) { engine->backend->cleanup(engine->state); }

void as_engine_describe(const as_engine *engine, as_engine_facts *out)
{
    *out = (as_engine_facts){.n_loads = engine->n_loads, .n_forwards = engine->n_forwards};
    engine->backend->describe(engine->state, out);
}
