/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fields.h"

#include <string.h>

static const char *kind_of(const json_t *value)
{
    if (!value) return "missing";
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a text";
    case JSON_INTEGER:
        return "an integer";
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "a truth value";
    case JSON_NULL:
        return "null";
    }
    return "unknown";
}

/* The value of `key`; keeps the first failure. */
static const json_t *get(as_fields *f, const char *key, bool is_good, const json_t *value,
                         const char *wanted)
{
    if (is_good) return value;
    if (!f->code)
        f->code = as_fail(f->err, ASSAY_E_FORMAT, "\"%s\" is %s, %s is needed", key,
                          kind_of(value), wanted);
    return NULL;
}

bool as_field_is(const as_fields *f, const char *key)
{
    return json_object_get(f->object, key) != NULL;
}

void as_fields_known(as_fields *f, const char *const *known, size_t n)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)f->object, key, value)
    {
        size_t i = 0;
        while (i < n && strcmp(key, known[i]) != 0)
            i++;
        if (i == n && !f->code)
            f->code = as_fail(f->err, ASSAY_E_FORMAT, "\"%.60s\" is no key here", key);
    }
}

bool as_field_bool(as_fields *f, const char *key)
{
    const json_t *value = json_object_get(f->object, key);
    value = get(f, key, json_is_boolean(value), value, "true or false");
    return json_is_true(value);
}

const char *as_field_text(as_fields *f, const char *key)
{
    const json_t *value = json_object_get(f->object, key);
    value = get(f, key, json_is_string(value), value, "a text");
    return value ? json_string_value(value) : "";
}

const char *as_field_text_or_null(as_fields *f, const char *key)
{
    return json_is_null(json_object_get(f->object, key)) ? NULL : as_field_text(f, key);
}

/* An integer value in range, or `least` with a failure. */
static int64_t integer(as_fields *f, const char *key, const json_t *value, int64_t least,
                       int64_t most)
{
    if (!get(f, key, json_is_integer(value), value, "an integer")) return least;
    int64_t number = json_integer_value(value);
    if (number >= least && number <= most) return number;
    if (!f->code)
        f->code = as_fail(f->err, ASSAY_E_FORMAT, "\"%s\" is %lld, it has to be in %lld..%lld",
                          key, (long long)number, (long long)least, (long long)most);
    return least;
}

int64_t as_field_int(as_fields *f, const char *key, int64_t least, int64_t most)
{
    return integer(f, key, json_object_get(f->object, key), least, most);
}

double as_field_number(as_fields *f, const char *key)
{
    const json_t *value = json_object_get(f->object, key);
    value = get(f, key, json_is_number(value), value, "a number");
    return value ? json_number_value(value) : 0;
}

void as_field_ints(as_fields *f, const char *key, int *out, size_t n, int least, int most)
{
    const json_t *value = as_field_array(f, key);
    if (value && json_array_size(value) != n && !f->code)
        f->code = as_fail(f->err, ASSAY_E_FORMAT, "\"%s\" has %zu values, %zu are needed", key,
                          json_array_size(value), n);
    for (size_t i = 0; i < n; i++)
        out[i] = f->code ? 0 : (int)integer(f, key, json_array_get(value, i), least, most);
}

const json_t *as_field_object(as_fields *f, const char *key)
{
    const json_t *value = json_object_get(f->object, key);
    return get(f, key, json_is_object(value), value, "an object");
}

const json_t *as_field_array(as_fields *f, const char *key)
{
    const json_t *value = json_object_get(f->object, key);
    return get(f, key, json_is_array(value), value, "an array");
}
