/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_RUN_BAND_CALL_H
#define ASSAY_RUN_BAND_CALL_H
/* Some rows of one image of a layer, as a call of its kernel on smaller views. */
#include "plan/group.h"

/** Where a thread stands in a group. */
typedef struct as_band_place {
    const as_group *group;
    const as_band_walk *walk;
    float *buffers; /**< float[group->scratch_floats] */
    float *scratch; /**< the route's */
    size_t image;
} as_band_place;

/** Make rows [rows.begin, rows.end) of layer i of the group. */
void as_band_call(const as_kernels *kernels, const as_layer *layer, size_t i,
                  const as_band_place *at, as_rows rows);

#endif
