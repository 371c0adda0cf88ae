/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_ADAPTERS_H
#define ASSAY_TRIAL_ADAPTERS_H
/*
 * The scripts behind a run's other engines: hashed into the evidence, copied into the run's
 * executed/, and held to their hashes when a run goes on.
 *
 *     json_t *sums;     // {"POLICY/onnxruntime.py": "<sha256>", ...}; {} with native alone
 *     code = as_adapters_hash(policies, n, &sums, err);
 *     code = as_adapters_copy("run/executed", policies, n, err);
 */
#include <jansson.h>

#include "base/error.h"
#include "evidence/rows.h"

/** The object's key in a run's machine_json. */
#define AS_ADAPTERS_KEY "adapters"

/** @param out  owned by the caller.  @return ASSAY_E_ENVIRONMENT, ASSAY_E_IO, ASSAY_E_MEMORY. */
assay_code as_adapters_hash(const as_policy_row *policies, size_t n, json_t **out,
                            assay_error *err);

/** Copy each file to `folder`/adapters/POLICY/. */
assay_code as_adapters_copy(const char *folder, const as_policy_row *policies, size_t n,
                            assay_error *err);

/**
 * Hold the scripts as they are now to those of `run`.
 * @return ASSAY_E_CHANGED with the one that differs, or as as_adapters_hash.
 */
assay_code as_adapters_check(const as_run_row *run, const as_policy_row *policies, size_t n,
                             assay_error *err);

#endif
