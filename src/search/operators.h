/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_SEARCH_OPERATORS_H
#define ASSAY_SEARCH_OPERATORS_H
/*
 * The operator study: what a standard 3x3 convolution costs against depthwise 3x3 + pointwise.
 *
 *     as_operators_options options = as_operators_defaults();
 *     code = as_operators_run(&options, &run, err);
 *     code = as_operator_report_new(&run->study, &report, err);      // report/operator_files.h
 *     as_operators_free(run);
 *
 * The kernels run alone on the calling thread, each stage by the route that the plan of a network
 * would choose; activations are NHWC, batch 1, without bias; weights are packed before.  Per round:
 *
 *     order of round 0   large dw_pw | small pw | large standard | ...     shuffled anew each round
 *                        `------- a turn: 30 samples untimed, then 200 timed
 *
 * A call shorter than what the clock can tell is repeated within a sample (as_operator_row.n_calls).
 */
#include "report/operator_files.h"

/** One shape: h x w pixels, same padding, stride 1. */
typedef struct as_operator_shape {
    const char *name; /**< Borrowed. */
    size_t ic, oc, h, w;
} as_operator_shape;

typedef struct as_operators_options {
    const as_operator_shape *shapes; /**< Borrowed. */
    size_t n_shapes;
    int n_warm_ups, n_rounds, n_repeats; /**< [30, 3, 200] */
    int64_t seed;                        /**< [20260918] */
    const char *conv;            /**< Prefer this route where it proposes itself; NULL. */
    bool (*stop)(void *context); /**< Asked before each turn; may be NULL. */
    void (*progress)(void *context, size_t n_done, size_t n_turns); /**< May be NULL. */
    void *context;
} as_operators_options;

/** The two shapes of the bundled study: large 32->64 at 32x32 and small 4->16 at 4x4. */
#define AS_OPERATOR_N_SHAPES 2
extern const as_operator_shape as_operator_shapes[AS_OPERATOR_N_SHAPES];

/** The defaults stated above. */
as_operators_options as_operators_defaults(void);

/** Turns that a study takes: every shape's two modules and their two parts, once a round. */
size_t as_operators_turns(const as_operators_options *options);

/** What was measured; owns what `study` borrows. */
typedef struct as_operators {
    as_operator_study study;
    as_operator_row *ops;
    as_operator_sample_row *samples;
    char (*routes)[64]; /**< [n_ops] */
} as_operators;

/**
 * Measure.
 * @return ASSAY_E_ARGUMENT for a shape with an extent of 0 or one that no memory holds, and for no shape;
 *         ASSAY_E_INTERRUPTED; ASSAY_E_MEMORY; what as_cpu_isa says of ASSAY_ISA.
 */
assay_code as_operators_run(const as_operators_options *options, as_operators **out,
                            assay_error *err);
void as_operators_free(as_operators *operators); /**< Takes NULL. */

#endif
