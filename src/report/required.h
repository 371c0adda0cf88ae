/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_REQUIRED_H
#define ASSAY_REPORT_REQUIRED_H
/*
 * A run held to what a build demands of it (`--require`).
 *
 *     as_requirement_state state = as_required_check(facts, &requirement);
 *     as_required_print(facts, &requirement, stdout);      // one line a candidate
 *
 * Every policy but the baseline has to meet it.  One whose boxes differ or whose worker failed breaks
 * any requirement; a run without a candidate decides nothing.
 */
#include <stdio.h>

#include "report/facts.h"
#include "verdict/require.h"

/** The worst of all candidates: broken, else undecided, else met. */
as_requirement_state as_required_check(const as_facts *facts,
                                       const as_requirement *requirement);

/** "require: split is met: 8.4 to 9.2 % less (97.5 % interval)", a line a candidate. */
void as_required_print(const as_facts *facts, const as_requirement *requirement, FILE *out);

#endif
