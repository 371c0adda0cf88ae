/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TESTS_KERNELS_FAMILIES_H
#define ASSAY_TESTS_KERNELS_FAMILIES_H
/* How each family of kernels is put to the test. */
#include "harness.h"

/** The kernel under test. */
typedef struct kernel_id {
    const char *family;  /**< "conv", "map" */
    const char *variant; /**< "direct"; "" where a family has just one */
    as_isa isa;
} kernel_id;

typedef enum outcome { AGREES, DIFFERS, REFUSED } outcome;

/** One family: make a random case, and compare kernel and reference on a case. */
typedef struct family {
    const char *name;
    size_t n_cases; /**< that a kernel must do; those that a route refuses are not counted */
    kernel_case (*make)(rng *r, const kernel_id *id);
    /** `what` gets the first difference, or "". */
    outcome (*check)(const kernel_id *id, const kernel_case *c, char *what, size_t room);
} family;

extern const family families[];
extern const size_t n_families;

kernel_case make_conv(rng *r, const kernel_id *id);
outcome check_conv(const kernel_id *id, const kernel_case *c, char *what, size_t room);
kernel_case make_deconv(rng *r, const kernel_id *id);
outcome check_deconv(const kernel_id *id, const kernel_case *c, char *what, size_t room);
kernel_case make_weight_grad(rng *r, const kernel_id *id);
outcome check_weight_grad(const kernel_id *id, const kernel_case *c, char *what, size_t room);

#endif
