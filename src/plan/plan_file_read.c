/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a plan file.  The first thing that is wrong is kept in the reader; what is read after it
 * is zeros, so that only the end has to look.
 */
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "plan/plan_file.h"

/* A plan of both known networks has 60 kB; these bounds keep a hostile file small. */
#define FILE_BYTES_MAX ((size_t)16 << 20)
#define ITEMS_MAX      100000
#define TEXT_MAX       1024

typedef struct reader {
    as_plan_file *file;
    const char *place; /* of the object that is read: "layers[3]" */
    size_t at;         /* its index */
    assay_code code;   /* of the first failure */
    assay_error *err;
} reader;

static const char *type_name(const json_t *value)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list",
        [JSON_STRING] = "a string",  [JSON_INTEGER] = "a whole number",
        [JSON_REAL] = "a number",    [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",      [JSON_NULL] = "null"};
    return value ? names[json_typeof(value)] : "missing";
}

static void refuse(reader *r, const char *key, const json_t *seen, const char *needed)
{
    if (r->code) return;
    r->code = as_fail(r->err, ASSAY_E_FORMAT, "'%s' is %s, %s is needed", key, type_name(seen),
                      needed);
    as_error_where(r->err, "%s[%zu]", r->place, r->at);
}

static void no_memory(reader *r)
{
    if (!r->code) r->code = as_fail(r->err, ASSAY_E_MEMORY, "no memory for a plan file");
}

static const char *read_text(reader *r, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    size_t length = json_is_string(value) ? json_string_length(value) : SIZE_MAX;
    if (length > TEXT_MAX || strlen(json_string_value(value)) != length) {
        refuse(r, key, value, "a string of at most 1024 bytes");
        return "";
    }
    char *copy = as_arena_strdup(r->file->arena, json_string_value(value));
    if (!copy) no_memory(r);
    return copy ? copy : "";
}

/* Into text[room]; one that does not fit is refused. */
static void read_short(reader *r, const json_t *object, const char *key, char *text,
                       size_t room)
{
    const char *value = read_text(r, object, key);
    if (strlen(value) >= room)
        refuse(r, key, json_object_get(object, key), "a shorter string");
    else
        memcpy(text, value, strlen(value) + 1);
}

static void read_hash(reader *r, const json_t *object, const char *key, char hex[AS_SHA256_HEX])
{
    read_short(r, object, key, hex, AS_SHA256_HEX);
    if (!r->code && !as_sha256_is_hex(hex))
        refuse(r, key, json_object_get(object, key), "a SHA-256 in 64 lower-case digits");
}

static int64_t read_int(reader *r, const json_t *object, const char *key, int64_t least,
                        int64_t most)
{
    const json_t *value = json_object_get(object, key);
    int64_t number = json_is_integer(value) ? json_integer_value(value) : least;
    if (json_is_integer(value) && number >= least && number <= most) return number;
    char needed[96];
    snprintf(needed, sizeof needed, "a whole number from %lld to %lld", (long long)least,
             (long long)most);
    refuse(r, key, value, needed);
    return least;
}

static size_t read_count(reader *r, const json_t *object, const char *key)
{
    return (size_t)read_int(r, object, key, 0, INT64_C(1) << 53);
}

static double read_number(reader *r, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_number(value) && json_number_value(value) >= 0) return json_number_value(value);
    refuse(r, key, value, "a number of at least 0");
    return 0;
}

static bool read_bool(reader *r, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_boolean(value)) refuse(r, key, value, "true or false");
    return json_is_true(value);
}

static const json_t *read_object(reader *r, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_object(value)) refuse(r, key, value, "an object");
    return value;
}

/* A list and room for its items in the arena, zeroed; *n is 0 after a failure. */
static void *read_list(reader *r, const json_t *object, const char *key, size_t element_bytes,
                       const json_t **list, size_t *n)
{
    *list = json_object_get(object, key);
    *n = 0;
    if (!json_is_array(*list) || json_array_size(*list) > ITEMS_MAX) {
        refuse(r, key, *list, "a list of at most 100000 items");
        return NULL;
    }
    void *items = as_arena_array(r->file->arena, json_array_size(*list) + 1, element_bytes);
    if (!items)
        no_memory(r);
    else
        *n = json_array_size(*list);
    return items;
}

static as_plan_cost read_cost(reader *r, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_null(value)) return (as_plan_cost){0};
    if (!json_is_object(value)) {
        refuse(r, key, value, "an object or null");
        return (as_plan_cost){0};
    }
    return (as_plan_cost){.n = read_count(r, value, "n"),
                          .median_ms = read_number(r, value, "median_ms"),
                          .lower_quartile_ms = read_number(r, value, "lower_quartile_ms"),
                          .upper_quartile_ms = read_number(r, value, "upper_quartile_ms")};
}

static void read_layer(reader *r, const json_t *object, size_t i)
{
    as_layer_choice *choice = &r->file->choices[i];
    as_plan_layer *layer = &r->file->layers[i];
    const json_t *list;
    r->at = i;
    *choice = (as_layer_choice){.node = (int)read_int(r, object, "node", 0, INT_MAX),
                                .name = read_text(r, object, "name"),
                                .route = read_text(r, object, "route")};
    if (i > 0 && choice->node <= choice[-1].node)
        refuse(r, "node", json_object_get(object, "node"), "one behind the layer before");
    layer->op_type = read_text(r, object, "op");
    layer->candidates = read_list(r, object, "candidates", sizeof *layer->candidates, &list,
                                  &layer->n_candidates);
    for (size_t c = 0; c < layer->n_candidates && !r->code; c++) {
        const json_t *item = json_array_get(list, c);
        layer->candidates[c] =
            (as_plan_candidate){.route = read_text(r, item, "route"),
                                .is_exact = read_bool(r, item, "exact"),
                                .changes_boxes = read_bool(r, item, "changes_boxes"),
                                .in_place = read_cost(r, item, "in_place"),
                                .isolated = read_cost(r, item, "isolated")};
    }
}

static void read_layers(reader *r, const json_t *root)
{
    const json_t *list;
    size_t n;
    r->file->choices = read_list(r, root, "layers", sizeof *r->file->choices, &list, &n);
    r->file->layers = read_list(r, root, "layers", sizeof *r->file->layers, &list, &n);
    r->file->n_layers = n;
    r->place = "layers";
    for (size_t i = 0; i < n && !r->code; i++)
        read_layer(r, json_array_get(list, i), i);
}

/* The ways of a group stand in the order of as_bands. */
static void read_bands(reader *r, const json_t *item, as_plan_group *group, size_t i)
{
    as_bands bands;
    if (!as_bands_find(read_text(r, item, "bands"), &bands) || bands != (as_bands)i)
        refuse(r, "bands", json_object_get(item, "bands"),
               "'rule', 'alone', 'half', 'double' in turn");
    group->rows[i] = read_count(r, item, "rows");
    group->in_place[i] = read_cost(r, item, "in_place");
}

static void read_group(reader *r, const json_t *object, size_t i)
{
    as_group_choice *choice = &r->file->group_choices[i];
    as_plan_group *group = &r->file->groups[i];
    const json_t *list = json_object_get(object, "candidates");
    r->at = i;
    choice->first = (int)read_int(r, object, "first_node", -1, INT_MAX);
    choice->last = (int)read_int(r, object, "last_node", -1, INT_MAX);
    if (!as_bands_find(read_text(r, object, "bands"), &choice->bands))
        refuse(r, "bands", json_object_get(object, "bands"), "rule, alone, half or double");
    group->first = read_text(r, object, "first");
    group->last = read_text(r, object, "last");
    group->n_layers = read_count(r, object, "layers");
    if (!json_is_array(list) || json_array_size(list) != AS_BANDS_N)
        refuse(r, "candidates", list, "a list of 4");
    for (size_t c = 0; c < AS_BANDS_N && !r->code; c++)
        read_bands(r, json_array_get(list, c), group, c);
}

static void read_groups(reader *r, const json_t *root)
{
    const json_t *list;
    size_t n;
    r->place = "groups";
    r->file->group_choices =
        read_list(r, root, "groups", sizeof *r->file->group_choices, &list, &n);
    r->file->groups = read_list(r, root, "groups", sizeof *r->file->groups, &list, &n);
    r->file->n_groups = n;
    for (size_t i = 0; i < n && !r->code; i++)
        read_group(r, json_array_get(list, i), i);
}

static void read_evidence(reader *r, const json_t *object)
{
    as_plan_evidence *e = &r->file->evidence;
    const json_t *list;
    r->place = "evidence";
    read_hash(r, object, "manifest_sha256", e->manifest_sha256);
    e->seed = read_int(r, object, "seed", INT64_MIN, INT64_MAX);
    e->calls_share = read_number(r, object, "calls_share");
    e->n_rounds = read_count(r, object, "rounds");
    e->n_group_rounds = read_count(r, object, "group_rounds");
    e->is_settled = read_bool(r, object, "settled");
    e->n_comparisons = read_count(r, object, "comparisons");
    e->n_inputs = read_count(r, object, "inputs");
    e->n_boxes = read_count(r, object, "boxes");
    e->calls = read_list(r, object, "calls", sizeof *e->calls, &list, &e->n_calls);
    for (size_t i = 0; i < e->n_calls && !r->code; i++) {
        const json_t *item = json_array_get(list, i);
        e->calls[i] = (as_plan_call){.id = read_text(r, item, "id"),
                                     .n = read_int(r, item, "n", 1, INT_MAX),
                                     .h = read_int(r, item, "h", 1, INT_MAX),
                                     .w = read_int(r, item, "w", 1, INT_MAX),
                                     .n_calls = read_count(r, item, "calls_of_its_shape")};
    }
}

static void read_ratio(reader *r, const json_t *root)
{
    const json_t *object = json_object_get(root, "ratio");
    r->place = "ratio";
    if (json_is_null(object)) return;
    as_plan_ratio *ratio = &r->file->ratio;
    ratio->ratio = read_number(r, object, "tuned_to_default");
    ratio->level = read_number(r, object, "level");
    ratio->n = (size_t)read_int(r, object, "n", 1, INT_MAX);
    ratio->has_interval = !json_is_null(json_object_get(object, "low"));
    if (!ratio->has_interval) return;
    ratio->low = read_number(r, object, "low");
    ratio->high = read_number(r, object, "high");
}

static void read_cpu(reader *r, const json_t *object)
{
    as_cpu_info *cpu = &r->file->cpu;
    r->place = "cpu";
    read_short(r, object, "vendor", cpu->vendor, sizeof cpu->vendor);
    read_short(r, object, "name", cpu->model, sizeof cpu->model);
    read_short(r, object, "isa", r->file->isa, sizeof r->file->isa);
    cpu->family = (int)read_int(r, object, "family", 0, INT_MAX);
    cpu->model_number = (int)read_int(r, object, "model", 0, INT_MAX);
    cpu->l1d_bytes = read_count(r, object, "l1d_bytes");
    cpu->l2_bytes = read_count(r, object, "l2_bytes");
    cpu->l3_bytes = read_count(r, object, "l3_bytes");
}

static void read_root(reader *r, const json_t *root)
{
    r->place = "plan";
    int64_t schema = read_int(r, root, "schema", 0, INT_MAX);
    if (!r->code && schema != AS_PLAN_FILE_SCHEMA)
        r->code = as_fail(r->err, ASSAY_E_UNSUPPORTED,
                          "the plan has schema %lld, this program reads %d", (long long)schema,
                          AS_PLAN_FILE_SCHEMA);
    if (r->code) return;
    r->file->threads = (size_t)read_int(r, root, "threads", 1, 1024);
    const json_t *model = read_object(r, root, "model");
    r->file->model_name = read_text(r, model, "name");
    read_hash(r, model, "sha256", r->file->model_sha256);
    read_cpu(r, read_object(r, root, "cpu"));
    read_ratio(r, root);
    read_evidence(r, json_object_get(root, "evidence"));
    read_layers(r, root);
    read_groups(r, root);
}

static assay_code parse(const as_bytes *text, as_plan_file *file, assay_error *err)
{
    json_t *root;
    assay_code code = as_json_parse(text->data, text->size, 0, &root, err);
    if (code) return code;
    reader r = {.file = file, .err = err};
    read_root(&r, root);
    json_decref(root);
    return r.code;
}

assay_code as_plan_file_read(const char *path, as_plan_file **out, assay_error *err)
{
    *out = NULL;
    as_bytes text = {0};
    as_plan_file *file = NULL;
    assay_code code = as_file_read(path, FILE_BYTES_MAX, &text, err);
    if (code) goto done;
    file = as_plan_file_new();
    if (!file) {
        code = as_fail(err, ASSAY_E_MEMORY, "no memory for a plan file");
        goto done;
    }
    code = parse(&text, file, err);
    if (!code) code = as_sha256_bytes(text.data, text.size, file->sha256, err);
    if (code) {
        as_error_where(err, "%s", path);
        goto done;
    }
    *out = file;
    file = NULL; /* the caller owns it now */
done:
    as_plan_file_free(file);
    as_bytes_free(&text);
    return code;
}
