/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_DETECT_ORDER_H
#define ASSAY_DETECT_ORDER_H
/* Corners in order, and from the map's pixels to the image's. */
#include <stdbool.h>

#include "detect/boxes.h"
#include "detect/points.h"

/**
 * Sort four corners by x; of the left two the upper one is first and the lower one last, of the
 * right two the upper one second and the lower one third: tl, tr, br, bl.
 */
as_quad as_quad_order(const as_quad *quad);

/**
 * Scale a box of a map of h x w to an image of image_h x image_w: round to whole pixels with
 * halves to even, put the corners in order, hold them on the image.
 * @return false where the box is then no more than 3 pixels wide or high, and is to be dropped.
 */
bool as_box_scale(const as_quad *quad, int h, int w, int image_h, int image_w, as_box *box);

#endif
