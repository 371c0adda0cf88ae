/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "evidence/database.h"
#include "evidence/pages.h"
#include "evidence/stage.h"
#include "evidence/takeover.h"

struct as_evidence_writer {
    char *path;        /* owns */
    sqlite3 *database; /* owns */
    int lock;          /* the run's folder, locked while this writer lives; -1 */
    sqlite3_stmt *insert[AS_N_TABLES]; /* owns; NULL until first used */
    as_stage stage;                    /* owns: rows of the slot that has begun */
};

static assay_code no_memory(const char *path, assay_error *err)
{
    return as_fail(err, ASSAY_E_MEMORY, "no memory to write %s", path);
}

/* A child of a killed run holds its parent's lock until it has become another program, which takes a
 * moment on a busy machine; so the lock is asked for so often before it counts as taken. */
enum { LOCK_TRIES = 100, LOCK_PAUSE_MS = 20 };

static bool try_lock(int folder)
{
    const struct timespec pause = {0, LOCK_PAUSE_MS * 1000000L};
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(folder, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return true;
        nanosleep(&pause, NULL);
    }
    return false;
}

/* The folder is locked, not the file: closing any descriptor of the file would drop the locks that
 * SQLite holds on it. */
static assay_code lock_folder(as_evidence_writer *writer, assay_error *err)
{
    char *folder = as_path_folder(writer->path);
    if (!folder) return no_memory(writer->path, err);
    assay_code code = ASSAY_OK;
    writer->lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (writer->lock < 0)
        code =
            as_fail(err, ASSAY_E_IO, "folder %s cannot be opened: %s", folder, strerror(errno));
    else if (!try_lock(writer->lock))
        code = as_fail(err, ASSAY_E_IO, "%s is being written by another process", writer->path);
    if (!code) code = as_takeover_finish(folder, err);
    as_free(folder);
    return code;
}

assay_code as_evidence_claim(const char *path, as_evidence_writer **out, assay_error *err)
{
    *out = NULL;
    as_evidence_writer *writer = as_alloc(sizeof *writer);
    if (!writer) return no_memory(path, err);
    writer->lock = -1;
    writer->path = as_strdup(path);
    assay_code code = writer->path ? lock_folder(writer, err) : no_memory(path, err);
    if (code)
        as_evidence_writer_close(writer, NULL);
    else
        *out = writer;
    return code;
}

static assay_code insert(as_evidence_writer *writer, as_table_id table, int64_t id, int owner,
                         const void *row, assay_error *err)
{
    assay_code code = ASSAY_OK;
    if (!writer->insert[table])
        code = as_row_insert_prepare(writer->database, writer->path, "main", table,
                                     &writer->insert[table], err);
    return code ? code
                : as_row_insert(writer->database, writer->path, writer->insert[table], table,
                                id, owner, row, err);
}

/* Insert rows[n] of one table; without an owner their ids are 0, 1, ... */
static assay_code insert_all(as_evidence_writer *writer, as_table_id table, int owner,
                             const void *rows, size_t n, assay_error *err)
{
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < n && !code; i++)
        code = insert(writer, table, owner < 0 ? (int64_t)i : -1, owner,
                      (const char *)rows + i * as_tables[table].row_bytes, err);
    return code;
}

static assay_code begin(as_evidence_writer *writer, assay_error *err)
{
    return as_database_run(writer->database, writer->path, "BEGIN IMMEDIATE", err);
}

/* Commit after success, roll back after failure; the failure's sentence stays. */
static assay_code end(as_evidence_writer *writer, assay_code code, assay_error *err)
{
    if (!code) code = as_database_run(writer->database, writer->path, "COMMIT", err);
    if (code && !sqlite3_get_autocommit(writer->database))
        sqlite3_exec(writer->database, "ROLLBACK", NULL, NULL, NULL);
    return code;
}

static assay_code prepare_database(as_evidence_writer *writer, assay_error *err)
{
    return as_database_run(writer->database, writer->path,
                           "PRAGMA foreign_keys = ON; PRAGMA journal_mode = DELETE;"
                           "PRAGMA synchronous = FULL",
                           err);
}

static assay_code store_plan(as_evidence_writer *writer, const as_evidence_plan *plan,
                             assay_error *err)
{
    char header[128];
    snprintf(header, sizeof header, "PRAGMA application_id = %d; PRAGMA user_version = %d",
             AS_EVIDENCE_APPLICATION, AS_EVIDENCE_SCHEMA);
    as_run_row run = plan->run;
    run.schema_version = AS_EVIDENCE_SCHEMA;
    assay_code code = as_database_run(writer->database, writer->path, header, err);
    for (size_t i = 0; !code && as_schema_sql[i]; i++)
        code = as_database_run(writer->database, writer->path, as_schema_sql[i], err);
    if (!code)
        code = insert_all(writer, AS_TABLE_POLICIES, -1, plan->policies, plan->n_policies, err);
    if (!code) code = insert(writer, AS_TABLE_RUN, 0, -1, &run, err);
    if (!code)
        code = insert_all(writer, AS_TABLE_ORDERS, -1, plan->orders, plan->n_orders, err);
    if (!code)
        code =
            insert_all(writer, AS_TABLE_DOCUMENTS, -1, plan->documents, plan->n_documents, err);
    if (!code)
        code = insert_all(writer, AS_TABLE_INPUTS, -1, plan->inputs, plan->n_inputs, err);
    if (!code) code = insert_all(writer, AS_TABLE_CALLS, -1, plan->calls, plan->n_calls, err);
    for (size_t i = 0; i < plan->n_batches && !code; i++)
        code = insert_all(writer, plan->batches[i].table, -1, plan->batches[i].rows,
                          plan->batches[i].n, err);
    return code;
}

static assay_code store_truths(as_evidence_writer *writer, const as_evidence_plan *plan,
                               assay_error *err)
{
    as_slot_record truths = {.answers = plan->truths, .n_answers = plan->n_truths};
    assay_code code = as_evidence_slot_begin(writer, err);
    if (!code) code = as_evidence_slot_add(writer, &truths, err);
    if (!code) code = begin(writer, err);
    if (!code) code = end(writer, as_stage_store_truths(&writer->stage, err), err);
    as_stage_close(&writer->stage);
    return code;
}

/* Make the database at `beside`; the plan is in it whole when this returns. */
static assay_code make_beside(as_evidence_writer *writer, const char *beside,
                              const as_evidence_plan *plan, assay_error *err)
{
    unlink(beside);
    if (as_pages_open(beside, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &writer->database) !=
            SQLITE_OK ||
        as_pages_prepare(writer->database) != SQLITE_OK)
        return as_database_fail(writer->database, writer->path, "made", err);
    assay_code code = prepare_database(writer, err);
    if (!code) code = begin(writer, err);
    if (!code) code = end(writer, store_plan(writer, plan, err), err);
    return code || plan->n_truths == 0 ? code : store_truths(writer, plan, err);
}

static void close_database(as_evidence_writer *writer)
{
    as_stage_close(&writer->stage);
    for (int t = 0; t < AS_N_TABLES; t++) {
        sqlite3_finalize(writer->insert[t]);
        writer->insert[t] = NULL;
    }
    as_pages_close(writer->database);
    writer->database = NULL;
}

static assay_code open_database(as_evidence_writer *writer, assay_error *err)
{
    assay_code code =
        as_database_open(writer->path, SQLITE_OPEN_READWRITE, &writer->database, err);
    if (!code) code = begin(writer, err);
    if (!code) code = end(writer, as_database_check(writer->database, writer->path, err), err);
    return code ? code : prepare_database(writer, err);
}

static assay_code check_free(const char *path, assay_error *err)
{
    if (!as_file_exists(path)) return ASSAY_OK;
    return as_fail(err, ASSAY_E_ARGUMENT, "%s exists, a new run needs another folder", path);
}

static assay_code make(as_evidence_writer *writer, const as_evidence_plan *plan,
                       assay_error *err)
{
    const char *path = writer->path;
    char *beside = as_format("%s.part", path);
    assay_code code = beside ? make_beside(writer, beside, plan, err) : no_memory(path, err);
    close_database(writer);
    if (!code && rename(beside, path) != 0)
        code = as_fail(err, ASSAY_E_IO, "%s cannot be made: %s", path, strerror(errno));
    if (code && beside) unlink(beside);
    if (!code) code = open_database(writer, err);
    as_free(beside);
    return code;
}

assay_code as_evidence_create(const char *path, const as_evidence_plan *plan,
                              as_evidence_writer **out, assay_error *err)
{
    as_evidence_writer *writer;
    *out = NULL;
    assay_code code = check_free(path, err);
    if (!code) code = as_evidence_claim(path, &writer, err);
    if (code) return code;
    code = make(writer, plan, err);
    if (code)
        as_evidence_writer_close(writer, NULL);
    else
        *out = writer;
    return code;
}

/* Whoever else holds the folder while it has begun may be the one that finishes. */
assay_code as_evidence_settle(const char *path, assay_error *err)
{
    as_evidence_writer *writer = NULL;
    char *folder = as_path_folder(path);
    assay_code code = folder ? ASSAY_OK : no_memory(path, err);
    if (!code && as_takeover_has_begun(folder)) {
        code = as_evidence_claim(path, &writer, err);
        if (code && !as_takeover_has_begun(folder)) code = ASSAY_OK;
    }
    as_evidence_writer_close(writer, NULL);
    as_free(folder);
    return code;
}

assay_code as_evidence_continue(const char *path, as_evidence_writer **out, assay_error *err)
{
    as_evidence_writer *writer;
    *out = NULL;
    assay_code code = as_evidence_settle(path, err);
    if (code) return code;
    if (!as_file_exists(path))
        return as_fail(err, ASSAY_E_NOT_FOUND, "%s does not exist", path);
    code = as_evidence_claim(path, &writer, err);
    if (code) return code;
    code = open_database(writer, err);
    if (code)
        as_evidence_writer_close(writer, NULL);
    else
        *out = writer;
    return code;
}

static assay_code next_id(as_evidence_writer *writer, as_table_id table, int64_t *out,
                          assay_error *err)
{
    char sql[96];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", as_tables[table].name);
    return as_database_number(writer->database, writer->path, sql, out, err);
}

assay_code as_evidence_slot_begin(as_evidence_writer *writer, assay_error *err)
{
    writer->stage.database = writer->database;
    writer->stage.path = writer->path;
    return as_stage_open(&writer->stage, err);
}

assay_code as_evidence_slot_add(as_evidence_writer *writer, const as_slot_record *part,
                                assay_error *err)
{
    return as_stage_add(&writer->stage, part, err);
}

static assay_code store_slot(as_evidence_writer *writer, const as_slot_row *slot,
                             assay_error *err)
{
    int64_t id;
    assay_code code = next_id(writer, AS_TABLE_SLOTS, &id, err);
    if (!code) code = insert(writer, AS_TABLE_SLOTS, id, -1, slot, err);
    return code ? code : as_stage_store(&writer->stage, id, slot->state, err);
}

assay_code as_evidence_slot_end(as_evidence_writer *writer, const as_slot_row *slot,
                                assay_error *err)
{
    assay_code code = begin(writer, err);
    if (!code) code = end(writer, store_slot(writer, slot, err), err);
    as_stage_close(&writer->stage);
    return code;
}

assay_code as_evidence_add_slot(as_evidence_writer *writer, const as_slot_record *record,
                                assay_error *err)
{
    assay_code code = as_evidence_slot_begin(writer, err);
    if (!code) code = as_evidence_slot_add(writer, record, err);
    return code ? code : as_evidence_slot_end(writer, &record->slot, err);
}

static assay_code store_snapshot(as_evidence_writer *writer, const as_snapshot_row *snapshot,
                                 const as_process_row *processes, size_t n, assay_error *err)
{
    int64_t id;
    assay_code code = next_id(writer, AS_TABLE_SNAPSHOTS, &id, err);
    if (!code) code = insert(writer, AS_TABLE_SNAPSHOTS, id, -1, snapshot, err);
    return code ? code : insert_all(writer, AS_TABLE_PROCESSES, (int)id, processes, n, err);
}

assay_code as_evidence_add_snapshot(as_evidence_writer *writer, const as_snapshot_row *snapshot,
                                    const as_process_row *processes, size_t n, assay_error *err)
{
    assay_code code = begin(writer, err);
    return code ? code : end(writer, store_snapshot(writer, snapshot, processes, n, err), err);
}

assay_code as_evidence_add_review(as_evidence_writer *writer, const as_review_row *review,
                                  assay_error *err)
{
    char sql[96];
    int64_t n = 0;
    snprintf(sql, sizeof sql, "SELECT count(*) FROM reviews WHERE input = %d", review->input);
    assay_code code = as_database_number(writer->database, writer->path, sql, &n, err);
    if (code || n > 0) return code;
    code = begin(writer, err);
    return code ? code
                : end(writer, insert(writer, AS_TABLE_REVIEWS, -1, -1, review, err), err);
}

assay_code as_evidence_add_output(as_evidence_writer *writer, const as_output_row *output,
                                  assay_error *err)
{
    int64_t n = 0, id = 0;
    char *sql =
        sqlite3_mprintf("SELECT count(*) FROM outputs WHERE sha256 = %Q", output->sha256);
    if (!sql) return no_memory(writer->path, err);
    assay_code code = as_database_number(writer->database, writer->path, sql, &n, err);
    sqlite3_free(sql);
    if (code || n > 0) return code;
    code = begin(writer, err);
    if (!code) code = next_id(writer, AS_TABLE_OUTPUTS, &id, err);
    return end(writer, code ? code : insert(writer, AS_TABLE_OUTPUTS, id, -1, output, err),
               err);
}

assay_code as_evidence_add_departure(as_evidence_writer *writer,
                                     const as_departure_row *departure, assay_error *err)
{
    int64_t n = 0, id = 0;
    char *sql =
        sqlite3_mprintf("SELECT count(*) FROM departures WHERE policy = %d AND kind = %Q",
                        departure->policy, departure->kind);
    if (!sql) return no_memory(writer->path, err);
    assay_code code = as_database_number(writer->database, writer->path, sql, &n, err);
    sqlite3_free(sql);
    if (code || n > 0) return code;
    code = begin(writer, err);
    if (!code) code = next_id(writer, AS_TABLE_DEPARTURES, &id, err);
    return end(writer,
               code ? code : insert(writer, AS_TABLE_DEPARTURES, id, -1, departure, err), err);
}

static assay_code store_batch(as_evidence_writer *writer, const as_row_batch *batch,
                              assay_error *err)
{
    int64_t id;
    assay_code code = next_id(writer, batch->table, &id, err);
    for (size_t i = 0; i < batch->n && !code; i++)
        code = insert(writer, batch->table, id + (int64_t)i, -1,
                      (const char *)batch->rows + i * as_tables[batch->table].row_bytes, err);
    return code;
}

assay_code as_evidence_add_rows(as_evidence_writer *writer, const as_row_batch *batches,
                                size_t n, assay_error *err)
{
    assay_code code = begin(writer, err);
    if (code) return code;
    for (size_t i = 0; i < n && !code; i++)
        code = store_batch(writer, &batches[i], err);
    return end(writer, code, err);
}

assay_code as_evidence_set_state(as_evidence_writer *writer, as_run_state state,
                                 const char *finished, assay_error *err)
{
    static const char *const names[] = {"smoke", "rounds", "stopped", "finished"};
    char *sql =
        sqlite3_mprintf("UPDATE run SET state = %Q, finished = %Q", names[state], finished);
    if (!sql) return no_memory(writer->path, err);
    assay_code code = as_database_run(writer->database, writer->path, sql, err);
    sqlite3_free(sql);
    return code;
}

static assay_code store_rounds(as_evidence_writer *writer, const as_order_row *orders, size_t n,
                               int n_rounds, assay_error *err)
{
    int64_t id;
    char sql[96];
    assay_code code = next_id(writer, AS_TABLE_ORDERS, &id, err);
    for (size_t i = 0; i < n && !code; i++)
        code = insert(writer, AS_TABLE_ORDERS, id + (int64_t)i, -1, &orders[i], err);
    snprintf(sql, sizeof sql, "UPDATE run SET n_rounds = %d, n_bought = n_bought + 1",
             n_rounds);
    return code ? code : as_database_run(writer->database, writer->path, sql, err);
}

assay_code as_evidence_buy_rounds(as_evidence_writer *writer, const as_order_row *orders,
                                  size_t n, int n_rounds, assay_error *err)
{
    assay_code code = begin(writer, err);
    return code ? code : end(writer, store_rounds(writer, orders, n, n_rounds, err), err);
}

assay_code as_evidence_set_unfit(as_evidence_writer *writer, const char *why, assay_error *err)
{
    char *sql = sqlite3_mprintf("UPDATE run SET unfit = %Q", why);
    if (!sql) return no_memory(writer->path, err);
    assay_code code = as_database_run(writer->database, writer->path, sql, err);
    sqlite3_free(sql);
    return code;
}

assay_code as_evidence_writer_close(as_evidence_writer *writer, assay_error *err)
{
    if (!writer) return ASSAY_OK;
    assay_code code = ASSAY_OK;
    as_stage_close(&writer->stage);
    for (int t = 0; t < AS_N_TABLES; t++)
        sqlite3_finalize(writer->insert[t]);
    if (as_pages_close(writer->database) != SQLITE_OK)
        code = as_database_fail(writer->database, writer->path, "closed", err);
    if (writer->lock >= 0) close(writer->lock);
    as_free(writer->path);
    as_free(writer);
    return code;
}
