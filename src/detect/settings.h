/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_DETECT_SETTINGS_H
#define ASSAY_DETECT_SETTINGS_H
/*
 * What a user may set of the detector, and the shape that the network sees of an image.
 *
 *     as_detect_settings settings = as_detect_settings_defaults();
 *     as_network_size size = as_network_size_of(&settings, image_h, image_w);
 *     // input tensor: float[1][3][size.h][size.w]
 *
 * tests/oracle/detect.py is the executable description of both.
 */
#include <stdbool.h>

#include "base/error.h"

/** Which side of an image the limit is for. */
typedef enum as_limit_type {
    AS_LIMIT_MAX, /**< The longer side is brought down to the limit. */
    AS_LIMIT_MIN  /**< The shorter side is brought up to the limit. */
} as_limit_type;

/** A plain value; as_detect_settings_defaults() fills it. */
typedef struct as_detect_settings {
    float thresh;             /**< Pixels above it are text, compared in float32; 0.3f. */
    double box_thresh;        /**< Boxes of a lower mean are dropped, in double; 0.6. */
    double unclip;            /**< A box grows by area * unclip / perimeter; 1.5. */
    int limit_side;           /**< In pixels, 1..AS_SIDE_MAX; 960. */
    as_limit_type limit_type; /**< AS_LIMIT_MAX. */
} as_detect_settings;

/** No side of a network's input is made from more than this many pixels. */
#define AS_SIDE_MAX       4000
/** Every side of a network's input is a multiple of this, and at least it. */
#define AS_SIDE_STEP      32
/** Longest side of an image that the detector takes (PNG files may claim 2^31). */
#define AS_IMAGE_SIDE_MAX 65535

/** The defaults stated at the fields. */
as_detect_settings as_detect_settings_defaults(void);

/**
 * Look whether every value is one that detection takes: thresholds finite, 0 < unclip <= 100,
 * limit_side in 1..AS_SIDE_MAX, a known limit type.
 * @return ASSAY_OK or ASSAY_E_ARGUMENT, with the field, its value and the needed range.
 */
assay_code as_detect_settings_check(const as_detect_settings *settings, assay_error *err);

/** Height and width of a network's input. */
typedef struct as_network_size {
    int h, w;         /**< Multiples of AS_SIDE_STEP, never 0, never above AS_SIDE_MAX. */
    bool scaled_down; /**< The settings asked for a side above AS_SIDE_MAX. */
} as_network_size;

/**
 * The input that a network gets for an image of h x w pixels, both 1..AS_IMAGE_SIDE_MAX.
 * Quotients by 32 are rounded with halves to the even neighbour.
 */
as_network_size as_network_size_of(const as_detect_settings *settings, int h, int w);

#endif
