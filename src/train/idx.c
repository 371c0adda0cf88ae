/* SPDX-License-Identifier: Apache-2.0 */
#include "train/idx.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "base/size.h"

/* An element type of the file and what it becomes. */
static const struct idx_type {
    unsigned char code, bytes;
    as_npy_type becomes;
} types[] = {{0x08, 1, AS_NPY_U1}, {0x09, 1, AS_NPY_I4}, {0x0B, 2, AS_NPY_I4},
             {0x0C, 4, AS_NPY_I4}, {0x0D, 4, AS_NPY_F4}, {0x0E, 8, AS_NPY_F8}};

/* windowBits of zlib's inflateInit2 for a window of 2^15 bytes in gzip's frame. */
#define GZIP_WINDOW_BITS (15 + 16)
/* What the first output block takes; it doubles. */
#define FIRST_ROOM       ((size_t)1 << 16)

/* Bytes unpacked so far. */
typedef struct unpacked {
    unsigned char *data; /* owned */
    size_t n, room;
} unpacked;

/* Room behind the end, doubled where it is spent; at most limit + 1, so that too much is seen. */
static assay_code make_room(unpacked *u, const char *name, size_t limit, assay_error *err)
{
    if (u->n > limit)
        return as_fail(err, ASSAY_E_FORMAT,
                       "%s unpacks to more than %zu bytes, the most that is read", name, limit);
    if (u->n < u->room) return ASSAY_OK;
    const size_t room = as_min(u->room ? 2 * u->room : FIRST_ROOM, limit + 1);
    unsigned char *grown = as_alloc(room);
    if (!grown) return as_fail(err, ASSAY_E_MEMORY, "no memory to unpack %s", name);
    if (u->n) memcpy(grown, u->data, u->n);
    as_free(u->data);
    u->data = grown;
    u->room = room;
    return ASSAY_OK;
}

static uInt piece(size_t bytes) { return (uInt)as_min(bytes, (size_t)1 << 30); }

/* One member of a gzip file after the other. */
static assay_code inflate_all(z_stream *z, const unsigned char *bytes, size_t size,
                              const char *name, size_t limit, unpacked *u, assay_error *err)
{
    size_t at = 0;
    for (int status = Z_OK; at < size || status != Z_STREAM_END;) {
        assay_code code = make_room(u, name, limit, err);
        if (code) return code;
        const uInt in = piece(size - at), room = piece(u->room - u->n);
        z->next_in = (unsigned char *)bytes + at; /* only read */
        z->avail_in = in;
        z->next_out = u->data + u->n;
        z->avail_out = room;
        if (status == Z_STREAM_END) status = inflateReset(z);
        if (status == Z_OK) status = inflate(z, Z_NO_FLUSH);
        at += in - z->avail_in;
        u->n += room - z->avail_out;
        if (status == Z_MEM_ERROR)
            return as_fail(err, ASSAY_E_MEMORY, "no memory to unpack %s", name);
        const bool is_cut = status == Z_BUF_ERROR && at == size && z->avail_out;
        if ((status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) || is_cut)
            return as_fail(err, ASSAY_E_FORMAT, "%s is damaged gzip after %zu bytes: %s", name,
                           at,
                           is_cut   ? "it is cut off"
                           : z->msg ? z->msg
                                    : "it is no gzip data");
        if (status == Z_BUF_ERROR) status = Z_OK; /* the room was spent */
    }
    return ASSAY_OK;
}

static assay_code unpack(const unsigned char *bytes, size_t size, const char *name,
                         size_t limit, unpacked *u, assay_error *err)
{
    z_stream z = {0};
    if (inflateInit2(&z, GZIP_WINDOW_BITS) != Z_OK)
        return as_fail(err, ASSAY_E_MEMORY, "no memory to unpack %s", name);
    assay_code code = inflate_all(&z, bytes, size, name, limit, u, err);
    inflateEnd(&z);
    return code;
}

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

static assay_code parse_plain(const unsigned char *bytes, size_t size, const char *name,
                              as_npy *out, assay_error *err)
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

assay_code as_idx_parse(const void *bytes, size_t size, const char *name, size_t limit_bytes,
                        as_npy *out, assay_error *err)
{
    const unsigned char *data = bytes;
    unpacked u = {0};
    assay_code code = ASSAY_OK;
    *out = (as_npy){0};
    if (size >= 2 && data[0] == 0x1f && data[1] == 0x8b) { /* RFC 1952, 2.3.1: ID1, ID2 */
        code = unpack(data, size, name, limit_bytes, &u, err);
        data = u.data;
        size = u.n;
    }
    if (!code) code = parse_plain(data, size, name, out, err);
    as_free(u.data);
    return code;
}
