/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_ENGINE_BACKEND_H
#define ASSAY_ENGINE_BACKEND_H
/* What a file of this folder offers to be an engine; engine.c alone calls it. */
#include "engine/engine.h"

/** One kind of engine.  `state` is what open made. */
typedef struct as_backend {
    const char *name; /**< As policies spell it. */
    assay_code (*open)(const as_policy *policy, const char *model_path, void **state,
                       assay_error *err);
    void (*close)(void *state);
    assay_code (*forward)(void *state, const float *x, as_shape4 shape, const float **map,
                          as_shape4 *map_shape, assay_error *err);
    void (*cleanup)(void *state);
    void (*describe)(const void *state, as_engine_facts *out);
} as_backend;

extern const as_backend as_backend_native;

#endif
