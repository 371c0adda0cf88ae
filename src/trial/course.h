/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_COURSE_H
#define ASSAY_TRIAL_COURSE_H
/*
 * A run while it goes on: what the evidence held at the beginning, what has been done since, and the
 * steps that its phases are made of.
 *
 *     as_course course;
 *     code = as_course_open("run", &control, &course, err);
 *     if (!code && !as_course_has_slot(&course, &order)) code = as_course_run_slot(&course, &order, err);
 *     code = as_course_close(&course, code, err);
 */
#include "trial/slot.h"
#include "verdict/noise.h"

/** A policy's place in the run. */
typedef struct as_standing {
    bool failed;    /**< A slot of it failed: no more are run. */
    bool excluded;  /**< It differed in the smoke phase and on_difference is exclude. */
    size_t n_slots; /**< Formal slots that it finished ... */
    double slots_s; /**< ... and what they took. */
} as_standing;

/** A formal slot that was finished or failed. */
typedef struct as_done {
    int round, repeat, policy;
    as_dirt dirt; /**< Nothing known for a worker that told none. */
} as_done;

typedef struct as_course {
    const char *run_folder;
    const as_trial_control *control;
    as_evidence *evidence;      /**< Owns: as it was at the beginning. */
    as_evidence_writer *writer; /**< Owns. */
    char *path;                 /**< Owns: of the database. */
    as_slot_place place;
    const as_order_row *orders; /**< That were planned at the beginning. */
    const as_slot_row *slots;   /**< That were there at the beginning. */
    size_t n_policies, n_orders, n_slots;
    as_standing *standings; /**< Owns; [n_policies] */
    as_done *done;          /**< Owns: every formal slot so far. */
    size_t n_done, done_room;
    double spent_s;               /**< Measuring so far: all slots, and the snapshots. */
    int64_t n_calls, n_bad_clock; /**< Timed so far, and those whose clock is broken. */
} as_course;

/** Open the run; close it also when this fails. */
assay_code as_course_open(const char *run_folder, const as_trial_control *control, as_course *c,
                          assay_error *err);

/** Close it.  @return `code`, or what closing says where `code` is ASSAY_OK. */
assay_code as_course_close(as_course *course, assay_code code, assay_error *err);

/** Tell whoever watches. */
void as_course_note(const as_course *course, const char *format, ...) AS_PRINTF(2, 3);

/** Take a snapshot of the machine and store it. */
assay_code as_course_snapshot(as_course *course, as_phase phase, int round, const char *moment,
                              assay_error *err);

/** Seconds that a snapshot takes. */
double as_course_snapshot_s(const as_course *course);

/** Whether the evidence holds that slot; its position does not matter. */
bool as_course_has_slot(const as_course *course, const as_slot_order *order);

/** Run a slot; one that fails takes its policy out of the run. */
assay_code as_course_run_slot(as_course *course, const as_slot_order *order, assay_error *err);

#endif
