/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/engine.h"

#include <string.h>

#include "base/memory.h"
#include "engine/backend.h"

struct as_engine {
    const as_backend *backend;
    void *state; /* owns, through backend->close */
    size_t n_loads, n_forwards;
};

static const as_backend *const backends[] = {&as_backend_native};

static const as_backend *find_backend(const char *name)
{
    for (size_t i = 0; i < AS_COUNT_OF(backends); i++)
        if (strcmp(backends[i]->name, name) == 0) return backends[i];
    return NULL;
}

assay_code as_engine_open(const as_policy *policy, const char *model_path, as_engine **out,
                          assay_error *err)
{
    *out = NULL;
    const as_backend *backend = find_backend(policy->engine);
    if (!backend)
        return as_fail(err, ASSAY_E_ENVIRONMENT, "engine '%.40s' is not here", policy->engine);
    as_engine *engine = as_alloc(sizeof *engine);
    if (!engine) return as_fail(err, ASSAY_E_MEMORY, "no memory for an engine");
    engine->backend = backend;
    assay_code code = backend->open(policy, model_path, &engine->state, err);
    if (code) {
        as_free(engine);
        return code;
    }
    engine->n_loads++;
    *out = engine;
    return ASSAY_OK;
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

void as_engine_cleanup(as_engine *engine) { engine->backend->cleanup(engine->state); }

void as_engine_describe(const as_engine *engine, as_engine_facts *out)
{
    *out = (as_engine_facts){.n_loads = engine->n_loads, .n_forwards = engine->n_forwards};
    engine->backend->describe(engine->state, out);
}
