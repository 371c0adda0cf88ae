/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_VERDICT_REQUIRE_H
#define ASSAY_VERDICT_REQUIRE_H
/*
 * What a build demands of a candidate's cost, for continuous integration.
 *
 *     as_requirement wanted;
 *     code = as_requirement_parse("faster=1.05", &wanted, err);
 *     if (as_requirement_check(&wanted, &estimate) == AS_REQUIREMENT_BROKEN) ...
 *
 *     not-slower   time / baseline's <= 1 + AS_MARGIN
 *     faster=R     time / baseline's <= 1 / R: R times as fast at least
 *
 * The interval decides: it lies below the limit, above it, or holds it, and then nothing is decided.
 */
#include "verdict/estimate.h"

/** A limit for candidate / baseline; a plain value. */
typedef struct as_requirement {
    double limit; /**< Ratio that must not be exceeded. */
} as_requirement;

typedef enum as_requirement_state {
    AS_REQUIREMENT_MET,      /**< The whole interval is at or below the limit. */
    AS_REQUIREMENT_BROKEN,   /**< The whole interval is above it. */
    AS_REQUIREMENT_UNDECIDED /**< It holds the limit, or there is no interval. */
} as_requirement_state;

/** Parse "not-slower" or "faster=R", 1 < R <= 1000.  @return ASSAY_E_ARGUMENT. */
assay_code as_requirement_parse(const char *text, as_requirement *out, assay_error *err);

/** Hold an estimate to the requirement. */
as_requirement_state as_requirement_check(const as_requirement *requirement,
                                          const as_estimate *estimate);

/** "met", "broken", "undecided". */
const char *as_requirement_state_name(as_requirement_state state);

#endif
