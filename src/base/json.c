/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

static void give_up(json_t **to)
{
    json_decref(*to);
    *to = NULL;
}

void as_json_append(json_t **to, json_t *value)
{
    if (json_array_append_new(*to, value)) give_up(to);
}

void as_json_set(json_t **to, const char *key, json_t *value)
{
    if (json_object_set_new(*to, key, value)) give_up(to);
}

/* Text that grows; once it could not, it stays failed, whatever jansson makes of that. */
typedef struct growing {
    char *text; /* owns */
    size_t n, room;
    bool has_failed;
} growing;

static int add_text(const char *text, size_t n, void *data)
{
    growing *g = data;
    for (size_t i = 0; !g->has_failed && i < n; i++) {
        char *grown = as_grow(g->text, g->n, &g->room, 1);
        g->has_failed = !grown;
        if (!grown) break;
        g->text = grown;
        g->text[g->n++] = text[i];
    }
    return g->has_failed ? -1 : 0;
}

char *as_json_dump(const json_t *root, size_t flags)
{
    growing g = {0};
    if (root && json_dump_callback(root, add_text, &g, flags | JSON_ENCODE_ANY) == 0 &&
        add_text("", 1, &g) == 0)
        return g.text;
    as_free(g.text);
    return NULL;
}

assay_code as_json_parse(const void *text, size_t size, size_t flags, json_t **out,
                         assay_error *err)
{
    json_error_t why = {0};
    *out = json_loadb(text, size, flags | JSON_REJECT_DUPLICATES, &why);
    if (*out) return ASSAY_OK;
    if (!why.text[0] || json_error_code(&why) == json_error_out_of_memory)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu bytes of JSON", size);
    if (size == 0 ||
        !memchr(text, '\n', size)) /* one of many lines, whose number its reader knows */
        return as_fail(err, ASSAY_E_FORMAT, "it is not JSON: %.120s", why.text);
    return as_fail(err, ASSAY_E_FORMAT, "line %d is not JSON: %.120s", why.line, why.text);
}

const char *as_number_word(double value)
{
    return isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

json_t *as_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_string(as_number_word(value));
}

bool as_json_take_number(const json_t *json, double *out)
{
    const char *word = json_string_value(json);
    *out = json_is_number(json)                ? json_number_value(json)
           : word && strcmp(word, "nan") == 0  ? NAN
           : word && strcmp(word, "inf") == 0  ? INFINITY
           : word && strcmp(word, "-inf") == 0 ? -INFINITY
                                               : 0;
    return json_is_number(json) || *out != 0;
}

json_t *as_json_real(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *as_json_count(int64_t value)
{
    return value < 0 ? json_null() : json_integer((json_int_t)value);
}

double as_json_member_number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

int64_t as_json_member_integer(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? (int64_t)json_integer_value(value) : INT64_MIN;
}

const char *as_json_member_text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "";
}
