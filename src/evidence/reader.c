/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading.  What stands in the database is only ever added to, in whole slots and snapshots; the
 * counts taken at opening in one transaction are therefore a consistent view, even while a run
 * goes on, and every later query is held to them.
 */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "evidence/database.h"
#include "evidence/evidence.h"
#include "evidence/pages.h"

struct as_evidence {
    char *path;        /* owns */
    sqlite3 *database; /* owns */
    as_arena *arena;   /* owns: every row that was given */
    as_run_row run;
    int64_t n_rows[AS_N_TABLES]; /* at opening */
    void *rows[AS_N_TABLES];     /* in the arena; NULL until asked for */
};

static assay_code no_memory(const as_evidence *evidence, assay_error *err)
{
    return as_fail(err, ASSAY_E_MEMORY, "no memory to read %s", evidence->path);
}

/* A table that came after schema 1 may lack: nothing is in it then. */
static assay_code has_table(const as_evidence *evidence, as_table_id table, bool *out,
                            assay_error *err)
{
    *out = true;
    for (size_t i = 0; i < as_n_additions; i++)
        if (as_additions[i].table == table && !as_additions[i].column)
            return as_database_has(evidence->database, evidence->path, table, NULL, out, err);
    return ASSAY_OK;
}

static assay_code count_rows(as_evidence *evidence, assay_error *err)
{
    assay_code code = ASSAY_OK;
    for (int t = 0; t < AS_N_TABLES && !code; t++) {
        char sql[96];
        bool has;
        code = has_table(evidence, (as_table_id)t, &has, err);
        if (code || !has) continue;
        snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", as_tables[t].name);
        code = as_database_number(evidence->database, evidence->path, sql, &evidence->n_rows[t],
                                  err);
    }
    if (!code && evidence->n_rows[AS_TABLE_RUN] != 1)
        code =
            as_fail(err, ASSAY_E_FORMAT, "%s holds %lld runs, an evidence database holds one",
                    evidence->path, (long long)evidence->n_rows[AS_TABLE_RUN]);
    return code;
}

/* What rows of a table are held to: the owner's count, or its own. */
static int64_t limit_of(const as_evidence *evidence, as_table_id table)
{
    if (table == AS_TABLE_REVIEWS) return -1;
    if (as_tables[table].has_owner)
        return evidence->n_rows[as_tables[table].columns[0].reference.table];
    return evidence->n_rows[table];
}

static assay_code too_few(const as_evidence *evidence, as_table_id table, size_t n,
                          assay_error *err)
{
    return as_fail(err, ASSAY_E_FORMAT, "%s: table %s holds %zu rows, %zu were counted",
                   evidence->path, as_tables[table].name, n, (size_t)evidence->n_rows[table]);
}

/* Take at most `n` rows of a table into rows[n]; fewer is an error. */
static assay_code take_rows(as_evidence *evidence, const as_row_query *query, size_t n,
                            void *rows, assay_error *err)
{
    as_row_cursor cursor;
    if (n == 0) return ASSAY_OK; /* the table itself may lack */
    assay_code code = as_cursor_open(evidence->database, evidence->path, query, &cursor, err);
    for (size_t i = 0; i < n && !code; i++) {
        bool has;
        void *row = (char *)rows + i * as_tables[query->table].row_bytes;
        code = as_cursor_next(&cursor, evidence->n_rows, evidence->arena, row, &has, err);
        if (!code && !has) code = too_few(evidence, query->table, i, err);
    }
    as_cursor_close(&cursor);
    return code;
}

static assay_code give(as_evidence *evidence, as_table_id table, const void **rows, size_t *n,
                       assay_error *err)
{
    size_t count = (size_t)evidence->n_rows[table];
    if (!evidence->rows[table]) {
        void *fresh = as_arena_array(evidence->arena, count + 1, as_tables[table].row_bytes);
        if (!fresh) return no_memory(evidence, err);
        as_row_query query = {table, limit_of(evidence, table), -1, NULL};
        assay_code code = take_rows(evidence, &query, count, fresh, err);
        if (code) return code;
        evidence->rows[table] = fresh;
    }
    *rows = evidence->rows[table];
    *n = count;
    return ASSAY_OK;
}

assay_code as_evidence_open(const char *path, as_evidence **out, assay_error *err)
{
    const as_row_query run = {AS_TABLE_RUN, -1, -1, NULL};
    *out = NULL;
    as_evidence *evidence = as_alloc(sizeof *evidence);
    if (!evidence) return as_fail(err, ASSAY_E_MEMORY, "no memory to open %s", path);
    assay_code code = ASSAY_OK;
    evidence->path = as_strdup(path);
    evidence->arena = as_arena_new();
    if (!evidence->path || !evidence->arena)
        code = as_fail(err, ASSAY_E_MEMORY, "no memory to open %s", path);
    if (!code) code = as_database_open(path, SQLITE_OPEN_READONLY, &evidence->database, err);
    if (!code) code = as_database_run(evidence->database, path, "BEGIN", err);
    if (!code) code = as_database_check(evidence->database, path, err);
    if (!code) code = count_rows(evidence, err);
    if (!code) code = take_rows(evidence, &run, 1, &evidence->run, err);
    if (!code) code = as_database_run(evidence->database, path, "COMMIT", err);
    if (code)
        as_evidence_close(evidence);
    else
        *out = evidence;
    return code;
}

void as_evidence_close(as_evidence *evidence)
{
    if (!evidence) return;
    as_pages_close(evidence->database);
    as_arena_free(evidence->arena);
    as_free(evidence->path);
    as_free(evidence);
}

const as_run_row *as_evidence_run(const as_evidence *evidence) { return &evidence->run; }

#define READER(NAME, ROW, TABLE)                                                               \
    assay_code as_evidence_##NAME(as_evidence *evidence, const ROW **rows, size_t *n,          \
                                  assay_error *err)                                            \
    {                                                                                          \
        const void *any = NULL;                                                                \
        assay_code code = give(evidence, TABLE, &any, n, err);                                 \
        *rows = any;                                                                           \
        return code;                                                                           \
    }

READER(policies, as_policy_row, AS_TABLE_POLICIES)
READER(orders, as_order_row, AS_TABLE_ORDERS)
READER(documents, as_document_row, AS_TABLE_DOCUMENTS)
READER(inputs, as_input_row, AS_TABLE_INPUTS)
READER(calls, as_call_row, AS_TABLE_CALLS)
READER(slots, as_slot_row, AS_TABLE_SLOTS)
READER(samples, as_sample_row, AS_TABLE_SAMPLES)
READER(box_sets, as_box_set_row, AS_TABLE_BOX_SETS)
READER(answers, as_answer_row, AS_TABLE_ANSWERS)
READER(truths, as_truth_row, AS_TABLE_TRUTHS)
READER(cleanups, as_cleanup_row, AS_TABLE_CLEANUPS)
READER(memory, as_memory_row, AS_TABLE_MEMORY)
READER(engines, as_engine_row, AS_TABLE_ENGINES)
READER(passes, as_pass_row, AS_TABLE_PASSES)
READER(profiles, as_profile_row, AS_TABLE_PROFILES)
READER(routes, as_route_row, AS_TABLE_ROUTES)
READER(noise, as_noise_row, AS_TABLE_NOISE)
READER(snapshots, as_snapshot_row, AS_TABLE_SNAPSHOTS)
READER(processes, as_process_row, AS_TABLE_PROCESSES)
READER(margins, as_margin_row, AS_TABLE_MARGINS)
READER(departures, as_departure_row, AS_TABLE_DEPARTURES)
READER(reviews, as_review_row, AS_TABLE_REVIEWS)
READER(search, as_search_row, AS_TABLE_SEARCH)
READER(structures, as_structure_row, AS_TABLE_STRUCTURES)
READER(trainings, as_training_row, AS_TABLE_TRAININGS)
READER(epochs, as_epoch_row, AS_TABLE_EPOCHS)
READER(structure_samples, as_candidate_sample_row, AS_TABLE_STRUCTURE_SAMPLES)
READER(structure_slots, as_structure_slot_row, AS_TABLE_STRUCTURE_SLOTS)
READER(selections, as_selection_row, AS_TABLE_SELECTIONS)
READER(test_scores, as_test_score_row, AS_TABLE_TEST_SCORES)
READER(operator_study, as_operator_study_row, AS_TABLE_OPERATOR_STUDY)
READER(operators, as_operator_row, AS_TABLE_OPERATORS)
READER(operator_samples, as_operator_sample_row, AS_TABLE_OPERATOR_SAMPLES)

/* Rows' strings are let go of when they take so much. */
enum { STREAM_BYTES = 1 << 20 };

typedef assay_code row_visit(void *context, const void *row, assay_error *err);

/* Show every row that the query gives; all rows of a table have to come. */
static assay_code stream(as_evidence *evidence, const as_row_query *query, row_visit *visit,
                         void *context, assay_error *err)
{
    as_row_cursor cursor = {0};
    as_table_id table = query->table;
    size_t n = 0;
    if (evidence->n_rows[table] == 0) return ASSAY_OK;
    as_arena *arena = as_arena_new();
    void *row = as_alloc(as_tables[table].row_bytes);
    assay_code code = arena && row ? ASSAY_OK : no_memory(evidence, err);
    if (!code) code = as_cursor_open(evidence->database, evidence->path, query, &cursor, err);
    for (bool has = true; has && !code;) {
        code = as_cursor_next(&cursor, evidence->n_rows, arena, row, &has, err);
        if (!code && has) code = visit(context, row, err);
        n += !code && has;
        if (as_arena_bytes(arena) > STREAM_BYTES) as_arena_clear(arena);
    }
    if (!code && query->owner < 0 && n != (size_t)evidence->n_rows[table])
        code = too_few(evidence, table, n, err);
    as_cursor_close(&cursor);
    as_free(row);
    as_arena_free(arena);
    return code;
}

/* A visitor of typed rows behind one of any. */
#define STREAMER(NAME, ROW, TABLE)                                                             \
    struct NAME##_visitor {                                                                    \
        as_##NAME##_visit *visit;                                                              \
        void *context;                                                                         \
    };                                                                                         \
    static assay_code visit_##NAME(void *context, const void *row, assay_error *err)           \
    {                                                                                          \
        const struct NAME##_visitor *v = context;                                              \
        return v->visit(v->context, (const ROW *)row, err);                                    \
    }                                                                                          \
    assay_code as_evidence_each_##NAME(as_evidence *evidence, int slot,                        \
                                       const char *const *columns, as_##NAME##_visit *visit,   \
                                       void *context, assay_error *err)                        \
    {                                                                                          \
        struct NAME##_visitor visitor = {visit, context};                                      \
        as_row_query query = {TABLE, limit_of(evidence, TABLE), slot, columns};                \
        return stream(evidence, &query, visit_##NAME, &visitor, err);                          \
    }

STREAMER(sample, as_sample_row, AS_TABLE_SAMPLES)
STREAMER(answer, as_answer_row, AS_TABLE_ANSWERS)
STREAMER(memory, as_memory_row, AS_TABLE_MEMORY)

size_t as_evidence_count_samples(const as_evidence *evidence)
{
    return (size_t)evidence->n_rows[AS_TABLE_SAMPLES];
}

/* The one blob that a prepared query gives, copied; *found tells whether there is one. */
static assay_code take_blob(as_evidence *evidence, sqlite3_stmt *statement, as_bytes *out,
                            bool *found, assay_error *err)
{
    *found = false;
    int status = sqlite3_step(statement);
    if (status == SQLITE_DONE) return ASSAY_OK;
    if (status != SQLITE_ROW)
        return as_database_fail(evidence->database, evidence->path, "read", err);
    size_t size = (size_t)sqlite3_column_bytes(statement, 0);
    out->data = as_alloc(size + 1);
    if (!out->data) return no_memory(evidence, err);
    out->size = size;
    if (size) memcpy(out->data, sqlite3_column_blob(statement, 0), size);
    *found = true;
    return ASSAY_OK;
}

static assay_code prepare_blob(as_evidence *evidence, const char *sql, sqlite3_stmt **out,
                               assay_error *err)
{
    if (sqlite3_prepare_v2(evidence->database, sql, -1, out, NULL) == SQLITE_OK)
        return ASSAY_OK;
    return as_database_fail(evidence->database, evidence->path, "read", err);
}

/* The blob that `sql` gives for a row's number; `what` names it. */
static assay_code blob_of(as_evidence *evidence, const char *sql, const char *what, int row,
                          as_bytes *out, assay_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool found;
    *out = (as_bytes){0};
    assay_code code = prepare_blob(evidence, sql, &statement, err);
    if (!code && sqlite3_bind_int(statement, 1, row) != SQLITE_OK)
        code = as_database_fail(evidence->database, evidence->path, "read", err);
    if (!code) code = take_blob(evidence, statement, out, &found, err);
    if (!code && !found)
        code = as_fail(err, ASSAY_E_NOT_FOUND, "%s holds no %s %d", evidence->path, what, row);
    sqlite3_finalize(statement);
    return code;
}

assay_code as_evidence_png(as_evidence *evidence, int input, as_bytes *out, assay_error *err)
{
    return blob_of(evidence, "SELECT png FROM reviews WHERE input = ?1", "picture of input",
                   input, out, err);
}

assay_code as_evidence_weights(as_evidence *evidence, int training, as_bytes *out,
                               assay_error *err)
{
    return blob_of(evidence, "SELECT weights FROM trainings WHERE id = ?1",
                   "weights of training", training, out, err);
}

assay_code as_evidence_output(as_evidence *evidence, const char *sha256, as_bytes *out,
                              assay_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool found = false;
    *out = (as_bytes){0};
    assay_code code = ASSAY_OK;
    if (evidence->n_rows[AS_TABLE_OUTPUTS] > 0) {
        code = prepare_blob(evidence, "SELECT content FROM outputs WHERE sha256 = ?1",
                            &statement, err);
        if (!code && sqlite3_bind_text(statement, 1, sha256, -1, SQLITE_STATIC) != SQLITE_OK)
            code = as_database_fail(evidence->database, evidence->path, "read", err);
        if (!code) code = take_blob(evidence, statement, out, &found, err);
    }
    if (!code && !found)
        code = as_fail(err, ASSAY_E_NOT_FOUND, "%s holds no outputs with SHA-256 %.12s...",
                       evidence->path, sha256);
    sqlite3_finalize(statement);
    return code;
}
