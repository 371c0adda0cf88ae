/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Depthwise convolution: vectors run over channels, WIDE output pixels of a row at a time.
 *
 * Packed weights, for each vector of channels:
 *
 *     bias[LANES] | tap 0: w[LANES] | tap 1: w[LANES] | ...
 *
 * A row goes by strips, each vector of channels along all of a strip, so that its weights and the
 * columns that neighbouring groups of pixels share stay in the first-level cache:
 *
 *     output row   | strip: group group group group | strip: ..
 *                    vector 0 ------------------->
 *                    vector 1 ------------------->    ...  then the epilogue over the strip
 *
 * A group reads rows of the input through a pointer and a step a kernel row; a kernel row above or
 * below the image has step 0 and points at zeros.  A group at the border looks at each column
 * whether it lies in the image.
 *
 * Where registers suffice, kernels of stride 1 do two output rows at once: each input vector then
 * meets the taps of both, so kh + 1 rows are read instead of 2 kh, and there are twice as many
 * chains to hide the latency of an FMA behind.
 *
 * Exact.  An item is one output row.
 */
#include <string.h>

#include "kernels/epilogue.h"
#include "kernels/prototypes.h"

#define ROUTE(function) KERNEL(conv_depthwise_##function)

/* Output pixels of a row at a time. */
#define WIDE         8
/* Floats of an output row between two runs of the epilogue: 16 KiB stay in the first cache. */
#define STRIP_FLOATS 4096
#if defined(ISA_AVX512) || defined(ISA_NEON) /* 32 registers */
#define ROWS_AT_ONCE 2
#else
#define ROWS_AT_ONCE 1
#endif
#define MAX_TAPS       256
#define MAX_KNOWN_KW   7
/* Groups of kernels up to this width share so few columns that all channels of one come before the
 * next, so that the input streams by from front to back (bench/results/2026-11-30-maps.txt). */
#define MOST_BY_PIXELS 3

bool ROUTE(proposes)(const as_conv_shape *s)
{
    return s->group == s->ic && s->oc == s->ic && s->kh * s->kw <= MAX_TAPS;
}

static size_t block_floats(const as_conv_shape *s) { return (s->kh * s->kw + 1) * VF_LANES; }

static size_t n_channel_vecs(const as_conv_shape *s)
{
    return (s->ic + VF_LANES - 1) / VF_LANES;
}

size_t ROUTE(packed_floats)(const as_conv_shape *s)
{
    return n_channel_vecs(s) * block_floats(s);
}

void ROUTE(pack)(const as_conv_shape *s, const float *weights, const float *bias, float *packed)
{
    const size_t n_taps = s->kh * s->kw;
    memset(packed, 0, ROUTE(packed_floats)(s) * sizeof *packed);
    for (size_t c = 0; c < s->ic; c++) {
        float *block = packed + c / VF_LANES * block_floats(s) + c % VF_LANES;
        if (bias) block[0] = bias[c];
        for (size_t tap = 0; tap < n_taps; tap++)
            block[(1 + tap) * VF_LANES] = weights[c * n_taps + tap];
    }
}

/* A vector of zeros for each of channels. */
size_t ROUTE(scratch_floats)(const as_conv_shape *s) { return n_channel_vecs(s) * VF_LANES; }

size_t ROUTE(n_items)(const as_conv_shape *s) { return s->n * s->oh; }

/* What the loops of one output row, or of two at once, need. */
typedef struct dw_rows {
    const as_conv_args *args;
    size_t n_out;
    const float *in[MAX_TAPS + 1]; /* of each kernel row, and of one more for the lower of two:
                                      the input row's pixel 0, or zeros */
    size_t steps[MAX_TAPS + 1];    /* floats from pixel to pixel there, 0 for zeros */
    const float *zeros;
    float *out; /* pixel 0 of the upper row */
    size_t first_pixel;
    size_t inside_begin, inside_end; /* output columns where a group inside may begin */
    epilogue_clamp clamp;
} dw_rows;

/* One vector of channels of one group of output pixels. */
typedef struct dw_group {
    const float *w;
    float *out;      /* first pixel, of the upper row */
    size_t n_pixels; /* to store, at most WIDE; less only at a border */
    size_t column;   /* of the first pixel's first tap; wraps left of the image */
    size_t channel;
} dw_group;

/* One row of the input as a group reads it. */
typedef struct dw_input {
    const float *row; /* pixel 0 */
    const float *at;  /* inside: the next column */
    size_t step, column, width;
    const float *zeros;
    size_t tail; /* lanes to load; 0 means a whole vector */
} dw_input;

AS_INLINE dw_input input_row(const dw_rows *r, const dw_group *g, size_t i, size_t tail,
                             const bool is_border)
{
    const float *row = r->in[i] + g->channel;
    return (dw_input){.row = row,
                      .at = is_border ? row : row + g->column * r->steps[i],
                      .step = r->steps[i],
                      .column = g->column,
                      .width = r->args->shape.iw,
                      .zeros = r->zeros,
                      .tail = tail};
}

/* The vector `columns` columns from the group's first. */
AS_INLINE vf load_column(const dw_input *in, size_t columns, const bool is_border)
{
    const size_t column = in->column + columns;
    const float *from = in->at + columns * in->step;
    if (is_border) from = column < in->width ? in->row + column * in->step : in->zeros;
    return in->tail ? vf_load_tail(from, in->tail) : vf_load(from);
}

/* The next column's vector. */
AS_INLINE vf next_column(dw_input *in, const bool is_border)
{
    const vf x = load_column(in, 0, is_border);
    in->column++;
    in->at += is_border ? 0 : in->step;
    return x;
}

/* Locals, since a store might change what a pointer shows. */
AS_INLINE void store_pixels(const dw_rows *r, const dw_group *g, size_t row, vf *acc,
                            size_t tail, const bool is_border)
{
    const epilogue_clamp clamp = r->clamp;
    const size_t stride = r->args->out.pixel_stride, n_pixels = g->n_pixels;
    float *out = g->out + row * r->args->out.w * stride;
    if (clamp.clamps)
        unrolled_for (p, WIDE)
            acc[p] = vf_min(vf_splat(clamp.high), vf_max(vf_splat(clamp.low), acc[p]));
    unrolled_for (p, WIDE) {
        if (is_border && p == n_pixels) return;
        if (tail)
            vf_store_tail(out + p * stride, acc[p], tail);
        else
            vf_store(out + p * stride, acc[p]);
    }
}

/* One kernel row of a size known here: each input vector is loaded once and meets its taps. */
AS_INLINE const float *row_by_inputs(dw_input *in, const float *w, vf acc[WIDE],
                                     const size_t kw, const size_t sw, const bool is_border)
{
    vf taps[MAX_KNOWN_KW];
    unrolled_for (j, kw)
        taps[j] = vf_load(w + j * VF_LANES);
    unrolled_for (i, (WIDE - 1) * sw + kw) {
        const vf x = next_column(in, is_border);
        unrolled_for (j, kw) /* pixel p takes column i as tap j = i - p * sw: j grows with i */
            if (j <= i && (i - j) % sw == 0 && (i - j) / sw < WIDE)
                acc[(i - j) / sw] = vf_fma(x, taps[j], acc[(i - j) / sw]);
    }
    return w + kw * VF_LANES;
}

/* One kernel row of any size and dilation. */
AS_INLINE const float *row_by_taps(const as_conv_shape *s, const dw_input *in, const float *w,
                                   vf acc[WIDE], const bool is_border)
{
    for (size_t j = 0; j < s->kw; j++, w += VF_LANES) {
        const vf tap = vf_load(w);
        unrolled_for (p, WIDE)
            acc[p] = vf_fma(load_column(in, p * s->sw + j * s->dw, is_border), tap, acc[p]);
    }
    return w;
}

/* A group in one row.  tail = 0 means a whole vector, kw = 0 a kernel whose size is not known. */
AS_INLINE void one_row(const dw_rows *r, const dw_group *g, size_t tail, const bool is_border,
                       const size_t kw, const size_t sw)
{
    const as_conv_shape *s = &r->args->shape;
    const size_t n_rows = kw ? kw : s->kh;
    const float *w = g->w + VF_LANES;
    vf acc[WIDE];
    unrolled_for (p, WIDE)
        acc[p] = vf_load(g->w);
    for (size_t i = 0; i < n_rows; i++) {
        dw_input in = input_row(r, g, i, tail, is_border);
        if (kw)
            w = row_by_inputs(&in, w, acc, kw, sw, is_border);
        else
            w = row_by_taps(s, &in, w, acc, is_border);
    }
    store_pixels(r, g, 0, acc, tail, is_border);
}

/* Input row i of two output rows: kernel row i of the upper one, at w, and i - 1 of the lower. */
AS_INLINE void pair_input_row(dw_input *in, const float *w, vf acc[2][WIDE], const size_t k,
                              const bool is_border, const bool is_first, const bool is_last)
{
    vf upper[MAX_KNOWN_KW], lower[MAX_KNOWN_KW];
    unrolled_for (j, k) {
        if (!is_last) upper[j] = vf_load(w + j * VF_LANES);
        if (!is_first) lower[j] = vf_load(w + j * VF_LANES - k * VF_LANES);
    }
    unrolled_for (i, WIDE - 1 + k) {
        const vf x = next_column(in, is_border);
        unrolled_for (j, k) {
            if (j > i || i - j >= WIDE) continue;
            if (!is_last) acc[0][i - j] = vf_fma(x, upper[j], acc[0][i - j]);
            if (!is_first) acc[1][i - j] = vf_fma(x, lower[j], acc[1][i - j]);
        }
    }
}

/* As one_row, in two rows; a k x k kernel of stride 1. */
AS_INLINE void two_rows(const dw_rows *r, const dw_group *g, size_t tail, const bool is_border,
                        const size_t k)
{
    const float *w = g->w + VF_LANES;
    vf acc[2][WIDE];
    unrolled_for (p, WIDE)
        acc[0][p] = acc[1][p] = vf_load(g->w);
    dw_input in = input_row(r, g, 0, tail, is_border);
    pair_input_row(&in, w, acc, k, is_border, true, false);
    for (size_t i = 1; i < k; i++) {
        w += k * VF_LANES;
        in = input_row(r, g, i, tail, is_border);
        pair_input_row(&in, w, acc, k, is_border, false, false);
    }
    w += k * VF_LANES;
    in = input_row(r, g, k, tail, is_border);
    pair_input_row(&in, w, acc, k, is_border, false, true);
    store_pixels(r, g, 0, acc[0], tail, is_border);
    store_pixels(r, g, 1, acc[1], tail, is_border);
}

AS_INLINE void group(const dw_rows *r, const dw_group *g, size_t tail, const bool is_border,
                     const size_t n_out, const size_t kw, const size_t sw)
{
    if (n_out == 2)
        two_rows(r, g, tail, is_border, kw);
    else
        one_row(r, g, tail, is_border, kw, sw);
}

/* Groups that begin in output columns [*begin, *end) find all their columns in the image. */
static void find_inside(const as_conv_shape *s, size_t *begin, size_t *end)
{
    const size_t n = (WIDE - 1) * s->sw + (s->kw - 1) * s->dw + 1;
    *begin = (s->pad_left + s->sw - 1) / s->sw;
    *end = s->iw + s->pad_left >= n ? (s->iw + s->pad_left - n) / s->sw + 1 : 0;
    if (*end + WIDE > s->ow + 1) *end = s->ow + 1 > WIDE ? s->ow + 1 - WIDE : 0;
}

/* A vector of channels from c on along output columns [x0, x1).  The last group may begin inside
 * the one before. */
AS_INLINE void strip_vector(const dw_rows *r, size_t c, size_t tail, size_t x0, size_t x1,
                            const size_t n_out, const size_t kw, const size_t sw)
{
    const as_conv_shape *s = &r->args->shape;
    const size_t last = x1 - x0 < WIDE ? x0 : x1 - WIDE, step = sw ? sw : s->sw;
    const size_t pad = s->pad_left, out_stride = r->args->out.pixel_stride;
    const size_t inside_begin = r->inside_begin, inside_end = r->inside_end;
    float *out = r->out + c;
    dw_group g = {.w = r->args->packed + c / VF_LANES * block_floats(s), .channel = c};
    for (size_t x = x0; x < x1; x += WIDE) {
        const size_t ox = x < last ? x : last;
        g.out = out + ox * out_stride;
        g.column = ox * step - pad;
        if (ox < inside_begin || ox >= inside_end) {
            g.n_pixels = x1 - ox < WIDE ? x1 - ox : WIDE;
            group(r, &g, tail, true, n_out, kw, sw);
        } else {
            group(r, &g, tail, false, n_out, kw, sw);
        }
    }
}

/* Where the part of columns [x, end) that begins at x ends: n on, and none is less than WIDE. */
static size_t part_end(size_t x, size_t n, size_t end)
{
    return end - x < n + WIDE ? end : x + n;
}

/* All channels of output columns [x0, x1). */
AS_INLINE void strip(const dw_rows *r, size_t x0, size_t x1, const size_t n_out,
                     const size_t kw, const size_t sw)
{
    const size_t n_channels = r->args->shape.ic, tail = n_channels % VF_LANES;
    const size_t n = kw && kw <= MOST_BY_PIXELS ? WIDE : x1 - x0;
    for (size_t x = x0, end; x < x1; x = end) {
        end = part_end(x, n, x1);
        for (size_t c = 0; c < n_channels - tail; c += VF_LANES)
            strip_vector(r, c, 0, x, end, n_out, kw, sw);
        if (tail) strip_vector(r, n_channels - tail, tail, x, end, n_out, kw, sw);
    }
}

/* Whether the kernel is one whose size is known here: square, undilated. */
static bool is_known(const as_conv_shape *s)
{
    if (s->dh != 1 || s->dw != 1 || s->kh != s->kw) return false;
    if (s->kw == 7) return s->sw == 1;
    return (s->kw == 3 || s->kw == 5) && s->sw <= 2;
}

typedef void strip_function(const dw_rows *r, size_t x0, size_t x1);

#define STRIP(name, n_out, kw, sw)                                                             \
    static void name(const dw_rows *r, size_t x0, size_t x1)                                   \
    {                                                                                          \
        strip(r, x0, x1, n_out, kw, sw);                                                       \
    }
STRIP(strip_any, 1, 0, 0)
STRIP(strip_3x3, 1, 3, 1)
STRIP(strip_3x3_by_2, 1, 3, 2)
STRIP(strip_5x5, 1, 5, 1)
STRIP(strip_5x5_by_2, 1, 5, 2)
STRIP(strip_7x7, 1, 7, 1)
#if ROWS_AT_ONCE == 2
STRIP(two_strips_3x3, 2, 3, 1)
STRIP(two_strips_5x5, 2, 5, 1)
STRIP(two_strips_7x7, 2, 7, 1)
#endif

/* Not inlined, each keeps its loops' variables in registers. */
static strip_function *strip_of(const as_conv_shape *s, size_t n_out)
{
    if (!is_known(s)) return strip_any;
#if ROWS_AT_ONCE == 2
    if (n_out == 2)
        return s->kw == 3 ? two_strips_3x3 : s->kw == 5 ? two_strips_5x5 : two_strips_7x7;
#endif
    (void)n_out;
    if (s->kw == 3) return s->sw == 1 ? strip_3x3 : strip_3x3_by_2;
    if (s->kw == 5) return s->sw == 1 ? strip_5x5 : strip_5x5_by_2;
    return strip_7x7;
}

/* Rows from `row` on, before `end`, to do at once. */
static size_t rows_at_once(const as_conv_shape *s, size_t row, size_t end)
{
    if (ROWS_AT_ONCE == 1 || !is_known(s) || s->sw != 1 || s->sh != 1) return 1;
    return row + 1 < end && row % s->oh + 1 < s->oh ? 2 : 1;
}

static void prepare_rows(dw_rows *r, size_t row, size_t n_out)
{
    const as_conv_shape *s = &r->args->shape;
    const as_view *in = &r->args->in;
    const size_t image = row / s->oh, oy = row % s->oh;
    r->n_out = n_out;
    for (size_t i = 0; i < s->kh + n_out - 1; i++) {
        const size_t iy = oy * s->sh + i * s->dh - s->pad_top; /* wraps above the image */
        const bool is_inside_image = iy < s->ih;
        r->in[i] = is_inside_image ? in->data + (image * s->ih + iy) * s->iw * in->pixel_stride
                                   : r->zeros;
        r->steps[i] = is_inside_image ? in->pixel_stride : 0;
    }
    r->first_pixel = row * s->ow;
    r->out = r->args->out.data + r->first_pixel * r->args->out.pixel_stride;
}

/* The epilogue over output columns [x0, x1). */
static void finish(const dw_rows *r, size_t x0, size_t x1)
{
    const as_conv_shape *s = &r->args->shape;
    for (size_t i = 0; i < r->n_out; i++) {
        const size_t pixel = r->first_pixel + i * s->ow + x0;
        KERNEL(epilogue_in_place)
        (r->args->epilogue, r->clamp.n_steps, &r->args->out, pixel, x1 - x0, 0, s->oc);
    }
}

void ROUTE(run)(const as_conv_args *args, size_t item_begin, size_t item_end, float *scratch)
{
    const as_conv_shape *s = &args->shape;
    const size_t fit = STRIP_FLOATS / s->oc / WIDE * WIDE, n_strip = fit ? fit : WIDE;
    dw_rows r = {.args = args,
                 .zeros = scratch,
                 .clamp = KERNEL(epilogue_leading_clamp)(args->epilogue)};
    find_inside(s, &r.inside_begin, &r.inside_end);
    memset(scratch, 0, ROUTE(scratch_floats)(s) * sizeof *scratch);
    for (size_t row = item_begin; row < item_end; row += r.n_out) {
        prepare_rows(&r, row, rows_at_once(s, row, item_end));
        strip_function *run_strip = strip_of(s, r.n_out);
        for (size_t x = 0, end; x < s->ow; x = end) {
            end = part_end(x, n_strip, s->ow);
            run_strip(&r, x, end);
            finish(&r, x, end);
        }
    }
}
