/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_DETECT_POINTS_H
#define ASSAY_DETECT_POINTS_H
/* Points, four corners, and the growing memory that the stages of postprocessing share. */
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** A pixel. */
typedef struct as_point {
    int32_t x, y;
} as_point;

/** A growing list of pixels; all zeros is an empty list. */
typedef struct as_points {
    as_point *items; /**< Owns. */
    size_t n;
    size_t room;
} as_points;

/** Four corners in float32, (x, y). */
typedef struct as_quad {
    float corners[4][2];
} as_quad;

/** Working memory that only grows; its bytes mean nothing between calls. */
typedef struct as_room {
    void *data; /**< Owns; aligned to AS_ALIGNMENT. */
    size_t bytes;
} as_room;

/** Append a pixel. @return ASSAY_OK or ASSAY_E_MEMORY with the list as it was. */
assay_code as_points_add(as_points *points, as_point point, assay_error *err);

/** Free the memory and make the list empty; takes an empty list. */
void as_points_free(as_points *points);

/**
 * See that `room` holds n elements; old contents may be lost.
 * @return ASSAY_OK or ASSAY_E_MEMORY with the room as it was.
 */
assay_code as_room_reserve(as_room *room, size_t n, size_t element_bytes, assay_error *err);

/** Free the memory and make the room empty; takes an empty room. */
void as_room_free(as_room *room);

#endif
