/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_VERDICT_COMPARE_H
#define ASSAY_VERDICT_COMPARE_H
/*
 * Two answers for one input: are they the same boxes, and if not, where do they part first?
 *
 *     as_comparison c = as_boxes_compare(&truth, &answer);
 *     if (!c.equal) {
 *         char sentence[AS_COMPARISON_TEXT];
 *         as_comparison_describe(&c, sentence);   // "box 3 of 12 has other corners: ..."
 *     }
 *
 * The answers are equal when they have the same number of boxes, in the same order, with all four
 * corners of each equal and its score within AS_SCORE_TOLERANCE.  Pure functions of their input.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "detect/boxes.h"

/** Scores may differ by no more than this (oracle's agreement: DESIGN, "Detector"). */
#define AS_SCORE_TOLERANCE 1e-5

/** How two answers part first. */
typedef enum as_difference {
    AS_DIFFERENCE_NONE,
    AS_DIFFERENCE_COUNT,   /**< One has more boxes than the other. */
    AS_DIFFERENCE_ORDER,   /**< The same boxes, in another order. */
    AS_DIFFERENCE_CORNERS, /**< Box `first` has another corner. */
    AS_DIFFERENCE_SCORE    /**< All corners are equal; the score of box `first` is not. */
} as_difference;

/** What a comparison found; a plain value. */
typedef struct as_comparison {
    bool equal;
    as_difference kind;
    size_t n_reference, n_answer; /**< Boxes in each. */
    size_t first;       /**< Position, from 0, where the two lists part first; 0 when equal. */
    size_t n_differing; /**< Positions, counted to the longer list's end, whose boxes differ. */
    size_t n_missing;   /**< Boxes of the reference whose corners the answer has nowhere. */
    size_t n_added;     /**< Boxes of the answer whose corners the reference has nowhere. */
    double
        max_corner_px; /**< Farthest that a corner of a missing or added box lies from the same
                               corner of the nearest box of the other answer; 0 without any such
                               box, INFINITY when the other answer is empty. */
    double max_score;  /**< Largest difference of score between boxes at the same position with
                               equal corners; INFINITY when just one is not finite. */
    as_box reference_box, answer_box; /**< At `first`; zeros where a list has ended. */
} as_comparison;

/** Compare `answer` with `reference`; both only read.  Quadratic only in boxes that differ. */
as_comparison as_boxes_compare(const as_boxes *reference, const as_boxes *answer);

/** Bytes that a description needs at most. */
#define AS_COMPARISON_TEXT 320

/** Say in one phrase, without a full stop, where the two answers part. */
void as_comparison_describe(const as_comparison *comparison, char text[AS_COMPARISON_TEXT]);

/** Gives for an English printf format one for the same values in `language`. */
typedef const char *as_comparison_say(int language, const char *english) AS_FORMAT_OF(2);

/** The one that leaves English. */
as_comparison_say as_comparison_say_english;

/** The same in another language. */
void as_comparison_describe_in(const as_comparison *comparison, as_comparison_say *say,
                               int language, char text[AS_COMPARISON_TEXT]);

#endif
