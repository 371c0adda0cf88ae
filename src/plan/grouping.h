/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_PLAN_GROUPING_H
#define ASSAY_PLAN_GROUPING_H
/*
 * Groups in the making: draft.c says which are sound, group_rule.c which pay, group.c forms them.
 */
#include "plan/group.h"
#include "plan/planner.h"

/* Places of a layer that see values. */
enum { AS_SLOT_IN, AS_SLOT_OUT, AS_SLOT_STEP, AS_SLOTS = AS_SLOT_STEP + AS_EPILOGUE_STEPS };

/** One of them: the buffer and the first channel there; root -1 where it sees none. */
typedef struct as_touch {
    int root;
    size_t channel;
} as_touch;

/** First and last layer that touch a buffer. */
typedef struct as_use {
    int first, last;
} as_use;

typedef struct as_grouping {
    as_planner *planner;
    as_touch *touches; /**< [n_layers][AS_SLOTS] */
    as_use *uses;      /**< [n_values] */
} as_grouping;

static inline const as_touch *as_touch_of(const as_grouping *g, size_t layer, int slot)
{
    return &g->touches[layer * AS_SLOTS + (size_t)slot];
}

/** A draft where a band may begin, as the first of a thread [0] or behind another [1]. */
typedef struct as_look {
    size_t row;                        /**< Of the last layer. */
    size_t begins[2][AS_GROUP_LAYERS]; /**< Of each layer: the first row that it makes. */
    size_t tops[2][AS_GROUP_LAYERS];   /**< Of each buffer: the first row that it holds. */
} as_look;

#define AS_MOST_LOOKS 16

/** A group that may be formed. */
typedef struct as_draft {
    as_group group;
    as_band_layer layers[AS_GROUP_LAYERS];
    as_read reads[AS_GROUP_LAYERS * (1 + AS_EPILOGUE_STEPS)];
    as_band_buffer buffers[AS_GROUP_LAYERS];
    int roots[AS_GROUP_LAYERS];        /**< Value of each buffer. */
    size_t window_floats;              /**< What the buffers hold at a time. */
    size_t kept_rows[AS_GROUP_LAYERS]; /**< Of each buffer: those of a band before. */
    as_look looks[2 * AS_MOST_LOOKS];
    size_t n_looks;
} as_draft;

/** Layers first .. first + n - 1 as a group, but for its bands.  @return false when they are none. */
bool as_draft_make(const as_grouping *g, size_t first, size_t n, as_draft *draft);

/**
 * With row_step set: look at the draft at n .. 2 n - 1 <= 2 AS_MOST_LOOKS rows.
 * @return false when a row there that goes to the arena belongs to no thread or to two.
 */
bool as_draft_look(as_draft *draft, size_t n);

/** With band_rows set, too: size the buffers by what was seen there. */
void as_draft_estimate(as_draft *draft);

/**
 * Whether every row that goes to the arena belongs to one thread wherever the rows are split; sizes
 * the buffers.
 */
bool as_draft_check(as_draft *draft);

/** Rows that a layer makes at a time. */
size_t as_layer_row_step(const as_layer *layer);

/** Whether a row of the layer's output is made of rows that a map names (Resize). */
bool as_layer_has_row_maps(const as_layer *layer);

/** Images of what the layer makes. */
size_t as_layer_images(as_layer *layer);

/** The group of layers first .. first + n - 1 with its bands.  @return false when none is formed. */
bool as_draft_form(const as_grouping *g, size_t first, size_t n, as_draft *draft);

/**
 * Cut n layers from `first` on, all of which can go by bands, into groups.
 * @param draft    room to try in.
 * @param saved    double[n + 1], room to work in.
 * @param lengths  size_t[n]: of the group that begins at each layer, if one begins there.
 */
void as_partition(const as_grouping *g, size_t first, size_t n, as_draft *draft, double *saved,
                  size_t *lengths);

#endif
