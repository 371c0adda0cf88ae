/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows into SQL, by the tables of schema.h.  `field` below is a place inside the caller's row
 * struct: the table's offset and kind say what stands there.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "evidence/database.h"
#include "evidence/rows.h"

enum { SQL_ROOM = 2048 };

static const void *field_of(const void *row, size_t offset)
{
    return (const char *)row + offset;
}

static void append_columns(char *sql, const as_table *table)
{
    for (size_t i = 0; i < table->n_columns; i++) {
        size_t at = strlen(sql);
        snprintf(sql + at, SQL_ROOM - at, "%s%s", i ? ", " : "", table->columns[i].name);
    }
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

assay_code as_row_insert_prepare(sqlite3 *database, const char *path, const char *place,
                                 as_table_id table, sqlite3_stmt **out, assay_error *err)
{
    const as_table *t = &as_tables[table];
    char sql[SQL_ROOM];
    snprintf(sql, sizeof sql, "INSERT INTO %s.%s(%s", place, t->name,
             has_id(table) ? "id, " : "");
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
