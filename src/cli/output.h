/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CLI_OUTPUT_H
#define ASSAY_CLI_OUTPUT_H
/*
 * Results: JSON on stdout, files that are never overwritten unasked, colours.
 *
 *     if (as_output_claim(path, options->force, &err)) return as_cli_fail(cli, &err);
 *     if (as_output_json(root, false, &err)) return as_cli_fail(cli, &err);
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/json.h"

/**
 * Print `root` (NULL: it could not be made) on stdout: one line, or indented where `is_pretty`.  Keys keep their order, doubles
 * have 17 digits.  @return ASSAY_E_IO when it cannot be written, ASSAY_E_MEMORY.
 */
assay_code as_output_json(const json_t *root, bool is_pretty, assay_error *err);

/**
 * Write a file whole; `path` "-" is stdout.  @return ASSAY_E_ARGUMENT when it exists and not
 * `force`, ASSAY_E_IO.
 */
assay_code as_output_write(const char *path, const void *data, size_t size, bool force,
                           assay_error *err);

/** Whether `path` may be made: ASSAY_E_ARGUMENT when something is there and not `force`. */
assay_code as_output_claim(const char *path, bool force, assay_error *err);

/** Flush and close stdout.  @return ASSAY_E_IO where anything written to it was lost. */
assay_code as_output_close(assay_error *err);

typedef enum as_color { AS_PLAIN, AS_BOLD, AS_RED, AS_GREEN, AS_YELLOW } as_color;

/** The escape sequence of a colour, or "" where `is_on` (cli->color_out or color_err) is false. */
const char *as_paint(bool is_on, as_color color);

#endif
