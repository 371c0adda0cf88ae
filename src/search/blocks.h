/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_SEARCH_BLOCKS_H
#define ASSAY_SEARCH_BLOCKS_H
/*
 * The layers of a search space as units of a network; for search/ alone.
 *
 *     as_blocks b = {.arena = arena, .c = 1, .n_classes = 10};
 *     code = as_blocks_add(&b, layers_json, err);          b.units[b.n_units]
 *
 *     standard            conv k x k
 *     dw_pw               conv k x k by channels, conv 1 x 1
 *     inverted_residual   conv 1 x 1 to `expand` times the channels, relu, conv k x k by channels, relu,
 *                         conv 1 x 1; plus its input where stride is 1 and the channels are the same
 *
 * Convolutions have no bias; with "batchnorm" each is followed by one.
 */
#include <jansson.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "train/network.h"

typedef struct as_blocks {
    as_arena *arena;
    size_t c;         /**< Channels that come out so far. */
    size_t n_classes; /**< Width of a "linear" that names none. */
    bool is_flat;     /**< What comes out is one vector. */
    as_unit *units;   /**< In the arena. */
    size_t n_units;
} as_blocks;

/**
 * Append the units of a list of layers.
 * @return ASSAY_E_FORMAT with the layer's place, ASSAY_E_MEMORY.
 */
assay_code as_blocks_add(as_blocks *blocks, const json_t *layers, assay_error *err);

#endif
