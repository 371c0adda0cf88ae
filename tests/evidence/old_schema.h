/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TESTS_EVIDENCE_OLD_SCHEMA_H
#define ASSAY_TESTS_EVIDENCE_OLD_SCHEMA_H
/*
 * Evidence of schema 1, made out of a dump: the synthetic run of tests/report/synthetic.h with two
 * policies and two rounds.
 *
 *     write_old_schema(path);     // path does not exist yet
 */
#include <sqlite3.h>

#include "base/file.h"

static inline void write_old_schema(const char *path)
{
    as_bytes dump;
    sqlite3 *database;
    const char *header = "PRAGMA application_id = 0x41535359; PRAGMA user_version = 1";
    assert_int_equal(as_file_read("data/evidence_schema1.sql", 0, &dump, NULL), ASSAY_OK);
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, header, 0, 0, 0), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, (const char *)dump.data, 0, 0, 0), SQLITE_OK);
    sqlite3_close(database);
    as_bytes_free(&dump);
}

#endif
