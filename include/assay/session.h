/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_SESSION_H
#define ASSAY_SESSION_H
/*
 * Running a model: threads, an arena, and the plans of the shapes seen so far.
 *
 *     assay_session *session;
 *     assay_session_new(model, 0, &session, &err);
 *     assay_tensor x = {.rank = 4, .dims = {1, 3, 640, 640}, .data = pixels}, map;
 *     assay_session_run(session, &x, 1, &map, 1, &err);
 *     const float *probability = map.data;                   float[1][1][map.dims[2]][map.dims[3]]
 *     assay_session_free(session);
 *
 * One caller thread at a time; two sessions of one model may run at the same time.
 */
#include <stdint.h>

#include "assay/model.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_MAX_RANK 8

/** Types of elements: float, int64_t, int32_t, and one byte of 0 or 1. */
typedef enum assay_dtype { ASSAY_F32, ASSAY_I64, ASSAY_I32, ASSAY_BOOL } assay_dtype;

/** Bytes of one element. */
ASSAY_API size_t assay_dtype_bytes(assay_dtype dtype);

/** A tensor in C order, as the model's file describes it (NCHW for images). */
typedef struct assay_tensor {
    int rank; /**< 0 = a scalar. */
    int64_t dims[ASSAY_MAX_RANK];
    const void
        *data; /**< Of inputs: the caller's, aligned to its elements; NULL only where a dim
                         is 0.  Of outputs: the session's. */
    assay_dtype dtype; /**< ASSAY_F32 is 0, so that {0} is of floats. */
} assay_tensor;

typedef struct assay_session assay_session;

/**
 * A session of `model` (borrowed).
 * @param threads  threads that compute; 0 = what the process may really use (affinity, quota).
 */
ASSAY_API assay_code assay_session_new(assay_model *model, size_t threads, assay_session **out,
                                       assay_error *err);

/** What the plans of a session may hold together: a detector's for some sixteen shapes, each made
 * again in 0.2 to 0.4 ms (bench/results/memory.md). */
#define ASSAY_PLAN_CACHE_BYTES ((size_t)4 << 20)

/**
 * Bound what the plans of the shapes seen so far hold [ASSAY_PLAN_CACHE_BYTES].  Above it those
 * that were not used for longest are freed, and made again when their shape comes back; the plan of
 * the last run stays whatever it holds.
 */
ASSAY_API void assay_session_bound_plans(assay_session *session, size_t bytes);

/** Frees the session; takes NULL. */
ASSAY_API void assay_session_free(assay_session *session);

/**
 * Run once.  The first run of a shape makes its plan; later ones allocate nothing.  Where shapes
 * inside the network depend on the values of an input (Reshape with its dims as an input), so does
 * the plan.
 * @param inputs   one tensor for each input of the model, in its order; only read.
 * @param outputs  receives one tensor for each output; data stays the session's, valid until its
 *                 next run, clear or free.
 * @return ASSAY_E_ARGUMENT for types, shapes and values that the model does not take,
 *         ASSAY_E_UNSUPPORTED, ASSAY_E_MEMORY.
 */
ASSAY_API assay_code assay_session_run(assay_session *session, const assay_tensor *inputs,
                                       int n_inputs, assay_tensor *outputs, int n_outputs,
                                       assay_error *err);

/** Free the plans and the arena; the model stays loaded and the session usable. */
ASSAY_API void assay_session_clear(assay_session *session);

#ifdef __cplusplus
}
#endif
#endif
