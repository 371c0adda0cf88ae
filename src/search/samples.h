/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_SEARCH_SAMPLES_H
#define ASSAY_SEARCH_SAMPLES_H
/*
 * In-place times: one number a layer, option and round, the mean of that round's slots in which
 * the layer used the option.
 *
 *     as_samples *s = as_samples_new(n_layers, most_rounds);
 *     as_samples_add(s, layer, option, round, seconds);
 *     const double *row = as_samples_row(s, layer, option);     double row[n_rounds]
 */
#include "search/routes.h"

typedef struct as_samples as_samples;

/** NULL without memory. */
as_samples *as_samples_new(size_t n_layers, size_t n_rounds) AS_CHECKED;
void as_samples_free(as_samples *samples); /**< Takes NULL. */

void as_samples_add(as_samples *samples, size_t layer, size_t option, size_t round,
                    double seconds);

/** Means by round; a round without a sample has 0. */
const double *as_samples_row(const as_samples *samples, size_t layer, size_t option);

#endif
