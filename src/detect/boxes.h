/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_DETECT_BOXES_H
#define ASSAY_DETECT_BOXES_H
/*
 * A growing list of found boxes.
 *
 *     as_boxes boxes = {0};
 *     code = as_boxes_from_map(scratch, &settings, prob, h, w, image_h, image_w, &boxes, err);
 *     for (size_t i = 0; i < boxes.n; i++)
 *         draw(boxes.items[i].corners);
 *     as_boxes_free(&boxes);
 */
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** One box of text. */
typedef struct as_box {
    int32_t corners[4][2]; /**< (x, y) in pixels of the image: tl, tr, br, bl. */
    double score;          /**< Mean probability inside; "inf" and "nan" are possible. */
} as_box;

/** Boxes in the order of their contours; all zeros is an empty list. */
typedef struct as_boxes {
    as_box *items; /**< Owns; as_boxes_free frees. */
    size_t n;
    size_t room;
} as_boxes;

/** Append a box. @return ASSAY_OK or ASSAY_E_MEMORY with the list as it was. */
assay_code as_boxes_add(as_boxes *boxes, const as_box *box, assay_error *err);

/** Forget the boxes, keep the memory for the next ones. */
void as_boxes_clear(as_boxes *boxes);

/** Free the memory and make the list empty; takes an empty list. */
void as_boxes_free(as_boxes *boxes);

#endif
