/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_SELFTEST_H
#define ASSAY_TRIAL_SELFTEST_H
/*
 * The proofs that the protocol may be believed, each with the count that makes it one.
 *
 *     as_proof proofs[AS_MOST_PROOFS];
 *     size_t n;
 *     code = as_selftest_run(&options, proofs, &n, err);
 *     for (size_t i = 0; i < n; i++)
 *         printf("%s %s\n", proofs[i].holds ? "holds" : "FAILS", proofs[i].seen);
 *
 * The quick ones run on simulated machines (trial/simulated.h), in seconds and the same each time.
 * The full ones run on this machine, on processes of which the truth is known (trial/kernel_slot.h),
 * for an hour and a half.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** One proof and what came of it. */
typedef struct as_proof {
    const char *name;  /**< "a/a", "power" ...; a static string, as the claim. */
    const char *claim; /**< What it proves. */
    size_t n;          /**< Trials. */
    size_t n_counted;  /**< Of these, those that the claim is about. */
    size_t limit;      /**< The claim holds with at most, or at least, so many. */
    bool is_at_least;
    bool holds;
    bool is_short;  /**< Too few trials to prove it or not; then it does not hold. */
    char seen[160]; /**< What else was seen, a phrase; "" without. */
    double wall_s;
} as_proof;

#define AS_MOST_PROOFS 16

typedef struct as_selftest_options {
    bool is_full; /**< On this machine instead of the simulated one. */
    size_t
        n_trials; /**< Of each proof at most; 0 = what the proof needs.  Fewer are a sample. */
    const char *const *names; /**< [n_names] Only these proofs, borrowed; none = all. */
    size_t n_names;
    int64_t seed;
    const char *const *worker_argv; /**< For the full ones: program and verb `worker`. */
    bool (*stop)(void *context);    /**< May be NULL, as the next. */
    /** Proof `name` has done n_done of n. */
    void (*step)(void *context, const char *name, size_t n_done, size_t n);
    void *context;
} as_selftest_options;

/**
 * Run them all.
 * @param proofs  as_proof proofs[AS_MOST_PROOFS], filled up to *n.
 * @return ASSAY_OK also when one does not hold; ASSAY_E_ARGUMENT for a name that no proof has; ASSAY_E_CHILD,
 *         ASSAY_E_INTERRUPTED, ASSAY_E_MEMORY.
 */
assay_code as_selftest_run(const as_selftest_options *options, as_proof *proofs, size_t *n,
                           assay_error *err);

/**
 * Of n trials so many may go wrong while it is proved, with 95 %, that less than `share` of all do:
 * the greatest k with P(X <= k) <= 5 % for X binomial(n, share); 0 where even none proves nothing.
 */
size_t as_most_wrong(size_t n, double share);

#endif
