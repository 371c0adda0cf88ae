/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CLI_SEARCH_COMMAND_H
#define ASSAY_CLI_SEARCH_COMMAND_H
/* The verb `search`, and what spreads its trainings as a program of its own with the same options. */
#include "cli/cli.h"
#include "search/structures.h"

extern const as_verb as_verb_search;

/** As in as_search_options; all zero: one training after the other, here. */
typedef struct as_trainer {
    assay_code (*train)(void *context, struct as_search *search, assay_error *err);
    void *context;
} as_trainer;

/** Run a search.  @param values  what as_verb_search.options fill.  @return an exit status. */
int as_search_command(const as_cli *cli, const void *values, const as_trainer *trainer);

#endif
