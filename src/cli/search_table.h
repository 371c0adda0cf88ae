/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CLI_SEARCH_TABLE_H
#define ASSAY_CLI_SEARCH_TABLE_H
/* `assay search --latency-table FILE`: the table of the layers that a search's models have. */
#include "cli/cli.h"

/**
 * Measure the layers of the models in `folder`, write `file`, and say how well the table predicts each
 * model that is held out.
 * @param prints  print the table on stdout, else its errors alone as a note.
 * @return an exit status.
 */
int as_search_table(const as_cli *cli, const char *folder, const char *file, bool prints);

#endif
