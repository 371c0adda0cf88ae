/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A contour becomes a box, or is dropped on the way:
 *
 *     contour -> least rectangle -> score -> grown outline -> least rectangle -> image's pixels
 *                side >= 3          >= box_thresh             side >= 5          sides > 3
 */
#include <math.h>

#include "base/memory.h"
#include "detect/margins.h"
#include "detect/order.h"
#include "detect/score.h"
#include "detect/scratch.h"
#include "detect/unclip.h"

/* PaddleOCR db_postprocess.py @06f5904, DBPostProcess.min_size; grown boxes need 2 more. */
static const float SHORT_SIDE_MIN = 3, GROWN_SIDE_MIN = 5;

/* One map on its way to boxes; everything is borrowed. */
typedef struct map_job {
    as_detect_scratch *scratch;
    const as_detect_settings *settings;
    const float *prob;
    int h, w, image_h, image_w;
} map_job;

/* The least rectangle's corners in order; *is_kept tells whether its short side is long enough. */
static assay_code find_quad(const map_job *job, const as_point *points, size_t n,
                            float least_side, as_quad *quad, bool *is_kept, assay_error *err)
{
    as_rect rect = {0};
    assay_code code = as_min_area_rect(points, n, &job->scratch->rect, &rect, err);
    if (code) return code;
    float side = rect.width < rect.height ? rect.width : rect.height;
    *is_kept = side >= least_side;
    if (*is_kept) {
        as_quad corners = as_rect_corners(&rect);
        *quad = as_quad_order(&corners);
    }
    return ASSAY_OK;
}

static assay_code contour_to_box(const map_job *job, const as_point *points, size_t n,
                                 as_box *box, bool *is_kept, assay_error *err)
{
    as_detect_scratch *scratch = job->scratch;
    as_quad quad = {0};
    assay_code code = find_quad(job, points, n, SHORT_SIDE_MIN, &quad, is_kept, err);
    if (code || !*is_kept) return code;
    code = as_box_score(job->prob, job->h, job->w, &quad, &scratch->mask, &box->score, err);
    /* A score that is not a number is kept, as in the oracle. */
    *is_kept = !(box->score < job->settings->box_thresh);
    if (code || !*is_kept) return code;
    code = as_unclip(&quad, job->settings->unclip, &scratch->grown, err);
    *is_kept = scratch->grown.n > 0;
    if (code || !*is_kept) return code;
    code = find_quad(job, scratch->grown.items, scratch->grown.n, GROWN_SIDE_MIN, &quad,
                     is_kept, err);
    if (code || !*is_kept) return code;
    *is_kept = as_box_scale(&quad, job->h, job->w, job->image_h, job->image_w, box);
    return ASSAY_OK;
}

static bool is_side(int side) { return side >= 1 && side <= AS_IMAGE_SIDE_MAX; }

assay_code as_boxes_from_map(as_detect_scratch *scratch, const as_detect_settings *settings,
                             const float *prob, int h, int w, int image_h, int image_w,
                             as_boxes *boxes, assay_error *err)
{
    const map_job job = {scratch, settings, prob, h, w, image_h, image_w};
    const as_contours *contours = &scratch->contours;
    as_boxes_clear(boxes);
    assay_code code = as_detect_settings_check(settings, err);
    if (code) return code;
    if (!is_side(h) || !is_side(w) || !is_side(image_h) || !is_side(image_w))
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "a map of %d x %d for an image of %d x %d, sides have to be in 1..%d", h,
                       w, image_h, image_w, AS_IMAGE_SIDE_MAX);
    code = as_contours_find(&scratch->contours, prob, h, w, settings->thresh, err);
    for (size_t i = 0; i < contours->n && i < AS_CANDIDATES_MAX && !code; i++) {
        as_box box = {0};
        bool is_kept = false;
        code = contour_to_box(&job, as_contours_points(contours, i),
                              as_contours_size(contours, i), &box, &is_kept, err);
        if (!code && is_kept) code = as_boxes_add(boxes, &box, err);
    }
    if (code) as_boxes_clear(boxes);
    return code;
}

/* A rectangle of pixels, its ends within it. */
typedef struct span {
    int x0, y0, x1, y1;
} span;

/* Around a contour's points, one pixel more on each side, inside the map. */
static span around(const map_job *job, const as_point *points, size_t n)
{
    span s = {job->w, job->h, 0, 0};
    for (size_t i = 0; i < n; i++) {
        if (points[i].x < s.x0) s.x0 = points[i].x;
        if (points[i].x > s.x1) s.x1 = points[i].x;
        if (points[i].y < s.y0) s.y0 = points[i].y;
        if (points[i].y > s.y1) s.y1 = points[i].y;
    }
    s.x0 = s.x0 > 0 ? s.x0 - 1 : 0;
    s.y0 = s.y0 > 0 ? s.y0 - 1 : 0;
    s.x1 = s.x1 < job->w - 1 ? s.x1 + 1 : job->w - 1;
    s.y1 = s.y1 < job->h - 1 ? s.y1 + 1 : job->h - 1;
    return s;
}

/* The least distance from the threshold in the span; `seen` marks its pixels, and with `is_rest` those that are
 * marked do not count. */
static double least_distance(const map_job *job, span s, unsigned char *seen, bool is_rest)
{
    double least = NAN;
    for (int y = s.y0; y <= s.y1; y++) {
        for (int x = s.x0; x <= s.x1; x++) {
            size_t at = (size_t)y * (size_t)job->w + (size_t)x;
            double distance = fabs((double)job->prob[at] - (double)job->settings->thresh);
            if (!(is_rest && seen[at]))
                least = fmin(least, distance); /* NaN is no number's least */
            seen[at] = 1;
        }
    }
    return least;
}

static assay_code add_margin(as_margins *list, as_margin_of margin, assay_error *err)
{
    as_margin_of *grown = as_grow(list->items, list->n, &list->room, sizeof *grown);
    if (!grown) return as_fail(err, ASSAY_E_MEMORY, "no memory for margins");
    list->items = grown;
    list->items[list->n++] = margin;
    return ASSAY_OK;
}

static assay_code add_candidates(const map_job *job, unsigned char *seen, as_margins *out,
                                 assay_error *err)
{
    const as_contours *contours = &job->scratch->contours;
    assay_code code = ASSAY_OK;
    int n_boxes = 0;
    for (size_t i = 0; i < contours->n && i < AS_CANDIDATES_MAX && !code; i++) {
        as_box box = {.score = NAN};
        bool is_kept = false;
        const as_point *points = as_contours_points(contours, i);
        size_t n = as_contours_size(contours, i);
        code = contour_to_box(job, points, n, &box, &is_kept, err);
        if (code || (!is_kept && isnan(box.score))) continue; /* too small to be scored */
        as_margin_of margin = {.box = is_kept ? n_boxes : AS_MARGIN_DROPPED,
                               .pixel =
                                   least_distance(job, around(job, points, n), seen, false),
                               .score = box.score - job->settings->box_thresh};
        n_boxes += is_kept;
        code = add_margin(out, margin, err);
    }
    return code;
}

assay_code as_margins_of_map(as_detect_scratch *scratch, const as_detect_settings *settings,
                             const float *prob, int h, int w, int image_h, int image_w,
                             as_margins *out, assay_error *err)
{
    const map_job job = {scratch, settings, prob, h, w, image_h, image_w};
    out->n = 0;
    assay_code code = as_detect_settings_check(settings, err);
    if (code) return code;
    if (!is_side(h) || !is_side(w))
        return as_fail(err, ASSAY_E_ARGUMENT, "a map of %d x %d, sides have to be in 1..%d", h,
                       w, AS_IMAGE_SIDE_MAX);
    unsigned char *seen = as_alloc_array((size_t)h * (size_t)w, sizeof *seen);
    if (!seen) return as_fail(err, ASSAY_E_MEMORY, "no memory for the margins of a map");
    code = as_contours_find(&scratch->contours, prob, h, w, settings->thresh, err);
    if (!code) code = add_candidates(&job, seen, out, err);
    const span whole = {0, 0, w - 1, h - 1};
    as_margin_of rest = {.box = AS_MARGIN_REST, .score = NAN};
    if (!code) rest.pixel = least_distance(&job, whole, seen, true);
    if (!code) code = add_margin(out, rest, err);
    as_free(seen);
    return code;
}

void as_margins_free(as_margins *margins)
{
    as_free(margins->items);
    *margins = (as_margins){0};
}
