/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TESTS_TRAIN_REF_DOUBLE_H
#define ASSAY_TESTS_TRAIN_REF_DOUBLE_H
/* One unit's forward pass in double, by the plain kernels of src/kernels/ref compiled in double. */
#include "train/network.h"

/** Extents of one image's map. */
typedef struct map_size {
    size_t h, w, c;
} map_size;

/**
 * y[n][out] of x[n][in].
 * @param parameters  double[]: the unit's weights, then its biases, as the network has them.
 * @param other       double[n][in]: what ADD adds.
 */
void ref_double_unit(const as_unit *unit, map_size in, map_size out, size_t n, const double *x,
                     const double *parameters, const double *other, double *y);

#endif
