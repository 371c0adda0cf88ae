/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/order.h"

#include <math.h>

/* Side lengths up to this are dropped, cut to whole pixels (PaddleOCR predict_det.py @06f5904,
 * TextDetector.filter_tag_det_res). */
enum { SHORTEST_DROPPED_PX = 3 };

as_quad as_quad_order(const as_quad *quad)
{
    const float *p[4];
    for (int i = 0; i < 4; i++) {
        int j = i;
        for (; j > 0 && quad->corners[i][0] < p[j - 1][0]; j--)
            p[j] = p[j - 1];
        p[j] = quad->corners[i];
    }
    bool left_in_order = p[1][1] > p[0][1], right_in_order = p[3][1] > p[2][1];
    const float *ring[4] = {p[left_in_order ? 0 : 1], p[right_in_order ? 2 : 3],
                            p[right_in_order ? 3 : 2], p[left_in_order ? 1 : 0]};
    as_quad ordered;
    for (int i = 0; i < 4; i++) {
        ordered.corners[i][0] = ring[i][0];
        ordered.corners[i][1] = ring[i][1];
    }
    return ordered;
}

/* A coordinate of the map as one of the image; the oracle stores it as int16, which wraps. */
static int32_t scale(float value, int size, int image_size)
{
    float scaled = nearbyintf(value / (float)size * (float)image_size);
    if (scaled < 0) scaled = 0;
    if (scaled > (float)image_size) scaled = (float)image_size;
    int32_t whole = (int32_t)scaled;
    return whole > INT16_MAX ? whole - 65536 : whole;
}

static void swap_corners(int32_t *a, int32_t *b)
{
    for (int i = 0; i < 2; i++) {
        int32_t swap = a[i];
        a[i] = b[i];
        b[i] = swap;
    }
}

/* The order that stable sorts give: equal corners stay as they were. */
static void order_corners(int32_t corners[4][2])
{
    for (int i = 1; i < 4; i++)
        for (int j = i; j > 0 && corners[j][0] < corners[j - 1][0]; j--)
            swap_corners(corners[j], corners[j - 1]);
    if (corners[1][1] < corners[0][1]) swap_corners(corners[0], corners[1]);
    if (corners[3][1] < corners[2][1]) swap_corners(corners[2], corners[3]);
    /* tl, bl, tr, br -> tl, tr, br, bl */
    swap_corners(corners[1], corners[2]);
    swap_corners(corners[2], corners[3]);
}

static int32_t hold(int32_t value, int size)
{
    if (value < 0) return 0;
    return value < size ? value : size - 1;
}

static bool is_short(const int32_t a[2], const int32_t b[2])
{
    int64_t dx = a[0] - b[0], dy = a[1] - b[1];
    return dx * dx + dy * dy < (SHORTEST_DROPPED_PX + 1) * (SHORTEST_DROPPED_PX + 1);
}

bool as_box_scale(const as_quad *quad, int h, int w, int image_h, int image_w, as_box *box)
{
    int32_t(*corners)[2] = box->corners;
    for (int i = 0; i < 4; i++) {
        corners[i][0] = scale(quad->corners[i][0], w, image_w);
        corners[i][1] = scale(quad->corners[i][1], h, image_h);
    }
    order_corners(corners);
    for (int i = 0; i < 4; i++) {
        corners[i][0] = hold(corners[i][0], image_w);
        corners[i][1] = hold(corners[i][1], image_h);
    }
    return !is_short(corners[0], corners[1]) && !is_short(corners[0], corners[3]);
}
