/* SPDX-License-Identifier: Apache-2.0 */
#include "train/idx.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/size.h"

/* An element type of the file and what it becomes. */
static const struct idx_type {
    unsigned char code, bytes;
    as_npy_type becomes;
} types[] = {{0x08, 1, AS_NPY_U1}, {0x09, 1, AS_NPY_I4}, {0x0B, 2, AS_NPY_I4},
             {0x0C, 4, AS_NPY_I4}, {0x0D, 4, AS_NPY_F4}, {0x0E, 8, AS_NPY_F8}};

/* An element's bits, `bytes` of them with the most significant first. */
static uint64_t big_endian(const unsigned char *at, size_t bytes)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < bytes; i++)
        bits = bits << 8 | at[i];
    return bits;
}

/* Elements in this machine's order; signed ones with their sign. */
static void take_elements(const unsigned char *from, const struct idx_type *type, as_npy *to)
{
    for (size_t i = 0; i < to->n_elements; i++) {
        const uint64_t bits = big_endian(from + i * type->bytes, type->bytes);
        switch (to->type) {
        case AS_NPY_U1:
            ((uint8_t *)to->data)[i] = (uint8_t)bits;
            break;
        case AS_NPY_I4:
            ((int32_t *)to->data)[i] = type->bytes == 1   ? (int8_t)bits
                                       : type->bytes == 2 ? (int16_t)bits
                                                          : (int32_t)bits;
            break;
        case AS_NPY_F4:
            ((uint32_t *)to->data)[i] = (uint32_t)bits;
            break;
        default:
            ((uint64_t *)to->data)[i] = bits;
        }
    }
}

static const struct idx_type *type_of(unsigned char code)
{
    for (size_t i = 0; i < AS_COUNT_OF(types); i++)
        if (types[i].code == code) return &types[i];
    return NULL;
}

static assay_code parse(const unsigned char *bytes, size_t size, const char *name, as_npy *out,
                        assay_error *err)
{
    if (size < 4 || bytes[0] || bytes[1])
        return as_fail(err, ASSAY_E_FORMAT,
                       "%s is no IDX file: of its %zu bytes the first two have to be 0", name,
                       size);
    const struct idx_type *type = type_of(bytes[2]);
    const size_t rank = bytes[3], start = 4 + 4 * rank;
    if (!type || rank < 1 || rank > AS_NPY_MAX_RANK)
        return as_fail(
            err, ASSAY_E_UNSUPPORTED,
            "%s has elements of type %02X in %zu dims, types 08, 09, 0B to 0E and 1 to %d dims "
            "are read",
            name, bytes[2], rank, AS_NPY_MAX_RANK);
    if (size < start)
        return as_fail(err, ASSAY_E_FORMAT, "%s has %zu bytes, its %zu dims end at %zu", name,
                       size, rank, start);
    as_npy array = {.type = type->becomes, .rank = (int)rank};
    size_t n = 1, wanted = 0;
    bool fits = true;
    for (size_t i = 0; i < rank; i++) {
        array.dims[i] = (int64_t)big_endian(bytes + 4 + 4 * i, 4);
        fits = fits && as_mul(n, (size_t)array.dims[i], &n);
    }
    if (!fits || !as_mul(n, type->bytes, &wanted) || wanted != size - start)
        return as_fail(err, ASSAY_E_FORMAT,
                       "%s has %zu bytes of elements, its %zu dims need %s%zu", name,
                       size - start, rank, fits ? "" : "more than ", fits ? wanted : SIZE_MAX);
    array.n_elements = n;
    array.data = as_alloc_array(n, as_npy_type_bytes(array.type));
    if (!array.data)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu elements of %s", n, name);
    take_elements(bytes + start, type, &array);
    *out = array;
    return ASSAY_OK;
}

assay_code as_idx_parse(const void *bytes, size_t size, const char *name, as_npy *out,
                        assay_error *err)
{
    *out = (as_npy){0};
    return parse(bytes, size, name, out, err);
}
