/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_BENCH_ENGINES_SLOT_H
#define ASSAY_BENCH_ENGINES_SLOT_H
/*
 * One engine on one model, shape and thread count, in a process of its own: loaded, called a first
 * time, warmed up, timed.
 *
 * The process may use the first `threads` CPUs of what it was given, whatever the engine.  The
 * input is pseudo-random in -2..2, the same for all.  Times are the engine's own side's: from a
 * tensor in its memory to an output that can be read.
 */
#include <jansson.h>
#include <stdint.h>

#include "base/error.h"

typedef struct bench_slot {
    const char *policy; /* NAME=ENGINE[,key=value...] */
    const char *model;
    size_t shape[4];
    size_t threads;
    double seconds; /* about so long the timed calls of a slot take, two at least */
} bench_slot;

/* What a slot measured. */
typedef struct bench_result {
    double load_ms, first_ms, median_ms;
    double peak_mib; /* above what the process held before the model, its tensors left out */
    size_t n_calls;
    char version[64], flags[256];
} bench_result;

/* "1x3x640x640" -> shape. */
assay_code bench_shape_parse(const char *text, size_t shape[4], assay_error *err);

/* Inside the process: argv are policy, model, shape, threads, seconds.  Prints one JSON object. */
int bench_slot_main(char *const argv[]);

/* Outside: start such a process and take what it prints. */
assay_code bench_slot_run(const bench_slot *slot, bench_result *out, assay_error *err);

#endif
