/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_BASE_JSON_H
#define ASSAY_BASE_JSON_H
/*
 * Making JSON with jansson, so that what could not be made is never left out in silence: a value that is
 * NULL, for want of memory or of UTF-8, takes the whole with it, and the whole is checked once, at its end.
 *
 *     json_t *list = json_array();
 *     for (...) as_json_append(&list, json_pack("[i, i]", x, y));
 *     json_t *root = json_pack("{s:o}", "points", list);       NULL where anything in it is
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/**
 * Append to, or set in, the list or object *to and take `value` over.  Where either is NULL, or memory
 * ends, *to becomes NULL and stays it.
 */
void as_json_append(json_t **to, json_t *value);
void as_json_set(json_t **to, const char *key, json_t *value);

/**
 * `root` as text with jansson's flags, JSON_ENCODE_ANY among them (as_free); NULL without memory or where
 * root is NULL.  json_dumps leaves keys out when memory ends.
 */
char *as_json_dump(const json_t *root, size_t flags) AS_CHECKED;

/**
 * Read text[size]; no key may stand twice.
 * @param flags  jansson's, as JSON_DECODE_ANY.
 * @param out    the caller's (json_decref), NULL on failure.
 * @return ASSAY_E_FORMAT with the line, ASSAY_E_MEMORY.
 */
assay_code as_json_parse(const void *text, size_t size, size_t flags, json_t **out,
                         assay_error *err);

/** A number; what is not finite becomes the string "nan", "inf" or "-inf". */
json_t *as_json_number(double value);

/** The value of what as_json_number makes. @return false for JSON of another kind. */
bool as_json_take_number(const json_t *json, double *out);

/** A number, null for what is not finite. */
json_t *as_json_real(double value);

/** A count, null for -1, which stands for one that is not known. */
json_t *as_json_count(int64_t value);

/**
 * The value under `key`: a number, NaN where there is none; an integer, INT64_MIN where there is none; a
 * text, borrowed, "" where there is none.  `object` may be NULL or of another kind.
 */
double as_json_member_number(const json_t *object, const char *key);
int64_t as_json_member_integer(const json_t *object, const char *key);
const char *as_json_member_text(const json_t *object, const char *key);

/** The string of as_json_number for a value that is not finite. */
const char *as_number_word(double value);

#endif
