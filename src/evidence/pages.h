/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_EVIDENCE_PAGES_H
#define ASSAY_EVIDENCE_PAGES_H
/*
 * A sum in every page of the database, so that one flipped bit anywhere is told.
 *
 *     | page 1: SQLite's header, rows ...            | sum |
 *     | page 2: rows ...                             | sum |      4088 bytes and 8
 *
 * SQLite leaves the last bytes of a page to others when a database is made so.  Here they are the
 * sum over the page's number and its other bytes, put there by a layer between SQLite and the file
 * whenever a page is written; so a page and its sum reach the file together, and a killed writer
 * needs no repair.  Programs without this layer read the file as any other; what they write is told
 * as damage.
 */
#include <sqlite3.h>

#include "base/error.h"

/** Bytes of a page, and of the sum at its end. */
#define AS_PAGE_BYTES     4096
#define AS_PAGE_SUM_BYTES 8

/**
 * Open a database whose pages get their sums; close it with as_pages_close.
 * @param flags  as sqlite3_open_v2.
 * @param out    also set on failure, for sqlite3_errmsg and as_pages_close; NULL without memory.
 * @return SQLite's code.
 */
int as_pages_open(const char *path, int flags, sqlite3 **out);

/** Close it.  Takes NULL.  @return SQLite's code; a database that is busy stays open. */
int as_pages_close(sqlite3 *database);

/** Let a database that is new, and empty, have sums. @return SQLite's code. */
int as_pages_prepare(sqlite3 *database);

/**
 * Read the whole file and hold every page to its sum.  Call it inside a transaction that has read
 * something, so that nobody writes meanwhile.
 * @return ASSAY_E_FORMAT with the page, or when the database has no sums; ASSAY_E_IO.
 */
assay_code as_pages_check(sqlite3 *database, const char *path, assay_error *err);

#endif
