/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_EVIDENCE_WRITER_H
#define ASSAY_EVIDENCE_WRITER_H
/*
 * Writing the evidence database.  Every call below is one transaction: it is in the file whole
 * once the call returns, or not at all.  A slot is one, too: its end.
 *
 *     as_evidence_writer *writer;
 *     code = as_evidence_create("run/evidence.db", &plan, &writer, err);
 *     code = as_evidence_add_snapshot(writer, &snapshot, processes, n_processes, err);
 *     code = as_evidence_slot_begin(writer, err);               // for each worker process
 *     code = as_evidence_slot_add(writer, &part, err);          // as its rows come
 *     code = as_evidence_slot_end(writer, &slot, err);
 *     code = as_evidence_set_state(writer, AS_RUN_FINISHED, label, err);
 *     code = as_evidence_writer_close(writer, err);
 *
 * One process writes at a time; a second one is refused.
 */
#include "base/error.h"
#include "evidence/evidence.h"
#include "evidence/schema.h"

/** Rows of one table without an owner; their ids go on behind those that are there. */
typedef struct as_row_batch {
    as_table_id table;
    const void *rows; /**< n structs of the table's type. */
    size_t n;
} as_row_batch;

/** All that is known before the first slot.  Borrows everything. */
typedef struct as_evidence_plan {
    as_run_row run;
    const as_policy_row *policies;
    size_t n_policies;
    const as_order_row *orders;
    size_t n_orders;
    const as_document_row *documents;
    size_t n_documents;
    const as_input_row *inputs;
    size_t n_inputs;
    const as_call_row *calls;
    size_t n_calls;
    const struct as_slot_answer
        *truths; /**< Of a reference, one an input; none: the baseline is the truth. */
    size_t n_truths;
    const as_row_batch *batches; /**< What else a run begins with, stored in their order. */
    size_t n_batches;
} as_evidence_plan;

/** What one input got in a slot, or its truth; `boxes` may be NULL when n is 0. */
typedef struct as_slot_answer {
    int cycle, input;
    const as_evidence_box *boxes;
    size_t n;
    const char *output; /**< Hash of an as_output_row in the place of boxes, or NULL. */
} as_slot_answer;

/** One worker process's whole yield.  Borrows; the rows' `slot` fields are ignored. */
typedef struct as_slot_record {
    as_slot_row slot;
    const as_sample_row *samples; /**< Samples and answers only of a finished slot. */
    size_t n_samples;
    const as_slot_answer *answers;
    size_t n_answers;
    const as_cleanup_row *cleanups;
    size_t n_cleanups;
    const as_memory_row *memory;
    size_t n_memory;
    const as_engine_row *engines;
    size_t n_engines;
    const as_pass_row *passes;
    size_t n_passes;
    const as_profile_row *profiles; /**< One in the profile phase, where the call ran. */
    size_t n_profiles;
    const as_route_row *routes;
    size_t n_routes;
    const as_margin_row *margins; /**< Of the baseline's slots in the first round alone. */
    size_t n_margins;
    const as_noise_row *noise; /**< One, where the worker told. */
    size_t n_noise;
} as_slot_record;

typedef struct as_evidence_writer as_evidence_writer;

/**
 * Claim the folder of `path`, which is there, and nothing else yet: until this writer is closed no other
 * process writes a run in it.  A takeover of it that a kill cut short is finished (evidence/takeover.h).
 * @return ASSAY_E_IO where another process has it, ASSAY_E_MEMORY.
 */
assay_code as_evidence_claim(const char *path, as_evidence_writer **out, assay_error *err);

/** Finish such a takeover, for one who reads the folder only; without one nothing happens.
 *  @return as as_evidence_claim. */
assay_code as_evidence_settle(const char *path, assay_error *err);

/**
 * Claim the folder and make a new database with the plan in it.
 * @return ASSAY_E_ARGUMENT when something is at `path`, ASSAY_E_IO, ASSAY_E_MEMORY.
 */
assay_code as_evidence_create(const char *path, const as_evidence_plan *plan,
                              as_evidence_writer **out, assay_error *err);

/** Open an existing one to go on; rolls a killed transaction back.  Errors as as_evidence_open;
 *  ASSAY_E_IO also when another process writes it. */
assay_code as_evidence_continue(const char *path, as_evidence_writer **out, assay_error *err);

/** Begin a slot; rows that were added to one that has no end are gone. */
assay_code as_evidence_slot_begin(as_evidence_writer *writer, assay_error *err);

/** Keep a part of its rows, beside the evidence and not in memory; `part->slot` is ignored. */
assay_code as_evidence_slot_add(as_evidence_writer *writer, const as_slot_record *part,
                                assay_error *err);

/**
 * Store the slot whole, with all rows that were added; of a failed one no samples and answers.
 * @return ASSAY_E_IO with nothing of it stored, ASSAY_E_MEMORY.
 */
assay_code as_evidence_slot_end(as_evidence_writer *writer, const as_slot_row *slot,
                                assay_error *err);

/** All three for a slot that is known whole. */
assay_code as_evidence_add_slot(as_evidence_writer *writer, const as_slot_record *record,
                                assay_error *err);

/** Store a snapshot with its processes (their `snapshot` is ignored). */
assay_code as_evidence_add_snapshot(as_evidence_writer *writer, const as_snapshot_row *snapshot,
                                    const as_process_row *processes, size_t n,
                                    assay_error *err);

/** Store a differing input's pixels; one that is there stays. */
assay_code as_evidence_add_review(as_evidence_writer *writer, const as_review_row *review,
                                  assay_error *err);

/** Store the outputs of a network; those that are there stay. */
assay_code as_evidence_add_output(as_evidence_writer *writer, const as_output_row *output,
                                  assay_error *err);

/** Store where a policy departs; what is there of the policy and kind stays. */
assay_code as_evidence_add_departure(as_evidence_writer *writer,
                                     const as_departure_row *departure, assay_error *err);

/** Store all batches, in their order, or none. */
assay_code as_evidence_add_rows(as_evidence_writer *writer, const as_row_batch *batches,
                                size_t n, assay_error *err);

/** Note how far the run is; `finished` is a label, or "" while it goes on. */
assay_code as_evidence_set_state(as_evidence_writer *writer, as_run_state state,
                                 const char *finished, assay_error *err);

/**
 * Plan `n` more turns, of rounds behind those that are planned, and note that the budget bought them.
 * @param n_rounds  rounds planned from now on.
 */
assay_code as_evidence_buy_rounds(as_evidence_writer *writer, const as_order_row *orders,
                                  size_t n, int n_rounds, assay_error *err);

/** Note why the machine is unfit, a sentence. */
assay_code as_evidence_set_unfit(as_evidence_writer *writer, const char *why, assay_error *err);

/** Close; no file is left beside the database.  Takes NULL.  @return ASSAY_E_IO. */
assay_code as_evidence_writer_close(as_evidence_writer *writer, assay_error *err);

#endif
