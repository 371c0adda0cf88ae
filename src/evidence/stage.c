/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/stage.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/sha256.h"

enum { SQL_ROOM = 4096 };

/* Tables of which each row belongs to a slot. */
static bool is_of_slot(as_table_id table)
{
    const as_table *t = &as_tables[table];
    return t->has_owner && t->columns[0].reference.table == AS_TABLE_SLOTS;
}

static assay_code no_memory(const as_stage *stage, assay_error *err)
{
    return as_fail(err, ASSAY_E_MEMORY, "no memory to write %s", stage->path);
}

/* Run SQL that was printed into fresh memory, which is freed. */
static assay_code run_printed(as_stage *stage, char *sql, assay_error *err)
{
    if (!sql) return no_memory(stage, err);
    assay_code code = as_database_run(stage->database, stage->path, sql, err);
    sqlite3_free(sql);
    return code;
}

void as_stage_close(as_stage *stage)
{
    for (int t = 0; t < AS_N_TABLES; t++) {
        sqlite3_finalize(stage->insert[t]);
        stage->insert[t] = NULL;
    }
    sqlite3_finalize(stage->find_set);
    stage->find_set = NULL;
    if (stage->is_open) sqlite3_exec(stage->database, "DETACH stage", NULL, NULL, NULL);
    stage->is_open = false;
}

/* The evidence's own constraints hold what is copied there, so that the stage needs none. */
assay_code as_stage_open(as_stage *stage, assay_error *err)
{
    as_stage_close(stage);
    assay_code code =
        as_database_run(stage->database, stage->path,
                        "ATTACH '' AS stage; PRAGMA stage.journal_mode = MEMORY", err);
    stage->is_open = !code;
    if (!code)
        code = as_database_run(stage->database, stage->path,
                               "CREATE TABLE stage.box_sets(id INTEGER PRIMARY KEY,"
                               " sha256 TEXT UNIQUE, n INTEGER, boxes BLOB)",
                               err);
    for (int t = 0; t < AS_N_TABLES && !code; t++)
        if (is_of_slot((as_table_id)t))
            code = run_printed(
                stage,
                sqlite3_mprintf("CREATE TABLE stage.%s AS SELECT * FROM main.%s WHERE 0",
                                as_tables[t].name, as_tables[t].name),
                err);
    return code;
}

static assay_code insert(as_stage *stage, as_table_id table, const void *row, assay_error *err)
{
    assay_code code = ASSAY_OK;
    if (!stage->insert[table])
        code = as_row_insert_prepare(stage->database, stage->path, "stage", table,
                                     &stage->insert[table], err);
    return code ? code
                : as_row_insert(stage->database, stage->path, stage->insert[table], table, -1,
                                0, row, err);
}

/* The staged set with this hash in *id, -1 when there is none. */
static assay_code find_set(as_stage *stage, const char *hex, int64_t *id, assay_error *err)
{
    *id = -1;
    if (!stage->find_set &&
        sqlite3_prepare_v2(stage->database, "SELECT id FROM stage.box_sets WHERE sha256 = ?1",
                           -1, &stage->find_set, NULL) != SQLITE_OK)
        return as_database_fail(stage->database, stage->path, "written", err);
    int status = sqlite3_bind_text(stage->find_set, 1, hex, -1, SQLITE_STATIC);
    if (status == SQLITE_OK) status = sqlite3_step(stage->find_set);
    if (status == SQLITE_ROW) *id = sqlite3_column_int64(stage->find_set, 0);
    sqlite3_reset(stage->find_set);
    return status == SQLITE_ROW || status == SQLITE_DONE
               ? ASSAY_OK
               : as_database_fail(stage->database, stage->path, "written", err);
}

/* The hash of its boxes' bytes, or that of the outputs which stand for them. */
static assay_code hash_answer(const as_stage *stage, const as_slot_answer *answer,
                              char hex[AS_SHA256_HEX], assay_error *err)
{
    if (answer->output) {
        snprintf(hex, AS_SHA256_HEX, "%s", answer->output);
        return ASSAY_OK;
    }
    unsigned char *bytes = as_alloc_array(answer->n, AS_BOX_BYTES);
    if (!bytes) return no_memory(stage, err);
    as_box_code_put(answer->boxes, answer->n, bytes);
    assay_code code = as_sha256_bytes(bytes, answer->n * AS_BOX_BYTES, hex, err);
    as_free(bytes);
    return code;
}

/* Equal boxes are one set, known by its bytes' hash. */
static assay_code add_set(as_stage *stage, const as_slot_answer *answer, int64_t *id,
                          assay_error *err)
{
    char hex[AS_SHA256_HEX];
    assay_code code = hash_answer(stage, answer, hex, err);
    if (!code) code = find_set(stage, hex, id, err);
    if (code || *id >= 0) return code;
    as_box_set_row set = {.sha256 = hex, .n = answer->n, .boxes = answer->boxes};
    code = insert(stage, AS_TABLE_BOX_SETS, &set, err);
    *id = sqlite3_last_insert_rowid(stage->database);
    return code;
}

static assay_code add_answer(as_stage *stage, const as_slot_answer *answer, assay_error *err)
{
    int64_t set = -1;
    assay_code code = add_set(stage, answer, &set, err);
    as_answer_row row = {.cycle = answer->cycle, .input = answer->input, .box_set = (int)set};
    return code ? code : insert(stage, AS_TABLE_ANSWERS, &row, err);
}

static assay_code add_rows(as_stage *stage, const as_slot_record *part, assay_error *err)
{
    const struct {
        as_table_id table;
        const void *rows;
        size_t n;
    } parts[] = {{AS_TABLE_SAMPLES, part->samples, part->n_samples},
                 {AS_TABLE_CLEANUPS, part->cleanups, part->n_cleanups},
                 {AS_TABLE_MEMORY, part->memory, part->n_memory},
                 {AS_TABLE_ENGINES, part->engines, part->n_engines},
                 {AS_TABLE_PASSES, part->passes, part->n_passes},
                 {AS_TABLE_PROFILES, part->profiles, part->n_profiles},
                 {AS_TABLE_ROUTES, part->routes, part->n_routes},
                 {AS_TABLE_MARGINS, part->margins, part->n_margins},
                 {AS_TABLE_NOISE, part->noise, part->n_noise}};
    assay_code code = ASSAY_OK;
    for (size_t p = 0; p < AS_COUNT_OF(parts); p++)
        for (size_t i = 0; i < parts[p].n && !code; i++)
            code = insert(stage, parts[p].table,
                          (const char *)parts[p].rows + i * as_tables[parts[p].table].row_bytes,
                          err);
    for (size_t i = 0; i < part->n_answers && !code; i++)
        code = add_answer(stage, &part->answers[i], err);
    return code;
}

/* One transaction, of the stage alone: the evidence is not locked by it. */
assay_code as_stage_add(as_stage *stage, const as_slot_record *part, assay_error *err)
{
    assay_code code = as_database_run(stage->database, stage->path, "BEGIN", err);
    if (!code) code = add_rows(stage, part, err);
    if (!code) code = as_database_run(stage->database, stage->path, "COMMIT", err);
    if (code && !sqlite3_get_autocommit(stage->database))
        sqlite3_exec(stage->database, "ROLLBACK", NULL, NULL, NULL);
    return code;
}

/* Sets that the evidence lacks get the next ids. */
static assay_code store_sets(as_stage *stage, assay_error *err)
{
    return as_database_run(
        stage->database, stage->path,
        "INSERT INTO main.box_sets(id, sha256, n, boxes)"
        " SELECT (SELECT count(*) FROM main.box_sets) + row_number() OVER (ORDER BY id) - 1,"
        " sha256, n, boxes FROM stage.box_sets AS s"
        " WHERE NOT EXISTS (SELECT 1 FROM main.box_sets AS m WHERE m.sha256 = s.sha256)",
        err);
}

/* Staged answers with the evidence's sets, in the order in which they came. */
#define ANSWERS_WITH_SETS                                                                      \
    " FROM stage.answers AS a CROSS JOIN stage.box_sets AS s ON s.id = a.box_set"              \
    " CROSS JOIN main.box_sets AS m ON m.sha256 = s.sha256 ORDER BY a.rowid"

static assay_code store_answers(as_stage *stage, int64_t slot, assay_error *err)
{
    assay_code code = store_sets(stage, err);
    if (code) return code;
    return run_printed(stage,
                       sqlite3_mprintf("INSERT INTO main.answers(slot, cycle, input, box_set)"
                                       " SELECT %lld, a.cycle, a.input, m.id" ANSWERS_WITH_SETS,
                                       (long long)slot),
                       err);
}

assay_code as_stage_store_truths(as_stage *stage, assay_error *err)
{
    assay_code code = store_sets(stage, err);
    return code ? code
                : as_database_run(stage->database, stage->path,
                                  "INSERT INTO main.truths(id, input, box_set)"
                                  " SELECT a.input, a.input, m.id" ANSWERS_WITH_SETS,
                                  err);
}

/* Rows of other tables as they are, but for the slot that they belong to. */
static assay_code store_rows(as_stage *stage, as_table_id table, int64_t slot, assay_error *err)
{
    const as_table *t = &as_tables[table];
    char columns[SQL_ROOM] = "";
    for (size_t i = 1; i < t->n_columns; i++) {
        size_t at = strlen(columns);
        snprintf(columns + at, sizeof columns - at, ", %s", t->columns[i].name);
    }
    return run_printed(
        stage,
        sqlite3_mprintf("INSERT INTO main.%s(%s%s) SELECT %lld%s FROM stage.%s ORDER BY rowid",
                        t->name, t->columns[0].name, columns, (long long)slot, columns,
                        t->name),
        err);
}

assay_code as_stage_store(as_stage *stage, int64_t slot, as_slot_state state, assay_error *err)
{
    bool is_finished = state == AS_SLOT_FINISHED;
    assay_code code = ASSAY_OK;
    for (int t = 0; t < AS_N_TABLES && !code; t++) {
        if (!is_of_slot((as_table_id)t) || t == AS_TABLE_ANSWERS) continue;
        if (t == AS_TABLE_SAMPLES && !is_finished) continue;
        code = store_rows(stage, (as_table_id)t, slot, err);
    }
    return code || !is_finished ? code : store_answers(stage, slot, err);
}
