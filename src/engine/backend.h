/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_ENGINE_BACKEND_H
#define ASSAY_ENGINE_BACKEND_H
/* What a file of this folder offers to be an engine; engine.c alone calls it. */
#include <sys/types.h>

#include "engine/engine.h"

/** One kind of engine.  `state` is what start, or without one load, made. */
typedef struct as_backend {
    /** Everything before the model; NULL where there is nothing to start. */
    assay_code (*start)(const as_policy *policy, void **state, assay_error *err);
    assay_code (*load)(const as_policy *policy, const char *model_path, void **state,
                       assay_error *err);
    void (*close)(void *state); /**< Takes NULL. */
    /** Room in the engine's own memory for the next input; NULL where there is none. */
    assay_code (*input)(void *state, size_t n_floats, float **out, assay_error *err);
    assay_code (*forward)(void *state, const float *x, as_shape4 shape, const float **map,
                          as_shape4 *map_shape, assay_error *err);
    /** As as_engine_run; NULL where forward is all. */
    assay_code (*run)(void *state, const as_engine_tensors *inputs, as_engine_tensors *outputs,
                      assay_error *err);
    /** As as_engine_check_detector; NULL where loading looks. */
    assay_code (*check_detector)(const void *state, assay_error *err);
    /** As as_engine_time; NULL where forward's caller has the right clock. */
    assay_code (*time)(void *state, const float *x, as_shape4 shape, size_t n, int64_t *ns,
                       assay_error *err);
    /** Tell `trace` (NULL: nobody) every forward from now on, and its operators where there are any. */
    void (*trace)(void *state, as_trace *trace);
    /** As as_engine_last_route; NULL where nobody knows. */
    void (*last_route)(const void *state, char *text, size_t room);
    void (*cleanup)(void *state);
    void (*describe)(void *state, as_engine_facts *out);
    pid_t (*process_id)(const void *state); /**< NULL where it is this process. */
} as_backend;

extern const as_backend as_backend_native;  /**< Our own. */
extern const as_backend as_backend_process; /**< Every other, behind its adapter. */

#endif
