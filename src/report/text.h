/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_TEXT_H
#define ASSAY_REPORT_TEXT_H
/*
 * Strings of the evidence, escaped for where they are printed.  File names are bytes: whatever is
 * not UTF-8, and every control character, is shown as \xNN, never dropped and never raw.
 */
#include <stdio.h>

#include "base/compiler.h"
#include "base/json.h"

/** `text` with bytes that are no UTF-8, and control characters, as \xNN (as_free); NULL without memory. */
char *as_text_clean(const char *text) AS_CHECKED;

/** `text` as one word of a shell's line, quoted where it has to be (as_free); NULL without memory. */
char *as_text_quoted(const char *text) AS_CHECKED;

/**
 * `name` as one part of a path, at most `room` bytes: other bytes than letters, digits, '-', '_' and
 * '.' become '_', and so does a '.' at its beginning.
 */
void as_text_file_name(const char *name, char *out, size_t room);

/** Print `text` cleaned and escaped for HTML's text and quoted attributes. */
void as_put_html(FILE *out, const char *text);

/** ... for Markdown, also inside a table's cell. */
void as_put_md(FILE *out, const char *text);

/** ... as one CSV field, quoted where it has to be (RFC 4180); bytes stay as they are. */
void as_put_csv(FILE *out, const char *text);

/** ",1.234": a further field of a line of CSV; "," for NaN. */
void as_put_csv_number(FILE *out, double value);

/** ... as it is, for a terminal. */
void as_put_plain(FILE *out, const char *text);

/** Columns that as_put_plain takes on a terminal: two for wide characters, as Chinese ones are. */
size_t as_text_columns(const char *text);

/** A JSON string of the cleaned text; a new reference, NULL without memory. */
json_t *as_json_text(const char *text);

/** ... of the text as it is; cleaned only where it is no UTF-8. */
json_t *as_json_name(const char *text);

/** Print a score as JSON, 17 digits or the strings of as_json_number. */
void as_put_score(FILE *out, double value);

/**
 * Take `root` over and write it to `out` with jansson's flags and a line's end.  What the file does not
 * take is told when it is closed.
 * @return ASSAY_E_MEMORY where root is NULL or cannot be printed; `name` is the file's for the sentence.
 */
assay_code as_put_json(FILE *out, json_t *root, size_t flags, const char *name,
                       assay_error *err);

#endif
