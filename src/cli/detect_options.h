/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CLI_DETECT_OPTIONS_H
#define ASSAY_CLI_DETECT_OPTIONS_H
/*
 * The detector's settings as options, for every verb that has them.
 *
 *     typedef struct freeze_options { as_detect_options detect; ... } freeze_options;
 *     static const freeze_options defaults = {.detect = AS_DETECT_DEFAULTS};
 *     static const as_option options[] = {AS_DETECT_OPTIONS(freeze_options, detect), ...};
 *     as_detect_settings settings = as_detect_options_settings(&o->detect);
 */
#include "cli/options.h"
#include "detect/settings.h"

/** What the options fill. */
typedef struct as_detect_options {
    double thresh, box_thresh, unclip;
    int64_t limit_side;
    int limit_type; /**< Index of "max|min". */
} as_detect_options;

/* The defaults of tests/oracle/detect.py. */
#define AS_DETECT_DEFAULTS                                                                     \
    {                                                                                          \
        .thresh = 0.3, .box_thresh = 0.6, .unclip = 1.5, .limit_side = 960, .limit_type = 0    \
    }

#define AS_DETECT_OPTIONS(S, F)                                                                \
    AS_DOUBLE(S, F.thresh, "thresh", "T", 0, 1, "pixels above it are text; default 0.3"),      \
        AS_DOUBLE(S, F.box_thresh, "box-thresh", "T", 0, 1,                                    \
                  "boxes of a lower mean are dropped; default 0.6"),                           \
        AS_DOUBLE(S, F.unclip, "unclip", "R", 0.001, 100,                                      \
                  "boxes grow by area * R / perimeter; default 1.5"),                          \
        AS_INT(S, F.limit_side, "limit-side", "PX", 1, AS_SIDE_MAX,                            \
               "limit of an image's side in pixels; default 960"),                             \
        AS_CHOICE(S, F.limit_type, "limit-type", "max|min",                                    \
                  "longer side down to the limit, or shorter up; default max")

static inline as_detect_settings as_detect_options_settings(const as_detect_options *o)
{
    return (as_detect_settings){.thresh = (float)o->thresh,
                                .box_thresh = o->box_thresh,
                                .unclip = o->unclip,
                                .limit_side = (int)o->limit_side,
                                .limit_type = o->limit_type ? AS_LIMIT_MIN : AS_LIMIT_MAX};
}

#endif
