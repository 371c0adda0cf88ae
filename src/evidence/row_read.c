/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows out of SQL, by the tables of schema.h.  `place` below is a place inside the caller's row
 * struct: the table's offset and kind say what stands there.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "evidence/database.h"
#include "evidence/rows.h"

enum { SQL_ROOM = 2048 };

static void *place_of(void *row, size_t offset) { return (char *)row + offset; }

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

static bool is_reference(const as_row_reference *reference, int64_t value,
                         const int64_t *n_rows)
{
    if (!reference->exists) return value >= -1 && value < INT_MAX; /* so that + 1 fits */
    if (value == -1) return reference->is_optional;
    return value >= 0 && value < n_rows[reference->table];
}

static const char *text_of(sqlite3_stmt *statement, int at)
{
    return (const char *)sqlite3_column_text(statement, at);
}

/* Take column `at` into the row. @return FORMAT for a value that cannot stand there. */
static assay_code take_field(sqlite3_stmt *statement, int at, const as_column *column,
                             const int64_t *n_rows, as_arena *arena, void *row)
{
    void *place = place_of(row, column->offset);
    const size_t *n = place_of(row, column->count_offset);
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
        return take_text(text_of(statement, at), arena, (const char **)place);
    case AS_COLUMN_NAME:
        return take_name(text_of(statement, at), column->names, place) ? ASSAY_OK
                                                                       : ASSAY_E_FORMAT;
    case AS_COLUMN_INTS:
        return take_ints(text_of(statement, at), *n, n_rows[AS_TABLE_INPUTS], arena,
                         (const int **)place);
    case AS_COLUMN_SHAPES:
        return take_shapes(text_of(statement, at), *n, arena,
                           (const as_evidence_shape **)place);
    case AS_COLUMN_BOXES:
        return take_boxes(statement, at, *n, arena, (const as_evidence_box **)place);
    case AS_COLUMN_BLOB: /* its length stands in its place: the bytes are asked for singly */
        *(size_t *)place_of(row, column->count_offset) =
            (size_t)sqlite3_column_int64(statement, at);
        return ASSAY_OK;
    }
    return ASSAY_E_FORMAT;
}

/* Append a column as it can be selected: a literal stands for one that older evidence lacks. */
static assay_code append_column(char *sql, const as_row_cursor *c, const as_column *column,
                                assay_error *err)
{
    const char *name = column->name;
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < as_n_additions && !code; i++) {
        const as_addition *added = &as_additions[i];
        bool has = true;
        if (added->table != c->table || !added->column ||
            strcmp(added->column, column->name) != 0)
            continue;
        code = as_database_has(c->database, c->path, c->table, added->column, &has, err);
        if (!has) name = added->absent;
    }
    if (column->kind == AS_COLUMN_BLOB) {
        char length[64];
        snprintf(length, sizeof length, "length(%s)", name);
        strncat(sql, length, SQL_ROOM - strlen(sql) - 1);
    } else {
        strncat(sql, name, SQL_ROOM - strlen(sql) - 1);
    }
    return code;
}

static bool is_wanted(const as_row_query *query, const char *name)
{
    if (!query->columns) return true;
    for (size_t i = 0; query->columns[i]; i++)
        if (strcmp(query->columns[i], name) == 0) return true;
    return false;
}

/* A review's row id is its input, which is its first column. */
static const char *id_of(as_table_id table)
{
    return table == AS_TABLE_REVIEWS ? "input" : "id";
}

/* " WHERE ... ORDER BY ..." */
static void append_conditions(char *sql, const as_row_query *query)
{
    const as_table *t = &as_tables[query->table];
    size_t at = strlen(sql);
    const char *owner = t->columns[0].name;
    if (query->owner >= 0)
        snprintf(sql + at, SQL_ROOM - at, " FROM %s WHERE %s = %d ORDER BY %s, cycle, %s",
                 t->name, owner, query->owner, owner, t->columns[2].name);
    else if (query->limit >= 0)
        snprintf(sql + at, SQL_ROOM - at, " FROM %s WHERE %s < %lld ORDER BY %s", t->name,
                 t->has_owner ? owner : id_of(query->table), (long long)query->limit,
                 id_of(query->table));
    else
        snprintf(sql + at, SQL_ROOM - at, " FROM %s ORDER BY %s", t->name, id_of(query->table));
}

assay_code as_cursor_open(sqlite3 *database, const char *path, const as_row_query *query,
                          as_row_cursor *out, assay_error *err)
{
    const as_table *t = &as_tables[query->table];
    char sql[SQL_ROOM] = "SELECT ";
    *out = (as_row_cursor){.database = database, .path = path, .table = query->table};
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < t->n_columns && !code; i++) {
        if (!is_wanted(query, t->columns[i].name)) continue;
        if (out->n_columns > 0) strcat(sql, ", ");
        out->columns[out->n_columns++] = (unsigned char)i;
        code = append_column(sql, out, &t->columns[i], err);
    }
    append_conditions(sql, query);
    if (!code && sqlite3_prepare_v2(database, sql, -1, &out->statement, NULL) != SQLITE_OK)
        code = as_database_fail(database, path, "used", err);
    return code;
}

void as_cursor_close(as_row_cursor *cursor)
{
    sqlite3_finalize(cursor->statement);
    cursor->statement = NULL;
}

static assay_code take_row(const as_row_cursor *c, const int64_t *n_rows, as_arena *arena,
                           void *row, assay_error *err)
{
    const as_table *t = &as_tables[c->table];
    for (size_t i = 0; i < c->n_columns; i++) {
        const as_column *column = &t->columns[c->columns[i]];
        assay_code code = take_field(c->statement, (int)i, column, n_rows, arena, row);
        if (code == ASSAY_E_MEMORY)
            return as_fail(err, code, "no memory to read table %s", t->name);
        if (!code) continue;
        const char *text = text_of(c->statement, (int)i);
        char what[64];
        snprintf(what, sizeof what, "'%.40s'", text ? text : "");
        return bad_value(c->table, column, what, err);
    }
    return ASSAY_OK;
}

assay_code as_cursor_next(as_row_cursor *cursor, const int64_t *n_rows, as_arena *arena,
                          void *row, bool *has, assay_error *err)
{
    int status = sqlite3_step(cursor->statement);
    *has = status == SQLITE_ROW;
    if (status == SQLITE_ROW) return take_row(cursor, n_rows, arena, row, err);
    return status == SQLITE_DONE
               ? ASSAY_OK
               : as_database_fail(cursor->database, cursor->path, "read", err);
}
