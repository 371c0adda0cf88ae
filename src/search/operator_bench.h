/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_SEARCH_OPERATOR_BENCH_H
#define ASSAY_SEARCH_OPERATOR_BENCH_H
/*
 * The convolutions of one shape of an operator study, ready to be called; inside search/ only.
 *
 *     standard      in -> 3x3 -> out
 *     dw_pw         in -> depthwise 3x3 -> middle -> pointwise -> out
 *
 *     as_operator_bench *bench;
 *     code = as_operator_bench_new(&shape, &how, &bench, err);
 *     as_operator_bench_call(bench, AS_OPERATOR_DW_PW);
 *     as_operator_bench_free(bench);
 */
#include "kernels/kernels.h"
#include "search/operators.h"

/** What is timed at each shape, the modules first. */
typedef enum as_operator_module {
    AS_OPERATOR_STANDARD,
    AS_OPERATOR_DW_PW,
    AS_OPERATOR_DW,
    AS_OPERATOR_PW,
    AS_N_OPERATORS
} as_operator_module;

/** How the convolutions are chosen and filled. */
typedef struct as_operator_how {
    const as_kernels *kernels;
    const char *conv; /**< As as_operators_options. */
    int64_t seed;
} as_operator_how;

typedef struct as_operator_bench as_operator_bench;

/** Make the convolutions with random weights and input.  @return ASSAY_E_ARGUMENT, ASSAY_E_MEMORY. */
assay_code as_operator_bench_new(const as_operator_shape *shape, const as_operator_how *how,
                                 as_operator_bench **out, assay_error *err);
void as_operator_bench_free(as_operator_bench *bench); /**< Takes NULL. */

/** Run a module once. */
void as_operator_bench_call(as_operator_bench *bench, as_operator_module module);

/** Fill all of `row` that needs no clock but factor_error; `routes` receives what row->routes borrows. */
void as_operator_bench_describe(const as_operator_bench *bench, as_operator_module module,
                                as_operator_row *row, char routes[64]);

/**
 * Greatest distance between the outputs of dw_pw and those of a standard convolution whose kernel is
 * their product, k[o][i][y][x] = pw[o][i] * dw[i][y][x].
 */
assay_code as_operator_bench_factor(as_operator_bench *bench, double *error, assay_error *err);

#endif
