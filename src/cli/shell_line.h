/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CLI_SHELL_LINE_H
#define ASSAY_CLI_SHELL_LINE_H
/*
 * A command line as a person would type it again.
 *
 *     char *line = as_shell_line(argc, argv);   // assay experiment -o 'my run'
 */
#include "base/compiler.h"

/**
 * Quote argv for a POSIX shell, argv[0] as its base name; in fresh memory (as_free), NULL without.
 * Words with bytes that are no printable UTF-8 are written $'..\xff..', as bash, zsh and ksh read.
 */
char *as_shell_line(int argc, const char *const *argv) AS_CHECKED;

#endif
