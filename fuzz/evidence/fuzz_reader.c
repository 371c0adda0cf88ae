/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as evidence.db, through every table into the report.  Bytes that begin as SQLite files do are one;
 * others are edits of a whole run's evidence, which stays a database and becomes untrue:
 *
 *     column (1)  row (1)  kind (1)  value (8, or a text of up to 7 bytes)        11 bytes an edit
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "evidence/pages.h"
#include "fuzz.h"
#include "report/report.h"
#include "synthetic.h"

enum { EDIT_BYTES = 11, EDITS_MOST = 24, COLUMNS_MOST = 256 };

/* A column of a table as it stands in SQL. */
typedef struct column {
    char table[32], name[32];
} column;

static struct {
    char *folder, *path; /* a run's folder, and evidence.db in it */
    as_bytes whole;      /* what was measured */
    column columns[COLUMNS_MOST];
    int n_columns;
} base;

static void remove_folder(void) { (void)as_path_remove(base.folder, NULL); }

static sqlite3 *open_base(void)
{
    sqlite3 *db = NULL;
    if (as_pages_open(base.path, SQLITE_OPEN_READWRITE, &db) ||
        sqlite3_exec(db, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF", NULL, NULL, NULL))
        abort();
    return db;
}

static void list_columns(void)
{
    sqlite3 *db = open_base();
    sqlite3_stmt *rows = NULL;
    if (sqlite3_prepare_v2(
            db,
            "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c "
            "WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'",
            -1, &rows, NULL))
        abort();
    while (sqlite3_step(rows) == SQLITE_ROW && base.n_columns < COLUMNS_MOST) {
        column *c = &base.columns[base.n_columns++];
        snprintf(c->table, sizeof c->table, "%s", (const char *)sqlite3_column_text(rows, 0));
        snprintf(c->name, sizeof c->name, "%s", (const char *)sqlite3_column_text(rows, 1));
    }
    sqlite3_finalize(rows);
    as_pages_close(db);
}

static void begin(void)
{
    const synthetic run = {.n_policies = 3,
                           .n_rounds = 2,
                           .n_rounds_done = 2,
                           .has_snapshots = true,
                           .state = AS_RUN_FINISHED};
    base.folder = synthetic_folder();
    atexit(remove_folder);
    base.path = as_path_join(base.folder, AS_EVIDENCE_FILE);
    synthetic_write(&run, base.folder);
    if (as_file_read(base.path, 0, &base.whole, NULL)) abort();
    list_columns();
}

static void put(const void *data, size_t size)
{
    FILE *file = fopen(base.path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file)) abort();
}

static void bind(sqlite3_stmt *edit, int kind, const uint8_t value[8])
{
    int64_t whole;
    double real;
    memcpy(&whole, value, 8);
    memcpy(&real, value, 8);
    switch (kind % 6) {
    case 0:
        sqlite3_bind_int64(edit, 1, whole);
        break;
    case 1:
        sqlite3_bind_int64(edit, 1, (int8_t)value[0]);
        break;
    case 2:
        sqlite3_bind_double(edit, 1, real);
        break;
    case 3:
        sqlite3_bind_text(edit, 1, (const char *)value + 1, value[0] % 8, SQLITE_STATIC);
        break;
    case 4:
        sqlite3_bind_blob(edit, 1, value + 1, value[0] % 8, SQLITE_STATIC);
        break;
    default:
        sqlite3_bind_null(edit, 1);
    }
}

/* What the schema's own constraints refuse is no edit. */
static void apply(sqlite3 *db, const uint8_t edit[EDIT_BYTES])
{
    const column *c = &base.columns[edit[0] % base.n_columns];
    char sql[256];
    sqlite3_stmt *statement = NULL;
    if (edit[2] >= 250)
        snprintf(
            sql, sizeof sql,
            "DELETE FROM \"%s\" WHERE rowid = (SELECT rowid FROM \"%s\" LIMIT 1 OFFSET %d)",
            c->table, c->table, edit[1]);
    else
        snprintf(sql, sizeof sql,
                 "UPDATE OR IGNORE \"%s\" SET \"%s\" = ?1 WHERE rowid = (SELECT rowid FROM "
                 "\"%s\" LIMIT 1 OFFSET %d)",
                 c->table, c->name, c->table, edit[1]);
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL)) return; /* a table without rowids */
    if (edit[2] < 250) bind(statement, edit[2], edit + 3);
    (void)sqlite3_step(statement);
    sqlite3_finalize(statement);
}

static void edit_base(const uint8_t *data, size_t size)
{
    put(base.whole.data, base.whole.size);
    sqlite3 *db = open_base();
    for (size_t i = 0; i < EDITS_MOST && (i + 1) * EDIT_BYTES <= size; i++)
        apply(db, data + i * EDIT_BYTES);
    as_pages_close(db);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!base.folder) begin();
    if (size >= 15 && memcmp(data, "SQLite format 3", 15) == 0)
        put(data, size);
    else
        edit_base(data, size);
    as_report *report;
    assay_error err;
    if (as_report_open(base.folder, &report, &err)) {
        if (report || !err.message[0]) abort();
    } else if (!as_report_text(report)[0] || !as_report_json(report)[0]) {
        abort();
    }
    as_report_close(report);
    return 0;
}
