/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Border following after S. Suzuki and K. Abe, "Topological structural analysis of digitized binary
 * images by border following", CVGIP 30 (1985), as OpenCV 5.0.0 does it in
 * modules/imgproc/src/contours_new.cpp (ContourScanner_, icvFetchContourEx) for RETR_LIST.
 *
 * The working bitmap has a frame of one zero pixel.  A pixel is 0, TEXT, or, once a border went
 * through it, SEEN, or SEEN_RIGHT where that border has its right neighbour outside:
 *
 *     an outer border starts where the scan goes from 0 to TEXT,
 *     a hole's border where it goes from TEXT or SEEN to 0, at the pixel before the 0.
 *
 * Directions, as steps on the screen (y grows downwards):    3 2 1
 *                                                            4 . 0
 *                                                            5 6 7
 */
#include "detect/contours.h"

#include <stdbool.h>
#include <string.h>

#include "base/memory.h"

enum { TEXT = 1, SEEN = 2, SEEN_RIGHT = -126 /* 2 with the sign bit set */ };

static const int8_t STEP_X[8] = {1, 1, 0, -1, -1, -1, 0, 1};
static const int8_t STEP_Y[8] = {0, -1, -1, -1, 0, 1, 1, 1};

/* The working bitmap of one call. */
typedef struct bitmap {
    int8_t *pixels; /* [h + 2][w + 2], borrowed from the contours' room */
    int h, w;       /* without the frame */
    ptrdiff_t stride;
    ptrdiff_t steps[8]; /* STEP_X and STEP_Y as distances in pixels[] */
} bitmap;

static void bitmap_fill(bitmap *map, const float *prob, float thresh)
{
    memset(map->pixels, 0, (size_t)map->stride);
    for (int y = 0; y < map->h; y++) {
        const float *from = prob + (size_t)y * (size_t)map->w;
        int8_t *to = map->pixels + (y + 1) * map->stride + 1;
        to[-1] = 0;
        for (int x = 0; x < map->w; x++)
            to[x] = from[x] > thresh;
        to[map->w] = 0;
    }
    memset(map->pixels + (map->h + 1) * map->stride, 0, (size_t)map->stride);
}

static assay_code bitmap_init(bitmap *map, as_room *room, const float *prob, int h, int w,
                              float thresh, assay_error *err)
{
    assay_code code = as_room_reserve(room, (size_t)h + 2, (size_t)w + 2, err);
    if (code) return code;
    *map = (bitmap){.pixels = room->data, .h = h, .w = w, .stride = (ptrdiff_t)w + 2};
    for (int i = 0; i < 8; i++)
        map->steps[i] = STEP_Y[i] * map->stride + STEP_X[i];
    bitmap_fill(map, prob, thresh);
    return ASSAY_OK;
}

/* The first neighbour of `at` that is not 0, clockwise behind `direction`; 8 where there is none. */
static int first_clockwise(const bitmap *map, const int8_t *at, int direction)
{
    for (int i = 1; i < 8; i++) {
        int d = (direction - i) & 7;
        if (at[map->steps[d]] != 0) return d;
    }
    return 8;
}

/*
 * Follow one border from (x, y), marking its pixels, and add the points where it turns.
 * `outside` is the direction, from the start, of the pixel that made the scan stop: 4 for an outer
 * border, 0 for a hole's.
 */
static assay_code follow(const bitmap *map, int x, int y, int outside, as_points *points,
                         assay_error *err)
{
    int8_t *start = map->pixels + (y + 1) * map->stride + (x + 1);
    int direction = first_clockwise(map, start, outside);
    if (direction == 8) {
        *start = SEEN_RIGHT;
        return as_points_add(points, (as_point){x, y}, err);
    }
    const int8_t *before_start = start + map->steps[direction];
    int8_t *at = start;
    int last_step = direction ^ 4;
    for (;;) {
        /* The next border pixel, counter-clockwise from the one that we came from. */
        int from = direction;
        do
            direction++;
        while (at[map->steps[direction & 7]] == 0);
        direction &= 7;
        int8_t *next = at + map->steps[direction];
        /* Was the right neighbour (direction 0) among the zeros that were passed? */
        if ((unsigned)(direction - 1) < (unsigned)from)
            *at = SEEN_RIGHT;
        else if (*at == TEXT)
            *at = SEEN;
        if (direction != last_step) {
            assay_code code = as_points_add(points, (as_point){x, y}, err);
            if (code) return code;
        }
        last_step = direction;
        x += STEP_X[direction];
        y += STEP_Y[direction];
        if (next == start && at == before_start) return ASSAY_OK;
        at = next;
        direction = (direction + 4) & 7;
    }
}

/* The first of x..w-1 where `row` differs from `value`, else w. */
static int skip_equal(const int8_t *row, int x, int w, int8_t value)
{
    uint64_t eight = UINT64_C(0x0101010101010101) * (uint8_t)value;
    while (x + 8 <= w) {
        uint64_t pixels;
        memcpy(&pixels, row + x, sizeof pixels);
        if (pixels != eight) break;
        x += 8;
    }
    while (x < w && row[x] == value)
        x++;
    return x;
}

static assay_code contour_add(as_contours *contours, const bitmap *map, int x, int y,
                              int outside, assay_error *err)
{
    size_t *ends = as_grow(contours->ends, contours->n, &contours->room, sizeof *ends);
    if (ends == NULL)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for contour %zu of a map",
                       contours->n + 1);
    contours->ends = ends;
    assay_code code = follow(map, x, y, outside, &contours->points, err);
    if (code) return code;
    ends[contours->n++] = contours->points.n;
    return ASSAY_OK;
}

/* Scan row y; `row` is its first pixel behind the frame. */
static assay_code scan_row(as_contours *contours, const bitmap *map, int y, assay_error *err)
{
    const int8_t *row = map->pixels + (y + 1) * map->stride + 1;
    int8_t before = 0;
    /* The frame's pixel at w ends runs that touch the right side. */
    for (int x = 0; (x = skip_equal(row, x, map->w + 1, before)) <= map->w; x++) {
        int8_t here = row[x];
        assay_code code = ASSAY_OK;
        if (before == 0 && here == TEXT)
            code = contour_add(contours, map, x, y, 4, err);
        else if (before > 0 && here == 0)
            code = contour_add(contours, map, x - 1, y, 0, err);
        if (code) return code;
        before = row[x]; /* following may have marked it */
    }
    return ASSAY_OK;
}

assay_code as_contours_find(as_contours *contours, const float *prob, int h, int w,
                            float thresh, assay_error *err)
{
    bitmap map;
    contours->n = 0;
    contours->points.n = 0;
    assay_code code = bitmap_init(&map, &contours->bitmap, prob, h, w, thresh, err);
    for (int y = 0; y < h && !code; y++)
        code = scan_row(contours, &map, y, err);
    if (code) contours->n = 0;
    return code;
}

static size_t contour_start(const as_contours *contours, size_t k)
{
    return k == 0 ? 0 : contours->ends[k - 1];
}

const as_point *as_contours_points(const as_contours *contours, size_t i)
{
    return contours->points.items + contour_start(contours, contours->n - 1 - i);
}

size_t as_contours_size(const as_contours *contours, size_t i)
{
    size_t k = contours->n - 1 - i;
    return contours->ends[k] - contour_start(contours, k);
}

void as_contours_free(as_contours *contours)
{
    as_points_free(&contours->points);
    as_free(contours->ends);
    as_room_free(&contours->bitmap);
    *contours = (as_contours){0};
}
