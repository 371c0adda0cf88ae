/* SPDX-License-Identifier: Apache-2.0 */
/* The micro-kernel of tile.h, instantiated for each MR x VECS. */
#include "kernels/tile.h"

#include "kernels/step_value.h"

#define MAX_MR   12
#define MAX_VECS 4

/* Operands of n columns. */
AS_INLINE vf tile_load(const float *p, size_t n)
{
    return n == VF_LANES ? vf_load(p) : vf_load_tail(p, n);
}

/* One step on all sums; `tail` columns are valid in the last vector. */
AS_INLINE void tile_step_all(const tile_job *job, const tile_step *t, const as_step_kind kind,
                             vf acc[MAX_MR][MAX_VECS], size_t row0, size_t n_rows, size_t tail,
                             const size_t mr, const size_t vecs)
{
    const vf a = vf_splat(t->step->a), b = vf_splat(t->step->b);
    unrolled_for (j, vecs) {
        const size_t at = job->out_offset + j * VF_LANES;
        const size_t n = j + 1 < vecs ? VF_LANES : tail;
        vf y = a, z = b;
        if (kind == AS_STEP_SCALE_SHIFT) {
            y = tile_load(t->step->scale + at, n);
            z = tile_load(t->step->shift + at, n);
        }
        unrolled_for (i, mr) {
            if (kind <= AS_STEP_MIN)
                y = tile_load(t->rows[row0 + (i < n_rows ? i : n_rows - 1)] + at, n);
            acc[i][j] = step_value(kind, acc[i][j], y, z, a, b);
        }
    }
}

/* The steps that tile_steps.c lets in. */
AS_INLINE void tile_steps_all(const tile_job *job, vf acc[MAX_MR][MAX_VECS], size_t row0,
                              size_t n_rows, size_t tail, const size_t mr, const size_t vecs)
{
#define STEP(kind)                                                                             \
    case kind:                                                                                 \
        tile_step_all(job, t, kind, acc, row0, n_rows, tail, mr, vecs);                        \
        break;
    for (size_t i = 0; i < job->n_steps; i++) {
        const tile_step *t = &job->steps[i];
        switch (t->step->kind) {
            STEP(AS_STEP_ADD)
            STEP(AS_STEP_MUL)
            STEP(AS_STEP_SCALE_SHIFT)
            STEP(AS_STEP_RELU)
            STEP(AS_STEP_CLIP)
            STEP(AS_STEP_HARD_SWISH)
            STEP(AS_STEP_GELU)
        default:
            break;
        }
    }
#undef STEP
}

/* Neighbours of all lanes, taken together, are added. */
AS_INLINE void add_neighbours(vf acc[MAX_VECS], const size_t vecs)
{
    unrolled_for (j, (vecs + 1) / 2)
        acc[j] = vf_add_neighbours(acc[2 * j], 2 * j + 1 < vecs ? acc[2 * j + 1] : vf_zero());
}

/* Store the valid part of a tile of `vecs` vectors of columns. */
AS_INLINE void tile_store(const tile_job *job, vf acc[MAX_MR][MAX_VECS], size_t row0,
                          size_t n_rows, const size_t mr, const size_t vecs)
{
    const size_t tail = job->n_columns - (vecs - 1) * VF_LANES;
    tile_steps_all(job, acc, row0, n_rows, tail, mr, vecs);
    unrolled_for (i, mr) {
        if (i < n_rows) {
            float *out = job->out[row0 + i] + job->out_offset;
            tile_store_row(out, acc[i], vecs, tail);
        }
    }
}

/* Fold where the job does, then store. */
AS_INLINE void tile_finish(const tile_job *job, vf acc[MAX_MR][MAX_VECS], size_t row0,
                           size_t n_rows, const size_t mr, const size_t vecs,
                           const size_t spread)
{
    if (spread == 1 || !job->adds_chains) {
        tile_store(job, acc, row0, n_rows, mr, vecs);
        return;
    }
    unrolled_for (i, mr) {
        add_neighbours(acc[i], vecs);
        if (spread == 4) add_neighbours(acc[i], (vecs + 1) / 2);
    }
    tile_store(job, acc, row0, n_rows, mr, (vecs + spread - 1) / spread);
}

/* What vector j of the panel is multiplied with: lane l of all of them has p[l % spread]. */
AS_INLINE vf tile_spread(const float *p, const size_t j, const size_t spread)
{
    p += j * VF_LANES &
         (spread - 1); /* % spread, which clang 14's sanitizer takes for an overflow */
    return spread == 1 ? vf_splat(*p) : spread == 2 ? vf_splat2(p) : vf_splat4(p);
}

/* Floats of the next panel that each step of k of a whole tile fetches: together they fetch it all. */
AS_INLINE size_t fetch_share(const tile_job *job, const size_t mr, const size_t vecs)
{
    const size_t n_tiles = job->n_rows / mr;
    return (vecs * VF_LANES + n_tiles - 1) / n_tiles;
}

/* One tile from row0 on.  Where fewer than mr rows are left the last one stands in for the
 * rest. */
AS_INLINE void tile(const tile_job *job, size_t row0, size_t n_rows, const size_t mr,
                    const size_t vecs, const size_t spread, const bool fetches)
{
    vf acc[MAX_MR][MAX_VECS];
    const float *b = job->panel;
    const size_t n_steps = job->n_segments * job->segment_floats;
    const size_t share = fetches ? fetch_share(job, mr, vecs) : 0;
    const float *next = fetches ? job->next + row0 / mr * n_steps * share : NULL;
    unrolled_for (i, mr)
        unrolled_for (j, vecs)
            acc[i][j] = vf_load(b + j * VF_LANES);
    b += vecs * VF_LANES;
    for (size_t s = 0; s < job->n_segments; s++) {
        const float *const *rows = job->rows + s * job->rows_stride + row0;
        const float *a[MAX_MR];
        unrolled_for (i, mr)
            a[i] = rows[i < n_rows ? i : n_rows - 1] + job->row_offset;
        for (size_t k = 0; k < job->segment_floats; k += spread, b += vecs * VF_LANES) {
            vf bv[MAX_VECS];
            unrolled_for (j, vecs)
                bv[j] = vf_load(b + j * VF_LANES);
            if (fetches) {
                AS_PREFETCH(next);
                next += share;
            }
            unrolled_for (i, mr)
                unrolled_for (j, vecs)
                    acc[i][j] = vf_fma(tile_spread(a[i] + k, j, spread), bv[j], acc[i][j]);
        }
    }
    tile_finish(job, acc, row0, n_rows, mr, vecs, spread);
}

/* All rows of the job: whole tiles, then a small or a shared one. */
AS_INLINE void tile_rows(const tile_job *job, const size_t mr, const size_t vecs,
                         const size_t spread, const bool fetches)
{
    size_t row = 0;
    for (; row + mr <= job->n_rows; row += mr)
        tile(job, row, mr, mr, vecs, spread, fetches);
    size_t left = job->n_rows - row;
    if (left == 1)
        tile(job, row, 1, 1, vecs, spread, false);
    else if (left > 1 && left <= 4)
        tile(job, row, left, 4, vecs, spread, false);
    else if (left > 4)
        tile(job, row, left, mr, vecs, spread, false);
}

AS_INLINE void tile_panel(const tile_job *job, const size_t spread)
{
    if (VF_LANES == 1 && job->vecs == 4)
        tile_rows(job, TILE_MR_3, 4, spread, false);
    else if (job->vecs == 3 && spread == 1 && job->next)
        tile_rows(job, TILE_MR_3, 3, 1, true);
    else if (job->vecs == 3)
        tile_rows(job, TILE_MR_3, 3, spread, false);
    else if (job->vecs == 2)
        tile_rows(job, TILE_MR_2, 2, spread, false);
    else
        tile_rows(job, TILE_MR_1, 1, spread, false);
}

void KERNEL(tile_run)(const tile_job *job)
{
    if (job->spread == 1)
        tile_panel(job, 1);
    else if (job->spread == 2)
        tile_panel(job, 2);
    else
        tile_panel(job, 4);
}
