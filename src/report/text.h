/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_TEXT_H
#define ASSAY_REPORT_TEXT_H
/*
 * Strings of the evidence, escaped for where they are printed.  File names are bytes: whatever is
 * not UTF-8, and every control character, is shown as \xNN, never dropped and never raw.
 */
#include <jansson.h>
#include <stdio.h>

#include "base/compiler.h"

/** `text` with bytes that are no UTF-8, and control characters, as \xNN (as_free); NULL without memory. */
char *as_text_clean(const char *text) AS_CHECKED;

/** `text` as one word of a shell's line, quoted where it has to be (as_free); NULL without memory. */
char *as_text_quoted(const char *text) AS_CHECKED;

/** Print `text` cleaned and escaped for HTML's text and quoted attributes. */
void as_put_html(FILE *out, const char *text);

/** ... for Markdown, also inside a table's cell. */
void as_put_md(FILE *out, const char *text);

/** ... as one CSV field, quoted where it has to be (RFC 4180); bytes stay as they are. */
void as_put_csv(FILE *out, const char *text);

/** ... as it is, for a terminal. */
void as_put_plain(FILE *out, const char *text);

/** Columns that as_put_plain takes on a terminal, one a character. */
size_t as_text_columns(const char *text);

/** A JSON string of the cleaned text; a new reference, NULL without memory. */
json_t *as_json_text(const char *text);

/** A JSON number, null for what is not finite. */
json_t *as_json_real(double value);

/** A JSON number, or the string "nan", "inf" or "-inf": scores of boxes. */
json_t *as_json_score(double value);

/**
 * Append to, or set in, the list or object *to and take `value` over.  Where either is NULL, or memory
 * ends, *to becomes NULL and stays it, so that the whole is checked once, at its end.
 */
void as_json_append(json_t **to, json_t *value);
void as_json_set(json_t **to, const char *key, json_t *value);

/** Print a score as JSON, 17 digits or the strings of as_json_score. */
void as_put_score(FILE *out, double value);

#endif
