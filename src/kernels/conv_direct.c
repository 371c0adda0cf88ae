/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Direct convolution: the micro-kernel walks the taps through pointers into the input; a tap in
 * the padding points at zeros.  Nothing is copied but at the borders of merged taps:
 *
 * Where pixels lie tight (pixel_stride == ic, one group, no dilation) the kw taps of a kernel
 * row are one run of kw * ic floats, so they are one segment; a run that leaves the image on
 * the left or right is copied to scratch with zeros in place of what is outside.  Where the
 * map is narrow, so that many runs leave it, the rows that a block reads are copied to a sheet with
 * their padding, where none does.
 *
 * Exact; any kernel, stride, dilation and group.
 *
 * The route `chains` is the same with the sum of an output in 2 or 4 chains (tile.h), where the
 * outputs then fill more of AVX-512's vectors: 24 outputs fill three instead of one and a half.  Which
 * layers it proposes itself for and how many chains follow from the layer alone, so that its bits are the
 * same on every ISA.  An error is at most (kh kw ic + 3) 2^-24 sum |w| |x|, direct's bound and the
 * additions of the chains.  Close.
 */
#include <string.h>

#include "kernels/conv_tile.h"
#include "kernels/prototypes.h"

#define ROUTE(function)  KERNEL(conv_direct_##function)
#define CHAINS(function) KERNEL(conv_chains_##function)

/* Lanes of the widest vectors, which chains are to fill. */
#define WIDEST 16

bool ROUTE(proposes)(const as_conv_shape *shape)
{
    (void)shape;
    return true;
}

static bool is_tight(const as_conv_args *args)
{
    const as_conv_shape *s = &args->shape;
    return args->in.pixel_stride == s->ic && s->group == 1 && s->dw == 1;
}

/* scratch: zeros[max(ic, kw * ic)] | copies[n_copies][kw * ic] */
static size_t zeros_floats(const as_conv_shape *s) { return (s->kw * s->ic + 15) / 16 * 16; }

/* Output pixels of a row from the one whose run begins at column x0 on whose runs lie inside it. */
static size_t n_runs_inside(const as_conv_shape *s, size_t x0)
{
    if (s->kw > s->iw || x0 > s->iw - s->kw) return 0;
    const size_t room = s->iw - s->kw - x0;
    return (s->sw == 1 ? room : room / s->sw) + 1; /* on a small map a division is long */
}

/* Output pixels of a row whose runs leave it. */
static size_t n_runs_outside(const as_conv_shape *s)
{
    const size_t n_left = (s->pad_left + s->sw - 1) / s->sw;
    const size_t n_inside = n_runs_inside(s, n_left * s->sw - s->pad_left);
    return n_left + n_inside < s->ow ? s->ow - n_inside : n_left < s->ow ? n_left : s->ow;
}

/* Runs that are copied at most for a block, which may begin and end inside a row. */
static size_t n_copies(const as_conv_shape *s)
{
    const size_t block = KERNEL(conv_tile_block_pixels)(s), n_rows = block / s->ow + 2;
    const size_t n = n_rows * n_runs_outside(s);
    return s->kh * (n < block ? n : block);
}

/* Pixels of a block from the i-th on that lie in one output row. */
static size_t same_row(const conv_tile_block *block, size_t i, const conv_place *place)
{
    const size_t left = block->n_pixels - i, to_row_end = block->args->shape.ow - place->x;
    return left < to_row_end ? left : to_row_end;
}

static void fill_taps(const conv_tile_block *block)
{
    const as_conv_shape *s = &block->args->shape;
    const size_t stride = block->args->in.pixel_stride;
    for (size_t i = 0, n; i < block->n_pixels; i += n) {
        const conv_place place = conv_place_of(s, block->pixel + i);
        const float **rows = block->rows + i;
        n = same_row(block, i, &place);
        for (size_t kh = 0; kh < s->kh; kh++) {
            const float *row = conv_input_row(block->args, &place, kh);
            for (size_t kw = 0; kw < s->kw; kw++, rows += block->rows_stride) {
                size_t ix =
                    place.x * s->sw + kw * s->dw - s->pad_left; /* wraps left of the image */
                for (size_t p = 0; p < n; p++, ix += s->sw)
                    rows[p] = row && ix < s->iw ? row + ix * stride : block->scratch;
            }
        }
    }
}

/* Runs of small maps are a few vectors, for which a call of the library's copy takes longer. */
static void copy_floats(float *to, const float *from, size_t n)
{
    size_t i = 0;
    for (; i + VF_LANES <= n; i += VF_LANES)
        vf_store(to + i, vf_load(from + i));
    if (i < n) vf_store_tail(to + i, vf_load_tail(from + i, n - i), n - i);
}

static void clear_floats(float *to, size_t n)
{
    size_t i = 0;
    for (; i + VF_LANES <= n; i += VF_LANES)
        vf_store(to + i, vf_zero());
    if (i < n) vf_store_tail(to + i, vf_zero(), n - i);
}

/* A run of kw tight pixels from column x0 (may be negative, as wrapped) with zeros outside the
 * row. */
static void copy_run(const as_conv_shape *s, const float *row, size_t x0, float *to)
{
    const size_t left = x0 < s->iw ? 0 : 0 - x0; /* huge where the run lies right of the row */
    const size_t n_before = left < s->kw ? left : s->kw, first = x0 + n_before;
    const size_t room = n_before < s->kw ? s->iw - first : 0;
    const size_t n = s->kw - n_before < room ? s->kw - n_before : room;
    clear_floats(to, n_before * s->ic);
    if (n > 0) copy_floats(to + n_before * s->ic, row + first * s->ic, n * s->ic);
    clear_floats(to + (n_before + n) * s->ic, (s->kw - n_before - n) * s->ic);
}

/* Pointers to the runs of kernel row kh for n pixels of one output row; *copies moves on. */
static void fill_kernel_row(const conv_tile_block *block, const conv_place *place, size_t n,
                            size_t kh, const float **to, float **copies)
{
    const as_conv_shape *s = &block->args->shape;
    const float *row = conv_input_row(block->args, place, kh);
    size_t x0 = place->x * s->sw - s->pad_left; /* wraps left of the image */
    for (size_t p = 0; p < n && !row; p++)
        to[p] = block->scratch;
    for (size_t p = 0; p < n && row;) {
        const size_t n_inside = n_runs_inside(s, x0), end = n - p < n_inside ? n : p + n_inside;
        for (; p < end; p++, x0 += s->sw)
            to[p] = row + x0 * s->ic;
        if (p == n) break;
        copy_run(s, row, x0, *copies);
        to[p++] = *copies;
        *copies += s->kw * s->ic;
        x0 += s->sw;
    }
}

static void fill_runs(const conv_tile_block *block)
{
    const as_conv_shape *s = &block->args->shape;
    float *copies = block->scratch + zeros_floats(s);
    for (size_t i = 0, n; i < block->n_pixels; i += n) {
        const conv_place place = conv_place_of(s, block->pixel + i);
        n = same_row(block, i, &place);
        for (size_t kh = 0; kh < s->kh; kh++)
            fill_kernel_row(block, &place, n, kh, block->rows + kh * block->rows_stride + i,
                            &copies);
    }
}

/* ---- the sheet ---- */

/* Floats of a sheet at most: it stays in the first cache beside the weights. */
#define MOST_SHEET ((size_t)4096)

/* Columns of a map at most whose blocks get sheets; trial bench/results/sheets.txt. */
#define SHEET_COLUMNS ((size_t)16)

/* Rows and columns that an image's outputs read, its padding among them. */
static size_t sheet_rows(const as_conv_shape *s)
{
    return (s->oh - 1) * s->sh + (s->kh - 1) * s->dh + 1;
}

static size_t sheet_columns(const as_conv_shape *s) { return (s->ow - 1) * s->sw + s->kw; }

/* A lone image that is one block has a sheet at any width, as its padding is read but once. */
static bool has_sheet(const as_conv_shape *s)
{
    const bool is_one_block =
        s->n == 1 && s->ow <= TILE_BLOCK && s->oh <= TILE_BLOCK && s->oh * s->ow <= TILE_BLOCK;
    return s->oh > 0 && (s->ow <= SHEET_COLUMNS || is_one_block);
}

/* What rows of some of the images need at most. */
static size_t sheet_room(const as_conv_shape *s)
{
    const size_t factors[] = {s->n, s->ic, sheet_columns(s), sheet_rows(s)};
    size_t floats = 1;
    if (s->ow > TILE_BLOCK || s->oh == 0) return 0; /* fewer rows could be one block */
    for (size_t i = 0; i < 4; i++)
        floats = factors[i] < MOST_SHEET / floats ? floats * factors[i] : MOST_SHEET;
    return floats;
}

/* Rows [y, y + n_rows) of the images with their padding, counted through all images from `image` on. */
static void make_sheet(const as_conv_args *args, size_t image, size_t y, size_t n_rows,
                       float *sheet)
{
    const as_conv_shape *s = &args->shape;
    const size_t rows = sheet_rows(s), row_floats = sheet_columns(s) * s->ic;
    const size_t left = s->pad_left * s->ic, in_floats = s->iw * s->ic;
    const size_t room = left < row_floats ? row_floats - left : 0;
    const size_t n = in_floats < room ? in_floats : room;
    clear_floats(sheet, n_rows * row_floats);
    for (float *to = sheet + left; n_rows > 0 && n > 0; n_rows--, to += row_floats) {
        const size_t iy = y - s->pad_top; /* wraps above the image */
        if (iy < s->ih) copy_floats(to, args->in.data + (image * s->ih + iy) * in_floats, n);
        if (++y < rows) continue;
        y = 0;
        image++;
    }
}

/* Pointers to the runs of n pixels of one output row, of which `run` is the first's. */
static void point_into_sheet(const conv_tile_block *block, size_t i, size_t n, const float *run)
{
    const as_conv_shape *s = &block->args->shape;
    const size_t step = s->sw * s->ic, kernel_row = s->dh * sheet_columns(s) * s->ic;
    for (size_t kh = 0; kh < s->kh; kh++, run += kernel_row) {
        const float **to = block->rows + kh * block->rows_stride + i;
        for (size_t p = 0; p < n; p++)
            to[p] = run + p * step;
    }
}

static void fill_from_sheet(const conv_tile_block *block)
{
    const as_conv_shape *s = &block->args->shape;
    const size_t rows = sheet_rows(s), row_floats = sheet_columns(s) * s->ic;
    conv_place place = conv_place_of(s, block->pixel);
    const conv_place last = conv_place_of(s, block->pixel + block->n_pixels - 1);
    const size_t first_row = place.y * s->sh;
    const size_t n_rows = (last.image - place.image) * rows + last.y * s->sh +
                          (s->kh - 1) * s->dh + 1 - first_row;
    float *sheet = block->scratch + zeros_floats(s);
    if (row_floats > MOST_SHEET || n_rows > MOST_SHEET / row_floats) {
        fill_runs(block);
        return;
    }
    make_sheet(block->args, place.image, first_row, n_rows, sheet);
    size_t image = 0 - first_row * row_floats; /* its row 0 in the sheet, wraps before it */
    for (size_t i = 0, n; i < block->n_pixels; i += n) {
        n = same_row(block, i, &place);
        point_into_sheet(block, i, n,
                         sheet +
                             (image + place.y * s->sh * row_floats + place.x * s->sw * s->ic));
        place.x = 0;
        if (++place.y < s->oh) continue;
        place.y = 0;
        image += rows * row_floats;
    }
}

size_t ROUTE(scratch_floats)(const as_conv_shape *shape)
{
    const size_t copies = n_copies(shape) * shape->kw * shape->ic, sheet = sheet_room(shape);
    return KERNEL(conv_tile_rows_floats)(shape->kh * shape->kw,
                                         KERNEL(conv_tile_block_pixels)(shape)) +
           zeros_floats(shape) + (sheet > copies ? sheet : copies);
}

static void run(const as_conv_args *args, size_t chains, size_t item_begin, size_t item_end,
                float *scratch)
{
    const as_conv_shape *s = &args->shape;
    const size_t icg = s->ic / s->group;
    const bool tight = is_tight(args);
    const size_t block = KERNEL(conv_tile_block_pixels)(s);
    conv_tile_plan plan = {.block = block,
                           .is_heavy = KERNEL(conv_tile_is_heavy)(s),
                           .n_segments = tight ? s->kh : s->kh * s->kw,
                           .segment_floats = tight ? s->kw * s->ic : icg,
                           .chains = chains,
                           .group_offset = icg,
                           .fill = !tight         ? fill_taps
                                   : has_sheet(s) ? fill_from_sheet
                                                  : fill_runs,
                           .scratch =
                               scratch + KERNEL(conv_tile_rows_floats)(s->kh * s->kw, block)};
    if (KERNEL(conv_tile_is_pointwise)(s)) {
        plan = KERNEL(conv_tile_pointwise)(s, chains);
        KERNEL(conv_tile_run)(args, &plan, item_begin, item_end, scratch);
        return;
    }
    memset(plan.scratch, 0, zeros_floats(s) * sizeof *plan.scratch);
    KERNEL(conv_tile_run)(args, &plan, item_begin, item_end, scratch);
}

void ROUTE(run)(const as_conv_args *args, size_t item_begin, size_t item_end, float *scratch)
{
    run(args, 1, item_begin, item_end, scratch);
}

size_t ROUTE(packed_floats)(const as_conv_shape *shape)
{
    return KERNEL(conv_tile_packed_floats)(shape, 1);
}

void ROUTE(pack)(const as_conv_shape *shape, const float *weights, const float *bias,
                 float *packed)
{
    KERNEL(conv_tile_pack)(shape, 1, weights, bias, packed);
}

size_t ROUTE(n_items)(const as_conv_shape *shape) { return KERNEL(conv_tile_n_items)(shape); }

/* ---- chains ---- */

/* Widest vectors that `spread` values of k take for the group's outputs. */
static size_t widest_vecs(const as_conv_shape *s, size_t spread)
{
    return (s->oc / s->group * spread + WIDEST - 1) / WIDEST;
}

/* How many chains, 1 = it does not pay: what divides the channels and takes the fewest products. */
static size_t chains_of(const as_conv_shape *s)
{
    size_t best = 1;
    for (size_t chains = 2; chains <= 4; chains *= 2)
        if (s->ic / s->group % chains == 0 &&
            widest_vecs(s, chains) * best < widest_vecs(s, best) * chains)
            best = chains;
    return best;
}

bool CHAINS(proposes)(const as_conv_shape *shape) { return chains_of(shape) > 1; }

size_t CHAINS(scratch_floats)(const as_conv_shape *shape)
{
    return ROUTE(scratch_floats)(shape);
}

void CHAINS(run)(const as_conv_args *args, size_t item_begin, size_t item_end, float *scratch)
{
    run(args, chains_of(&args->shape), item_begin, item_end, scratch);
}

size_t CHAINS(packed_floats)(const as_conv_shape *shape)
{
    return KERNEL(conv_tile_packed_floats)(shape, chains_of(shape));
}

void CHAINS(pack)(const as_conv_shape *shape, const float *weights, const float *bias,
                  float *packed)
{
    KERNEL(conv_tile_pack)(shape, chains_of(shape), weights, bias, packed);
}

size_t CHAINS(n_items)(const as_conv_shape *shape) { return KERNEL(conv_tile_n_items)(shape); }
