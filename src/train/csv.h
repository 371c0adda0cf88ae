/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRAIN_CSV_H
#define ASSAY_TRAIN_CSV_H
/*
 * A table of numbers out of comma-separated lines.
 *
 *     p0,p1,label      a heading: a first line without any number
 *     0,16,3
 *     4,12,7           -> values[2][3]
 */
#include <stddef.h>

#include "base/error.h"
#include "base/npy.h"

/**
 * Parse text[size], which has a zero byte behind its end (as_bytes).
 * @param name       stands for the file in messages.
 * @param n_columns  that every line needs.
 * @param out        AS_NPY_F8 values[n][n_columns], the caller's (as_npy_free); empty on failure.
 * @return ASSAY_E_FORMAT with the line where a value is no number or a line has other columns, or
 *         where there is no line at all; ASSAY_E_MEMORY.
 */
assay_code as_csv_parse(const char *text, size_t size, const char *name, size_t n_columns,
                        as_npy *out, assay_error *err);

#endif
