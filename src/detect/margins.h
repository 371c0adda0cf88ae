/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_DETECT_MARGINS_H
#define ASSAY_DETECT_MARGINS_H
/*
 * How far a map's decisions stood from their thresholds: what a small change of the map could flip.
 *
 *     as_margins margins = {0};
 *     code = as_margins_of_map(scratch, &settings, prob, h, w, image_h, image_w, &margins, err);
 *     for (size_t i = 0; i < margins.n; i++) ... margins.items[i].pixel
 *     as_margins_free(&margins);
 *
 * A contour that got as far as its score is a candidate. Its pixels are those of its bounding rectangle, one
 * more on each side; all others are the rest of the map.
 */
#include "detect/detect.h"

enum { AS_MARGIN_DROPPED = -1, AS_MARGIN_REST = -2 };

/** A candidate, or the rest of the map. */
typedef struct as_margin_of {
    int box;      /**< Its place in the answer, AS_MARGIN_DROPPED or AS_MARGIN_REST. */
    double pixel; /**< Least |probability - thresh| of its pixels; NAN where none is finite. */
    double score; /**< score - box_thresh; NAN of the rest. */
} as_margin_of;

/** Growing list; all zeros is empty. */
typedef struct as_margins {
    as_margin_of *items; /**< Owns. */
    size_t n, room;
} as_margins;

/**
 * The margins of one map, candidates in the order of their contours, then the rest.
 * @param out  cleared first.
 * @return as as_boxes_from_map.
 */
assay_code as_margins_of_map(as_detect_scratch *scratch, const as_detect_settings *settings,
                             const float *prob, int h, int w, int image_h, int image_w,
                             as_margins *out, assay_error *err);

/** Free the memory and make the list empty. */
void as_margins_free(as_margins *margins);

#endif
