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
 * Open an evidence database that exists.
 * @param flags  SQLITE_OPEN_READONLY, for any schema up to ours, or SQLITE_OPEN_READWRITE, for
 *               ours alone.
 * @return ASSAY_E_NOT_FOUND, ASSAY_E_FORMAT (foreign file, other schema, open transaction that a
 *         reader cannot roll back), ASSAY_E_IO, ASSAY_E_MEMORY; *out is NULL then.
 */
assay_code as_database_open(const char *path, int flags, sqlite3 **out, assay_error *err);

/** Run SQL without results. */
assay_code as_database_run(sqlite3 *database, const char *path, const char *sql,
                           assay_error *err);

/** Whether the database has `column` in `table`, or the table at all where `column` is NULL. */
assay_code as_database_has(sqlite3 *database, const char *path, as_table_id table,
                           const char *column, bool *out, assay_error *err);

/** One integer out of `sql`. */
assay_code as_database_number(sqlite3 *database, const char *path, const char *sql,
                              int64_t *out, assay_error *err);

/** Prepare "INSERT INTO table(id, columns) VALUES(?1, ...)": the id first, then the columns. */
assay_code as_row_insert_prepare(sqlite3 *database, const char *path, as_table_id table,
                                 sqlite3_stmt **out, assay_error *err);

/**
 * Bind `row` and run a statement of as_row_insert_prepare.
 * @param id     row id, or -1 for the next one.
 * @param owner  what stands in the first column of a table with an owner; ignored otherwise.
 */
assay_code as_row_insert(sqlite3 *database, const char *path, sqlite3_stmt *statement,
                         as_table_id table, int64_t id, int owner, const void *row,
                         assay_error *err);

/** Prepare "SELECT columns FROM table WHERE id < limit ORDER BY id" (owner < limit for a table
 *  with an owner); `limit` -1 is all.  A column that the database lacks reads as its absent value. */
assay_code as_row_select_prepare(sqlite3 *database, const char *path, as_table_id table,
                                 int64_t limit, sqlite3_stmt **out, assay_error *err);

/**
 * Take the statement's current row into `row`; strings and arrays go to `arena`.
 * @param n_rows  int64_t n_rows[AS_N_TABLES]: rows of each table, which indices are held to.
 * @return ASSAY_E_FORMAT with table and column for a value that a writer cannot have written.
 */
assay_code as_row_take(sqlite3_stmt *statement, as_table_id table, const int64_t *n_rows,
                       as_arena *arena, void *row, assay_error *err);

/** Encode boxes: uint8 bytes[n * AS_BOX_BYTES]. */
struct as_evidence_box;
void as_box_code_put(const struct as_evidence_box *boxes, size_t n, unsigned char *bytes);
void as_box_code_take(const unsigned char *bytes, size_t n, struct as_evidence_box *boxes);

#endif
