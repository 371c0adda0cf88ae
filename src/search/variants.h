/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_SEARCH_VARIANTS_H
#define ASSAY_SEARCH_VARIANTS_H
/*
 * One object of a search space varied over lists of values.
 *
 *     {"vary": {"block": ["standard", "dw_pw"], "width": [8, 16]}, "name": "$block-$width", ..}
 *     as_variants_count -> 4        as_variant(object, 1) -> {"name": "standard-16", ..}
 *
 * A text that is "$block" as a whole becomes the value as it is; amid a text stands the value's text.
 */
#include <jansson.h>
#include <stddef.h>

#include "base/error.h"

/** @return ASSAY_E_FORMAT where "vary" is no object of lists with values, or for more than `most`. */
assay_code as_variants_count(const json_t *object, size_t most, size_t *out, assay_error *err);

/**
 * Variant `i`, without "vary"; the first key of "vary" varies slowest.
 * @param out  the caller's (json_decref), NULL on failure.
 * @return ASSAY_E_FORMAT for a "$name" that "vary" has not, ASSAY_E_MEMORY.
 */
assay_code as_variant(const json_t *object, size_t i, json_t **out, assay_error *err);

#endif
