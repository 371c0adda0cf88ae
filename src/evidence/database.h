/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_EVIDENCE_DATABASE_H
#define ASSAY_EVIDENCE_DATABASE_H
/*
 * The parts of SQLite that the reader and the writer share: opening, statements, and rows put into
 * and taken out of columns by the tables of schema.h.
 */
#include <sqlite3.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "evidence/schema.h"

/** Bytes of one encoded box: 8 int32 and one double. */
#define AS_BOX_BYTES 40

/** Fail with SQLite's own sentence about `database`; IO, MEMORY or FORMAT as its code says. */
assay_code as_database_fail(sqlite3 *database, const char *path, const char *doing,
                            assay_error *err);

/**
 * Open an evidence database that exists; as_pages_close closes it.
 * @param flags  SQLITE_OPEN_READONLY, for any schema up to ours, or SQLITE_OPEN_READWRITE, for
 *               ours alone.
 * @return ASSAY_E_NOT_FOUND, ASSAY_E_FORMAT (foreign file, other schema, open transaction that a
 *         reader cannot roll back), ASSAY_E_IO, ASSAY_E_MEMORY; *out is NULL then.
 */
assay_code as_database_open(const char *path, int flags, sqlite3 **out, assay_error *err);

/**
 * Hold every page of the file to its sum, where the schema has sums.  Call it inside a transaction.
 * @return ASSAY_E_FORMAT with the first page that is not as it was written, ASSAY_E_IO.
 */
assay_code as_database_check(sqlite3 *database, const char *path, assay_error *err);

/** Run SQL without results. */
assay_code as_database_run(sqlite3 *database, const char *path, const char *sql,
                           assay_error *err);

/** Whether the database has `column` in `table`, or the table at all where `column` is NULL. */
assay_code as_database_has(sqlite3 *database, const char *path, as_table_id table,
                           const char *column, bool *out, assay_error *err);

/** One integer out of `sql`. */
assay_code as_database_number(sqlite3 *database, const char *path, const char *sql,
                              int64_t *out, assay_error *err);

/** Prepare "INSERT INTO place.table(id, columns) VALUES(?1, ...)": the id first, then the columns;
 *  `place` is "main" or an attached database. */
assay_code as_row_insert_prepare(sqlite3 *database, const char *path, const char *place,
                                 as_table_id table, sqlite3_stmt **out, assay_error *err);

/**
 * Bind `row` and run a statement of as_row_insert_prepare.
 * @param id     row id, or -1 for the next one.
 * @param owner  what stands in the first column of a table with an owner; ignored otherwise.
 */
assay_code as_row_insert(sqlite3 *database, const char *path, sqlite3_stmt *statement,
                         as_table_id table, int64_t id, int owner, const void *row,
                         assay_error *err);

/** Columns that a table has at most. */
#define AS_COLUMNS_MAX 64

/** Which rows to read, and what of them. */
typedef struct as_row_query {
    as_table_id table;
    int64_t limit; /**< Rows of ids (of a table with an owner: of owners) below; -1: all. */
    int owner; /**< This owner's rows alone, by their other unique columns; -1: all, by id. */
    const char *const *columns; /**< These alone, NULL behind the last; NULL: all.  What is left
                                     out is zero. */
} as_row_query;

/** Rows as they are read. */
typedef struct as_row_cursor {
    sqlite3 *database;       /**< Borrows. */
    const char *path;        /**< Borrows. */
    sqlite3_stmt *statement; /**< Owns. */
    as_table_id table;
    size_t n_columns;
    unsigned char columns[AS_COLUMNS_MAX]; /**< Places in the table's columns. */
} as_row_cursor;

/** Begin to read.  A column that the database lacks reads as its absent value. */
assay_code as_cursor_open(sqlite3 *database, const char *path, const as_row_query *query,
                          as_row_cursor *out, assay_error *err);

/**
 * Take the next row; strings and arrays go to `arena`.
 * @param n_rows  int64_t n_rows[AS_N_TABLES]: rows of each table, which indices are held to.
 * @param row     filled, or untouched where *has comes back false: there is no other.
 * @return ASSAY_E_FORMAT with table and column for a value that a writer cannot have written.
 */
assay_code as_cursor_next(as_row_cursor *cursor, const int64_t *n_rows, as_arena *arena,
                          void *row, bool *has, assay_error *err);

/** Free what the cursor holds; it may be zero. */
void as_cursor_close(as_row_cursor *cursor);

/** Encode boxes: uint8 bytes[n * AS_BOX_BYTES]. */
struct as_evidence_box;
void as_box_code_put(const struct as_evidence_box *boxes, size_t n, unsigned char *bytes);
void as_box_code_take(const unsigned char *bytes, size_t n, struct as_evidence_box *boxes);

#endif
