/* SPDX-License-Identifier: Apache-2.0 */
#include "train/gzip.h"

#include <stdbool.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "base/size.h"

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

assay_code as_gzip_unpack(as_bytes *file, const char *name, size_t limit, assay_error *err)
{
    unpacked u = {0};
    if (file->size < 2 || file->data[0] != 0x1f || file->data[1] != 0x8b)
        return ASSAY_OK; /* RFC 1952, 2.3.1: ID1, ID2 */
    assay_code code = unpack(file->data, file->size, name, limit, &u, err);
    if (code) {
        as_free(u.data);
        return code;
    }
    as_bytes_free(file);
    *file = (as_bytes){.data = u.data, .size = u.n};
    return ASSAY_OK;
}
