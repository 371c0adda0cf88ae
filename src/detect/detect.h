/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_DETECT_DETECT_H
#define ASSAY_DETECT_DETECT_H
/*
 * The two ends of text detection: pixels -> a network's input, a network's map -> boxes.
 *
 *     as_network_size size = as_network_size_of(&settings, h, w);
 *     code = as_preprocess(scratch, bgr, h, w, size.h, size.w, input, err);
 *     ... the network makes prob[size.h][size.w] out of input[3][size.h][size.w] ...
 *     code = as_boxes_from_map(scratch, &settings, prob, size.h, size.w, h, w, &boxes, err);
 *
 * Both give what tests/oracle/detect.py gives: the input bit for bit, every box in count, order
 * and corners, its score within 1e-5.
 */
#include <stdint.h>

#include "detect/boxes.h"
#include "detect/settings.h"

/** Working memory that calls reuse; it grows to the largest call's need. */
typedef struct as_detect_scratch as_detect_scratch;

/** No more contours of a map than this are looked at. */
#define AS_CANDIDATES_MAX 1000

/** A fresh scratch; NULL when there is no memory.  One caller thread uses it at a time. */
as_detect_scratch *as_detect_scratch_new(void) AS_CHECKED;

/** Free it; takes NULL. */
void as_detect_scratch_free(as_detect_scratch *scratch);

/**
 * Resize an image to the network's size and normalise it.
 * @param bgr   uint8 bgr[h][w][3], blue first; only read.
 * @param input float input[3][net_h][net_w], blue plane first; caller's memory, overwritten.
 * @return ASSAY_OK, ASSAY_E_ARGUMENT for a side outside 1..AS_IMAGE_SIDE_MAX, ASSAY_E_MEMORY.
 * Allocates only where `scratch` has not yet seen so wide an image.
 */
assay_code as_preprocess(as_detect_scratch *scratch, const uint8_t *bgr, int h, int w,
                         int net_h, int net_w, float *input, assay_error *err);

/**
 * The boxes of one probability map.
 * @param prob  float prob[h][w]; NaN and infinities are allowed and crash nothing; only read.
 * @param image_h,image_w  pixels of the image that the map stands for.
 * @param boxes cleared first, then filled; on failure empty.
 * @return ASSAY_OK, ASSAY_E_ARGUMENT for a side outside 1..AS_IMAGE_SIDE_MAX or settings that
 *         as_detect_settings_check refuses, ASSAY_E_MEMORY.
 */
assay_code as_boxes_from_map(as_detect_scratch *scratch, const as_detect_settings *settings,
                             const float *prob, int h, int w, int image_h, int image_w,
                             as_boxes *boxes, assay_error *err);

#endif
