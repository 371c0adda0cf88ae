/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CLI_SEARCH_PRINT_H
#define ASSAY_CLI_SEARCH_PRINT_H
/* What `assay search` and `assay summarize` print of a structure search. */
#include <stdbool.h>

#include "cli/cli.h"
#include "report/language.h"

/** Print the table and the choice of the search in `folder`.  @return an exit status. */
int as_search_print(const as_cli *cli, const char *folder, bool json);

/** Whether `folder` holds the evidence of a structure search. */
bool as_is_search(const char *folder);

/** Derive its files again, the reports in `language`, and print.  @return an exit status. */
int as_search_summarize(const as_cli *cli, const char *folder, as_language language, bool json);

#endif
