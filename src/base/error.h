/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_BASE_ERROR_H
#define ASSAY_BASE_ERROR_H
/*
 * Raising an assay_error.
 *
 *     if (m->n_regions == 0)
 *         return as_fail(err, ASSAY_E_FORMAT, "%s lists no regions, a corpus needs one", path);
 */
#include <stdarg.h>
#include <stddef.h>

#include "assay/error.h"
#include "base/compiler.h"

/**
 * Fill `err` (may be NULL) with `code` and one sentence; `where` becomes "".
 * @return `code`, so that a failure is one statement.
 */
#ifdef __clang_analyzer__ /* sees one file at a time, so it is told what as_fail_at returns */
#define as_fail(err, code, ...)                                                                \
    (as_fail_at((err), (code), __FILE__, __LINE__, __VA_ARGS__), (assay_code)(code))
#else
#define as_fail(err, code, ...) as_fail_at((err), (code), __FILE__, __LINE__, __VA_ARGS__)
#endif

assay_code as_fail_at(assay_error *err, assay_code code, const char *file, int line,
                      const char *format, ...) AS_PRINTF(5, 6);

/**
 * Print into text[room] (room >= 16).  What is too long gives way in its middle, "[...]", since a
 * sentence's beginning says what is wrong and its end says why.
 */
void as_sentence(char *text, size_t room, const char *format, va_list values) AS_PRINTF(3, 0);

/** Say where in the input `err` (may be NULL) happened; an existing place is put behind it. */
void as_error_where(assay_error *err, const char *format, ...) AS_PRINTF(2, 3);

/** Make `err` (may be NULL) empty: ASSAY_OK, "". */
void as_error_clear(assay_error *err);

#endif
