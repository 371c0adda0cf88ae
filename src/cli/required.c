/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/required.h"

#include "cli/cli.h"

int as_status_required(const as_report *report, const as_requirement *requirement,
                       bool has_json, int status)
{
    static const int statuses[] = {[AS_REQUIREMENT_MET] = AS_EXIT_DONE,
                                   [AS_REQUIREMENT_BROKEN] = AS_EXIT_DIFFERENT,
                                   [AS_REQUIREMENT_UNDECIDED] = AS_EXIT_UNDECIDED};
    int required = statuses[as_report_require(report, requirement, has_json ? stderr : stdout)];
    return status == AS_EXIT_DONE ? required : status;
}
