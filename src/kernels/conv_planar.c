/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first convolution of a network, straight from its NCHW input to NHWC.
 *
 * The micro-kernel's tile, MR pixels x NR channels and its packed panels, without its pointers: the
 * pixels of a tile lie in one output row, and what they read of an input row lies sw floats apart.
 * So each input row is dealt once to sw phases, with zeros for its padding, and then the values of
 * any tap lie next to each other:
 *
 *     row of a plane, pad 1    . a b c d e f g        (. is padding)
 *     phase 0                  0 b d f 0 ..           taps kw = 0, and kw = 2 from place 1 on
 *     phase 1                  a c e g 0 ..           tap  kw = 1
 *
 *     acc[i][NR] += phase[x + i] * panel[k][NR]       for a tap k and pixels x + i of the tile
 *
 * The kh rows that an output row reads lie in a ring, so that the next one deals only what is new.
 * A row of padding is a row of zeros.  Of a small image all rows lie in a sheet, its padding among
 * them, where the taps of the first output row, moved on, are those of any other.
 *
 * Exact.  An item is one row of the output.
 */
#include <string.h>

#include "kernels/conv_tile.h"
#include "kernels/prototypes.h"

#define ROUTE(function) KERNEL(conv_planar_##function)

/* Input channels that it takes at most: the ring stays in the first cache. */
#define MOST_IC 4

bool ROUTE(proposes)(const as_conv_shape *s)
{
    return s->is_input && s->group == 1 && s->dh == 1 && s->dw == 1 && s->ic <= MOST_IC;
}

size_t ROUTE(packed_floats)(const as_conv_shape *s)
{
    return KERNEL(conv_tile_packed_floats)(s, 1);
}

void ROUTE(pack)(const as_conv_shape *s, const float *weights, const float *bias, float *packed)
{
    KERNEL(conv_tile_pack)(s, 1, weights, bias, packed);
}

/* ---- the ring of input rows ---- */

/* scratch: const float *taps[n_taps] | zeros[phase_floats] | rows[kh][ic][sw][phase_floats] */
typedef struct planar_ring {
    const float **taps;  /* what the first pixel of the row at hand reads */
    float *zeros, *rows; /* as above */
    size_t
        phase_floats; /* the pixels of an output row, whole tiles, and what kw reaches behind */
    size_t next_row;  /* of the image: those before it have been dealt or are over */
} planar_ring;

static size_t count_taps(const as_conv_shape *s) { return s->kh * s->kw * s->ic; }

static size_t round_up(size_t x, size_t to) { return (x + to - 1) / to * to; }

static size_t phase_floats_of(const as_conv_shape *s)
{
    return round_up(round_up(s->ow, 8) + (s->kw - 1) / s->sw, 16);
}

static size_t taps_floats(const as_conv_shape *s)
{
    return round_up(count_taps(s) * sizeof(float *) / sizeof(float), 16);
}

/* Floats of an input row, dealt. */
static size_t row_floats_of(const as_conv_shape *s)
{
    return s->ic * s->sw * phase_floats_of(s);
}

/* Floats up to which an image is small: half of a first cache of 32 KiB. */
#define MOST_SHEET ((size_t)4096)

/* Rows that the output reads, counted from the padding's first. */
static size_t sheet_rows(const as_conv_shape *s) { return (s->oh - 1) * s->sh + s->kh; }

/* Floats of the sheet, MOST_SHEET + 1 where it is too large. */
static size_t sheet_floats(const as_conv_shape *s)
{
    const bool is_small = s->oh <= MOST_SHEET && sheet_rows(s) <= MOST_SHEET &&
                          sheet_rows(s) * row_floats_of(s) <= MOST_SHEET;
    return is_small ? sheet_rows(s) * row_floats_of(s) : MOST_SHEET + 1;
}

static bool has_sheet(const as_conv_shape *s) { return sheet_floats(s) <= MOST_SHEET; }

/* Some rows of an image that has a ring may have a sheet. */
size_t ROUTE(scratch_floats)(const as_conv_shape *s)
{
    const size_t sheet = has_sheet(s) ? sheet_floats(s) : MOST_SHEET;
    const size_t ring = phase_floats_of(s) + s->kh * row_floats_of(s);
    return taps_floats(s) + (sheet > ring ? sheet : ring);
}

/* Places that no row reaches are zeros from here on. */
static planar_ring make_ring(const as_conv_shape *s, float *scratch)
{
    const size_t phase_floats = phase_floats_of(s);
    float *zeros = scratch + taps_floats(s);
    memset(zeros, 0, phase_floats * (1 + s->kh * s->ic * s->sw) * sizeof *zeros);
    return (planar_ring){.taps = (const float **)(void *)scratch,
                         .zeros = zeros,
                         .rows = zeros + phase_floats,
                         .phase_floats = phase_floats};
}

/* A ring with a slot for every row; a row of padding keeps its zeros. */
static planar_ring make_sheet(const as_conv_shape *s, float *scratch)
{
    float *rows = scratch + taps_floats(s);
    memset(rows, 0, sheet_floats(s) * sizeof *rows);
    return (planar_ring){.taps = (const float **)(void *)scratch,
                         .rows = rows,
                         .phase_floats = phase_floats_of(s)};
}

/* to[j] = from[j * step]; loops that compilers turn into whole vectors for the usual steps. */
static void take_each(float *restrict to, const float *restrict from, size_t step, size_t n)
{
    if (step == 1)
        memcpy(to, from, n * sizeof *to);
    else if (step == 2)
        for (size_t j = 0; j < n; j++)
            to[j] = from[2 * j];
    else
        for (size_t j = 0; j < n; j++)
            to[j] = from[j * step];
}

/* ceil(x / step); most steps are 1, and a division takes as long as a row of a small map. */
static size_t count_steps(size_t x, size_t step)
{
    return step == 1 ? x : (x + step - 1) / step;
}

/* Place j of phase p is column j * sw + p - pad_left. */
static void deal_row(const as_conv_shape *s, const float *row, float *to, size_t phase_floats)
{
    for (size_t p = 0; p < s->sw; p++, to += phase_floats) {
        const size_t first = p < s->pad_left ? count_steps(s->pad_left - p, s->sw) : 0;
        const size_t column = first * s->sw + p - s->pad_left;
        if (column >= s->iw || first >= phase_floats) continue;
        const size_t inside = count_steps(s->iw - column, s->sw), room = phase_floats - first;
        take_each(to + first, row + column, s->sw, inside < room ? inside : room);
    }
}

static const float *plane_row(const as_conv_args *args, size_t image, size_t c, size_t iy)
{
    const as_conv_shape *s = &args->shape;
    const size_t plane = args->plane ? args->plane : s->ih * s->iw;
    return args->in.data + (image * s->ic + c) * plane + iy * s->iw;
}

/* All channels of input row iy to a slot of the ring, unless they are there. */
static float *ring_row(const as_conv_args *args, planar_ring *ring, size_t image, size_t iy,
                       size_t slot)
{
    const as_conv_shape *s = &args->shape;
    const size_t channel_floats = s->sw * ring->phase_floats;
    float *rows = ring->rows + slot * s->ic * channel_floats;
    if (iy < ring->next_row) return rows;
    for (size_t c = 0; c < s->ic; c++)
        deal_row(s, plane_row(args, image, c, iy), rows + c * channel_floats,
                 ring->phase_floats);
    ring->next_row = iy + 1;
    return rows;
}

/* Let the taps point at what the first pixel of output row y reads.  Slots, phases and places are
 * counted and not divided for: on a map of a few pixels that would cost as much as the products. */
static void point_taps(const as_conv_args *args, planar_ring *ring, size_t image, size_t y)
{
    const as_conv_shape *s = &args->shape;
    const float **tap = ring->taps;
    size_t slot = y * s->sh % s->kh; /* of the row, counted with its padding */
    for (size_t kh = 0; kh < s->kh; kh++, slot = slot + 1 < s->kh ? slot + 1 : 0) {
        const size_t iy = y * s->sh + kh - s->pad_top; /* wraps above the image */
        const float *rows = iy < s->ih ? ring_row(args, ring, image, iy, slot) : NULL;
        size_t phase = 0, place = 0;
        for (size_t kw = 0; kw < s->kw; kw++) {
            for (size_t c = 0; c < s->ic; c++)
                *tap++ = rows ? rows + (c * s->sw + phase) * ring->phase_floats + place
                              : ring->zeros;
            if (++phase == s->sw) phase = 0, place++;
        }
    }
}

/*
 * While pixels [x, end) are computed, let their part of the rows that come next draw near.  A row
 * of a plane is shorter than a page, which is as far as the processor looks ahead by itself.
 */
static void fetch_ahead(const as_conv_args *args, const planar_ring *ring, size_t image,
                        size_t x, size_t end)
{
    const as_conv_shape *s = &args->shape;
    const size_t last = end * s->sw < s->iw ? end * s->sw : s->iw;
    for (size_t iy = ring->next_row; iy < ring->next_row + s->sh && iy < s->ih; iy++)
        for (size_t c = 0; c < s->ic; c++) {
            const float *row = plane_row(args, image, c, iy);
            for (size_t column = x * s->sw; column < last; column += 16)
                AS_PREFETCH(row + column);
        }
}

/* ---- tiles ---- */

#define MOST_MR   12
#define MOST_VECS 3

/* Pixels of a row by the channels of one panel. */
typedef struct planar_job {
    const float *const *taps;
    size_t shift; /* what the row reads begins so many floats behind the taps */
    size_t n_taps;
    const float *panel;
    float *out; /* the panel's first channel of the row's first pixel */
    size_t stride;
    size_t x, end;    /* pixels of the row */
    size_t n_columns; /* channels to store */
    epilogue_clamp clamp;
} planar_job;

AS_INLINE void tile_store(const planar_job *job, vf acc[MOST_MR][MOST_VECS], size_t x,
                          const size_t mr, const size_t vecs)
{
    const size_t tail = job->n_columns - (vecs - 1) * VF_LANES;
    if (job->clamp.clamps) {
        const vf low = vf_splat(job->clamp.low), high = vf_splat(job->clamp.high);
        unrolled_for (i, mr)
            unrolled_for (j, vecs)
                acc[i][j] = vf_min(high, vf_max(low, acc[i][j]));
    }
    unrolled_for (i, mr) {
        if (x + i < job->end) {
            float *out = job->out + (x + i) * job->stride;
            tile_store_row(out, acc[i], vecs, tail);
        }
    }
}

AS_INLINE void tile(const planar_job *job, size_t x, const size_t mr, const size_t vecs)
{
    vf acc[MOST_MR][MOST_VECS];
    const float *b = job->panel;
    unrolled_for (i, mr)
        unrolled_for (j, vecs)
            acc[i][j] = vf_load(b + j * VF_LANES);
    for (size_t k = 0; k < job->n_taps; k++) {
        const float *a = job->taps[k] + job->shift + x;
        AS_WHOLE(a);
        vf bv[MOST_VECS];
        b += vecs * VF_LANES;
        unrolled_for (j, vecs)
            bv[j] = vf_load(b + j * VF_LANES);
        unrolled_for (i, mr) {
            const vf av = vf_splat(a[i]);
            unrolled_for (j, vecs)
                acc[i][j] = vf_fma(av, bv[j], acc[i][j]);
        }
    }
    tile_store(job, acc, x, mr, vecs);
}

/* Whole tiles, then `rest` pixels each; what the last one has too many reads zeros and is not stored. */
AS_INLINE void tiles(const planar_job *job, const size_t mr, const size_t rest,
                     const size_t vecs)
{
    size_t x = job->x;
    for (; x + mr <= job->end; x += mr)
        tile(job, x, mr, vecs);
    for (; x < job->end; x += rest)
        tile(job, x, rest, vecs);
}

/* Of one vector eight pixels take no longer than four, whose sums wait for themselves. */
#define REST_1 (TILE_MR_1 < 8 ? TILE_MR_1 : 8)

static void run_panel(const planar_job *job, size_t vecs)
{
    if (vecs == 3)
        tiles(job, TILE_MR_3, 4, 3);
    else if (vecs == 2)
        tiles(job, TILE_MR_2, 4, 2);
    else
        tiles(job, TILE_MR_1, REST_1, 1);
}

/* All channels of some pixels of an output row; its steps find them in the first cache. */
static void run_pixels(const as_conv_args *args, planar_job *job, size_t row)
{
    const as_conv_shape *s = &args->shape;
    const as_view *out = &args->out;
    const size_t n_vecs = (s->oc + VF_LANES - 1) / VF_LANES;
    job->panel = args->packed;
    for (size_t at = 0, vecs; at < n_vecs; at += vecs) {
        const size_t c0 = at * VF_LANES;
        vecs = tile_panel_vecs(at, n_vecs, 1);
        job->out = out->data + row * s->ow * out->pixel_stride + c0;
        job->n_columns = s->oc - c0 < vecs * VF_LANES ? s->oc - c0 : vecs * VF_LANES;
        run_panel(job, vecs);
        job->panel += vecs * VF_LANES * (job->n_taps + 1);
    }
    KERNEL(epilogue_in_place)
    (args->epilogue, job->clamp.n_steps, out, row * s->ow + job->x, job->end - job->x, 0,
     s->oc);
}

size_t ROUTE(n_items)(const as_conv_shape *s) { return s->n * s->oh; }

/* Let the taps point at what the first pixel of the first output row reads in the sheet. */
static void point_sheet(const as_conv_shape *s, const float **tap, const float *sheet)
{
    const size_t phase_floats = phase_floats_of(s);
    for (size_t kh = 0; kh < s->kh; kh++, sheet += row_floats_of(s)) {
        size_t phase = 0, place = 0;
        for (size_t kw = 0; kw < s->kw; kw++) {
            for (size_t c = 0; c < s->ic; c++)
                *tap++ = sheet + (c * s->sw + phase) * phase_floats + place;
            if (++phase == s->sw) phase = 0, place++;
        }
    }
}

/* The sheet with the rows that output row y reads.  @return how far its taps move. */
static size_t fill_sheet(const as_conv_args *args, planar_ring *sheet, size_t image, size_t y)
{
    const as_conv_shape *s = &args->shape;
    for (size_t r = y * s->sh; r < y * s->sh + s->kh; r++)
        if (r >= s->pad_top && r - s->pad_top < s->ih)
            ring_row(args, sheet, image, r - s->pad_top, r);
    return y * s->sh * row_floats_of(s);
}

void ROUTE(run)(const as_conv_args *args, size_t item_begin, size_t item_end, float *scratch)
{
    const as_conv_shape *s = &args->shape;
    const bool is_small = has_sheet(s);
    planar_ring ring = is_small ? make_sheet(s, scratch) : make_ring(s, scratch);
    planar_job job = {.taps = ring.taps,
                      .n_taps = count_taps(s),
                      .stride = args->out.pixel_stride,
                      .clamp = KERNEL(epilogue_leading_clamp)(args->epilogue)};
    size_t image = item_begin / s->oh, y = item_begin % s->oh;
    if (is_small) point_sheet(s, ring.taps, ring.rows);
    for (size_t row = item_begin; row < item_end; row++, y++) {
        if (y == s->oh) ring.next_row = y = 0, image++;
        if (is_small)
            job.shift = fill_sheet(args, &ring, image, y);
        else
            point_taps(args, &ring, image, y);
        for (job.x = 0; job.x < s->ow; job.x = job.end) {
            job.end = s->ow - job.x < TILE_BLOCK ? s->ow : job.x + TILE_BLOCK;
            if (!is_small) fetch_ahead(args, &ring, image, job.x, job.end);
            run_pixels(args, &job, row);
        }
    }
}
