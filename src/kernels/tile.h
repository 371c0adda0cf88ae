/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_KERNELS_TILE_H
#define ASSAY_KERNELS_TILE_H
/*
 * The GEMM micro-kernel that pointwise, im2col, direct and transposed convolutions share.
 *
 * A tile is MR rows (output pixels) x NR columns (output channels).  Its K values come in
 * segments (one a tap, or a row of taps, or the whole of K); each row of the tile reads a
 * segment through a pointer of its own, so neither padding nor strides nor row ends need
 * packing of A:
 *
 *     rows[s * rows_stride + i] -> float[segment_floats]     segment s of row i
 *
 * The weights of NR channels lie in one packed panel that is read once from front to back:
 *
 *     panel:  bias[NR] | k = 0: w[NR] | k = 1: w[NR] | ...
 *
 * Each output element is one chain of FMAs that starts from the bias, in k order.
 *
 * Where few columns fill their vectors badly, `spread` floats of a row (2 or 4) are multiplied at a
 * time, and as many lanes belong to each column.  They are either rows that alternate, and then so do
 * the outputs and the panel has each weight `spread` times; or, if the job `adds_chains`, the row's next
 * values of k, so that a column is `spread` chains whose sums are added at the end, neighbours first:
 *
 *     alternating rows   a[k][2]       panel[k][NR / 2][2]       out[NR / 2][2]
 *     chains             a[k / 2][2]   panel[k / 2][NR / 2][2]   out[NR / 2]
 *
 * NR is VECS vectors.  as_panels cuts the channels into panels of 3 and 2 vectors (one of 1
 * only where there is just one), which keeps MR x VECS accumulators in registers on each ISA:
 *
 *     scalar  4 x 3, 4 x 2, 4 x 1         AVX2  4 x 24, 6 x 16, 8 x 8
 *     AVX-512 8 x 48, 12 x 32, 12 x 16    NEON  8 x 12, 12 x 8, 12 x 4
 */
#include <stdbool.h>

#include "kernels/kernels.h"
#include "kernels/simd/f32.h"

/** MR for panels of 1, 2 and 3 vectors: 32 registers, 16, or none to speak of. */
#if defined(ISA_AVX512) || defined(ISA_NEON)
#define TILE_MR_1 12
#define TILE_MR_2 12
#define TILE_MR_3 8
#elif defined(ISA_AVX2)
#define TILE_MR_1 8
#define TILE_MR_2 6
#define TILE_MR_3 4
#else
#define TILE_MR_1 4
#define TILE_MR_2 4
#define TILE_MR_3 4
#endif

/** Pixels that one call of a convolution's inner loops handles: a multiple of every MR; at most, where
 * weights are heavy (conv_tile.h). */
#define TILE_BLOCK      48
#define TILE_BLOCK_MOST 240

/** Rows that take as long as it takes to fetch a panel line by line. */
#define TILE_FETCH_ROWS (3 * TILE_MR_3)

/** A step that the micro-kernel does on its sums before it stores them (tile_steps.h). */
typedef struct tile_step {
    const as_step *step;      /**< borrowed */
    const float *const *rows; /**< of two-operand kinds: row i's operand, column 0; borrowed */
} tile_step;

typedef struct tile_job {
    const float *const *rows; /**< see above; borrowed */
    size_t rows_stride;       /**< pointers between two segments */
    size_t row_offset;        /**< floats added to every pointer: the group's first channel */
    size_t n_segments;
    size_t segment_floats;
    const float *panel;
    float *const *out; /**< out[i]: where row i's first column goes */
    size_t out_offset; /**< floats added to each of them */
    size_t n_rows;     /**< rows to compute, any number */
    size_t n_columns;  /**< columns to store; in chains, at most vecs * VF_LANES / spread */
    size_t vecs;       /**< of the panel */
    size_t spread;     /**< floats of a row that are multiplied at a time: 1, 2 or 4 */
    bool adds_chains;  /**< those are values of k; else rows that alternate, without steps */
    const float *next; /**< panel of 3 vectors to bring near meanwhile, or NULL; then there are
                            at least TILE_FETCH_ROWS rows and spread is 1 */
    const tile_step *steps; /**< borrowed */
    size_t n_steps;
} tile_job;

/** Compute n_rows x n_columns outputs. */
void KERNEL(tile_run)(const tile_job *job);

/** Store a row of a tile, of whose last vector `tail` lanes are columns. */
AS_INLINE void tile_store_row(float *out, const vf *row, const size_t vecs, size_t tail)
{
    unrolled_for (j, vecs - 1)
        vf_store(out + j * VF_LANES, row[j]);
    if (tail == VF_LANES)
        vf_store(out + (vecs - 1) * VF_LANES, row[vecs - 1]);
    else
        vf_store_tail(out + (vecs - 1) * VF_LANES, row[vecs - 1], tail);
}

/**
 * Vectors of the panel that begins at vector `at` of `n_vecs`: 3s, then 2s, see above.  All lanes of
 * a column stand in one panel.
 */
static inline size_t tile_panel_vecs(size_t at, size_t n_vecs, size_t spread)
{
    size_t left = n_vecs - at;
    if (spread > VF_LANES) return spread / VF_LANES;
    if (left == 4) return 2;
    return left < 3 ? left : 3;
}

/** Vectors that `n_columns` columns fill. */
static inline size_t tile_n_vecs(size_t n_columns, size_t spread)
{
    return (n_columns * spread + VF_LANES - 1) / VF_LANES;
}

/** Floats of the panels of `n_columns` columns and `k` values each, bias included. */
static inline size_t tile_panels_floats(size_t n_columns, size_t k, size_t spread)
{
    return tile_n_vecs(n_columns, spread) * VF_LANES * (k / spread + 1);
}

#endif
