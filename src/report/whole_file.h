/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_WHOLE_FILE_H
#define ASSAY_REPORT_WHOLE_FILE_H
/*
 * A file written piece by piece that still appears whole or not at all, as as_file_write does for
 * bytes in memory: calls.csv may have millions of lines.
 *
 *     as_whole_file file;
 *     code = as_whole_file_open("run/calls.csv", &file, err);
 *     fprintf(file.out, ...);
 *     code = as_whole_file_close(&file, code, err);
 */
#include <stdio.h>

#include "base/error.h"

/** A file in the making; `out` is for printing, the rest is its own. */
typedef struct as_whole_file {
    FILE *out;
    char *path; /**< Owns. */
    char *part; /**< Owns: where the bytes lie until the file is whole. */
} as_whole_file;

/** Begin to write `path`.  @return ASSAY_E_IO, ASSAY_E_MEMORY, with nothing to close. */
assay_code as_whole_file_open(const char *path, as_whole_file *file, assay_error *err);

/** The same for `name` in `folder`. */
assay_code as_whole_file_open_in(const char *folder, const char *name, as_whole_file *file,
                                 assay_error *err);

/**
 * End it: synced and renamed to its place if `code` is ASSAY_OK and every print succeeded, else
 * dropped with nothing changed at its place.
 * @return `code` if it is a failure, ASSAY_E_IO, or ASSAY_OK.
 */
assay_code as_whole_file_close(as_whole_file *file, assay_code code, assay_error *err);

/** A file that one thing is printed into; `of` is what as_printed_files_write was given. */
typedef struct as_printed_file {
    const char *name;
    void (*print)(FILE *out, const void *of);
} as_printed_file;

/** Write all of them into `folder`, each whole or not at all.  @return ASSAY_E_IO, ASSAY_E_MEMORY. */
assay_code as_printed_files_write(const char *folder, const as_printed_file *files, size_t n,
                                  const void *of, assay_error *err);

#endif
