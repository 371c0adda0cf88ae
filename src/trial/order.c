/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/order.h"

#include "base/memory.h"
#include "base/random.h"

const char *as_order_name(as_order_kind kind)
{
    return kind == AS_ORDER_WILLIAMS ? "williams" : "latin";
}

size_t as_order_design_rounds(as_order_kind kind, size_t k)
{
    return kind == AS_ORDER_WILLIAMS && k % 2 == 1 && k > 1 ? 2 * k : k;
}

static size_t latin_policy(size_t k, size_t row, size_t position)
{
    return (position + k - row % k) % k;
}

/* Row 0 is 0, 1, k-1, 2, k-2, ...: odd positions count up, even ones down. */
static size_t williams_policy(size_t k, size_t row, size_t position)
{
    if (row >= k) position = k - 1 - position; /* the mirror */
    size_t first = position % 2 == 1 ? (position + 1) / 2 : (k - position / 2) % k;
    return (first + row) % k;
}

assay_code as_order_fill(as_order_kind kind, size_t k, size_t n_rounds, int64_t seed,
                         as_order_row *out, assay_error *err)
{
    size_t n_rows = as_order_design_rounds(kind, k);
    uint64_t state = (uint64_t)seed;
    if (kind == AS_ORDER_WILLIAMS && n_rounds % n_rows != 0)
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "%zu rounds are no multiple of %zu, the rows of the williams design for "
                       "%zu policies",
                       n_rounds, n_rows, k);
    size_t *rows = as_alloc_array(n_rows, sizeof *rows);
    if (!rows)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for an order of %zu rows", n_rows);
    for (size_t round = 0; round < n_rounds; round++) {
        if (round % n_rows == 0) {
            for (size_t i = 0; i < n_rows; i++)
                rows[i] = i;
            if (kind == AS_ORDER_WILLIAMS) as_random_shuffle(rows, n_rows, &state);
        }
        size_t row = rows[round % n_rows];
        for (size_t at = 0; at < k; at++)
            *out++ = (as_order_row){.round = (int)round,
                                    .position = (int)at,
                                    .policy = (int)(kind == AS_ORDER_LATIN
                                                        ? latin_policy(k, row, at)
                                                        : williams_policy(k, row, at))};
    }
    as_free(rows);
    return ASSAY_OK;
}
