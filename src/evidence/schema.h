/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_EVIDENCE_SCHEMA_H
#define ASSAY_EVIDENCE_SCHEMA_H
/*
 * The database's SQL, and how each column maps to a field of its row type.  The reader and the
 * writer go through these tables; a new column is one line in schema.c's SQL, one in its table, one
 * in as_additions and one field in rows.h.
 */
#include <stdbool.h>
#include <stddef.h>

/** Written to the file's header (PRAGMA application_id): "ASSY". */
#define AS_EVIDENCE_APPLICATION 0x41535359

/** Makes every table; one statement each, NULL at the end. */
extern const char *const as_schema_sql[];

/** How a field stands in the database. */
typedef enum as_column_kind {
    AS_COLUMN_INT,    /**< int */
    AS_COLUMN_INT64,  /**< int64_t */
    AS_COLUMN_COUNT,  /**< int64_t from 0; -1 is unknown, or of a broken clock */
    AS_COLUMN_SIZE,   /**< size_t */
    AS_COLUMN_BOOL,   /**< bool, 0 or 1 */
    AS_COLUMN_DOUBLE, /**< double; NaN is NULL */
    AS_COLUMN_TEXT,   /**< const char * */
    AS_COLUMN_NAME,   /**< An enum, stored as its name in `names` */
    AS_COLUMN_INTS,   /**< const int *, stored as "[0,1]"; the count is another field */
    AS_COLUMN_SHAPES, /**< const as_evidence_shape *, stored as "[[1,3,32,32]]"; likewise */
    AS_COLUMN_BOXES,  /**< const as_evidence_box *, stored as as_box_code_put says; likewise */
    AS_COLUMN_BLOB    /**< const void *, only written; likewise */
} as_column_kind;

typedef enum as_table_id {
    AS_TABLE_RUN,
    AS_TABLE_POLICIES,
    AS_TABLE_ORDERS,
    AS_TABLE_DOCUMENTS,
    AS_TABLE_INPUTS,
    AS_TABLE_CALLS,
    AS_TABLE_SLOTS,
    AS_TABLE_SAMPLES,
    AS_TABLE_BOX_SETS,
    AS_TABLE_ANSWERS,
    AS_TABLE_CLEANUPS,
    AS_TABLE_MEMORY,
    AS_TABLE_ENGINES,
    AS_TABLE_PASSES,
    AS_TABLE_NOISE,
    AS_TABLE_SNAPSHOTS,
    AS_TABLE_PROCESSES,
    AS_TABLE_REVIEWS,
    AS_TABLE_PROFILES,
    AS_TABLE_ROUTES,
    AS_TABLE_OUTPUTS,
    AS_TABLE_DEPARTURES,
    AS_TABLE_MARGINS,
    AS_TABLE_TRUTHS,
    AS_TABLE_SEARCH,
    AS_TABLE_STRUCTURES,
    AS_TABLE_TRAININGS,
    AS_TABLE_EPOCHS,
    AS_TABLE_STRUCTURE_SAMPLES,
    AS_TABLE_STRUCTURE_SLOTS,
    AS_TABLE_SELECTIONS,
    AS_TABLE_TEST_SCORES,
    AS_TABLE_OPERATOR_STUDY,
    AS_TABLE_OPERATORS,
    AS_TABLE_OPERATOR_SAMPLES,
    AS_N_TABLES
} as_table_id;

/** What an index column may hold: a place in table `table`, or -1 where `is_optional`. */
typedef struct as_row_reference {
    bool exists;
    as_table_id table;
    bool is_optional;
} as_row_reference;

typedef struct as_column {
    const char *name;
    as_column_kind kind;
    size_t offset;              /**< Of the field in the row. */
    size_t count_offset;        /**< Of the size_t that counts INTS, SHAPES, BOXES, BLOB. */
    const char *const *names;   /**< For NAME; ends with NULL. */
    as_row_reference reference; /**< For INT. */
} as_column;

typedef struct as_table {
    const char *name;
    size_t row_bytes;
    const as_column *columns;
    size_t n_columns;
    bool
        has_owner; /**< The first column is the int index of the slot or snapshot it belongs to. */
} as_table;

extern const as_table as_tables[AS_N_TABLES];

/** A table or column that evidence of an older schema lacks. */
typedef struct as_addition {
    as_table_id table;
    const char *column; /**< NULL: the whole table is new, and empty where it lacks. */
    const char *absent; /**< SQL literal that is read in the column's place. */
} as_addition;

/** All that came after schema 1. */
extern const as_addition as_additions[];
extern const size_t as_n_additions;

#endif
