/* SPDX-License-Identifier: Apache-2.0 */
#include "search/test_part.h"

#include <string.h>

#include "base/memory.h"
#include "base/sha256.h"

struct as_test_part {
    size_t *ids; /* owns */
    size_t n;
};

as_test_part *as_test_part_take(as_split *split)
{
    as_test_part *part = as_alloc(sizeof *part);
    if (!part) return NULL;
    *part = (as_test_part){split->test, split->n_test};
    split->test = NULL;
    split->n_test = 0;
    return part;
}

void as_test_part_free(as_test_part *part)
{
    if (!part) return;
    as_free(part->ids);
    as_free(part);
}

assay_code as_test_part_open(const as_test_part *part, const char *selection,
                             const char *sha256, const size_t **ids, size_t *n,
                             assay_error *err)
{
    char now[AS_SHA256_HEX];
    *ids = NULL;
    *n = 0;
    if (!sha256 || !*sha256)
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "test samples are opened after the selection, and there is none yet");
    assay_code code = as_sha256_file(selection, now, err);
    if (code) return code;
    if (strcmp(now, sha256) != 0)
        return as_fail(err, ASSAY_E_CHANGED,
                       "%s is not the selection that the evidence holds, so the test samples "
                       "stay closed",
                       selection);
    *ids = part->ids;
    *n = part->n;
    return ASSAY_OK;
}
