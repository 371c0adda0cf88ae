/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_EVIDENCE_STAGE_H
#define ASSAY_EVIDENCE_STAGE_H
/*
 * Where the rows of a slot wait until the slot is over: a nameless database of SQLite's, attached
 * beside the evidence, in memory while it is small and in a temporary file that has no name when it
 * grows.  So a slot of any length takes little memory, and nothing of it is in the evidence before
 * all of it is.
 *
 *     as_stage_open(&stage, err);                       // for each slot anew
 *     as_stage_add(&stage, &part, err);                 // as rows come
 *     as_stage_store(&stage, slot, &record.slot, err);  // inside the evidence's transaction
 */
#include <sqlite3.h>

#include "evidence/database.h"
#include "evidence/writer.h"

/** One writer's stage; zero but for the first two fields before it is opened. */
typedef struct as_stage {
    sqlite3 *database; /**< Borrows: the writer's. */
    const char *path;  /**< Borrows: of the evidence, for sentences. */
    bool is_open;
    sqlite3_stmt *insert[AS_N_TABLES]; /**< Own. */
    sqlite3_stmt *find_set;            /**< Owns. */
} as_stage;

/** Empty tables; what was staged before is gone. */
assay_code as_stage_open(as_stage *stage, assay_error *err);

/** Let the stage and its rows go; takes one that was never opened. */
void as_stage_close(as_stage *stage);

/** Keep the part's rows.  @return ASSAY_E_IO when there is no room for temporary files. */
assay_code as_stage_add(as_stage *stage, const as_slot_record *part, assay_error *err);

/** Copy all rows to the evidence's tables as those of `slot`; a failed slot has neither samples nor
 *  answers.  Call it inside a transaction. */
assay_code as_stage_store(as_stage *stage, int64_t slot, as_slot_state state, assay_error *err);

/** Copy the staged answers to the evidence's truths.  Call it inside a transaction. */
assay_code as_stage_store_truths(as_stage *stage, assay_error *err);

#endif
