/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_DETECT_SCORE_H
#define ASSAY_DETECT_SCORE_H
/* How probable a box is: the mean of the map inside it. */
#include "detect/points.h"

/**
 * The mean probability inside a convex quadrilateral, rasterised on its bounding rectangle.
 * @param prob  float prob[h][w]; NaN and infinities pass on into the score.
 * @param box   corners in pixels of the map, in the order of their ring.
 * @param mask  working memory, grown as needed.
 * @return ASSAY_OK, or ASSAY_E_MEMORY with *score untouched.
 */
assay_code as_box_score(const float *prob, int h, int w, const as_quad *box, as_room *mask,
                        double *score, assay_error *err);

#endif
