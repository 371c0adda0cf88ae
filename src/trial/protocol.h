/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_PROTOCOL_H
#define ASSAY_TRIAL_PROTOCOL_H
/*
 * What a worker tells the experiment: one JSON object a line on its stdout, in this order.
 *
 *     {"event":"loaded", "load_ns":.., "engine":{..}, "passes":[..]}
 *     {"event":"memory", "when":"loaded", ...}
 *     {"event":"call", "cycle":0, "call":0, "shape":[..], "pieces":[[..]], "ns":[p,f,t,q],
 *                      "clock":"good", "map":"<sha256>", "not_finite":0,
 *                      "boxes":[[[x,y, x,y, x,y, x,y, score], ..], ..one list an input..]}
 *                      or, where tensors are compared, "outputs":["<sha256>", ..one an input..]
 *     {"event":"trace", "cycle":0, "call":0, "trace":{..}}      of a traced job, behind its call
 *     {"event":"margins", "call":0, "inputs":[[[box, pixel, score], ..], ..one list an input..]}
 *     {"event":"cleanup", "cycle":0, "document":0, "ns":..}
 *     {"event":"noise", "wall_s":.., ..}          over all calls
 *     {"event":"end", "close_ns":.., "engine":{..}, "user_s":.., ...}
 *
 * or, instead of the rest, {"event":"error", "code":"ASSAY_E_FORMAT", "message":"..."}.  A stream
 * without "end" is a worker that crashed.  Scores have 17 digits, so every bit of a finite one
 * arrives; the others are the strings "inf", "-inf", "nan".
 *
 * Writing is the worker's half; as_yield_* in yield.h is the experiment's.
 */
#include <jansson.h>
#include <stdio.h>

#include "base/error.h"
#include "base/noise.h"
#include "detect/margins.h"
#include "engine/detector.h"
#include "trial/memory_sample.h"

/** What a worker and its adapter used, told at its end. */
typedef struct as_worker_usage {
    double user_s, system_s;
    int64_t major_faults, switches_wanted, switches_forced;
} as_worker_usage;

/* Each writes one line and flushes it.  @return ASSAY_E_IO when nobody reads, ASSAY_E_MEMORY. */

assay_code as_protocol_loaded(FILE *out, int64_t load_ns, const as_engine_facts *facts,
                              assay_error *err);

/** When and of which process a memory sample was taken; indices are -1 where they do not apply. */
typedef struct as_memory_moment {
    const char *when; /**< "start", "loaded", ... as in rows.h. */
    int cycle, document, call;
    const char *process; /**< "worker" or "adapter". */
} as_memory_moment;

assay_code as_protocol_memory(FILE *out, const as_memory_moment *moment,
                              const as_memory_sample *sample, assay_error *err);

/** @param boxes  as_boxes boxes[report->call.n]; not read where the report has outputs. */
assay_code as_protocol_call(FILE *out, int cycle, int call, const as_call_report *report,
                            const as_boxes *boxes, assay_error *err);

/** @param trace  of the call told last. */
assay_code as_protocol_trace(FILE *out, int cycle, int call, const as_trace *trace,
                             assay_error *err);

/** @param margins  as_margins margins[n], of the call's inputs. */
assay_code as_protocol_margins(FILE *out, int call, const as_margins *margins, size_t n,
                               assay_error *err);

assay_code as_protocol_cleanup(FILE *out, int cycle, int document, int64_t elapsed_ns,
                               assay_error *err);

/** What was seen besides; a double that is not known is null. */
assay_code as_protocol_noise(FILE *out, const as_noise *noise, assay_error *err);

/** Read it back; a count that lacks is INT64_MIN, a double NaN. */
as_noise as_protocol_take_noise(const json_t *event);

assay_code as_protocol_end(FILE *out, int64_t close_ns, const as_engine_facts *facts,
                           const as_worker_usage *usage, assay_error *err);

/** Tell why the worker gives up; what cannot be written is lost with it. */
void as_protocol_error(FILE *out, const assay_error *why);

#endif
