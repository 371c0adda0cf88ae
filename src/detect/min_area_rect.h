/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_DETECT_MIN_AREA_RECT_H
#define ASSAY_DETECT_MIN_AREA_RECT_H
/*
 * The rectangle of least area around pixels, with cv2.minAreaRect's and cv2.boxPoints' bits: the
 * corners are truncated to integers later, so an error in the last place would move a box.
 */
#include "detect/points.h"

/** A rotated rectangle: `angle_deg` in -90..0 (0 not included) turns its width from the x axis. */
typedef struct as_rect {
    float center_x, center_y;
    float width, height;
    float angle_deg;
} as_rect;

/** What the search for a rectangle needs; grows to the largest call's need; all zeros is empty. */
typedef struct as_rect_room {
    as_room sort;     /**< For the hull. */
    as_points hull;   /**< The hull of the last call. */
    as_room calipers; /**< Edges of the hull in float32. */
} as_rect_room;

/**
 * The least rectangle around n >= 1 pixels; |x| and |y| below 2^24, so that float32 holds them.
 * @return ASSAY_OK, or ASSAY_E_MEMORY with *rect untouched.
 */
assay_code as_min_area_rect(const as_point *points, size_t n, as_rect_room *room, as_rect *rect,
                            assay_error *err);

/** The four corners in the order of cv2.boxPoints. */
as_quad as_rect_corners(const as_rect *rect);

/** Free everything and make `room` empty; takes an empty room. */
void as_rect_room_free(as_rect_room *room);

#endif
