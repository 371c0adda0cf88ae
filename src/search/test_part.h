/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_SEARCH_TEST_PART_H
#define ASSAY_SEARCH_TEST_PART_H
/*
 * The samples that nobody looks at before the choice is on disk.
 *
 *     as_test_part *part = as_test_part_take(&split);        split.n_test == 0 from here on
 *     ... train, measure, write and sync selection.json ...
 *     code = as_test_part_open(part, "run/selection.json", sha256, &ids, &n, err);
 *
 * Whoever has the split has no test ids, and the part gives them for a selection alone that is in the
 * file and is the one that the evidence holds.
 */
#include <stddef.h>

#include "base/error.h"
#include "train/split.h"

typedef struct as_test_part as_test_part;

/** Take the test ids out of `split`; NULL without memory, the split untouched. */
as_test_part *as_test_part_take(as_split *split) AS_CHECKED;
void as_test_part_free(as_test_part *part); /**< Takes NULL. */

/**
 * The ids, borrowed from the part.
 * @param selection  path of selection.json.
 * @param sha256     what the evidence says of it; NULL or "": there is no selection yet.
 * @return ASSAY_E_ARGUMENT without a selection, ASSAY_E_CHANGED where the file is another,
 *         ASSAY_E_NOT_FOUND, ASSAY_E_IO; *ids is NULL then.
 */
assay_code as_test_part_open(const as_test_part *part, const char *selection,
                             const char *sha256, const size_t **ids, size_t *n,
                             assay_error *err);

#endif
