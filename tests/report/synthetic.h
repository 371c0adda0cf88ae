/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TESTS_REPORT_SYNTHETIC_H
#define ASSAY_TESTS_REPORT_SYNTHETIC_H
/*
 * A run that was never run: evidence with known times and boxes, written through the evidence's
 * own writer, so that every number of the report can be checked by hand.
 *
 *     documents  notes.pdf (18 inputs: calls a0 of 16, a1 of 2), form.pdf (3 inputs: call b0)
 *     truth      input i has i % 4 boxes, so inputs 0, 4, 8, ... have none
 *     policies   0 base, 1 gemm, 2 split, 3 bucket (moves a corner by (3, 4) px on inputs 1, 2, 3),
 *                4 broken (its worker crashes in round 2)
 *     times      call of n inputs: preprocess n ms, transfer n/10 ms, postprocess n/2 ms, and
 *                forward n * 10 ms * (1 + round / 100) * share[policy], drifting by round and
 *                jittering by 1 + ((7 round + 3 policy) mod 5) / 250; rounds and policies from 0
 */
#include <stdbool.h>
#include <stddef.h>

#include "evidence/writer.h"

#define SYNTHETIC_INPUTS 21

/** What the run is; zeros are a finished run of one round with the first policy. */
typedef struct synthetic {
    int n_policies;    /**< The first so many of those above. */
    int n_rounds;      /**< Planned. */
    int n_rounds_done; /**< With slots. */
    as_run_state state;
    bool is_smoke_only; /**< A smoke slot of every policy, no rounds. */
    bool has_snapshots; /**< Around each round; round 2 has 8 % PSI and 3 major faults. */
    bool tells_noise;   /**< Each slot its own; gemm waits 8 % for a CPU in round 2. */
    bool breaks_clock;  /**< Of the baseline's call a1 in round 1, which took an hour by it. */
    int n_bought;       /**< Times that a budget bought rounds; 0: there is no budget. */
    const char *unfit;  /**< Why the machine is; NULL where it is not. */
    bool leaves_out_call; /**< A slot that is "finished" lacks its last call. */
    bool baseline_wavers; /**< The baseline moves a corner in its last round. */
    bool
        has_hostile_names; /**< Documents named with markup, bytes that are no UTF-8, controls. */
    double slowdown;       /**< Factor on every forward time; 0 = 1. */
    const char *profile_route; /**< Of the convolution in a traced call; NULL = "direct". */
    int profile_relu_ns;       /**< Of the other operator; 0 = 1 ms. */
    int n_traces;      /**< Of each policy; 0 = 1.  Each takes 1 % more than the one before. */
    bool has_profiles; /**< A traced call of base and gemm; gemm's route is missed in it. */
    bool is_wild;      /**< Boxes with scores that are no numbers, maps with such values. */
} synthetic;

/** Shares of the baseline's forward time. */
extern const double synthetic_share[5];

/** Seconds of detection of `policy` in `round` (from 0). */
double synthetic_detection_s(int policy, int round);

/** Write evidence.db into `folder`, which is made.  Fails the test where that fails. */
void synthetic_write(const synthetic *what, const char *folder);

/** A fresh folder under TMPDIR; free with synthetic_remove. */
char *synthetic_folder(void);
void synthetic_remove(char *folder);

#endif
