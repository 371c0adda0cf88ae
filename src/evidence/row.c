/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows in and out of SQL, by the tables of schema.h.  `field` below is a place inside the
 * caller's row struct: the table's offset and kind say what stands there.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/size.h"
#include "evidence/database.h"
#include "evidence/rows.h"

enum { SQL_ROOM = 2048 };

static const void *field_of(const void *row, size_t offset)
{
    return (const char *)row + offset;
}

static void *place_of(void *row, size_t offset) { return (char *)row + offset; }

static void append_columns(char *sql, const as_table *table)
{
    for (size_t i = 0; i < table->n_columns; i++) {
        size_t at = strlen(sql);
        snprintf(sql + at, SQL_ROOM - at, "%s%s", i ? ", " : "", table->columns[i].name);
    }
}

/* The columns as they can be selected: a literal stands for one that older evidence lacks. */
static assay_code append_readable(char *sql, sqlite3 *database, const char *path,
                                  as_table_id table, assay_error *err)
{
    const as_table *t = &as_tables[table];
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < t->n_columns && !code; i++) {
        const char *name = t->columns[i].name;
        for (size_t a = 0; a < as_n_additions && !code; a++) {
            bool has = true;
            const as_addition *added = &as_additions[a];
            if (added->table != table || !added->column ||
                strcmp(added->column, t->columns[i].name) != 0)
                continue;
            code = as_database_has(database, path, table, added->column, &has, err);
            if (!has) name = added->absent;
        }
        size_t at = strlen(sql);
        snprintf(sql + at, SQL_ROOM - at, "%s%s", i ? ", " : "", name);
    }
    return code;
}

static assay_code prepare(sqlite3 *database, const char *path, const char *sql,
                          sqlite3_stmt **out, assay_error *err)
{
    *out = NULL;
    if (sqlite3_prepare_v2(database, sql, -1, out, NULL) == SQLITE_OK) return ASSAY_OK;
    return as_database_fail(database, path, "used", err);
}

/* A review's row id is its input, which is its first column. */
static bool has_id(as_table_id table) { return table != AS_TABLE_REVIEWS; }

assay_code as_row_insert_prepare(sqlite3 *database, const char *path, as_table_id table,
                                 sqlite3_stmt **out, assay_error *err)
{
    const as_table *t = &as_tables[table];
    char sql[SQL_ROOM];
    snprintf(sql, sizeof sql, "INSERT INTO %s(%s", t->name, has_id(table) ? "id, " : "");
    append_columns(sql, t);
    size_t at = strlen(sql);
    snprintf(sql + at, sizeof sql - at, ") VALUES(?");
    for (size_t i = 1; i < t->n_columns + has_id(table); i++) {
        at = strlen(sql);
        snprintf(sql + at, sizeof sql - at, ", ?");
    }
    at = strlen(sql);
    snprintf(sql + at, sizeof sql - at, ")");
    return prepare(database, path, sql, out, err);
}

/* "[1,2,3]" in fresh memory. */
static char *ints_text(const int *values, size_t n)
{
    char *text = as_alloc(n * 12 + 3), *at = text;
    if (!text) return NULL;
    *at++ = '[';
    for (size_t i = 0; i < n; i++)
        at += sprintf(at, "%s%d", i ? "," : "", values[i]);
    strcpy(at, "]");
    return text;
}

/* "[[1,3,32,32]]" in fresh memory. */
static char *shapes_text(const as_evidence_shape *shapes, size_t n)
{
    char *text = as_alloc(n * 90 + 3), *at = text;
    if (!text) return NULL;
    *at++ = '[';
    for (size_t i = 0; i < n; i++)
        at += sprintf(at, "%s[%zu,%zu,%zu,%zu]", i ? "," : "", shapes[i].n, shapes[i].c,
                      shapes[i].h, shapes[i].w);
    strcpy(at, "]");
    return text;
}

static int bind_owned_text(sqlite3_stmt *statement, int at, char *text)
{
    if (!text) return SQLITE_NOMEM;
    int status = sqlite3_bind_text(statement, at, text, -1, SQLITE_TRANSIENT);
    as_free(text);
    return status;
}

static int bind_boxes(sqlite3_stmt *statement, int at, const as_evidence_box *boxes, size_t n)
{
    unsigned char *bytes = as_alloc_array(n, AS_BOX_BYTES);
    if (!bytes) return SQLITE_NOMEM;
    as_box_code_put(boxes, n, bytes);
    int status = sqlite3_bind_blob64(statement, at, bytes, n * AS_BOX_BYTES, SQLITE_TRANSIENT);
    as_free(bytes);
    return status;
}

static int bind_field(sqlite3_stmt *statement, int at, const as_column *column, const void *row)
{
    const void *field = field_of(row, column->offset);
    const size_t *n = field_of(row, column->count_offset);
    const char *text;
    switch (column->kind) {
    case AS_COLUMN_INT:
        return sqlite3_bind_int(statement, at, *(const int *)field);
    case AS_COLUMN_INT64:
    case AS_COLUMN_COUNT:
        return sqlite3_bind_int64(statement, at, *(const int64_t *)field);
    case AS_COLUMN_SIZE:
        return sqlite3_bind_int64(statement, at, (int64_t) * (const size_t *)field);
    case AS_COLUMN_BOOL:
        return sqlite3_bind_int(statement, at, *(const bool *)field);
    case AS_COLUMN_DOUBLE:
        return sqlite3_bind_double(statement, at, *(const double *)field);
    case AS_COLUMN_TEXT:
        text = *(const char *const *)field;
        return sqlite3_bind_text(statement, at, text ? text : "", -1, SQLITE_TRANSIENT);
    case AS_COLUMN_NAME:
        return sqlite3_bind_text(statement, at, column->names[*(const int *)field], -1,
                                 SQLITE_STATIC);
    case AS_COLUMN_INTS:
        return bind_owned_text(statement, at, ints_text(*(const int *const *)field, *n));
    case AS_COLUMN_SHAPES:
        return bind_owned_text(statement, at,
                               shapes_text(*(const as_evidence_shape *const *)field, *n));
    case AS_COLUMN_BOXES:
        return bind_boxes(statement, at, *(const as_evidence_box *const *)field, *n);
    case AS_COLUMN_BLOB:
        return sqlite3_bind_blob64(statement, at, *(const void *const *)field, *n,
                                   SQLITE_TRANSIENT);
    }
    return SQLITE_MISUSE;
}

assay_code as_row_insert(sqlite3 *database, const char *path, sqlite3_stmt *statement,
                         as_table_id table, int64_t id, int owner, const void *row,
                         assay_error *err)
{
    const as_table *t = &as_tables[table];
    int at = 1, status = SQLITE_OK;
    if (has_id(table))
        status = id < 0 ? sqlite3_bind_null(statement, at++)
                        : sqlite3_bind_int64(statement, at++, id);
    for (size_t i = 0; i < t->n_columns && status == SQLITE_OK; i++, at++)
        status = t->has_owner && i == 0 ? sqlite3_bind_int(statement, at, owner)
                                        : bind_field(statement, at, &t->columns[i], row);
    if (status == SQLITE_NOMEM)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for a row of %s in %s", t->name, path);
    assay_code code = ASSAY_OK;
    if (status != SQLITE_OK || sqlite3_step(statement) != SQLITE_DONE)
        code = as_database_fail(database, path, "written", err);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return code;
}

assay_code as_row_select_prepare(sqlite3 *database, const char *path, as_table_id table,
                                 int64_t limit, sqlite3_stmt **out, assay_error *err)
{
    const as_table *t = &as_tables[table];
    char sql[SQL_ROOM] = "SELECT ";
    assay_code code = ASSAY_OK;
    if (table == AS_TABLE_REVIEWS)
        strcat(sql, "input, length(png)");
    else
        code = append_readable(sql, database, path, table, err);
    if (code) return code;
    size_t at = strlen(sql);
    snprintf(sql + at, sizeof sql - at, " FROM %s", t->name);
    at = strlen(sql);
    if (limit >= 0)
        snprintf(sql + at, sizeof sql - at, " WHERE %s < %lld",
                 t->has_owner ? t->columns[0].name : "id", (long long)limit);
    at = strlen(sql);
    snprintf(sql + at, sizeof sql - at, " ORDER BY %s", has_id(table) ? "id" : "input");
    return prepare(database, path, sql, out, err);
}

static assay_code bad_value(as_table_id table, const as_column *column, const char *what,
                            assay_error *err)
{
    return as_fail(err, ASSAY_E_FORMAT,
                   "the evidence's column %s.%s holds %s, which no run of assay writes",
                   as_tables[table].name, column->name, what);
}

static bool take_name(const char *text, const char *const *names, void *place)
{
    for (int i = 0; text && names[i]; i++)
        if (strcmp(text, names[i]) == 0) {
            memcpy(place, &i, sizeof i);
            return true;
        }
    return false;
}

/* The next whole number of "[[1,2],[3]]", brackets and commas passed over; false at the end. */
static bool next_number(const char **at, unsigned long long *out)
{
    *at += strspn(*at, "[], ");
    if (**at < '0' || **at > '9') return false;
    char *end;
    *out = strtoull(*at, &end, 10);
    *at = end;
    return true;
}

static assay_code take_ints(const char *text, size_t n, int64_t limit, as_arena *arena,
                            const int **out)
{
    if (!text || n > strlen(text)) return ASSAY_E_FORMAT;
    int *values = as_arena_array(arena, n, sizeof *values);
    if (!values) return ASSAY_E_MEMORY;
    unsigned long long value;
    for (size_t i = 0; i < n; i++) {
        if (!next_number(&text, &value) || value >= (unsigned long long)limit)
            return ASSAY_E_FORMAT;
        values[i] = (int)value;
    }
    *out = values;
    return next_number(&text, &value) ? ASSAY_E_FORMAT : ASSAY_OK;
}

static assay_code take_shapes(const char *text, size_t n, as_arena *arena,
                              const as_evidence_shape **out)
{
    if (!text || n > strlen(text)) return ASSAY_E_FORMAT;
    as_evidence_shape *shapes = as_arena_array(arena, n, sizeof *shapes);
    if (!shapes) return ASSAY_E_MEMORY;
    unsigned long long v[4];
    for (size_t i = 0; i < n; i++) {
        for (int j = 0; j < 4; j++)
            if (!next_number(&text, &v[j])) return ASSAY_E_FORMAT;
        shapes[i] = (as_evidence_shape){v[0], v[1], v[2], v[3]};
    }
    *out = shapes;
    return next_number(&text, &v[0]) ? ASSAY_E_FORMAT : ASSAY_OK;
}

static assay_code take_boxes(sqlite3_stmt *statement, int at, size_t n, as_arena *arena,
                             const as_evidence_box **out)
{
    size_t bytes = (size_t)sqlite3_column_bytes(statement, at), needed;
    const unsigned char *blob = sqlite3_column_blob(statement, at);
    if (!as_mul(n, AS_BOX_BYTES, &needed) || bytes != needed) return ASSAY_E_FORMAT;
    as_evidence_box *boxes = as_arena_array(arena, n, sizeof *boxes);
    if (!boxes) return ASSAY_E_MEMORY;
    as_box_code_take(blob, n, boxes);
    *out = boxes;
    return ASSAY_OK;
}

static assay_code take_text(const char *text, as_arena *arena, const char **out)
{
    *out = as_arena_strdup(arena, text ? text : "");
    return *out ? ASSAY_OK : ASSAY_E_MEMORY;
}

static bool is_reference(const as_reference *reference, int64_t value, const int64_t *n_rows)
{
    if (!reference->exists) return value >= -1 && value < INT_MAX; /* so that + 1 fits */
    if (value == -1) return reference->is_optional;
    return value >= 0 && value < n_rows[reference->table];
}

/* Take column `at` into the row. @return FORMAT for a value that cannot stand there. */
static assay_code take_field(sqlite3_stmt *statement, int at, const as_column *column,
                             const int64_t *n_rows, as_arena *arena, void *row)
{
    void *place = place_of(row, column->offset);
    const size_t *n = field_of(row, column->count_offset);
    const char *text = (const char *)sqlite3_column_text(statement, at);
    int64_t number = 0;
    switch (column->kind) {
    case AS_COLUMN_INT:
        number = sqlite3_column_int64(statement, at);
        *(int *)place = (int)number;
        return is_reference(&column->reference, number, n_rows) ? ASSAY_OK : ASSAY_E_FORMAT;
    case AS_COLUMN_INT64:
        *(int64_t *)place = sqlite3_column_int64(statement, at);
        return ASSAY_OK;
    case AS_COLUMN_COUNT:
        number = sqlite3_column_int64(statement, at);
        *(int64_t *)place = number;
        return number >= -1 ? ASSAY_OK : ASSAY_E_FORMAT;
    case AS_COLUMN_SIZE:
        number = sqlite3_column_int64(statement, at);
        *(size_t *)place = (size_t)number;
        return number >= 0 ? ASSAY_OK : ASSAY_E_FORMAT;
    case AS_COLUMN_BOOL:
        *(bool *)place = sqlite3_column_int64(statement, at) != 0;
        return ASSAY_OK;
    case AS_COLUMN_DOUBLE:
        *(double *)place = sqlite3_column_type(statement, at) == SQLITE_NULL
                               ? NAN
                               : sqlite3_column_double(statement, at);
        return ASSAY_OK;
    case AS_COLUMN_TEXT:
        return take_text(text, arena, (const char **)place);
    case AS_COLUMN_NAME:
        return take_name(text, column->names, place) ? ASSAY_OK : ASSAY_E_FORMAT;
    case AS_COLUMN_INTS:
        return take_ints(text, *n, n_rows[AS_TABLE_INPUTS], arena, (const int **)place);
    case AS_COLUMN_SHAPES:
        return take_shapes(text, *n, arena, (const as_evidence_shape **)place);
    case AS_COLUMN_BOXES:
        return take_boxes(statement, at, *n, arena, (const as_evidence_box **)place);
    case AS_COLUMN_BLOB: /* its length stands in its place: the bytes are asked for singly */
        *(size_t *)place_of(row, column->count_offset) =
            (size_t)sqlite3_column_int64(statement, at);
        return ASSAY_OK;
    }
    return ASSAY_E_FORMAT;
}

assay_code as_row_take(sqlite3_stmt *statement, as_table_id table, const int64_t *n_rows,
                       as_arena *arena, void *row, assay_error *err)
{
    const as_table *t = &as_tables[table];
    for (size_t i = 0; i < t->n_columns; i++) {
        assay_code code = take_field(statement, (int)i, &t->columns[i], n_rows, arena, row);
        if (code == ASSAY_E_MEMORY)
            return as_fail(err, code, "no memory to read table %s", t->name);
        if (!code) continue;
        const char *text = (const char *)sqlite3_column_text(statement, (int)i);
        char what[64];
        snprintf(what, sizeof what, "'%.40s'", text ? text : "");
        return bad_value(table, &t->columns[i], what, err);
    }
    return ASSAY_OK;
}
