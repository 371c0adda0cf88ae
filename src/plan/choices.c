/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/choices.h"

#include <string.h>

static const char *const bands_names[AS_BANDS_N] = {"rule", "alone", "half", "double"};

const char *as_bands_name(as_bands bands) { return bands_names[bands]; }

bool as_bands_find(const char *name, as_bands *out)
{
    for (int i = 0; i < AS_BANDS_N; i++)
        if (strcmp(bands_names[i], name) == 0) {
            *out = (as_bands)i;
            return true;
        }
    return false;
}

const char *as_choice_of(const as_choices *choices, int node)
{
    for (size_t i = 0; i < choices->n_layers; i++)
        if (choices->layers[i].node == node) return choices->layers[i].route;
    return NULL;
}

as_bands as_bands_of(const as_choices *choices, int first, int last)
{
    for (size_t i = 0; i < choices->n_groups; i++)
        if (choices->groups[i].first == first && choices->groups[i].last == last)
            return choices->groups[i].bands;
    return AS_BANDS_RULE;
}
