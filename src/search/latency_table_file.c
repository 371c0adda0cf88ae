/* SPDX-License-Identifier: Apache-2.0 */
/* A table of latencies as JSON and back. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "search/latency_table.h"

#define FORMAT "assay latency table 1"

/* Largest file that is read: some thousand layers. */
#define MOST_BYTES ((size_t)16 << 20)

static json_t *rows_json(const as_latency_table *t)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < t->n_rows; i++) {
        const as_latency_row *r = &t->rows[i];
        as_json_append(&rows, json_pack("{s:s s:f s:f s:f}", "layer", r->layer, "us", r->us,
                                        "low_us", r->low_us, "high_us", r->high_us));
    }
    return rows;
}

static json_t *checks_json(const as_latency_table *t)
{
    json_t *checks = json_array();
    for (size_t i = 0; i < t->n_checks; i++) {
        const as_latency_check *c = &t->checks[i];
        as_json_append(&checks,
                       json_pack("{s:s s:f s:f s:f}", "network", c->network, "predicted_us",
                                 c->predicted_us, "measured_us", c->measured_us, "error",
                                 (c->predicted_us - c->measured_us) / c->measured_us));
    }
    return checks;
}

assay_code as_latency_table_write(const as_latency_table *t, const char *path, assay_error *err)
{
    double median, greatest;
    assay_code code = as_latency_table_error(t, &median, &greatest, err);
    if (code) return code;
    json_t *root =
        json_pack("{s:s s:s s:s s:s s:I s:I s:I s:f s:o s:o s:f s:f}", "format", FORMAT, "cpu",
                  t->cpu, "isa", t->isa, "assay", t->version, "threads", (json_int_t)t->threads,
                  "rounds", (json_int_t)t->n_rounds, "repeats", (json_int_t)t->n_repeats,
                  "call_us", t->call_us, "layers", rows_json(t), "held_out", checks_json(t),
                  "median_error", median, "greatest_error", greatest);
    char *text = root ? as_json_dump(root, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) : NULL;
    code = text ? as_file_write(path, text, strlen(text), err)
                : as_fail(err, ASSAY_E_MEMORY, "no memory to write a table of latencies");
    as_free(text);
    json_decref(root);
    return code;
}

/* ---- Reading ---- */

/* A count of at most 2^31 - 1; else 0. */
static size_t count_of(const json_t *object, const char *key)
{
    const json_int_t value = json_integer_value(json_object_get(object, key));
    return value > 0 && value <= INT32_MAX ? (size_t)value : 0;
}

static assay_code bad_entry(const char *path, const char *list, size_t i, const char *needed,
                            assay_error *err)
{
    return as_fail(err, ASSAY_E_FORMAT, "%.100s: entry %zu of '%s' lacks %s", path, i, list,
                   needed);
}

static assay_code read_rows(const json_t *list, const char *path, as_latency_table *t,
                            assay_error *err)
{
    t->rows = as_alloc_array(json_array_size(list) + 1, sizeof *t->rows);
    for (size_t i = 0; t->rows && i < json_array_size(list); i++) {
        const json_t *json = json_array_get(list, i);
        as_latency_row *r = &t->rows[i];
        *r = (as_latency_row){.layer = as_strdup(as_json_member_text(json, "layer")),
                              .us = as_json_member_number(json, "us"),
                              .low_us = as_json_member_number(json, "low_us"),
                              .high_us = as_json_member_number(json, "high_us")};
        t->n_rows = i + 1;
        if (!r->layer) return as_fail(err, ASSAY_E_MEMORY, "no memory for %.100s", path);
        if (!r->layer[0] || !(r->us >= 0))
            return bad_entry(path, "layers", i, "a layer or its microseconds", err);
    }
    return t->rows ? ASSAY_OK : as_fail(err, ASSAY_E_MEMORY, "no memory for %.100s", path);
}

static assay_code read_checks(const json_t *list, const char *path, as_latency_table *t,
                              assay_error *err)
{
    t->checks = as_alloc_array(json_array_size(list) + 1, sizeof *t->checks);
    for (size_t i = 0; t->checks && i < json_array_size(list); i++) {
        const json_t *json = json_array_get(list, i);
        as_latency_check *c = &t->checks[i];
        *c = (as_latency_check){.network = as_strdup(as_json_member_text(json, "network")),
                                .predicted_us = as_json_member_number(json, "predicted_us"),
                                .measured_us = as_json_member_number(json, "measured_us")};
        t->n_checks = i + 1;
        if (!c->network) return as_fail(err, ASSAY_E_MEMORY, "no memory for %.100s", path);
        if (!(c->measured_us > 0) || !(fabs(c->predicted_us) < INFINITY))
            return bad_entry(path, "held_out", i, "its microseconds", err);
    }
    return t->checks ? ASSAY_OK : as_fail(err, ASSAY_E_MEMORY, "no memory for %.100s", path);
}

static assay_code read_table(const json_t *root, const char *path, as_latency_table *t,
                             assay_error *err)
{
    if (strcmp(as_json_member_text(root, "format"), FORMAT) != 0)
        return as_fail(err, ASSAY_E_FORMAT, "%.100s has format '%.40s', a table has '%s'", path,
                       as_json_member_text(root, "format"), FORMAT);
    snprintf(t->cpu, sizeof t->cpu, "%s", as_json_member_text(root, "cpu"));
    snprintf(t->isa, sizeof t->isa, "%s", as_json_member_text(root, "isa"));
    snprintf(t->version, sizeof t->version, "%s", as_json_member_text(root, "assay"));
    t->threads = count_of(root, "threads");
    t->n_rounds = count_of(root, "rounds");
    t->n_repeats = count_of(root, "repeats");
    t->call_us = as_json_member_number(root, "call_us");
    if (t->threads == 0 || !(fabs(t->call_us) < INFINITY))
        return as_fail(err, ASSAY_E_FORMAT, "%.100s lacks its threads or call_us", path);
    assay_code code = read_rows(json_object_get(root, "layers"), path, t, err);
    return code ? code : read_checks(json_object_get(root, "held_out"), path, t, err);
}

assay_code as_latency_table_read(const char *path, as_latency_table **out, assay_error *err)
{
    as_bytes bytes = {0};
    json_t *root = NULL;
    *out = NULL;
    as_latency_table *t = as_alloc(sizeof *t);
    if (!t) return as_fail(err, ASSAY_E_MEMORY, "no memory for %.100s", path);
    assay_code code = as_file_read(path, MOST_BYTES, &bytes, err);
    if (!code) code = as_json_parse(bytes.data, bytes.size, 0, &root, err);
    if (!code) code = read_table(root, path, t, err);
    json_decref(root);
    as_bytes_free(&bytes);
    if (code)
        as_latency_table_free(t);
    else
        *out = t;
    return code;
}
