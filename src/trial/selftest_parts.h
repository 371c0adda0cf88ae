/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_SELFTEST_PARTS_H
#define ASSAY_TRIAL_SELFTEST_PARTS_H
/* The proofs of selftest.h by where they run; each fills its proof's counts. */
#include "trial/selftest.h"

/** A proof: its name and claim, its trials, and the function that does them. */
typedef struct as_proof_kind {
    const char *name, *claim;
    size_t n;
    assay_code (*run)(const as_selftest_options *options, as_proof *proof, assay_error *err);
} as_proof_kind;

/** On simulated machines and on this one; a NULL name is behind the last. */
extern const as_proof_kind as_quick_proofs[], as_full_proofs[];

/** Tell a step.  @return ASSAY_E_INTERRUPTED when it is to stop. */
assay_code as_selftest_step(const as_selftest_options *options, const as_proof *proof,
                            size_t n_done, assay_error *err);

/** The claim is that at most, or at least, `limit` of the trials are counted; at least 0 is short. */
void as_proof_at_most(as_proof *proof, size_t limit);
void as_proof_at_least(as_proof *proof, size_t limit);

/** The claim is that less than `share` of all trials go wrong: at most as_most_wrong of these. */
void as_proof_rarely_wrong(as_proof *proof, double share);

#endif
