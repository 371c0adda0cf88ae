/* SPDX-License-Identifier: Apache-2.0 */
/* assay VERB [options] */
#include "cli/program.h"

int main(int argc, char **argv) { return as_program_main(argc, argv, as_cli_run); }
