/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CLI_BENCH_OPERATORS_H
#define ASSAY_CLI_BENCH_OPERATORS_H
/* `assay bench --operators`: the operator study of search/operators.h into a folder. */
#include "cli/cli.h"

typedef struct as_bench_operators {
    const char *output; /**< The folder. */
    as_strings cases;   /**< "ICxOCxHxW", besides the bundled shapes. */
    const char *conv;   /**< Preferred route or NULL. */
    int64_t rounds, repeat, seed;
    bool exclusive_hardware, force, json;
} as_bench_operators;

/** Measure, write the files, print the ratios and what they say.  @return an exit status. */
int as_bench_operators_run(const as_cli *cli, const as_bench_operators *options);

#endif
