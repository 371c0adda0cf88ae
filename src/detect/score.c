/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/score.h"

#include <math.h>
#include <string.h>

#include "detect/fill_poly.h"

/* Rows or columns first..last that a box touches, inside 0..size-1. */
typedef struct extent {
    int first, last;
} extent;

static int clamp(float value, int size)
{
    if (value < 0) return 0;
    return value > (float)(size - 1) ? size - 1 : (int)value;
}

static extent box_extent(const as_quad *box, int axis, int size)
{
    float low = box->corners[0][axis], high = low;
    for (int i = 1; i < 4; i++) {
        float v = box->corners[i][axis];
        if (v < low) low = v;
        if (v > high) high = v;
    }
    return (extent){clamp(floorf(low), size), clamp(ceilf(high), size)};
}

assay_code as_box_score(const float *prob, int h, int w, const as_quad *box, as_room *mask,
                        double *score, assay_error *err)
{
    extent x = box_extent(box, 0, w), y = box_extent(box, 1, h);
    int mask_w = x.last - x.first + 1, mask_h = y.last - y.first + 1;
    assay_code code = as_room_reserve(mask, (size_t)mask_h, (size_t)mask_w, err);
    if (code) return code;
    memset(mask->data, 0, (size_t)mask_h * (size_t)mask_w);
    as_point corners[4];
    for (int i = 0; i < 4; i++)
        corners[i] = (as_point){(int32_t)((double)box->corners[i][0] - x.first),
                                (int32_t)((double)box->corners[i][1] - y.first)};
    as_fill_quad(mask->data, mask_h, mask_w, corners);

    /* One sum in double over the rows in order, as cv2.mean has it. */
    double sum = 0;
    size_t n = 0;
    for (int row = 0; row < mask_h; row++) {
        const uint8_t *set = (const uint8_t *)mask->data + (size_t)row * (size_t)mask_w;
        const float *from = prob + (size_t)(y.first + row) * (size_t)w + x.first;
        for (int i = 0; i < mask_w; i++) {
            if (!set[i]) continue;
            sum += from[i];
            n++;
        }
    }
    *score = n == 0 ? 0 : sum * (1. / (double)n);
    return ASSAY_OK;
}
