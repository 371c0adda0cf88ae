/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/choices.h"

const char *as_choice_of(const as_layer_choice *choices, size_t n_choices, int node)
{
    for (size_t i = 0; i < n_choices; i++)
        if (choices[i].node == node) return choices[i].route;
    return NULL;
}
