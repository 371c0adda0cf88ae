/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_BASE_FIELDS_H
#define ASSAY_BASE_FIELDS_H
/*
 * Fields of a JSON object, with one sentence for what is missing or of the wrong kind.  A reader
 * keeps its first failure, so that a whole object can be read before it is looked at:
 *
 *     as_fields f = {.object = item, .err = err};
 *     const char *id = as_field_text(&f, "id");
 *     int page = as_field_int(&f, "page", 1, INT_MAX);
 *     if (f.code) return f.code;
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

typedef struct as_fields {
    const json_t *object; /**< Borrows. */
    assay_error *err;     /**< May be NULL. */
    assay_code code;      /**< The first failure: ASSAY_E_FORMAT. */
} as_fields;

/** Whether the object has the key at all. */
bool as_field_is(const as_fields *f, const char *key);

/** Fail where the object has a key that is none of known[n]: a typing error must not be a default. */
void as_fields_known(as_fields *f, const char *const *known, size_t n);

/** A text, borrowed from the object; "" on failure. */
const char *as_field_text(as_fields *f, const char *key);

/** As as_field_text, NULL where the value is null. */
const char *as_field_text_or_null(as_fields *f, const char *key);

/** An integer in least..most; `least` on failure. */
int64_t as_field_int(as_fields *f, const char *key, int64_t least, int64_t most);

/** true or false; false on failure. */
bool as_field_bool(as_fields *f, const char *key);

/** A number; 0 on failure. */
double as_field_number(as_fields *f, const char *key);

/** An array of `n` integers in least..most; zeros on failure. */
void as_field_ints(as_fields *f, const char *key, int *out, size_t n, int least, int most);

/** An object, or an array; NULL on failure. */
const json_t *as_field_object(as_fields *f, const char *key);
const json_t *as_field_array(as_fields *f, const char *key);

#endif
