/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_DETECT_HULL_H
#define ASSAY_DETECT_HULL_H
/* The convex hull of pixels, as cv2.convexHull gives it: same corners, same order, same start. */
#include "detect/points.h"

/**
 * The hull's corners in OpenCV's order for clockwise = False.
 * @param points n >= 1 pixels, in any order, repetitions allowed; |x| and |y| below 2^30.
 * @param room   working memory, grown as needed.
 * @param hull   cleared and filled.
 * @return ASSAY_OK or ASSAY_E_MEMORY.
 */
assay_code as_hull_find(const as_point *points, size_t n, as_room *room, as_points *hull,
                        assay_error *err);

#endif
