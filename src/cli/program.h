/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CLI_PROGRAM_H
#define ASSAY_CLI_PROGRAM_H
/* What every program of assay does around its command line: streams, signals, colours, closing stdout. */
#include "cli/cli.h"

/**
 * Run a program.
 * @param run  its command line.  @return the exit status.
 */
int as_program_main(int argc, char **argv, int (*run)(as_cli *cli));

#endif
