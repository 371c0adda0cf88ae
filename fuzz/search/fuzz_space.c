/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as a search space.  Whatever is taken can be trained and named as it stands: networks that fit the
 * data and the bounds, names that stay in a folder and differ.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "search/space.h"

static void check_structure(const as_space *space, const as_structure *s)
{
    as_network *network;
    if (!s->name[0] || s->name[0] == '.' || strchr(s->name, '/')) abort();
    if (s->n_seeds < 1 || s->n_seeds > AS_SPACE_SEEDS_MAX) abort();
    if (s->training.n_epochs < 1 || s->training.batch < 1 || !(s->training.rate > 0)) abort();
    if (s->spec.n_units > AS_SPACE_UNITS_MAX || as_network_outline(&s->spec, &network, NULL))
        abort();
    if (as_network_n_parameters(network) > AS_SPACE_PARAMS_MAX ||
        as_network_activation_bytes(network) / sizeof(float) >
            AS_SPACE_VALUES_MAX / s->training.batch ||
        as_network_n_outputs(network) != space->data.n_classes)
        abort();
    as_network_free(network);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    as_space *space;
    assay_error err = {0};
    if (as_space_parse(data, size, "folder/space.json", &space, &err)) {
        if (space || !err.message[0] || strncmp(err.where, "space.json", 10) != 0) abort();
        return 0;
    }
    if (space->n_structures == 0 || space->n_structures > AS_SPACE_STRUCTURES_MAX ||
        space->baseline >= space->n_structures)
        abort();
    for (size_t i = 0; i < space->n_structures; i++) {
        check_structure(space, &space->structures[i]);
        for (size_t j = 0; j < i && i < 32; j++) /* all pairs of 1024 would be slow */
            if (strcmp(space->structures[i].name, space->structures[j].name) == 0) abort();
    }
    as_space_free(space);
    return 0;
}
