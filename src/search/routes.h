/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_SEARCH_ROUTES_H
#define ASSAY_SEARCH_ROUTES_H
/*
 * Which route each layer gets: the cheapest in place among those that keep every box.
 *
 *     as_route_search search = {.layers = layers, .n_layers = n, .meter = &meter, .seed = 1,
 *                               .least_rounds = 8, .most_rounds = 24};
 *     code = as_routes_search(&search, err);     layers[i].chosen
 *     as_routes_free(&search);
 *
 *     round   slots: each times the whole network once, every layer by one of its routes
 *       0     [a a b ..] [b c a ..] [c b b ..]     the slots' order is shuffled, and which route
 *       1     [b b a ..] [a a b ..] [c c a ..]     meets which neighbour changes each round
 *
 * A layer's routes stand in order of preference: the exact ones first, then as the kernels list
 * them.  One takes the place of a preferred one when it is surely faster: by AS_MARGIN of the
 * layer, and by AS_LAYER_MATTERS of all layers together.  A tie stays with the preferred; what the
 * rounds leave undecided stays with the rule's route, the default plan's.  So tuning again chooses
 * the same.  Rounds go on until nothing is undecided.
 *
 * A route that took more than AS_HOPELESS times another's time in each of the first
 * AS_HOPELESS_ROUNDS rounds is timed no more: depthwise layers by `direct` cost v4 more than all its
 * other layers together.  An exact route goes only beside an exact one, so one always stays.
 *
 * Then the boxes: while they differ with the chosen routes, a bisection over the layers that use
 * close routes finds the one that turns equal into different, and it gets its next route.
 *
 * Clock and boxes come through the meter, so that tests put their own in.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "verdict/statistics.h"

/** Routes of one layer, at most. */
#define AS_SEARCH_ROUTES 12

/** A saving below this share of all layers' time is none: 0.1 %, a tenth of AS_MARGIN. */
#define AS_LAYER_MATTERS 0.001

#define AS_HOPELESS        2.0
#define AS_HOPELESS_ROUNDS 3

/** One route of a layer. */
typedef struct as_route_option {
    const char *route; /**< Borrowed. */
    bool is_exact;
    bool changes_boxes; /**< Filled: chosen once, and a box was another. */
    bool is_hopeless;   /**< Filled: timed in the first AS_HOPELESS_ROUNDS alone. */
} as_route_option;

/** A convolution and what may compute it. */
typedef struct as_search_layer {
    int node; /**< In the graph after the passes. */
    const char *name, *op_type;
    as_route_option options[AS_SEARCH_ROUTES]; /**< In order of preference. */
    size_t n_options;                          /**< At least 1. */
    size_t rule;                               /**< Which of them the default plan uses. */
    size_t chosen;                             /**< Filled: index in options. */
} as_search_layer;

/** Where times and boxes come from; `option[i]` is what layer i uses. */
typedef struct as_route_meter {
    void *context;
    /** Run once; layer_s[i] = seconds of layer i, > 0. */
    assay_code (*measure)(void *context, const size_t *option, double *layer_s,
                          assay_error *err);
    /** Whether every box is the exact routes'. */
    assay_code (*compare)(void *context, const size_t *option, bool *is_equal,
                          assay_error *err);
    double (*now_s)(void *context);
    /** After each slot; may be NULL. */
    void (*progress)(void *context, size_t n_slots, size_t at_most);
} as_route_meter;

typedef struct as_route_search {
    as_search_layer *layers; /**< Borrowed; `chosen` is filled. */
    size_t n_layers;
    const as_route_meter *meter;
    uint64_t seed;
    size_t least_rounds, most_rounds;
    double budget_s; /**< No new round after so many seconds; 0 = none. */

    /* Filled. */
    size_t n_rounds;
    size_t n_comparisons;
    bool is_settled;            /**< No choice is undecided. */
    struct as_samples *samples; /**< Owns. */
} as_route_search;

/**
 * Time, choose, and hold the choice to equal boxes.
 * @return what the meter's functions return; ASSAY_E_DIFFERENT when boxes differ without any close
 *         route; ASSAY_E_MEMORY.
 */
assay_code as_routes_search(as_route_search *search, assay_error *err);

/** Free what the search filled; takes one that failed. */
void as_routes_free(as_route_search *search);

/** In-place seconds of a layer's option over the rounds; n = 0 when it was never timed. */
assay_code as_routes_summary(const as_route_search *search, size_t layer, size_t option,
                             as_summary *out, assay_error *err);

/* ---- the two halves, inside search/ ---- */

/**
 * The best option of a layer by what was timed; those that change boxes are left out, and with
 * `exact_only` the close ones.
 * @param is_settled  receives whether that is certain; may be NULL.
 */
assay_code as_routes_best(const as_route_search *search, size_t layer, bool exact_only,
                          size_t *best, bool *is_settled, assay_error *err);

/** Give layers their next route until the boxes are equal (hold.c). */
assay_code as_routes_hold(as_route_search *search, assay_error *err);

#endif
