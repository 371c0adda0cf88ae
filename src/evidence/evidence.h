/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_EVIDENCE_EVIDENCE_H
#define ASSAY_EVIDENCE_EVIDENCE_H
/*
 * Reading the evidence database (RUN/evidence.db), the one truth of a run.  It is opened
 * read-only; nothing is ever changed or left beside it.
 *
 *     as_evidence *evidence;
 *     const as_slot_row *slots;
 *     size_t n;
 *     code = as_evidence_open("run/evidence.db", &evidence, err);
 *     code = as_evidence_slots(evidence, &slots, &n, err);
 *     for (size_t i = 0; i < n; i++)
 *         printf("%s\n", slots[i].started);
 *     as_evidence_close(evidence);        // frees every row
 *
 * Each call gives a whole table: an array in the order stated, borrowed from the reader until it
 * is closed, read once and kept.  Its place in the array is the row's index.  Samples, answers and
 * memory grow with the run: as_evidence_each_... shows them row by row instead.
 */
#include "base/error.h"
#include "base/file.h"
#include "evidence/rows.h"
#include "evidence/search_rows.h"

/** Name of the database in a run's folder. */
#define AS_EVIDENCE_FILE "evidence.db"

/** Version of the schema that this assay writes; it reads those before, too. */
#define AS_EVIDENCE_SCHEMA 2

typedef struct as_evidence as_evidence;

/**
 * Open a database for reading.
 * @return ASSAY_E_NOT_FOUND; ASSAY_E_FORMAT for a file that is no evidence database, holds a
 *         later schema, or whose writer was killed amid a transaction that resuming rolls back;
 *         ASSAY_E_IO, ASSAY_E_MEMORY.
 */
assay_code as_evidence_open(const char *path, as_evidence **out, assay_error *err);

/** Close it and free all that it gave; takes NULL. */
void as_evidence_close(as_evidence *evidence);

/** The run's settings and state. */
const as_run_row *as_evidence_run(const as_evidence *evidence);

/* The tables.  @return ASSAY_OK with *n == 0 for an empty one; ASSAY_E_FORMAT, ASSAY_E_MEMORY. */

/** In the order in which the user gave them. */
assay_code as_evidence_policies(as_evidence *evidence, const as_policy_row **rows, size_t *n,
                                assay_error *err);
/** By round, then position. */
assay_code as_evidence_orders(as_evidence *evidence, const as_order_row **rows, size_t *n,
                              assay_error *err);
/** In the manifest's order, those that take part. */
assay_code as_evidence_documents(as_evidence *evidence, const as_document_row **rows, size_t *n,
                                 assay_error *err);
assay_code as_evidence_inputs(as_evidence *evidence, const as_input_row **rows, size_t *n,
                              assay_error *err);
/** In the order in which a slot runs them. */
assay_code as_evidence_calls(as_evidence *evidence, const as_call_row **rows, size_t *n,
                             assay_error *err);
/** In the order in which they ended. */
assay_code as_evidence_slots(as_evidence *evidence, const as_slot_row **rows, size_t *n,
                             assay_error *err);
/** By slot, then in the order in which they ran. */
assay_code as_evidence_samples(as_evidence *evidence, const as_sample_row **rows, size_t *n,
                               assay_error *err);
assay_code as_evidence_box_sets(as_evidence *evidence, const as_box_set_row **rows, size_t *n,
                                assay_error *err);
/** What the reference says, one row an input; none where the baseline is the truth. */
assay_code as_evidence_truths(as_evidence *evidence, const as_truth_row **rows, size_t *n,
                              assay_error *err);
/** By slot, cycle, input. */
assay_code as_evidence_answers(as_evidence *evidence, const as_answer_row **rows, size_t *n,
                               assay_error *err);
/** By slot, then in the order in which they happened. */
assay_code as_evidence_cleanups(as_evidence *evidence, const as_cleanup_row **rows, size_t *n,
                                assay_error *err);
assay_code as_evidence_memory(as_evidence *evidence, const as_memory_row **rows, size_t *n,
                              assay_error *err);
assay_code as_evidence_engines(as_evidence *evidence, const as_engine_row **rows, size_t *n,
                               assay_error *err);
assay_code as_evidence_passes(as_evidence *evidence, const as_pass_row **rows, size_t *n,
                              assay_error *err);
/** By slot: those of the profile phase. */
assay_code as_evidence_profiles(as_evidence *evidence, const as_profile_row **rows, size_t *n,
                                assay_error *err);
assay_code as_evidence_routes(as_evidence *evidence, const as_route_row **rows, size_t *n,
                              assay_error *err);
/** By slot, at most one each; a slot of a worker that failed has none. */
assay_code as_evidence_noise(as_evidence *evidence, const as_noise_row **rows, size_t *n,
                             assay_error *err);
/** In the order in which they were taken. */
assay_code as_evidence_snapshots(as_evidence *evidence, const as_snapshot_row **rows, size_t *n,
                                 assay_error *err);
/** By snapshot, busiest first. */
assay_code as_evidence_processes(as_evidence *evidence, const as_process_row **rows, size_t *n,
                                 assay_error *err);
/** By slot, then in the order of candidates; the rest of a map comes last. */
assay_code as_evidence_margins(as_evidence *evidence, const as_margin_row **rows, size_t *n,
                               assay_error *err);
/** In the order in which they were found. */
assay_code as_evidence_departures(as_evidence *evidence, const as_departure_row **rows,
                                  size_t *n, assay_error *err);
/** By input, without their pixels. */
assay_code as_evidence_reviews(as_evidence *evidence, const as_review_row **rows, size_t *n,
                               assay_error *err);

/*
 * Tables that grow with the run, row by row, so that a long run takes no more memory than a short
 * one.  `slot` is one slot, whose rows come by cycle, or -1 for all in their order; `columns` names
 * those that are read (docs/formats.md has them; NULL behind the last, NULL for all), the rest of a
 * row is zero.  A row lives during the call of `visit`, which ends the reading by returning an error.
 */
typedef assay_code as_sample_visit(void *context, const as_sample_row *row, assay_error *err);
typedef assay_code as_answer_visit(void *context, const as_answer_row *row, assay_error *err);
typedef assay_code as_memory_visit(void *context, const as_memory_row *row, assay_error *err);

assay_code as_evidence_each_sample(as_evidence *evidence, int slot, const char *const *columns,
                                   as_sample_visit *visit, void *context, assay_error *err);
assay_code as_evidence_each_answer(as_evidence *evidence, int slot, const char *const *columns,
                                   as_answer_visit *visit, void *context, assay_error *err);
assay_code as_evidence_each_memory(as_evidence *evidence, int slot, const char *const *columns,
                                   as_memory_visit *visit, void *context, assay_error *err);

/** Timed calls, over all slots. */
size_t as_evidence_count_samples(const as_evidence *evidence);

/**
 * The content of the outputs with this hash, a fresh copy that the caller owns (as_bytes_free).
 * @return ASSAY_E_NOT_FOUND when there are none.
 */
assay_code as_evidence_output(as_evidence *evidence, const char *sha256, as_bytes *out,
                              assay_error *err);

/**
 * The PNG file of a review's input, a fresh copy that the caller owns (as_bytes_free).
 * @return ASSAY_E_NOT_FOUND when the input has no review.
 */
assay_code as_evidence_png(as_evidence *evidence, int input, as_bytes *out, assay_error *err);

/* The tables of a structure search; empty in the evidence of another run. */

/** One row, or none. */
assay_code as_evidence_search(as_evidence *evidence, const as_search_row **rows, size_t *n,
                              assay_error *err);
/** In the space's order. */
assay_code as_evidence_structures(as_evidence *evidence, const as_structure_row **rows,
                                  size_t *n, assay_error *err);
/** In the order in which they ended. */
assay_code as_evidence_trainings(as_evidence *evidence, const as_training_row **rows, size_t *n,
                                 assay_error *err);
/** By training, then epoch. */
assay_code as_evidence_epochs(as_evidence *evidence, const as_epoch_row **rows, size_t *n,
                              assay_error *err);
/** In the order in which they ran, as the next. */
assay_code as_evidence_structure_samples(as_evidence *evidence,
                                         const as_candidate_sample_row **rows, size_t *n,
                                         assay_error *err);
assay_code as_evidence_structure_slots(as_evidence *evidence,
                                       const as_structure_slot_row **rows, size_t *n,
                                       assay_error *err);
/** One row, or none yet. */
assay_code as_evidence_selections(as_evidence *evidence, const as_selection_row **rows,
                                  size_t *n, assay_error *err);
/** All trainings that did not diverge, or none yet. */
assay_code as_evidence_test_scores(as_evidence *evidence, const as_test_score_row **rows,
                                   size_t *n, assay_error *err);

/** One row, or none yet. */
assay_code as_evidence_operator_study(as_evidence *evidence, const as_operator_study_row **rows,
                                      size_t *n, assay_error *err);
assay_code as_evidence_operators(as_evidence *evidence, const as_operator_row **rows, size_t *n,
                                 assay_error *err);
/** By round, then in the order in which they ran. */
assay_code as_evidence_operator_samples(as_evidence *evidence,
                                        const as_operator_sample_row **rows, size_t *n,
                                        assay_error *err);

/**
 * The weights of training `training`.
 * @param out  the caller's (as_bytes_free); empty where the training diverged.
 * @return ASSAY_E_NOT_FOUND for no such training, ASSAY_E_IO, ASSAY_E_MEMORY.
 */
assay_code as_evidence_weights(as_evidence *evidence, int training, as_bytes *out,
                               assay_error *err);

#endif
