/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenCV 5.0.0's bilinear resize of uint8 (modules/imgproc/src/resize.cpp: resize, HResizeLinear,
 * VResizeLinear, VResizeLinearVec_32s8u, ResizeAreaFast), in its fixed point:
 *
 *     across:  s = p[left] * a0 + p[right] * a1        weights of 11 bits: s has 19 bits
 *     down:    ((b0 * (s0 >> 4) >> 16) + (b1 * (s1 >> 4) >> 16) + 2) >> 2
 *
 * The weights are made in float32 from a position in double and rounded with halves to even.  Two
 * cases are other code in OpenCV: equal sizes are copied, and exact halves in both directions are
 * the rounded mean of four pixels.  Rows are kept as planes, so that the steps down and behind it
 * run over plain arrays.
 */
#include "detect/resize.h"

#include <math.h>

enum { MODE_COPY, MODE_HALVE, MODE_LINEAR };
enum { WEIGHT_ONE = 2048 };

/* Where one output pixel lies between two input pixels. */
typedef struct tap {
    int first;         /* the left or upper one; may be -1 or beyond the last */
    int16_t weight[2]; /* in 1 / WEIGHT_ONE */
} tap;

static int16_t fixed(float weight) { return (int16_t)lrintf(weight * (float)WEIGHT_ONE); }

/* `is_held` keeps positions outside the image on its border, which OpenCV does for columns only. */
static tap find_tap(int out, int out_size, int size, int is_held)
{
    double inverse = (double)out_size / size;
    double scale = 1. / inverse;
    float position = (float)((out + 0.5) * scale - 0.5);
    int first = (int)floorf(position);
    float fraction = position - (float)first;
    if (is_held && first < 0) {
        first = 0;
        fraction = 0;
    }
    if (is_held && first >= size - 1) {
        first = size - 1;
        fraction = 0;
    }
    return (tap){first, {fixed(1.f - fraction), fixed(fraction)}};
}

static assay_code reserve(as_resizer *r, assay_error *err)
{
    /* Bytes of an output column: left, right, two weights, two rows of 3 planes, 3 planes out. */
    enum { COLUMN = 4 + 4 + 2 * 2 + 2 * 3 * 2 + 3 };
    size_t n = (size_t)r->out_w;
    assay_code code = as_room_reserve(&r->memory, n, COLUMN, err);
    if (code) return code;
    r->left = r->memory.data;
    r->right = r->left + n;
    r->weights = (int16_t *)(r->right + n);
    r->rows[0] = r->weights + 2 * n;
    r->rows[1] = r->rows[0] + 3 * n;
    r->planes = (uint8_t *)(r->rows[1] + 3 * n);
    return ASSAY_OK;
}

assay_code as_resizer_init(as_resizer *resizer, const uint8_t *bgr, int h, int w, int out_h,
                           int out_w, assay_error *err)
{
    as_resizer *r = resizer;
    r->bgr = bgr;
    r->h = h;
    r->w = w;
    r->out_h = out_h;
    r->out_w = out_w;
    r->row_numbers[0] = r->row_numbers[1] = -1;
    r->mode = MODE_LINEAR;
    if (h == out_h && w == out_w) r->mode = MODE_COPY;
    if (h == 2 * out_h && w == 2 * out_w) r->mode = MODE_HALVE;
    assay_code code = reserve(r, err);
    if (code) return code;
    for (int x = 0; x < out_w; x++) {
        tap t = find_tap(x, out_w, w, 1);
        r->left[x] = 3 * t.first;
        r->right[x] = 3 * (t.first + 1 < w ? t.first + 1 : t.first);
        r->weights[2 * x] = t.weight[0];
        r->weights[2 * x + 1] = t.weight[1];
    }
    return ASSAY_OK;
}

static const uint8_t *source_row(const as_resizer *r, int y)
{
    return r->bgr + (size_t)y * (size_t)r->w * 3;
}

static void copy_row(const as_resizer *r, int y)
{
    const uint8_t *from = source_row(r, y);
    uint8_t *blue = r->planes, *green = blue + r->out_w, *red = green + r->out_w;
    for (int x = 0; x < r->out_w; x++) {
        blue[x] = from[3 * x];
        green[x] = from[3 * x + 1];
        red[x] = from[3 * x + 2];
    }
}

static void halve_row(const as_resizer *r, int y)
{
    const uint8_t *upper = source_row(r, 2 * y), *lower = source_row(r, 2 * y + 1);
    for (int c = 0; c < 3; c++) {
        uint8_t *to = r->planes + (size_t)c * (size_t)r->out_w;
        const uint8_t *u = upper + c, *l = lower + c;
        for (int x = 0; x < r->out_w; x++)
            to[x] = (uint8_t)((u[6 * x] + u[6 * x + 3] + l[6 * x] + l[6 * x + 3] + 2) >> 2);
    }
}

/* Resize source row y across; the sums lose their 4 lowest bits, as the step down wants them. */
static void stretch_row(const as_resizer *r, int y, int16_t *to)
{
    const uint8_t *from = source_row(r, y);
    int16_t *blue = to, *green = to + r->out_w, *red = green + r->out_w;
    for (int x = 0; x < r->out_w; x++) {
        const uint8_t *p = from + r->left[x], *q = from + r->right[x];
        int a = r->weights[2 * x], b = r->weights[2 * x + 1];
        blue[x] = (int16_t)((p[0] * a + q[0] * b) >> 4);
        green[x] = (int16_t)((p[1] * a + q[1] * b) >> 4);
        red[x] = (int16_t)((p[2] * a + q[2] * b) >> 4);
    }
}

/* Source row y resized across: kept from the last output row, or made in the slot not in use. */
static const int16_t *stretched(as_resizer *r, int y, int other)
{
    for (int i = 0; i < 2; i++)
        if (r->row_numbers[i] == y) return r->rows[i];
    int slot = r->row_numbers[0] == other;
    stretch_row(r, y, r->rows[slot]);
    r->row_numbers[slot] = y;
    return r->rows[slot];
}

static void blend_rows(const int16_t *restrict upper, const int16_t *restrict lower, int16_t b0,
                       int16_t b1, size_t n, uint8_t *restrict to)
{
    for (size_t i = 0; i < n; i++) {
        int16_t u = (int16_t)((upper[i] * b0) >> 16), l = (int16_t)((lower[i] * b1) >> 16);
        to[i] = (uint8_t)((u + l + 2) >> 2);
    }
}

static int hold(int y, int h)
{
    if (y < 0) return 0;
    return y < h ? y : h - 1;
}

const uint8_t *as_resizer_row(as_resizer *resizer, int y)
{
    as_resizer *r = resizer;
    if (r->mode == MODE_COPY) {
        copy_row(r, y);
    } else if (r->mode == MODE_HALVE) {
        halve_row(r, y);
    } else {
        tap t = find_tap(y, r->out_h, r->h, 0);
        int first = hold(t.first, r->h), second = hold(t.first + 1, r->h);
        const int16_t *upper = stretched(r, first, second);
        const int16_t *lower = stretched(r, second, first);
        blend_rows(upper, lower, t.weight[0], t.weight[1], 3 * (size_t)r->out_w, r->planes);
    }
    return r->planes;
}

void as_resizer_free(as_resizer *resizer)
{
    as_room_free(&resizer->memory);
    *resizer = (as_resizer){0};
}
