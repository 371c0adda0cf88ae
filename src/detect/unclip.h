/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_DETECT_UNCLIP_H
#define ASSAY_DETECT_UNCLIP_H
/*
 * Grow a box: the network is trained to find a shrunken core of each line of text.
 *
 *     distance = area * ratio / perimeter      of the box in float32
 *     polygon  = everything within `distance` of the box with its corners truncated to integers
 */
#include "detect/points.h"

/**
 * The grown outline, as pyclipper's offset with round joins gives it: same points, order and start.
 * @param box   a rectangle's corners in the order of their ring, either way round.
 * @param ratio above 0.
 * @param out   cleared and filled; empty where the truncated corners do not make a convex
 *              quadrilateral, which needs a rectangle with a side below 3.
 * @return ASSAY_OK or ASSAY_E_MEMORY.
 */
assay_code as_unclip(const as_quad *box, double ratio, as_points *out, assay_error *err);

#endif
