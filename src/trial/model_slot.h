/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_MODEL_SLOT_H
#define ASSAY_TRIAL_MODEL_SLOT_H
/*
 * What one forward of a small network takes, by calls that are timed one by one: of several networks
 * in this process, each round in an order of its own, or of one network in a fresh process, where the
 * median of its calls is one slot's value.  The network may run by any policy's engine.
 *
 *     const as_latency_protocol p = as_latency_protocol_default();
 *     as_latency_models models = {.paths = paths, .n = 6, .shape = {1, 1, 8, 8}, .policy = "ours=native,threads=1"};
 *     code = as_models_measure(&models, &p, us, err);                     double us[6][3][200]
 *
 *     as_model_slot slot;
 *     code = as_model_slot_run(&models, 0, &p, NULL, &slot, err);         slot.median_us
 *
 * Timed is forward alone, from a tensor in memory to one in memory; another engine's calls are timed
 * inside its adapter.  The input's values are uniform in 0..1.
 */
#include <stdbool.h>
#include <stdio.h>

#include "base/noise.h"
#include "engine/engine.h"

/** How often each network is called. */
typedef struct as_latency_protocol {
    size_t n_warm_up; /**< Calls before the first round that are not kept: 30. */
    size_t n_rounds;  /**< 3. */
    size_t n_repeats; /**< Calls a round: 200. */
    uint64_t seed;    /**< Of the rounds' orders and the inputs: 20260918. */
} as_latency_protocol;

/** The values stated above. */
as_latency_protocol as_latency_protocol_default(void);

/** Which networks, and by what they run; borrows all. */
typedef struct as_latency_models {
    const char *const *paths; /**< n of them. */
    size_t n;
    as_shape4 shape;    /**< Of one input, the batch among it. */
    const char *policy; /**< NAME=ENGINE[,key=value...] */
    /** Asked between stretches of calls; true: ASSAY_E_INTERRUPTED.  May be NULL. */
    bool (*stop)(void *context);
    void *stop_context;
} as_latency_models;

/**
 * Measure all networks in this process: each is loaded and warmed up, then every round calls each of
 * them n_repeats times, in an order that the round permutes.
 * @param us  double us[models->n][n_rounds][n_repeats]: microseconds of each call, filled.
 * @return as as_engine_open and as_engine_time; ASSAY_E_INTERRUPTED, ASSAY_E_MEMORY.
 */
assay_code as_models_measure(const as_latency_models *models,
                             const as_latency_protocol *protocol, double *us, assay_error *err);

/** One fresh process's calls of one network; a plain value. */
typedef struct as_model_slot {
    double median_us; /**< Over all rounds' calls. */
    double least_us;
    double total_s;   /**< The process from its start to its end. */
    char engine[32];  /**< As the engine calls itself, ... */
    char version[64]; /**< ... its version, ... */
    size_t threads;   /**< ... and the threads that it computes with. */
    as_noise noise;   /**< Over all calls that are kept. */
} as_model_slot;

/**
 * Measure models->paths[which] in a process of its own.
 * @param argv  program and verb, NULL-terminated; NULL = this program's verb `worker`.  "--model",
 *              MODEL, "--latency", JOB are put behind.
 * @return what went wrong in it, by its code; ASSAY_E_ENVIRONMENT where the engine is missing;
 *         ASSAY_E_CHILD for a process that breaks; ASSAY_E_INTERRUPTED, ASSAY_E_MEMORY.
 */
assay_code as_model_slot_run(const as_latency_models *models, size_t which,
                             const as_latency_protocol *protocol, const char *const *argv,
                             as_model_slot *out, assay_error *err);

/**
 * Inside that process: do the `job` of its command line and tell two lines of JSON on `out`, the
 * calls and the noise, or one of the error.
 */
assay_code as_model_slot_main(const char *model_path, const char *job, FILE *out,
                              assay_error *err);

#endif
