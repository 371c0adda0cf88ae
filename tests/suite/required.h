/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TESTS_SUITE_REQUIRED_H
#define ASSAY_TESTS_SUITE_REQUIRED_H
/*
 * Which cases of a suite must pass, out of their models alone and without any part of assay, so that
 * what assay refuses cannot take a case off the list.
 */
#include <stdbool.h>
#include <stddef.h>

/** What a case's model is made of. */
typedef struct suite_case {
    char operators
        [256]; /**< Its operators once each, "Add Relu"; cut off where they are too long. */
    int opset; /**< Of the default domain, or of the only one. */
    bool is_required; /**< Operators of the list, tensors of f32, i32, i64 and bool alone. */
} suite_case;

/** Read a model file.  @return false when it cannot be read or is no model. */
bool suite_case_read(const char *path, suite_case *out);

#endif
