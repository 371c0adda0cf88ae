/* SPDX-License-Identifier: Apache-2.0 */
#include "image/format.h"

#include <stdint.h>
#include <string.h>

typedef struct signature {
    as_image_format format;
    size_t offset;
    size_t n;
    const char *bytes;
} signature;

/* Two rows may stand for one format; WebP's second word is checked besides. */
static const signature signatures[] = {
    {AS_IMAGE_PNG, 0, 8, "\x89PNG\r\n\x1a\n"},
    {AS_IMAGE_JPEG, 0, 3, "\xff\xd8\xff"},
    {AS_IMAGE_TIFF, 0, 4, "II*\0"},
    {AS_IMAGE_TIFF, 0, 4, "MM\0*"},
    {AS_IMAGE_TIFF, 0, 4, "II+\0"},
    {AS_IMAGE_TIFF, 0, 4, "MM\0+"},
    {AS_IMAGE_WEBP, 8, 4, "WEBP"},
    {AS_IMAGE_PDF, 0, 5, "%PDF-"},
};

/* "P1".."P7" and white space. */
static bool is_pnm(const unsigned char *at, size_t size)
{
    return size >= 3 && at[0] == 'P' && at[1] >= '1' && at[1] <= '7' &&
           strchr(" \t\r\n", at[2]) != NULL && at[2] != '\0';
}

/* Readers find "%PDF-" anywhere in the first 1024 bytes (PDF 1.7 reference, appendix H.3.4.1). */
static bool is_late_pdf(const unsigned char *at, size_t size)
{
    for (size_t i = 0; i + 5 <= size && i < 1024; i++)
        if (memcmp(at + i, "%PDF-", 5) == 0) return true;
    return false;
}

as_image_format as_image_format_of(const void *data, size_t size)
{
    const unsigned char *at = data;
    for (size_t i = 0; i < AS_COUNT_OF(signatures); i++) {
        const signature *s = &signatures[i];
        if (size < s->offset + s->n || memcmp(at + s->offset, s->bytes, s->n) != 0) continue;
        if (s->format != AS_IMAGE_WEBP || memcmp(at, "RIFF", 4) == 0) return s->format;
    }
    if (is_pnm(at, size)) return AS_IMAGE_PNM;
    return is_late_pdf(at, size) ? AS_IMAGE_PDF : AS_IMAGE_UNKNOWN;
}

const char *as_image_format_name(as_image_format format)
{
    switch (format) {
    case AS_IMAGE_PNG:
        return "PNG";
    case AS_IMAGE_JPEG:
        return "JPEG";
    case AS_IMAGE_TIFF:
        return "TIFF";
    case AS_IMAGE_PNM:
        return "PNM";
    case AS_IMAGE_WEBP:
        return "WebP";
    case AS_IMAGE_PDF:
        return "PDF";
    case AS_IMAGE_UNKNOWN:
        break;
    }
    return "unknown";
}

static uint32_t big32(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* CRC-32 of PNG (W3C PNG specification, annex D), one nibble a step. */
uint32_t as_png_checksum(const unsigned char *at, size_t n)
{
    static const uint32_t nibble[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                        0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                        0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < n; i++) {
        crc ^= at[i];
        crc = crc >> 4 ^ nibble[crc & 15];
        crc = crc >> 4 ^ nibble[crc & 15];
    }
    return ~crc;
}

/* A chunk's type for a message: letters only, whatever the file holds. */
static void chunk_name(const unsigned char *type, char text[5])
{
    for (int i = 0; i < 4; i++) {
        bool is_letter = (type[i] | 32) >= 'a' && (type[i] | 32) <= 'z';
        text[i] = is_letter ? (char)type[i] : '?';
    }
    text[4] = '\0';
}

static assay_code check_png_header(const unsigned char *chunk, size_t n, const char *name,
                                   assay_error *err)
{
    if (memcmp(chunk + 4, "IHDR", 4) != 0 || n != 13)
        return as_fail(err, ASSAY_E_FORMAT, "%s does not begin with a PNG header of 13 bytes",
                       name);
    uint32_t w = big32(chunk + 8), h = big32(chunk + 12);
    if (w == 0 || h == 0)
        return as_fail(err, ASSAY_E_FORMAT,
                       "%s has width %lu and height %lu, both must be above 0", name,
                       (unsigned long)w, (unsigned long)h);
    return ASSAY_OK;
}

assay_code as_png_check(const void *data, size_t size, const char *name, assay_error *err)
{
    const unsigned char *at = data;
    enum { FRAME = 12 }; /* length, type and checksum of a chunk */
    for (size_t place = 8; place < size;) {
        const unsigned char *chunk = at + place;
        size_t left = size - place;
        if (left < FRAME || big32(chunk) > left - FRAME) break;
        size_t n = big32(chunk);
        char type[5];
        chunk_name(chunk + 4, type);
        if (as_png_checksum(chunk + 4, n + 4) != big32(chunk + 8 + n))
            return as_fail(err, ASSAY_E_FORMAT,
                           "%s has a checksum error in PNG chunk %s at byte %zu", name, type,
                           place);
        assay_code code = place == 8 ? check_png_header(chunk, n, name, err) : ASSAY_OK;
        if (code || memcmp(chunk + 4, "IEND", 4) == 0) return code;
        place += n + FRAME;
    }
    return as_fail(err, ASSAY_E_FORMAT,
                   "%s is truncated: its %zu bytes end before the PNG's last chunk", name,
                   size);
}

/* Place behind the compressed data that starts at `place`: of the next marker that is no restart. */
static size_t skip_scan(const unsigned char *at, size_t size, size_t place)
{
    while (place + 1 < size) {
        if (at[place] == 0xff && at[place + 1] != 0 && at[place + 1] != 0xff &&
            (at[place + 1] < 0xd0 || at[place + 1] > 0xd7))
            return place;
        place++;
    }
    return size;
}

assay_code as_jpeg_check(const void *data, size_t size, const char *name, assay_error *err)
{
    enum { SOS = 0xda, EOI = 0xd9 };
    const unsigned char *at = data;
    bool has_scan = false;
    for (size_t place = 2; place + 1 < size;) {
        if (at[place] != 0xff || at[place + 1] == 0xff || at[place + 1] == 0) {
            place++; /* fill bytes, and rubbish that decoders skip too */
            continue;
        }
        int marker = at[place + 1];
        place += 2;
        if (marker == EOI && has_scan) return ASSAY_OK;
        if (marker == 1 || (marker >= 0xd0 && marker <= EOI)) continue; /* no length follows */
        if (size - place < 2) break;
        size_t n = (size_t)at[place] << 8 | at[place + 1];
        if (n < 2 || n > size - place) break;
        place += n;
        if (marker != SOS) continue;
        has_scan = true;
        place = skip_scan(at, size, place);
    }
    return as_fail(err, ASSAY_E_FORMAT,
                   "%s is truncated: its %zu bytes end before the JPEG's end marker (premature "
                   "end of JPEG)",
                   name, size);
}

/* A TIFF's numbers: order of bytes and their width by its header. */
typedef struct tiff_reader {
    const unsigned char *data;
    size_t size;
    bool is_big_endian;
    bool is_bigtiff;
} tiff_reader;

static bool read_number(const tiff_reader *tiff, uint64_t place, int n_bytes, uint64_t *out)
{
    if (place > tiff->size || tiff->size - place < (uint64_t)n_bytes) return false;
    uint64_t value = 0;
    for (int i = 0; i < n_bytes; i++) {
        int from = tiff->is_big_endian ? i : n_bytes - 1 - i;
        value = value << 8 | tiff->data[place + (uint64_t)from];
    }
    *out = value;
    return true;
}

/* From one directory's place to the next one's; 0 at the last. */
static bool next_directory(const tiff_reader *tiff, uint64_t *place)
{
    uint64_t n_entries, entries, after;
    int count_bytes = tiff->is_bigtiff ? 8 : 2, place_bytes = tiff->is_bigtiff ? 8 : 4;
    if (!read_number(tiff, *place, count_bytes, &n_entries)) return false;
    if (n_entries > tiff->size) return false;
    entries = n_entries * (tiff->is_bigtiff ? 20 : 12);
    after = *place + (uint64_t)count_bytes + entries;
    return read_number(tiff, after, place_bytes, place);
}

/* Go through the directories, at most `most` of them; *place is the last one's. */
static assay_code walk_tiff(const void *data, size_t size, const char *name, int most, int *n,
                            uint64_t *place, assay_error *err)
{
    const unsigned char *at = data;
    tiff_reader tiff = {at, size, at[0] == 'M', at[at[0] == 'M' ? 3 : 2] == '+'};
    uint64_t next;
    int width = tiff.is_bigtiff ? 8 : 4;
    bool is_whole = read_number(&tiff, (uint64_t)width, width, &next);
    *n = 0;
    while (is_whole && next != 0 && *n < most) {
        *place = next;
        ++*n;
        is_whole = next_directory(&tiff, &next);
    }
    if (is_whole && *n > 0) return ASSAY_OK;
    return as_fail(err, ASSAY_E_FORMAT,
                   "%s is truncated: TIFF page %d lies behind its %zu bytes", name, *n ? *n : 1,
                   size);
}

assay_code as_tiff_count(const void *data, size_t size, const char *name, int *n_pages,
                         assay_error *err)
{
    enum { MOST_PAGES = 65536 };
    uint64_t place;
    int n;
    assay_code code = walk_tiff(data, size, name, MOST_PAGES, &n, &place, err);
    if (!code && n == MOST_PAGES)
        code = as_fail(err, ASSAY_E_FORMAT,
                       "%s has %d TIFF pages or a loop of them, fewer are needed", name, n);
    if (!code) *n_pages = n;
    return code;
}

assay_code as_tiff_find(const void *data, size_t size, const char *name, int page,
                        uint64_t *place, assay_error *err)
{
    int n;
    assay_code code = walk_tiff(data, size, name, page + 1, &n, place, err);
    if (!code && n != page + 1)
        code = as_fail(err, ASSAY_E_FORMAT, "%s has no page %d, it has %d", name, page + 1, n);
    return code;
}
