/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_PROFILE_PHASE_H
#define ASSAY_TRIAL_PROFILE_PHASE_H
/*
 * Before the rounds: one call of every policy that goes into them, looked at from inside (profile.h).
 * What ran by other operators than its policy names is not measured.
 *
 *     code = as_profile_phase_run(&course, &goes_on, err);
 */
#include "trial/course.h"

/**
 * Run the profiles that the evidence lacks.
 * @param goes_on  becomes false where a policy, now or before the run was killed, took another route.
 */
assay_code as_profile_phase_run(as_course *course, bool *goes_on, assay_error *err);

#endif
