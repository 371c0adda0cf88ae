/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_DETECT_FILL_POLY_H
#define ASSAY_DETECT_FILL_POLY_H
/* Which pixels cv2.fillPoly sets for a convex quadrilateral: its inside and its drawn edges. */
#include "detect/points.h"

/**
 * Set the pixels of a convex quadrilateral to 1; the others stay.
 * @param mask    uint8 mask[h][w]; h and w at least 1.
 * @param corners in the order of their ring, either way round; they may lie outside the mask.
 */
void as_fill_quad(uint8_t *mask, int h, int w, const as_point corners[4]);

#endif
