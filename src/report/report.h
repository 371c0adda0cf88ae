/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_REPORT_H
#define ASSAY_REPORT_REPORT_H
/*
 * Everything a reader gets of a run, derived from its evidence.db alone, which is opened
 * read-only.  The same evidence gives the same bytes, however often and wherever it is done.
 *
 *     as_report *report;
 *     code = as_report_open("run", &report, err);
 *     code = as_report_write_files(report, err);
 *     fputs(as_report_text(report), stdout);             // the verdict, for a terminal
 *     status = as_report_holds(report) ? 0 : 1;
 *     as_report_close(report);
 *
 * Files: summary.json, report.md, report.html, calls.csv, background-load.jsonl, experiment.json,
 * plots/, diagnostics/ of the profile phase, and review/ where an input's boxes differ.  Each appears whole or not at all; what an
 * earlier call derived is replaced, and what no longer belongs is removed.
 */
#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "report/language.h"
#include "verdict/require.h"

typedef struct as_report as_report;

/**
 * Read the evidence of the run in `run_folder` and derive every number; writes nothing.
 * @return ASSAY_E_NOT_FOUND when the folder or its evidence.db is missing; ASSAY_E_FORMAT when the
 *         database is not assay's; ASSAY_E_IO, ASSAY_E_MEMORY.
 */
assay_code as_report_open(const char *run_folder, as_report **out, assay_error *err);

/**
 * The same in another language: what a person reads, down to the words on the plots.  Keys and columns,
 * names and what the evidence holds as sentences stay as they are.
 */
assay_code as_report_open_in(const char *run_folder, as_language language, as_report **out,
                             assay_error *err);

/** Free it with all that it gave; takes NULL. */
void as_report_close(as_report *report);

/** Write every derived file into the run's folder.  @return ASSAY_E_IO, ASSAY_E_MEMORY. */
assay_code as_report_write_files(const as_report *report, assay_error *err);

/** Open, write the files, close. */
assay_code as_report_write(const char *run_folder, assay_error *err);

/** The verdict for a terminal, at most 100 columns wide where names allow; borrowed. */
const char *as_report_text(const as_report *report);

/** The bytes of summary.json; borrowed. */
const char *as_report_json(const as_report *report);

/** Whether, as far as the run got, every policy finished and every box is equal. */
bool as_report_holds(const as_report *report);

/** Whether the run has all its rounds; one that stopped at a difference is finished too. */
bool as_report_is_finished(const as_report *report);

/**
 * Hold every policy but the baseline to `requirement` and print a line for each (required.h).
 * @return the worst of them.
 */
as_requirement_state as_report_require(const as_report *report,
                                       const as_requirement *requirement, FILE *out);

/**
 * Print what changed since the run in `run_folder`, as text or as one JSON object (against.h).
 * @param n_regressions  receives how many of the changes are for the worse.
 * @return as as_report_open.
 */
assay_code as_report_against(const as_report *report, const char *run_folder, bool as_json,
                             FILE *out, size_t *n_regressions, assay_error *err);

/** Whether some candidate's interval is missing or says neither faster, slower nor equal. */
bool as_report_is_undecided(const as_report *report);

/** Sentences on what could spoil the result, as in the report; NULL behind the last; borrowed. */
const char *const *as_report_warnings(const as_report *report);

#endif
