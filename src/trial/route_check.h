/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_ROUTE_CHECK_H
#define ASSAY_TRIAL_ROUTE_CHECK_H
/*
 * Whether the operators that ran are those that a policy names.  demand.h asks an engine for its
 * switches; this looks at what they led to: a switch that is set and does nothing, or a route that
 * was forbidden and ran, fails the policy before anything is measured.
 *
 *     as_route_check check;
 *     as_route_check_make(&policies[i], trace, &check);
 *     for (size_t i = 0; i < check.n; i++)
 *         if (!as_route_row_holds(&check.rows[i])) ...
 */
#include "base/trace.h"
#include "evidence/rows.h"

#define AS_ROUTE_CHECKS 8

/** The assertions of one policy; the rows' texts lie in it or are constant. */
typedef struct as_route_check {
    as_route_row rows[AS_ROUTE_CHECKS];
    size_t n;
    char settings[AS_ROUTE_CHECKS][64];
} as_route_check;

/**
 * Look for what `policy` names, and for what it forbids.  Where the engine tells no operators the
 * counts are -1, and nothing that was asked for holds.
 */
void as_route_check_make(const as_policy_row *policy, const as_trace *trace,
                         as_route_check *out);

/** The first that does not hold, NULL when all do. */
const as_route_row *as_route_check_broken(const as_route_check *check);

/** "winograd=off, but what has 'winograd' in its name ran 12 times", at most `room` bytes. */
void as_route_row_describe(const as_route_row *row, char *text, size_t room);

#endif
