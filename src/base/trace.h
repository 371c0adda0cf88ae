/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_BASE_TRACE_H
#define ASSAY_BASE_TRACE_H
/*
 * Which operators a traced call consisted of, and when each of them ran.
 *
 *     forwards   |------- piece 0 -------|------- piece 1 -------|
 *     thread 0    [conv][conv][map ]       [conv][conv][map ]          spans, each of an operator
 *     thread 1    [conv ][conv][map]       [conv ][conv][map]
 *
 * An engine fills a trace while it runs; it travels and is stored as JSON, of which an adapter tells
 * the operators and spans of one forward pass:
 *
 *     {"tells_operators": true,
 *      "stages_ns": [preprocess, forward, transfer, postprocess],
 *      "forwards":  [[begin_ns, elapsed_ns, n, c, h, w], ...],
 *      "operators": [[op, route, name, shape, n_nodes, count], ...],
 *      "spans":     [[operator, thread, begin_ns, elapsed_ns, self_ns], ...]}
 *
 *     as_trace *trace;
 *     code = as_trace_new(&trace, err);
 *     as_engine_trace(engine, trace);           every forward is traced from here on
 *     ...
 *     code = as_trace_costs(trace, &costs, &n, err);
 *     as_trace_free(trace);
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"

/** An operator that ran.  A text that the engine does not tell is "". */
typedef struct as_traced_operator {
    const char *op;    /**< "Conv", "aten::_nnpack_spatial_convolution". */
    const char *route; /**< Route or kernel: "gemm", "jit_avx2_1x1". */
    const char *name;  /**< Of the network's node. */
    const char *shape; /**< "1x24x80x80 -> 1x48x80x80". */
    int n_nodes;       /**< Nodes of the network that it does; 0 where that is not told. */
    int64_t count;     /**< Times that it ran. */
} as_traced_operator;

/** One stretch of time in an operator; times count from the trace's beginning. */
typedef struct as_traced_span {
    size_t op;          /**< Index in `operators`. */
    int thread;         /**< 0 = the one that asked for the run. */
    int64_t begin_ns;   /**< From the trace's beginning. */
    int64_t elapsed_ns; /**< Until it was over. */
    int64_t self_ns;    /**< Of these, not spent in spans inside it. */
} as_traced_span;

/** A forward pass: a call, or a piece of one that the policy splits. */
typedef struct as_traced_forward {
    int64_t begin_ns, elapsed_ns;
    size_t n, c, h, w; /**< What the network saw. */
} as_traced_forward;

/** Preprocess, forward, transfer, postprocess. */
#define AS_TRACE_STAGES 4

/** Owns all; filled by as_trace_add_* alone. */
typedef struct as_trace {
    bool tells_operators; /**< False where the engine tells no operators. */
    int64_t begin_ns;     /**< as_clock_ns() of its beginning; not kept as JSON. */
    int64_t stages_ns[AS_TRACE_STAGES]; /**< Of the call; forward is the sum of `forwards`. */
    as_traced_forward *forwards;
    as_traced_operator *operators;
    as_traced_span *spans;
    size_t n_forwards, n_operators, n_spans;
    size_t forwards_room, operators_room, spans_room;
    struct as_arena *texts;
} as_trace;

/** An empty trace that begins now.  @return ASSAY_E_MEMORY. */
assay_code as_trace_new(as_trace **out, assay_error *err);

/** Free it; takes NULL. */
void as_trace_free(as_trace *trace);

/* Append one, which is the last of its list then.  Texts are copied.  @return ASSAY_E_MEMORY. */

assay_code as_trace_add_forward(as_trace *trace, const as_traced_forward *forward,
                                assay_error *err);
assay_code as_trace_add_operator(as_trace *trace, const as_traced_operator *op,
                                 assay_error *err);
assay_code as_trace_add_span(as_trace *trace, const as_traced_span *span, assay_error *err);

/**
 * Append what the object tells under "operators" and "spans", with `offset_ns` added to the
 * beginnings.  The trace then tells operators.
 * @return ASSAY_E_FORMAT for anything that is not as above: an index, count or time that cannot be.
 */
assay_code as_trace_add_json(as_trace *trace, const json_t *object, int64_t offset_ns,
                             assay_error *err);

/** The trace as JSON; a new reference, NULL without memory.  What is no UTF-8 has '?' in it. */
json_t *as_trace_json(const as_trace *trace);

/** Read what as_trace_json made.  @return ASSAY_E_FORMAT, ASSAY_E_MEMORY. */
assay_code as_trace_parse(const json_t *object, as_trace **out, assay_error *err);

/** What operators of one kind took together: equal op, route and shape. */
typedef struct as_operator_cost {
    const char *op, *route, *shape; /**< The trace's. */
    int64_t count;
    int64_t self_ns; /**< In thread 0, so that the costs add up to no more than the forwards. */
} as_operator_cost;

/** Costs by kind, the greatest first.  @param out  the caller's (as_free). */
assay_code as_trace_costs(const as_trace *trace, as_operator_cost **out, size_t *n,
                          assay_error *err);

#endif
