/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The body of the Winograd routes F(OUT x OUT, 3 x 3); conv_winograd2.c and conv_winograd4.c
 * include it once each, after defining
 *
 *     OUT, TILE, ROUTE(function)              TILE = OUT + 2; macros, since they size arrays
 *     double kernel_matrix[TILE][3]           G
 *     input_1d(const vf d[TILE], vf v[TILE])  v = B^T d
 *     output_1d(const vf m[TILE], vf y[OUT])  y = A^T m
 *
 * in the names of Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2016:
 *
 *     out tile = A^T ( sum over ic of (G g G^T) .* (B^T d B) ) A
 *
 * A block of tiles goes through three steps, all inside the second-level cache:
 *
 *     d, read in place    ->  v[tile][TILE * TILE][ic]     input_tile
 *     v times packed      ->  m[tile][TILE * TILE][oc]     multiply, one product an element
 *     m                   ->  out, with bias and clamp     output_tile; then the epilogue
 *
 * A tile that leaves the image reads a copy with zeros around it.  Tiles are counted through
 * all tile rows of all images; an item is one tile row.  A tile's answer depends on its input
 * alone, so blocks and threads cut anywhere.  The grid of tiles begins at output row 0 of the
 * shape, though: bands of an image give the bits of the whole only where they begin at
 * multiples of OUT.
 *
 * Packed: bias[oc padded] | for each element: panels as tile.h has them, with zeros for bias.
 *
 * AS_CLOSE: the same bits on each ISA and for each thread count and batch size, but not those
 * of the exact routes.  The bound: with |X| for X with absolute values throughout,
 *
 *     reach = |A^T| ( sum over ic of (|G| |g| |G^T|) .* (|B^T| |d| |B|) ) |A| + |bias|
 *
 * is at least every partial sum on the way to an output, and each rounding is at most 2^-24 of
 * one.  The longest chain has ic roundings in the product, and N_ROUNDINGS in the transforms, the
 * weights and the bias.  So the error is at most (ic + N_ROUNDINGS) 2^-24 reach, to first
 * order; tests/kernels/test_winograd.c holds it for each output, and what is usual on case B23.
 */
#include <string.h>

#include "kernels/epilogue.h"
#include "kernels/prototypes.h"
#include "kernels/tile.h"

#define N_ELEMENTS (TILE * TILE)

/* Tiles of a block: a multiple of every MR of tile.h, few enough that v and m stay in BLOCK_BYTES.
 * Trial bench/results/winograd-blocks. */
#define BLOCK_STEP  12
#define BLOCK_MAX   48
#define BLOCK_BYTES ((size_t)768 << 10)

bool ROUTE(proposes)(const as_conv_shape *s)
{
    return s->kh == 3 && s->kw == 3 && s->sh == 1 && s->sw == 1 && s->dh == 1 && s->dw == 1 &&
           s->group == 1;
}

static size_t padded(size_t channels)
{
    return (channels + VF_LANES - 1) / VF_LANES * VF_LANES;
}

static size_t element_floats(const as_conv_shape *s)
{
    return tile_panels_floats(s->oc, s->ic);
}

size_t ROUTE(packed_floats)(const as_conv_shape *s)
{
    return padded(s->oc) + N_ELEMENTS * element_floats(s);
}

/* u = G g G^T, in double. */
static void transform_kernel(const float *g, double u[TILE][TILE])
{
    double half[TILE][3];
    for (size_t i = 0; i < TILE; i++)
        for (size_t j = 0; j < 3; j++)
            half[i][j] = kernel_matrix[i][0] * (double)g[j] +
                         kernel_matrix[i][1] * (double)g[3 + j] +
                         kernel_matrix[i][2] * (double)g[6 + j];
    for (size_t i = 0; i < TILE; i++)
        for (size_t j = 0; j < TILE; j++)
            u[i][j] = half[i][0] * kernel_matrix[j][0] + half[i][1] * kernel_matrix[j][1] +
                      half[i][2] * kernel_matrix[j][2];
}

/* Where weight (ic, oc) of an element lies in its panels. */
static size_t weight_place(const as_conv_shape *s, size_t ic, size_t oc)
{
    const size_t n_vecs = padded(s->oc) / VF_LANES;
    size_t at = 0, vecs = tile_panel_vecs(0, n_vecs);
    while (oc >= (at + vecs) * VF_LANES) {
        at += vecs;
        vecs = tile_panel_vecs(at, n_vecs);
    }
    return at * VF_LANES * (s->ic + 1) + (1 + ic) * vecs * VF_LANES + oc - at * VF_LANES;
}

void ROUTE(pack)(const as_conv_shape *s, const float *weights, const float *bias, float *packed)
{
    memset(packed, 0, ROUTE(packed_floats)(s) * sizeof *packed);
    if (bias) memcpy(packed, bias, s->oc * sizeof *packed);
    packed += padded(s->oc);
    for (size_t oc = 0; oc < s->oc; oc++)
        for (size_t ic = 0; ic < s->ic; ic++) {
            double u[TILE][TILE];
            float *to = packed + weight_place(s, ic, oc);
            transform_kernel(weights + (oc * s->ic + ic) * 9, u);
            for (size_t e = 0; e < N_ELEMENTS; e++)
                to[e * element_floats(s)] = (float)u[e / TILE][e % TILE];
        }
}

static size_t block_tiles(const as_conv_shape *s)
{
    const size_t tile_bytes = N_ELEMENTS * (padded(s->ic) + padded(s->oc)) * sizeof(float);
    const size_t fit = BLOCK_BYTES / tile_bytes / BLOCK_STEP * BLOCK_STEP;
    return fit < BLOCK_STEP ? BLOCK_STEP : fit > BLOCK_MAX ? BLOCK_MAX : fit;
}

/* scratch: v[tile][element][ic padded] | m[tile][element][oc padded] | a bordered tile */
size_t ROUTE(scratch_floats)(const as_conv_shape *s)
{
    const size_t n_tiles = block_tiles(s);
    return N_ELEMENTS * (n_tiles * (padded(s->ic) + padded(s->oc)) + padded(s->ic));
}

static size_t tiles_high(const as_conv_shape *s) { return (s->oh + OUT - 1) / OUT; }
static size_t tiles_wide(const as_conv_shape *s) { return (s->ow + OUT - 1) / OUT; }

size_t ROUTE(n_items)(const as_conv_shape *s) { return s->n * tiles_high(s); }

/* A block of tiles and its memory. */
typedef struct winograd_block {
    const as_conv_args *args;
    size_t first, n_tiles;
    size_t v_tile, m_tile; /* floats of a tile in v and m */
    float *v, *m, *border;
    epilogue_clamp clamp;
} winograd_block;

typedef struct tile_place {
    size_t image, y, x; /* of its first output pixel */
} tile_place;

static tile_place place_of(const as_conv_shape *s, size_t tile)
{
    const size_t row = tile / tiles_wide(s);
    return (tile_place){row / tiles_high(s), row % tiles_high(s) * OUT,
                        tile % tiles_wide(s) * OUT};
}

/* Input pixels of a tile: `data` is the first, rows lie row_stride floats apart. */
typedef struct tile_input {
    const float *data;
    size_t row_stride, pixel_stride;
} tile_input;

static tile_input copy_border(const winograd_block *b, const float *image, size_t y0, size_t x0)
{
    const as_conv_shape *s = &b->args->shape;
    const size_t stride = b->args->in.pixel_stride;
    float *to = b->border;
    for (size_t i = 0; i < N_ELEMENTS; i++, to += s->ic) {
        const size_t y = y0 + i / TILE, x = x0 + i % TILE; /* wrap above and left */
        if (y < s->ih && x < s->iw)
            memcpy(to, image + (y * s->iw + x) * stride, s->ic * sizeof *to);
        else
            memset(to, 0, s->ic * sizeof *to);
    }
    return (tile_input){b->border, TILE * s->ic, s->ic};
}

static tile_input find_input(const winograd_block *b, const tile_place *place)
{
    const as_conv_shape *s = &b->args->shape;
    const as_view *in = &b->args->in;
    const float *image = in->data + place->image * s->ih * s->iw * in->pixel_stride;
    const size_t y0 = place->y - s->pad_top, x0 = place->x - s->pad_left; /* wrap */
    if (y0 < s->ih && TILE <= s->ih - y0 && x0 < s->iw && TILE <= s->iw - x0)
        return (tile_input){image + (y0 * s->iw + x0) * in->pixel_stride,
                            s->iw * in->pixel_stride, in->pixel_stride};
    return copy_border(b, image, y0, x0);
}

/* B^T d B for one vector of channels; `tail` = 0 means a whole one. */
AS_INLINE void input_vector(const tile_input *in, size_t c, size_t tail, float *v,
                            size_t v_stride)
{
    vf t[TILE][TILE];
    unrolled_for (y, TILE) {
        const float *from = in->data + y * in->row_stride + c;
        vf d[TILE];
        unrolled_for (x, TILE)
            d[x] = tail ? vf_load_tail(from + x * in->pixel_stride, tail)
                        : vf_load(from + x * in->pixel_stride);
        input_1d(d, t[y]);
    }
    unrolled_for (x, TILE) {
        vf d[TILE], e[TILE];
        unrolled_for (y, TILE)
            d[y] = t[y][x];
        input_1d(d, e);
        unrolled_for (y, TILE)
            vf_store(v + (y * TILE + x) * v_stride + c, e[y]);
    }
}

static void input_tile(const winograd_block *b, const tile_input *in, float *v)
{
    const size_t ic = b->args->shape.ic, tail = ic % VF_LANES, full = ic - tail;
    for (size_t c = 0; c < full; c += VF_LANES)
        input_vector(in, c, 0, v, padded(ic));
    if (tail) input_vector(in, full, tail, v, padded(ic));
}

static void multiply(const winograd_block *b)
{
    const as_conv_shape *s = &b->args->shape;
    const size_t n_vecs = padded(s->oc) / VF_LANES;
    const float *rows[BLOCK_MAX];
    float *out[BLOCK_MAX];
    for (size_t i = 0; i < b->n_tiles; i++) {
        rows[i] = b->v + i * b->v_tile;
        out[i] = b->m + i * b->m_tile;
    }
    tile_job job = {.rows = rows,
                    .rows_stride = BLOCK_MAX,
                    .n_segments = 1,
                    .segment_floats = s->ic,
                    .panel = b->args->packed + padded(s->oc),
                    .out = out,
                    .n_rows = b->n_tiles};
    for (size_t e = 0; e < N_ELEMENTS; e++) {
        job.row_offset = e * padded(s->ic);
        for (size_t at = 0; at < n_vecs; at += job.vecs) {
            job.vecs = tile_panel_vecs(at, n_vecs);
            job.n_columns = job.vecs * VF_LANES;
            job.out_offset = e * padded(s->oc) + at * VF_LANES;
            KERNEL(tile_run)(&job);
            job.panel += job.n_columns * (s->ic + 1);
        }
    }
}

/* The pixels of a tile that lie in the image. */
typedef struct tile_output {
    float *data;
    size_t row_stride, pixel_stride;
    size_t n_rows, n_columns;
} tile_output;

/* A^T m A + bias for one vector of channels. */
AS_INLINE void output_vector(const winograd_block *b, const float *m, size_t c, size_t tail,
                             const tile_output *out)
{
    const size_t m_stride = padded(b->args->shape.oc);
    const vf bias = vf_load(b->args->packed + c);
    const vf low = vf_splat(b->clamp.low), high = vf_splat(b->clamp.high);
    vf t[TILE][OUT];
    unrolled_for (y, TILE) {
        vf e[TILE];
        unrolled_for (x, TILE)
            e[x] = vf_load(m + (y * TILE + x) * m_stride + c);
        output_1d(e, t[y]);
    }
    unrolled_for (x, OUT) {
        vf e[TILE], pixels[OUT];
        unrolled_for (y, TILE)
            e[y] = t[y][x];
        output_1d(e, pixels);
        if (x >= out->n_columns) continue;
        unrolled_for (y, OUT) {
            vf sum = vf_add(pixels[y], bias);
            if (b->clamp.clamps) sum = vf_min(high, vf_max(low, sum));
            float *to = out->data + y * out->row_stride + x * out->pixel_stride + c;
            if (y >= out->n_rows) continue;
            if (tail)
                vf_store_tail(to, sum, tail);
            else
                vf_store(to, sum);
        }
    }
}

static void output_tile(const winograd_block *b, const tile_place *place, const float *m)
{
    const as_conv_shape *s = &b->args->shape;
    const as_view *view = &b->args->out;
    const size_t row = place->image * s->oh + place->y;
    const tile_output out = {
        .data = view->data + (row * s->ow + place->x) * view->pixel_stride,
        .row_stride = s->ow * view->pixel_stride,
        .pixel_stride = view->pixel_stride,
        .n_rows = s->oh - place->y < OUT ? s->oh - place->y : OUT,
        .n_columns = s->ow - place->x < OUT ? s->ow - place->x : OUT,
    };
    const size_t tail = s->oc % VF_LANES, full = s->oc - tail;
    for (size_t c = 0; c < full; c += VF_LANES)
        output_vector(b, m, c, 0, &out);
    if (tail) output_vector(b, m, full, tail, &out);
}

/* The epilogue over the pixels of `n` neighbouring tiles. */
static void finish_tiles(const winograd_block *b, const tile_place *place, size_t n)
{
    const as_conv_shape *s = &b->args->shape;
    const size_t n_columns = n * OUT < s->ow - place->x ? n * OUT : s->ow - place->x;
    for (size_t y = place->y; y < place->y + OUT && y < s->oh; y++)
        KERNEL(epilogue_in_place)
    (b->args->epilogue, b->clamp.n_steps, &b->args->out,
     (place->image * s->oh + y) * s->ow + place->x, n_columns, 0, s->oc);
}

static void run_block(const winograd_block *b)
{
    const as_conv_shape *s = &b->args->shape;
    for (size_t i = 0; i < b->n_tiles; i++) {
        const tile_place place = place_of(s, b->first + i);
        const tile_input in = find_input(b, &place);
        input_tile(b, &in, b->v + i * b->v_tile);
    }
    multiply(b);
    for (size_t i = 0, n; i < b->n_tiles; i += n) {
        const tile_place first = place_of(s, b->first + i);
        const size_t to_row_end = tiles_wide(s) - first.x / OUT;
        n = b->n_tiles - i < to_row_end ? b->n_tiles - i : to_row_end;
        for (size_t j = 0; j < n; j++) {
            const tile_place place = {first.image, first.y, first.x + j * OUT};
            output_tile(b, &place, b->m + (i + j) * b->m_tile);
        }
        finish_tiles(b, &first, n);
    }
}

void ROUTE(run)(const as_conv_args *args, size_t item_begin, size_t item_end, float *scratch)
{
    const as_conv_shape *s = &args->shape;
    const size_t n_max = block_tiles(s), end = item_end * tiles_wide(s);
    winograd_block b = {.args = args,
                        .v_tile = N_ELEMENTS * padded(s->ic),
                        .m_tile = N_ELEMENTS * padded(s->oc),
                        .clamp = KERNEL(epilogue_leading_clamp)(args->epilogue)};
    b.v = scratch;
    b.m = b.v + n_max * b.v_tile;
    b.border = b.m + n_max * b.m_tile;
    for (b.first = item_begin * tiles_wide(s); b.first < end; b.first += b.n_tiles) {
        b.n_tiles = end - b.first < n_max ? end - b.first : n_max;
        run_block(&b);
    }
}
