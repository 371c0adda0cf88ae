/* SPDX-License-Identifier: Apache-2.0 */
#include "search/variants.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"

enum { TEXT_ROOM = 256 };

static assay_code no_memory(assay_error *err)
{
    return as_fail(err, ASSAY_E_MEMORY, "no memory for a search space");
}

assay_code as_variants_count(const json_t *object, size_t most, size_t *out, assay_error *err)
{
    json_t *vary = json_object_get(object, "vary"), *values;
    const char *key;
    *out = 1;
    if (!vary) return ASSAY_OK;
    if (!json_is_object(vary))
        return as_fail(err, ASSAY_E_FORMAT, "\"vary\" has to be an object");
    json_object_foreach(vary, key, values)
    {
        const size_t n = json_array_size(values);
        if (n == 0)
            return as_fail(err, ASSAY_E_FORMAT,
                           "\"vary\": \"%.60s\" has to be a list of values", key);
        if (n > most / *out)
            return as_fail(err, ASSAY_E_FORMAT, "\"vary\" makes more than %zu structures",
                           most);
        *out *= n;
    }
    return ASSAY_OK;
}

/* {"block": "dw_pw", "width": 8}: the values of variant i. */
static json_t *values_of(const json_t *object, size_t i)
{
    json_t *vary = json_object_get(object, "vary"), *chosen = json_object(), *values;
    const char *key;
    size_t rest = 1;
    json_object_foreach(vary, key, values) rest *= json_array_size(values);
    json_object_foreach(vary, key, values)
    {
        rest /= json_array_size(values);
        json_t *value = json_array_get(values, i / rest % json_array_size(values));
        as_json_set(&chosen, key, json_incref(value));
    }
    return chosen;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_';
}

/* The value of the "$name" at `text`; its length is put into *n. */
static assay_code look_up(const char *text, const json_t *values, size_t *n, const json_t **out,
                          assay_error *err)
{
    char name[64];
    *n = 1;
    while (is_word(text[*n]))
        ++*n;
    if (*n > sizeof name - 1)
        return as_fail(err, ASSAY_E_FORMAT, "\"%.40s...\" is too long a name", text);
    memcpy(name, text + 1, *n - 1);
    name[*n - 1] = '\0';
    *out = json_object_get(values, name);
    return *out ? ASSAY_OK
                : as_fail(err, ASSAY_E_FORMAT, "\"$%s\" is no key of \"vary\"", name);
}

/* The length of a value's text, which is longer than `room` where it had to be cut; 0 without one. */
static size_t print_value(const json_t *value, char *text, size_t room)
{
    int n = 0;
    if (json_is_string(value))
        n = snprintf(text, room, "%s", json_string_value(value));
    else if (json_is_integer(value))
        n = snprintf(text, room, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        n = snprintf(text, room, "%g", json_real_value(value));
    else if (json_is_boolean(value))
        n = snprintf(text, room, "%s", json_is_true(value) ? "yes" : "no");
    return (size_t)n;
}

static assay_code replace_text(const char *text, const json_t *values, json_t **out,
                               assay_error *err)
{
    char made[TEXT_ROOM];
    size_t at = 0, n;
    const json_t *value = NULL;
    while (*text) {
        if (*text != '$') {
            made[at++] = *text++;
        } else {
            assay_code code = look_up(text, values, &n, &value, err);
            if (code) return code;
            if (at == 0 && !text[n])
                return (*out = json_deep_copy(value)) ? ASSAY_OK : no_memory(err);
            const size_t n_made = print_value(value, made + at, sizeof made - at);
            if (n_made == 0)
                return as_fail(err, ASSAY_E_FORMAT,
                               "\"%.*s\" stands for a value that has no text", (int)n, text);
            at += n_made;
            text += n;
        }
        if (at >= sizeof made)
            return as_fail(err, ASSAY_E_FORMAT, "a text is longer than %d bytes",
                           TEXT_ROOM - 1);
    }
    *out = json_stringn(made, at);
    return *out ? ASSAY_OK : no_memory(err);
}

static assay_code replace(const json_t *from, const json_t *values, json_t **out,
                          assay_error *err);

static assay_code replace_object(const json_t *from, const json_t *values, json_t **out,
                                 assay_error *err)
{
    const char *key;
    json_t *item, *made;
    *out = json_object();
    json_object_foreach((json_t *)from, key, item)
    {
        if (strcmp(key, "vary") == 0) continue;
        assay_code code = replace(item, values, &made, err);
        as_json_set(out, key, made);
        if (code) return code;
    }
    return ASSAY_OK;
}

static assay_code replace(const json_t *from, const json_t *values, json_t **out,
                          assay_error *err)
{
    assay_code code = ASSAY_OK;
    *out = NULL;
    if (json_is_string(from)) return replace_text(json_string_value(from), values, out, err);
    if (json_is_object(from)) return replace_object(from, values, out, err);
    if (!json_is_array(from)) {
        *out = json_deep_copy(from);
        return ASSAY_OK;
    }
    *out = json_array();
    for (size_t i = 0; i < json_array_size(from) && !code; i++) {
        json_t *made;
        code = replace(json_array_get(from, i), values, &made, err);
        as_json_append(out, made);
    }
    return code;
}

assay_code as_variant(const json_t *object, size_t i, json_t **out, assay_error *err)
{
    json_t *values = values_of(object, i);
    assay_code code = values ? replace(object, values, out, err) : no_memory(err);
    json_decref(values);
    if (!code && !*out) code = no_memory(err);
    if (code) {
        json_decref(*out);
        *out = NULL;
    }
    return code;
}
