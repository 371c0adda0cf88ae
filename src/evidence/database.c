/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/database.h"

#include <stdio.h>

#include "base/file.h"
#include "evidence/evidence.h"
#include "evidence/pages.h"

/* A reader or writer that meets the other's lock waits so long; a slot is stored in far less. */
enum { BUSY_MS = 20000 };

assay_code as_database_fail(sqlite3 *database, const char *path, const char *doing,
                            assay_error *err)
{
    int why = sqlite3_errcode(database);
    assay_code code = ASSAY_E_IO;
    if (why == SQLITE_NOMEM) code = ASSAY_E_MEMORY;
    /* SQLITE_ERROR: the statement does not fit the tables that are there. */
    if (why == SQLITE_CORRUPT || why == SQLITE_NOTADB || why == SQLITE_ERROR)
        code = ASSAY_E_FORMAT;
    return as_fail(err, code, "%s cannot be %s: %s", path, doing, sqlite3_errmsg(database));
}

assay_code as_database_run(sqlite3 *database, const char *path, const char *sql,
                           assay_error *err)
{
    if (sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK) return ASSAY_OK;
    return as_database_fail(database, path, "written", err);
}

assay_code as_database_number(sqlite3 *database, const char *path, const char *sql,
                              int64_t *out, assay_error *err)
{
    sqlite3_stmt *statement = NULL;
    assay_code code = ASSAY_OK;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        *out = sqlite3_column_int64(statement, 0);
    else
        code = as_database_fail(database, path, "read", err);
    sqlite3_finalize(statement);
    return code;
}

assay_code as_database_has(sqlite3 *database, const char *path, as_table_id table,
                           const char *column, bool *out, assay_error *err)
{
    int64_t n = 0;
    char sql[160];
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM pragma_table_info('%s') WHERE name = '%s' OR '' = '%s'",
             as_tables[table].name, column ? column : "", column ? column : "");
    assay_code code = as_database_number(database, path, sql, &n, err);
    *out = n > 0;
    return code;
}

/* Every schema up to ours can be read; what is written would lack columns in an older one. */
static assay_code check_schema(const char *path, int64_t schema, int flags, assay_error *err)
{
    if (schema < 1 || schema > AS_EVIDENCE_SCHEMA)
        return as_fail(err, ASSAY_E_FORMAT,
                       "%s holds evidence of schema %lld, this assay reads schemas 1 to %d",
                       path, (long long)schema, AS_EVIDENCE_SCHEMA);
    if ((flags & SQLITE_OPEN_READWRITE) && schema != AS_EVIDENCE_SCHEMA)
        return as_fail(err, ASSAY_E_FORMAT,
                       "%s holds evidence of schema %lld, this assay goes on with schema %d "
                       "alone; 'assay summarize' reads it",
                       path, (long long)schema, AS_EVIDENCE_SCHEMA);
    return ASSAY_OK;
}

static assay_code check_kind(sqlite3 *database, const char *path, int flags, assay_error *err)
{
    int64_t application = 0, schema = 0;
    assay_code code =
        as_database_number(database, path, "PRAGMA application_id", &application, err);
    if (code && sqlite3_extended_errcode(database) == SQLITE_READONLY_ROLLBACK)
        return as_fail(err, ASSAY_E_FORMAT,
                       "%s was left amid a write by a killed run, 'assay experiment --resume' "
                       "rolls that back",
                       path);
    if (code && sqlite3_errcode(database) == SQLITE_NOTADB)
        return as_fail(err, ASSAY_E_FORMAT, "%s is no SQLite database, an evidence database is",
                       path);
    if (!code) code = as_database_number(database, path, "PRAGMA user_version", &schema, err);
    if (code) return code;
    if (application != AS_EVIDENCE_APPLICATION)
        return as_fail(err, ASSAY_E_FORMAT,
                       "%s is an SQLite database, but not assay's evidence", path);
    return check_schema(path, schema, flags, err);
}

assay_code as_database_check(sqlite3 *database, const char *path, assay_error *err)
{
    int64_t schema = 0;
    assay_code code = as_database_number(database, path, "PRAGMA user_version", &schema, err);
    return code || schema == 1 ? code : as_pages_check(database, path, err);
}

assay_code as_database_open(const char *path, int flags, sqlite3 **out, assay_error *err)
{
    *out = NULL;
    if (!as_file_exists(path))
        return as_fail(err, ASSAY_E_NOT_FOUND, "%s does not exist", path);
    if (as_file_is_folder(path))
        return as_fail(err, ASSAY_E_FORMAT, "%s is a folder, an evidence database is needed",
                       path);
    sqlite3 *database = NULL;
    assay_code code = ASSAY_OK;
    if (as_pages_open(path, flags, &database) != SQLITE_OK)
        code = database ? as_database_fail(database, path, "opened", err)
                        : as_fail(err, ASSAY_E_MEMORY, "no memory to open %s", path);
    if (!code) {
        sqlite3_busy_timeout(database, BUSY_MS);
        code = check_kind(database, path, flags, err);
    }
    if (code) {
        as_pages_close(database);
        return code;
    }
    *out = database;
    return ASSAY_OK;
}
