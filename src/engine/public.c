/* SPDX-License-Identifier: Apache-2.0 */
/* The public detector.h over this folder's detectors. */
#include <string.h>

#include "assay/detector.h"
#include "base/memory.h"
#include "engine/detector.h"

struct assay_detector {
    as_policy policy;
    as_engine *engine;     /* owns */
    as_detector *detector; /* owns */
    as_detect_settings settings;
};

assay_detector_options assay_detector_options_defaults(void)
{
    as_detect_settings s = as_detect_settings_defaults();
    return (assay_detector_options){.policy = "native=native",
                                    .thresh = s.thresh,
                                    .box_thresh = s.box_thresh,
                                    .unclip = s.unclip,
                                    .limit_side = s.limit_side,
                                    .limits_shorter = s.limit_type == AS_LIMIT_MIN};
}

void assay_detector_free(assay_detector *detector)
{
    if (!detector) return;
    as_detector_free(detector->detector);
    as_engine_close(detector->engine);
    as_policy_free(&detector->policy);
    as_free(detector);
}

static assay_code fill(assay_detector *d, const char *model_path,
                       const assay_detector_options *options, assay_error *err)
{
    d->settings = (as_detect_settings){.thresh = options->thresh,
                                       .box_thresh = options->box_thresh,
                                       .unclip = options->unclip,
                                       .limit_side = options->limit_side,
                                       .limit_type = options->limits_shorter ? AS_LIMIT_MIN
                                                                             : AS_LIMIT_MAX};
    assay_code code = as_detect_settings_check(&d->settings, err);
    if (!code) code = as_policy_parse(options->policy, &d->policy, err);
    if (!code) code = as_engine_open(&d->policy, model_path, &d->engine, err);
    if (!code) code = as_detector_new(d->engine, &d->policy, &d->detector, err);
    return code;
}

assay_code assay_detector_load(const char *model_path, const assay_detector_options *options,
                               assay_detector **out, assay_error *err)
{
    *out = NULL;
    assay_detector_options defaults = assay_detector_options_defaults();
    assay_detector *d = as_alloc(sizeof *d);
    if (!d) return as_fail(err, ASSAY_E_MEMORY, "no memory for a detector");
    assay_code code = fill(d, model_path, options ? options : &defaults, err);
    if (code)
        assay_detector_free(d);
    else
        *out = d;
    return code;
}

assay_code assay_detector_run(assay_detector *detector, const uint8_t *bgr, size_t height,
                              size_t width, assay_box **boxes, size_t *n, assay_error *err)
{
    *boxes = NULL;
    *n = 0;
    as_detector_input input = {.bgr = bgr, .height = height, .width = width};
    as_boxes found = {0};
    as_call_report report;
    assay_code code = as_detector_run(detector->detector, &detector->settings, &input, 1,
                                      &found, &report, err);
    assay_box *copy = NULL;
    if (!code && found.n) {
        copy = as_alloc_array(found.n, sizeof *copy);
        if (!copy) code = as_fail(err, ASSAY_E_MEMORY, "no memory for %zu boxes", found.n);
    }
    for (size_t i = 0; copy && i < found.n; i++) {
        memcpy(copy[i].corners, found.items[i].corners, sizeof copy[i].corners);
        copy[i].score = found.items[i].score;
    }
    if (!code) {
        *boxes = copy;
        *n = found.n;
    }
    as_boxes_free(&found);
    return code;
}

void assay_boxes_free(assay_box *boxes) { as_free(boxes); }
