/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_SLOT_H
#define ASSAY_TRIAL_SLOT_H
/*
 * One policy's turn: start a worker, give it its job, gather what it tells, store the slot whole.
 *
 *     as_slot_order order = {.phase = AS_PHASE_FORMAL, .round = 1, .position = 0, .policy = 2};
 *     code = as_slot_run(&place, &order, &failed, err);
 */
#include "evidence/writer.h"
#include "trial/job.h"
#include "trial/trial.h"

/** Where a slot's rows go: the evidence's writer, or somebody who looks at one call. */
typedef struct as_slot_sink {
    void *context;
    assay_code (*begin)(void *context, assay_error *err);
    /** Takes rows as they come; they are borrowed for the call. */
    assay_code (*add)(void *context, const as_slot_record *part, assay_error *err);
    /** Takes the outputs that lie in `folder` (outputs.h); never asked of a traced call. */
    assay_code (*keep_outputs)(void *context, const char *folder, assay_error *err);
    assay_code (*end)(void *context, const as_slot_row *slot, assay_error *err);
} as_slot_sink;

/** What all slots of a run share; borrows. */
typedef struct as_slot_place {
    const char *run_folder;
    const as_trial_control *control;
    const as_run_row *run;
    const as_policy_row *policies;
    const as_input_row *inputs;
    size_t n_inputs;
    const as_call_row *calls;
    size_t n_calls;
    as_slot_sink sink;
} as_slot_place;

/** Where --save-maps puts them in a run's folder. */
#define AS_MAPS_FOLDER "maps"

/** Which turn. */
typedef struct as_slot_order {
    as_phase phase;
    int round, position, policy;
    int repeat; /**< 0, and one more each time that a dirty round is run again. */
} as_slot_order;

/** How it went; a plain value. */
typedef struct as_slot_end {
    as_slot_state state;
    assay_code code;    /**< ASSAY_OK, or the failure's. */
    char sentence[512]; /**< Of the failure; else "". */
    double total_s;     /**< Wall time of the process. */
    bool has_noise;
    as_noise noise;      /**< What the machine did besides, where the worker told it. */
    int64_t n_bad_clock; /**< Calls whose clock is broken ... */
    int64_t n_calls;     /**< ... of so many. */
} as_slot_end;

/**
 * Run and store one slot.
 * @return ASSAY_OK also when the worker failed (see `end`); ASSAY_E_INTERRUPTED with the worker
 *         killed and nothing stored; ASSAY_E_IO, ASSAY_E_NOT_FOUND, ASSAY_E_MEMORY.
 */
assay_code as_slot_run(const as_slot_place *place, const as_slot_order *order, as_slot_end *end,
                       assay_error *err);

#endif
