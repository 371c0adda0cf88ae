/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_SEARCH_FILES_H
#define ASSAY_REPORT_SEARCH_FILES_H
/*
 * What derives from the evidence of a structure search: the same evidence gives the same bytes.
 *
 *     as_search_report *report;
 *     code = as_search_report_open("run", &report, err);
 *     code = as_selection_write(report->choice, "run", err);     // once, before any test score
 *     code = as_search_files_write(report, err);                 // all that is known by now
 *     as_search_report_close(report);
 *
 * Besides the files of report/candidate_files.h and report/operator_files.h:
 *
 *     split-manifest.json       which samples trained, chose and tested
 *     environment.json          the machine
 *     benchmark-protocol.json   how latency was measured
 *     training-epochs.csv       losses and accuracy of every epoch of every training
 *     candidate-slots.csv       fresh processes, by engine
 *     report.html, report.md    what a person reads; plots/ has the drawings' scripts
 */
#include "evidence/evidence.h"
#include "report/candidate_files.h"
#include "report/language.h"
#include "report/operator_files.h"

/** A training with all that belongs to it; borrows. */
typedef struct as_search_training {
    const as_training_row *row;
    int index; /**< Of the row. */
    const as_epoch_row *epochs;
    size_t n_epochs;
    double test_accuracy; /**< NaN until there is one. */
} as_search_training;

typedef struct as_search_report {
    const char *folder;   /**< Borrows. */
    as_language language; /**< Of report.html and report.md; English unless set. */
    as_evidence *evidence;
    const as_search_row *search;
    const as_structure_row *structures;
    const as_training_row *trainings;
    const as_epoch_row *epochs;
    const as_structure_slot_row *slots;
    const as_test_score_row *scores;
    size_t n_structures, n_trainings, n_epochs, n_slots, n_scores;
    as_operator_study operators; /**< Without operators until they are measured. */
    bool has_selection;
    /** [n_trainings], by structure, then seed: the order in which they ended must be seen in no file. */
    as_search_training *sorted; /**< Owned, as all below. */
    as_candidate_row *rows;     /**< [n_structures] */
    as_candidates candidates;
    as_candidate_report *choice;
} as_search_report;

/**
 * Read FOLDER/evidence.db.  An accuracy is the mean over a structure's trainings, with its standard
 * error: of that mean, or of one training's share of right answers.  A structure has none until every
 * one of its trainings is there, and none where one of them diverged.
 * @return ASSAY_E_FORMAT where it holds no search; as as_evidence_open; ASSAY_E_MEMORY.
 */
assay_code as_search_report_open(const char *folder, as_search_report **out, assay_error *err);
void as_search_report_close(as_search_report *report); /**< Takes NULL. */

/** The lowest training of structure `i` that did not diverge, which NAME.onnx holds; -1 without. */
int as_search_report_training(const as_search_report *report, size_t i);

/** Path of NAME.onnx, the caller's (as_free); NULL without memory. */
char *as_search_report_model(const as_search_report *report, size_t i);

/** Write all files, selection.json where there is a selection. */
assay_code as_search_files_write(const as_search_report *report, assay_error *err);

#endif
