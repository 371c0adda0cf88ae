/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as settings and a probability map, NaN and infinities among its values:
 *
 *     h  w  image_h (2)  image_w (2)  thresh (4)  box_thresh (8)  unclip (8)  map, a byte a pixel
 *
 * Boxes lie in the image, none scores below the threshold, and the same map gives the same boxes again.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "detect/detect.h"
#include "fuzz.h"

enum { SIDE_MOST = 96, HEADER_BYTES = 26 };

/* A pixel: thousandths of a probability at the ends of the scale, and what no probability is. */
static float pixel_of(uint8_t byte)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY, -1, 1e30F, 1e-40F, -0.0F, 1.0000001F};
    const int first_odd = 256 - (int)(sizeof odd / sizeof *odd);
    return byte >= first_odd ? odd[byte - first_odd] : (float)byte / (float)(first_odd - 1);
}

static void check(const as_boxes *boxes, const as_detect_settings *s, int image_h, int image_w)
{
    if (boxes->n > AS_CANDIDATES_MAX) abort();
    for (size_t i = 0; i < boxes->n; i++) {
        const as_box *box = &boxes->items[i];
        if (box->score < s->box_thresh) abort();
        for (int k = 0; k < 4; k++)
            if (box->corners[k][0] < 0 || box->corners[k][0] >= image_w ||
                box->corners[k][1] < 0 || box->corners[k][1] >= image_h)
                abort();
    }
}

static bool is_same(const as_boxes *a, const as_boxes *b)
{
    if (a->n != b->n) return false;
    for (size_t i = 0; i < a->n; i++)
        if (memcmp(a->items[i].corners, b->items[i].corners, sizeof a->items[i].corners) != 0 ||
            memcmp(&a->items[i].score, &b->items[i].score, sizeof a->items[i].score) != 0)
            return false;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEADER_BYTES) return 0;
    const int h = 1 + data[0] % SIDE_MOST, w = 1 + data[1] % SIDE_MOST;
    const int image_h = data[2] | data[3] << 8, image_w = data[4] | data[5] << 8;
    as_detect_settings settings = as_detect_settings_defaults();
    memcpy(&settings.thresh, data + 6, 4);
    memcpy(&settings.box_thresh, data + 10, 8);
    memcpy(&settings.unclip, data + 18, 8);
    /* Of the map's very size, so that a step beyond it is seen. */
    float *map = calloc((size_t)h * (size_t)w, sizeof *map);
    as_detect_scratch *scratch = as_detect_scratch_new();
    if (!map || !scratch) abort();
    for (size_t i = 0; i < (size_t)h * (size_t)w && HEADER_BYTES + i < size; i++)
        map[i] = pixel_of(data[HEADER_BYTES + i]);
    as_boxes first = {0}, second = {0};
    assay_error err;
    const bool is_good = image_h && image_w && !as_detect_settings_check(&settings, NULL);
    assay_code code =
        as_boxes_from_map(scratch, &settings, map, h, w, image_h, image_w, &first, &err);
    if (code != (is_good ? ASSAY_OK : ASSAY_E_ARGUMENT)) abort();
    check(&first, &settings, image_h, image_w);
    if (!code &&
        as_boxes_from_map(scratch, &settings, map, h, w, image_h, image_w, &second, &err))
        abort();
    if (!is_same(&first, &second)) abort();
    as_boxes_free(&first);
    as_boxes_free(&second);
    as_detect_scratch_free(scratch);
    free(map);
    return 0;
}
