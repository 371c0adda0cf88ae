/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_DETECT_SCRATCH_H
#define ASSAY_DETECT_SCRATCH_H
/* What is inside the opaque as_detect_scratch of detect.h: the working memory of every stage. */
#include "detect/contours.h"
#include "detect/detect.h"
#include "detect/min_area_rect.h"
#include "detect/resize.h"

struct as_detect_scratch {
    as_resizer resizer;
    as_contours contours;
    as_rect_room rect;
    as_room mask;    /**< For a box's score. */
    as_points grown; /**< The outline of one grown box. */
};

#endif
