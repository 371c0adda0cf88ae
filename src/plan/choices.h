/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_PLAN_CHOICES_H
#define ASSAY_PLAN_CHOICES_H
/*
 * Routes and bands that somebody chose: what a plan file holds and what a search tries.
 *
 *     as_layer_choice routes[] = {{.node = 12, .name = "Conv_7", .route = "winograd4"}};
 *     as_group_choice groups[] = {{.first = 3, .last = 9, .bands = AS_BANDS_HALF}};
 *     options.choices = (as_choices){routes, 1, groups, 1};
 *
 * A layer's key is the node it begins with: its id and its name in the graph after the passes,
 * which are the same each time that a model is loaded.  Bands are chosen for a group that the rule
 * forms, and relative to the rule's, so that a choice holds for shapes that nobody measured.
 */
#include <stdbool.h>
#include <stddef.h>

/** The route of one convolution; borrows its strings. */
typedef struct as_layer_choice {
    int node;          /**< Id in the graph after the passes. */
    const char *name;  /**< That node's name. */
    const char *route; /**< A route's name in the kernels' list; it has to propose itself. */
} as_layer_choice;

/** How the layers of a group go; in order of preference. */
typedef enum as_bands {
    AS_BANDS_RULE,  /**< Band by band, as many rows as the rule says. */
    AS_BANDS_ALONE, /**< Each layer whole, one after the other. */
    AS_BANDS_HALF,  /**< Half the rule's rows. */
    AS_BANDS_DOUBLE,
    AS_BANDS_N
} as_bands;

/** "rule", "alone", "half", "double". */
const char *as_bands_name(as_bands bands);

/** @return false when nothing has this name. */
bool as_bands_find(const char *name, as_bands *out);

/** The bands of one group: its key is the nodes with which its first and last layer begin. */
typedef struct as_group_choice {
    int first, last; /**< -1: the layer that copies an input in, or an output out. */
    as_bands bands;
} as_group_choice;

/** All of them; borrowed. */
typedef struct as_choices {
    const as_layer_choice *layers;
    size_t n_layers;
    const as_group_choice *groups;
    size_t n_groups;
} as_choices;

/** The route chosen for `node`, or NULL. */
const char *as_choice_of(const as_choices *choices, int node);

/** The bands chosen for a group from layer `first` to `last`; AS_BANDS_RULE without a choice. */
as_bands as_bands_of(const as_choices *choices, int first, int last);

#endif
