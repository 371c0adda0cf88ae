/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_PLAN_CHOICES_H
#define ASSAY_PLAN_CHOICES_H
/*
 * Routes that somebody chose, layer by layer: what a plan file holds and what a search tries.
 *
 *     as_layer_choice choices[] = {{.node = 12, .name = "Conv_7", .route = "winograd4"}};
 *     options.choices = choices;
 *     options.n_choices = 1;
 *
 * A layer's key is the node it begins with: its id and its name in the graph after the passes,
 * which are the same each time that a model is loaded.
 */
#include <stddef.h>

/** The route of one convolution; borrows its strings. */
typedef struct as_layer_choice {
    int node;          /**< Id in the graph after the passes. */
    const char *name;  /**< That node's name. */
    const char *route; /**< A route's name in the kernels' list; it has to propose itself. */
} as_layer_choice;

/** The route chosen for `node`, or NULL. */
const char *as_choice_of(const as_layer_choice *choices, size_t n_choices, int node);

#endif
