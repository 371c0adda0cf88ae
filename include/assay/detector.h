/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_DETECTOR_H
#define ASSAY_DETECTOR_H
/*
 * Text detection in one call: pixels in, boxes out, as the PaddleOCR DB detector gives them.
 *
 *     assay_detector *detector;
 *     assay_detector_load("det.onnx", NULL, &detector, &err);
 *     assay_box *boxes;
 *     size_t n;
 *     assay_detector_run(detector, bgr, height, width, &boxes, &n, &err);
 *     ... boxes[0].corners[0][0] ...
 *     assay_boxes_free(boxes);
 *     assay_detector_free(detector);
 *
 * One caller thread at a time.
 */
#include <stddef.h>
#include <stdint.h>

#include "assay/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct assay_detector assay_detector;

/** How to detect; assay_detector_options_defaults() gives the values in brackets. */
typedef struct assay_detector_options {
    const char
        *policy;  /**< ["native=native"] NAME=ENGINE[,key=value...], as on the command line. */
    float thresh; /**< [0.3] Pixels of a higher probability are text. */
    double box_thresh;  /**< [0.6] Boxes of a lower mean probability are dropped. */
    double unclip;      /**< [1.5] A box grows by area * unclip / perimeter. */
    int limit_side;     /**< [960] Limit of the side, in pixels. */
    int limits_shorter; /**< [0] 0: the longer side is brought down to it; 1: the shorter up. */
} assay_detector_options;

ASSAY_API assay_detector_options assay_detector_options_defaults(void);

/** One box of text. */
typedef struct assay_box {
    int32_t
        corners[4][2]; /**< (x, y) in pixels: top left, top right, bottom right, bottom left. */
    double score;      /**< Mean probability inside. */
} assay_box;

/**
 * Load a detector.
 * @param options  NULL = the defaults.
 * @param out      owned by the caller (assay_detector_free); NULL on failure.
 */
ASSAY_API assay_code assay_detector_load(const char *model_path,
                                         const assay_detector_options *options,
                                         assay_detector **out, assay_error *err);

/** Frees the detector; takes NULL. */
ASSAY_API void assay_detector_free(assay_detector *detector);

/**
 * Detect on one image.
 * @param bgr    uint8 bgr[height][width][3], blue first; only read.
 * @param boxes  receives boxes[n], owned by the caller (assay_boxes_free); NULL where n is 0.
 */
ASSAY_API assay_code assay_detector_run(assay_detector *detector, const uint8_t *bgr,
                                        size_t height, size_t width, assay_box **boxes,
                                        size_t *n, assay_error *err);

/** Free boxes of assay_detector_run; takes NULL. */
ASSAY_API void assay_boxes_free(assay_box *boxes);

#ifdef __cplusplus
}
#endif
#endif
