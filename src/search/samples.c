/* SPDX-License-Identifier: Apache-2.0 */
#include "search/samples.h"

#include "base/memory.h"
#include "base/size.h"

struct as_samples {
    size_t n_rounds;
    double *means;    /* owns; [layer][option][round] */
    unsigned *counts; /* owns; as above */
};

as_samples *as_samples_new(size_t n_layers, size_t n_rounds)
{
    size_t n = 0;
    as_samples *s = as_alloc(sizeof *s);
    if (!s || !as_mul(n_layers * AS_SEARCH_ROUTES, n_rounds, &n)) {
        as_free(s);
        return NULL;
    }
    s->n_rounds = n_rounds;
    s->means = as_alloc_array(n + 1, sizeof *s->means);
    s->counts = as_alloc_array(n + 1, sizeof *s->counts);
    if (s->means && s->counts) return s;
    as_samples_free(s);
    return NULL;
}

void as_samples_free(as_samples *samples)
{
    if (!samples) return;
    as_free(samples->means);
    as_free(samples->counts);
    as_free(samples);
}

static size_t place(const as_samples *s, size_t layer, size_t option)
{
    return (layer * AS_SEARCH_ROUTES + option) * s->n_rounds;
}

void as_samples_add(as_samples *samples, size_t layer, size_t option, size_t round,
                    double seconds)
{
    size_t at = place(samples, layer, option) + round;
    samples->counts[at]++;
    samples->means[at] += (seconds - samples->means[at]) / samples->counts[at];
}

const double *as_samples_row(const as_samples *samples, size_t layer, size_t option)
{
    return samples->means + place(samples, layer, option);
}
