/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_DETECT_RESIZE_H
#define ASSAY_DETECT_RESIZE_H
/*
 * cv2.resize (INTER_LINEAR) of uint8 BGR images, byte for byte, a row at a time, into planes.
 *
 *     as_resizer resizer = {0};
 *     code = as_resizer_init(&resizer, bgr, h, w, out_h, out_w, err);
 *     for (int y = 0; y < out_h; y++)
 *         use(as_resizer_row(&resizer, y)); // uint8 planes[3][out_w]
 *     as_resizer_free(&resizer);
 */
#include "detect/points.h"

/** One resize under way; all zeros is empty.  Reuse it: its memory only grows. */
typedef struct as_resizer {
    const uint8_t *bgr; /**< Borrows. */
    int h, w, out_h, out_w;
    int mode;           /**< How rows are made (resize.c). */
    as_room memory;     /**< All tables and rows below. */
    int32_t *left;      /**< [out_w] byte offset of the left one of two source pixels. */
    int32_t *right;     /**< [out_w] byte offset of the right one. */
    int16_t *weights;   /**< [out_w][2] of the two, in 1/2048. */
    int16_t *rows[2];   /**< [3][out_w] two source rows, resized across, in 1/128. */
    int row_numbers[2]; /**< Which source row each holds; -1 for none. */
    uint8_t *planes;    /**< [3][out_w] the row handed out. */
} as_resizer;

/**
 * Start to resize bgr[h][w][3] to out_h x out_w; all four at least 1 and at most AS_IMAGE_SIDE_MAX.
 * @return ASSAY_OK, or ASSAY_E_MEMORY.
 */
assay_code as_resizer_init(as_resizer *resizer, const uint8_t *bgr, int h, int w, int out_h,
                           int out_w, assay_error *err);

/**
 * Row y of the result as uint8 planes[3][out_w], blue first; valid until the next call.
 * Rows are fastest in rising order.
 */
const uint8_t *as_resizer_row(as_resizer *resizer, int y);

/** Free everything and make `resizer` empty; takes an empty one. */
void as_resizer_free(as_resizer *resizer);

#endif
