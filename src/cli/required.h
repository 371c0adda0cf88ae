/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CLI_REQUIRED_H
#define ASSAY_CLI_REQUIRED_H
/* The option --require of verbs that end with a report: its lines and its exit status. */
#include "report/report.h"

/**
 * Print a line for each candidate (on stderr where stdout holds JSON).
 * @param status  what the verb would return without it; only AS_EXIT_DONE is changed.
 * @return `status`, 1 where the requirement is broken, 6 where it is undecided.
 */
int as_status_required(const as_report *report, const as_requirement *requirement,
                       bool has_json, int status);

#endif
