/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_ENGINE_ENGINE_H
#define ASSAY_ENGINE_ENGINE_H
/*
 * One interface to whatever runs a network: our own engine in this process (native.c), others
 * behind an adapter process (process.c).
 *
 *     as_engine *engine;
 *     code = as_engine_open(&policy, "det.onnx", &engine, err);
 *     code = as_engine_forward(engine, x, (as_shape4){n, 3, h, w}, &map, &map_shape, err);
 *     as_engine_cleanup(engine);     after each document
 *     as_engine_close(engine);
 *
 * An engine serves one caller thread at a time.
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "assay/session.h"
#include "base/trace.h"
#include "engine/policy.h"

/** Extents of an NCHW tensor. */
typedef struct as_shape4 {
    size_t n, c, h, w;
} as_shape4;

#define AS_PASS_FACTS 16

/** One pass over the graph at load: node counts before and after, and what it cost. */
typedef struct as_pass_fact {
    char name[32];
    int nodes_before, nodes_after;
    char kinds_before[512]; /**< Nodes of each kind: "Conv:62 Add:89". */
    char kinds_after[512];
    double seconds;
} as_pass_fact;

/** What an engine really runs with; asserted at the start and at the exit of a worker. */
typedef struct as_engine_facts {
    char engine[32];  /**< "native", ... */
    char version[64]; /**< Of the engine. */
    char device[16];  /**< "cpu". */
    char dtype[16];   /**< "float32". */
    char isa[16];     /**< "avx512", "avx2", "scalar"; "" where unknown. */
    char flags
        [256]; /**< The policy's switches as the engine holds them: "fuse=on,conv=default". */
    size_t threads;      /**< Threads that compute. */
    size_t plan_bytes;   /**< Native: bytes that the cached plans and arenas hold now. */
    size_t weight_bytes; /**< Native: bytes of packed weights. */
    size_t n_loads;      /**< Times that this engine read the model: stays 1. */
    size_t n_forwards;   /**< Forward passes since it was opened (pieces count singly). */
    int n_passes;        /**< Entries of `passes`. */
    as_pass_fact passes[AS_PASS_FACTS];
} as_engine_facts;

typedef struct as_engine as_engine;

/**
 * Everything that comes before the model: other engines' processes are started.
 * @param policy  borrowed until the engine is closed.
 * @return ASSAY_E_ENVIRONMENT when the engine is missing; ASSAY_E_CHILD when its adapter crashes,
 *         hangs or speaks nonsense; ASSAY_E_ARGUMENT for an option that it does not take.
 */
assay_code as_engine_start(const as_policy *policy, as_engine **out, assay_error *err);

/** Load `model_path`, once.  @return what loading says. */
assay_code as_engine_load(as_engine *engine, const char *model_path, assay_error *err);

/** Both of the above. */
assay_code as_engine_open(const as_policy *policy, const char *model_path, as_engine **out,
                          assay_error *err);

/** Frees the engine; takes NULL. */
void as_engine_close(as_engine *engine);

/**
 * Run the network once on exactly this tensor; neither split nor padding happens here.
 * @param x          float x[n][c][h][w]; only read.
 * @param map        engine's memory, float map[n][c'][h'][w'], valid until the next call.
 * @param map_shape  its extents; those that an output of fewer than four lacks are 1.
 */
assay_code as_engine_forward(as_engine *engine, const float *x, as_shape4 shape,
                             const float **map, as_shape4 *map_shape, assay_error *err);

/** Most inputs, and most outputs, of a network that as_engine_run runs. */
#define AS_ENGINE_PORTS 64

/** Tensors of any type and rank, named; a plain value that borrows all. */
typedef struct as_engine_tensors {
    size_t n;
    const char *names[AS_ENGINE_PORTS]; /**< Of inputs; outputs come in the model's order. */
    assay_tensor items[AS_ENGINE_PORTS];
} as_engine_tensors;

/**
 * Run any network once.  Adapters take one input of float32 and rank 4, whatever its name, and give one
 * output, whose trailing extents of 1 are not told apart from none.
 * @param outputs  filled; the data is the engine's, valid until the next call.
 * @return ASSAY_E_ARGUMENT for an input that the network does not have or lacks;
 *         ASSAY_E_UNSUPPORTED for more than the engine takes.
 */
assay_code as_engine_run(as_engine *engine, const as_engine_tensors *inputs,
                         as_engine_tensors *outputs, assay_error *err);

/** Whether the model has a text detector's ports, as far as the engine tells: one input, one output. */
assay_code as_engine_check_detector(const as_engine *engine, assay_error *err);

/**
 * Room in the engine's own memory for `n_floats` of input: a tensor (or any part of it) that is
 * made there is not copied by forward.
 * @param out  valid until the next call of this function, of cleanup or of close; NULL where the
 *             engine reads from anywhere.
 */
assay_code as_engine_input(as_engine *engine, size_t n_floats, float **out, assay_error *err);

/**
 * Run n times on one tensor and tell what each run took, without the way to another process.
 * @param ns  int64_t ns[n], filled.
 */
assay_code as_engine_time(as_engine *engine, const float *x, as_shape4 shape, size_t n,
                          int64_t *ns, assay_error *err);

/**
 * Trace every forward from now on: its time, and its operators where the engine tells them.
 * @param trace  borrowed until the next call; NULL ends it.
 */
void as_engine_trace(as_engine *engine, as_trace *trace);

/** How the last layer of the last run was computed: "Conv direct"; of an adapter its engine's name. */
void as_engine_last_route(const as_engine *engine, char *text, size_t room);

/** The process that runs the network when it is not this one; else 0. */
pid_t as_engine_process(const as_engine *engine);

/** Free what shapes seen so far have cost (native: plans and arenas); the model stays loaded. */
void as_engine_cleanup(as_engine *engine);

/** The facts as they stand now. */
void as_engine_describe(const as_engine *engine, as_engine_facts *out);

#endif
