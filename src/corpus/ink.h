/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CORPUS_INK_H
#define ASSAY_CORPUS_INK_H
/* Where a page has ink: the picture that segmentation cuts.  Integer arithmetic throughout. */
#include <stdint.h>

#include "base/error.h"
#include "image/image.h"

typedef struct as_ink {
    uint8_t *is_ink; /**< uint8 is_ink[h][w], 0 or 1; owned. */
    int h, w;        /**< Of the page divided by `scale`, rounded down, at least 1. */
    int scale;       /**< Page pixels that one cell is wide and high. */
    int unit;        /**< Median height of the marks, in cells: about half a text size. */
} as_ink;

/**
 * Find the ink of a page: cells darker than 4/5 of the paper around them, without specks.
 * @param out  owned by the caller on success (as_ink_free).
 */
assay_code as_ink_find(const as_image *page, as_ink *out, assay_error *err);

/** Free it; takes an empty one. */
void as_ink_free(as_ink *ink);

#endif
