/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/require.h"

#include <stdlib.h>
#include <string.h>

#include "verdict/verdict.h"

static const double ratio_max = 1000;

assay_code as_requirement_parse(const char *text, as_requirement *out, assay_error *err)
{
    static const char faster[] = "faster=";
    *out = (as_requirement){.limit = 1 + AS_MARGIN};
    if (strcmp(text, "not-slower") == 0) return ASSAY_OK;
    const char *digits = text + strlen(faster);
    if (strncmp(text, faster, strlen(faster)) == 0 && *digits &&
        strspn(digits, "0123456789.") == strlen(digits)) {
        char *end = NULL;
        double ratio = strtod(digits, &end);
        out->limit = 1 / ratio;
        if (!*end && ratio > 1 && ratio <= ratio_max) return ASSAY_OK;
    }
    return as_fail(
        err, ASSAY_E_ARGUMENT,
        "--require '%.40s' is none: not-slower, or faster=R with R above 1 and at most "
        "%g, is needed",
        text, ratio_max);
}

as_requirement_state as_requirement_check(const as_requirement *requirement,
                                          const as_estimate *estimate)
{
    if (!estimate->has_interval) return AS_REQUIREMENT_UNDECIDED;
    if (estimate->high <= requirement->limit) return AS_REQUIREMENT_MET;
    return estimate->low > requirement->limit ? AS_REQUIREMENT_BROKEN
                                              : AS_REQUIREMENT_UNDECIDED;
}

const char *as_requirement_state_name(as_requirement_state state)
{
    static const char *const names[] = {"met", "broken", "undecided"};
    return names[state];
}
