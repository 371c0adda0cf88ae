/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_VERDICT_VERDICT_H
#define ASSAY_VERDICT_VERDICT_H
/*
 * Which policy to take: the cheapest of those whose boxes are equal.
 *
 *     candidates[i].verdict = as_verdict_of(&candidates[i]);
 *     as_choice choice = as_verdict_choose(candidates, n, baseline);
 *
 * The constraint comes first: a policy that failed or that changed one box is never chosen, however
 * fast it is.  Then the cost, with a margin of AS_MARGIN.  Ties go to the baseline, then to the
 * policy with fewer settings, then to less memory, then to the one named first.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "verdict/estimate.h"

/** Differences of less than this share are no differences (MEASURING, "Verdict"). */
#define AS_MARGIN 0.01

typedef enum as_verdict {
    AS_VERDICT_BASELINE,    /**< It is what the others are compared with. */
    AS_VERDICT_FASTER,      /**< Upper end of the interval < 1 - margin. */
    AS_VERDICT_SLOWER,      /**< Lower end > 1 + margin. */
    AS_VERDICT_EQUAL,       /**< The interval lies within 1 +- margin. */
    AS_VERDICT_UNDECIDED,   /**< There is an interval and it says none of these. */
    AS_VERDICT_NO_INTERVAL, /**< Too few rounds to say more than the medians. */
    AS_VERDICT_DIFFERENT,   /**< Its boxes are not the truth's: never chosen. */
    AS_VERDICT_FAILED       /**< It did not finish: never chosen. */
} as_verdict;

/** What is known of one policy. */
typedef struct as_candidate {
    bool is_baseline;
    bool failed;          /**< A worker crashed, hung or broke an assertion. */
    bool boxes_equal;     /**< All checked answers are the truth's. */
    as_estimate estimate; /**< Against the baseline; unused for the baseline itself. */
    double median_s;      /**< Median of its rounds' detection seconds; NAN without any. */
    size_t n_settings;    /**< Settings of the policy's text: fewer is simpler. */
    int64_t memory_bytes; /**< Peak PSS; INT64_MAX where unknown. */
    as_verdict verdict;   /**< As as_verdict_of says. */
} as_candidate;

/** No policy. */
#define AS_NO_POLICY SIZE_MAX

/** What is chosen, and how sure that is; a plain value. */
typedef struct as_choice {
    size_t policy;    /**< Index, or AS_NO_POLICY when no policy fulfils the constraint. */
    bool is_certain;  /**< An interval says so; false: medians alone do. */
    size_t n_ties;    /**< Other policies within the margin of the chosen one's cost. */
    bool tie_decided; /**< A tied policy had the lower cost; simplicity or memory decided. */
} as_choice;

/** The verdict on one policy by the rules at the names above. */
as_verdict as_verdict_of(const as_candidate *candidate);

/**
 * Choose among n candidates whose `verdict` is filled.
 * @param baseline  index of the baseline, < n.
 * With intervals only policies called faster can take the baseline's place; a candidate without an
 * interval can when it was faster in every round and its median is below the baseline's by more
 * than the margin.  When the baseline itself failed nothing is chosen: there is no truth and
 * nothing to compare with.
 */
as_choice as_verdict_choose(const as_candidate *candidates, size_t n, size_t baseline);

/** "faster", "no interval", ...: one or two words. */
const char *as_verdict_name(as_verdict verdict);

/** Number of settings in a policy's text NAME=ENGINE[,key=value...]: its commas. */
size_t as_policy_text_settings(const char *text);

#endif
