/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_DETECT_CONTOURS_H
#define ASSAY_DETECT_CONTOURS_H
/*
 * The borders of the text pixels of a map, outer ones and those of holes, as cv2.findContours with
 * RETR_LIST and CHAIN_APPROX_SIMPLE gives them: the same borders, their points in the same order.
 *
 *     as_contours contours = {0};
 *     code = as_contours_find(&contours, prob, h, w, 0.3f, err);
 *     for (size_t i = 0; i < contours.n; i++)
 *         use(as_contours_points(&contours, i), as_contours_size(&contours, i));
 *     as_contours_free(&contours);
 */
#include "detect/points.h"

/** Contours of one map, in the order in which the scan met them; all zeros is empty. */
typedef struct as_contours {
    as_points points; /**< Points of all contours, one contour after the other. */
    size_t *ends;     /**< Owns ends[n]: index behind the last point of each. */
    size_t n;
    size_t room;
    as_room bitmap; /**< int8 bitmap[h + 2][w + 2], the working copy. */
} as_contours;

/**
 * Find the contours of the pixels with prob > thresh, compared in float32 (NaN is never above).
 * @param prob float prob[h][w]; only read.
 * @return ASSAY_OK, or ASSAY_E_MEMORY with no contours.
 */
assay_code as_contours_find(as_contours *contours, const float *prob, int h, int w,
                            float thresh, assay_error *err);

/** Contour number `i` as OpenCV numbers them: the last one that the scan met is number 0. */
const as_point *as_contours_points(const as_contours *contours, size_t i);
size_t as_contours_size(const as_contours *contours, size_t i);

/** Free everything and make `contours` empty; takes an empty value. */
void as_contours_free(as_contours *contours);

#endif
