/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_PLAN_GROUP_H
#define ASSAY_PLAN_GROUP_H
/*
 * Row-band groups: consecutive layers that go down the image together, so that a map between two
 * of them never leaves the second-level cache.
 *
 *     layer     0 stem 3x3 s2      1 conv 2x2        2 conv 3x3 s2          arena
 *               [rows 8..12] ----> [rows 8..11] ---> [rows 4..6] ---------> whole map
 *               buffer 0           buffer 1
 *                 \_______ of the thread's scratch: a window of rows _____/
 *
 * A thread takes a share of the last layer's rows and walks it in bands.  For each band it asks
 * from the last layer back which rows every layer must have made by then (rows.h), and makes
 * those it has not made yet; a buffer keeps the rows that are still to be read, so nothing is
 * computed twice but the rows above a thread's first.  Rows that are kept move to the buffer's top
 * when it is full, so a buffer has room for some bands more where many rows are kept.
 *
 *     as_band_walk walk;
 *     as_band_start(group, first_row, &walk);
 *     while (rows are left) {
 *         as_band_next(group, end_row, &walk);
 *         for each layer i: make rows walk.rows[i]
 *     }
 *
 * What a layer writes is the same chain of operations whoever asks for it, so exact layers stay
 * exact.  A layer whose output is read outside the group writes it to the arena; each row of it
 * belongs to one thread (as_group_checks).
 */
#include "plan/rows.h"

#define AS_GROUP_LAYERS 32

/** Where a view of a layer in a group lies. */
typedef struct as_place {
    int buffer;     /**< Index in buffers, -1: in the arena, written by another group. */
    size_t channel; /**< Its first channel inside the buffer's pixels. */
} as_place;

/** A layer reads what its group makes. */
typedef struct as_read {
    int buffer;
    as_reach reach;
} as_read;

/** A layer as its group sees it. */
typedef struct as_band_layer {
    as_place in, out, steps[AS_EPILOGUE_STEPS];
    size_t first_read, n_reads; /**< Of the group's reads. */
    size_t height;              /**< Rows of an image of its output. */
    size_t row_step;            /**< It makes this many rows at a time. */
    bool is_row_by_row;         /**< It reads rows through a map: one call a row. */
} as_band_layer;

/** What layers of the group write: values that share memory are one buffer. */
typedef struct as_band_buffer {
    bool is_outside;   /**< It lies in the arena whole; the rest is for those that do not. */
    size_t row_floats; /**< One row of pixels. */
    size_t n_rows;     /**< Rows that it has room for. */
    size_t offset;     /**< Floats from the start of the thread's buffers. */
} as_band_buffer;

typedef struct as_group {
    size_t first, n_layers;  /**< plan->layers[first ...]; one layer alone runs whole. */
    size_t band_rows;        /**< Rows of the last layer in a band. */
    size_t row_step;         /**< Its row_step: a thread's share begins at a multiple. */
    size_t n_images, height; /**< The last layer's images and their rows. */
    as_band_layer *layers;   /**< as_band_layer layers[n_layers], NULL for one alone. */
    as_read *reads;          /**< as_read reads[n_reads], layer by layer */
    size_t n_reads;
    as_band_buffer *buffers;
    size_t n_buffers;
    size_t scratch_floats; /**< All buffers of a thread. */
} as_group;

/** Rows [begin, end) of one image. */
typedef struct as_rows {
    size_t begin, end;
} as_rows;

/** How far one thread has come in one image. */
typedef struct as_band_walk {
    as_rows rows[AS_GROUP_LAYERS];      /**< Of each layer: to be made in this band. */
    as_rows window[AS_GROUP_LAYERS];    /**< Of each buffer: what it holds in this band. */
    as_rows before[AS_GROUP_LAYERS];    /**< What it held in the band before. */
    size_t top[AS_GROUP_LAYERS];        /**< Of each buffer: the row that lies first in it, */
    size_t top_before[AS_GROUP_LAYERS]; /**< and the one that did in the band before. */
} as_band_walk;

/** Begin at row `row` of the last layer. */
void as_band_start(const as_group *group, size_t row, as_band_walk *walk);

/** The band that ends before row `end` of the last layer; it begins where the last one ended. */
void as_band_next(const as_group *group, size_t end, as_band_walk *walk);

/**
 * Of each layer, from the last one back: the first row that is needed when the group begins at row
 * `row`, also where only an overlapping window of a later layer asks for it.
 */
void as_band_starts(const as_group *group, size_t row, size_t starts[AS_GROUP_LAYERS]);

/** Likewise the row behind the last one that is needed before row `row`. */
void as_band_ends(const as_group *group, size_t row, size_t ends[AS_GROUP_LAYERS]);

/** First row that each buffer holds while layer i makes rows from begins[i] on. */
void as_band_tops(const as_group *group, const size_t *begins, size_t tops[AS_GROUP_LAYERS]);

/** First row of layer i's output that belongs to a thread whose share begins at row `row`. */
size_t as_band_share(const as_group *group, size_t i, size_t row);

/** Rows of a band, half or double of those that the rule chose. */
size_t as_group_scaled(const as_group *group, as_bands bands);

/** Items that threads share: row_step rows of one image each. */
size_t as_group_items(const as_group *group);

#endif
