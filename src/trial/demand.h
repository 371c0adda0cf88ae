/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_DEMAND_H
#define ASSAY_TRIAL_DEMAND_H
/*
 * What a policy demands of its engine, asserted at the start and at the exit of each worker: that
 * the thing which was measured is the thing which the policy names.
 */
#include "engine/engine.h"
#include "engine/policy.h"

/**
 * Check device, dtype, threads, ISA, switches, that the model was read once, and, without fusion,
 * that no fusing pass changed the graph.
 * @param moment  "start" or "exit", for the sentence.
 * @return ASSAY_E_ENVIRONMENT with the fact, the value seen and the value needed.
 */
assay_code as_demand_check(const as_policy *policy, const as_engine_facts *facts,
                           const char *moment, assay_error *err);

#endif
