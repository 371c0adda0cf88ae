/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_EXECUTED_H
#define ASSAY_TRIAL_EXECUTED_H
/*
 * RUN/executed: what ran, for those who want to run it again.
 *
 *     executed/assay           a copy of this program
 *     executed/policies.txt    the policies' texts, one a line
 *     executed/NAME.plan.json  a copy of the plan file of policy NAME, where it has one
 *     executed/adapters/NAME/  copies of the scripts of another engine than our own
 *     executed/SHA256SUMS      model, manifest, program, adapters and plans, as sha256sum lists
 */
#include <stdbool.h>

#include "base/sha256.h"
#include "evidence/writer.h"

/** SHA-256 of the program that runs now.  @return ASSAY_E_IO, ASSAY_E_MEMORY. */
assay_code as_executed_program_sha256(char hex[AS_SHA256_HEX], assay_error *err);

/** Fill the folder.  @return ASSAY_E_IO, ASSAY_E_MEMORY. */
assay_code as_executed_write(const char *run_folder, const as_evidence_plan *plan,
                             assay_error *err);

/**
 * Whether the plan files of these policies are those that were copied.
 * @return ASSAY_E_CHANGED, ASSAY_E_NOT_FOUND, ASSAY_E_IO, ASSAY_E_MEMORY.
 */
assay_code as_executed_check_plans(const char *run_folder, const as_policy_row *policies,
                                   size_t n_policies, assay_error *err);

/** Whether RUN/executed is there and holds nothing but what as_executed_write makes. */
bool as_executed_is_own(const char *run_folder);

#endif
