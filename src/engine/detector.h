/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_ENGINE_DETECTOR_H
#define ASSAY_ENGINE_DETECTOR_H
/*
 * A detector: pixels -> boxes, by an engine under a policy.  Splitting a call into pieces and
 * padding its tensor to buckets are done here, so they mean the same for every engine.
 *
 *     as_detector *d;
 *     code = as_detector_new(engine, &policy, &d, err);
 *     code = as_detector_run(d, inputs, n, boxes, &report, err);
 */
#include <stdint.h>

#include "base/clock.h"
#include "base/sha256.h"
#include "detect/detect.h"
#include "engine/engine.h"

/** One input of a call; borrows its pixels. */
typedef struct as_detector_input {
    const uint8_t *bgr; /**< uint8 bgr[height][width][3] */
    size_t height, width;
} as_detector_input;

#define AS_MAX_PIECES 1024 /* a corpus' largest call, in pieces of one */

/** What a call cost and what the network saw. */
typedef struct as_call_report {
    as_shape4 call;                  /**< N C H W before any split or padding. */
    size_t n_pieces;                 /**< Forward passes. */
    as_shape4 pieces[AS_MAX_PIECES]; /**< Shape that the network saw in each. */
    int64_t preprocess_ns, forward_ns, transfer_ns, postprocess_ns;
    as_clock_fault clock;           /**< Whether these are durations. */
    size_t n_not_finite;            /**< NaN or Inf among the map's values. */
    char map_sha256[AS_SHA256_HEX]; /**< Of the maps' bytes, in input order. */
    /** Hashes outputs[call.n] where outputs are kept in the place of boxes, else NULL; set by who keeps. */
    const char (*outputs)[AS_SHA256_HEX];
} as_call_report;

typedef struct as_detector as_detector;

/** A detector over `engine` (borrowed) under `policy`'s split and bucket. */
assay_code as_detector_new(as_engine *engine, const as_policy *policy, as_detector **out,
                           assay_error *err);
void as_detector_free(as_detector *detector);

/**
 * Detect on one call: inputs whose network shapes are equal under `settings`.
 * @param boxes   as_boxes boxes[n], filled; each owned by the caller (as_boxes_free).
 * @param report  filled; hashing and counting are outside every time in it.
 */
assay_code as_detector_run(as_detector *detector, const as_detect_settings *settings,
                           const as_detector_input *inputs, size_t n, as_boxes *boxes,
                           as_call_report *report, assay_error *err);

/** Maps of the last call: float maps[n][h][w], cropped to the call's network shape. */
const float *as_detector_maps(const as_detector *detector, as_shape4 *shape);

/** Frees buffers kept for speed; called after each document. */
void as_detector_cleanup(as_detector *detector);

#endif
