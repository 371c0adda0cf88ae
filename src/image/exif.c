/* SPDX-License-Identifier: Apache-2.0 */
/*
 * EXIF orientation: where the block stands in each format, and the eight ways to turn a picture
 * (Exif 2.32, tag 0x0112):
 *
 *     1 as stored          5 transposed: rows become columns
 *     2 mirrored           6 a quarter turn clockwise
 *     3 a half turn        7 transposed over the other diagonal
 *     4 upside down, that  8 a quarter turn anticlockwise
 *       is mirrored in y
 */
#include <libexif/exif-data.h>
#include <string.h>

#include "base/memory.h"
#include "base/size.h"
#include "image/format.h"

static uint32_t big32(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint32_t little32(const unsigned char *at)
{
    return (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}

static bool found(const unsigned char *at, size_t n, const unsigned char **exif,
                  size_t *exif_size)
{
    static const char head[6] = "Exif\0"; /* and one more zero */
    if (n > sizeof head && memcmp(at, head, sizeof head) == 0) {
        at += sizeof head;
        n -= sizeof head;
    }
    *exif = at;
    *exif_size = n;
    return true;
}

static bool find_in_jpeg(const unsigned char *at, size_t size, const unsigned char **exif,
                         size_t *exif_size)
{
    size_t place = 2;
    while (place + 4 <= size && at[place] == 0xff) {
        int marker = at[place + 1];
        if (marker == 0xff) {
            place++;
            continue;
        }
        if (marker == 0xda || marker == 0xd9) return false;
        size_t n = (size_t)at[place + 2] << 8 | at[place + 3];
        if (n < 2 || n > size - place - 2) return false;
        if (marker == 0xe1 && n > 8 && memcmp(at + place + 4, "Exif\0\0", 6) == 0)
            return found(at + place + 4, n - 2, exif, exif_size);
        place += n + 2;
    }
    return false;
}

static bool find_in_png(const unsigned char *at, size_t size, const unsigned char **exif,
                        size_t *exif_size)
{
    for (size_t place = 8; place + 12 <= size;) {
        size_t n = big32(at + place);
        if (n > size - place - 12) return false;
        if (memcmp(at + place + 4, "eXIf", 4) == 0)
            return found(at + place + 8, n, exif, exif_size);
        place += n + 12;
    }
    return false;
}

static bool find_in_webp(const unsigned char *at, size_t size, const unsigned char **exif,
                         size_t *exif_size)
{
    for (size_t place = 12; place + 8 <= size;) {
        size_t n = little32(at + place + 4);
        if (n > size - place - 8) return false;
        if (memcmp(at + place, "EXIF", 4) == 0)
            return found(at + place + 8, n, exif, exif_size);
        place += 8 + n + n % 2;
    }
    return false;
}

bool as_exif_find(const void *data, size_t size, as_image_format format,
                  const unsigned char **exif, size_t *exif_size)
{
    switch (format) {
    case AS_IMAGE_JPEG:
        return find_in_jpeg(data, size, exif, exif_size);
    case AS_IMAGE_PNG:
        return find_in_png(data, size, exif, exif_size);
    case AS_IMAGE_WEBP:
        return find_in_webp(data, size, exif, exif_size);
    default:
        return false;
    }
}

int as_exif_orientation(const void *data, size_t size, as_image_format format)
{
    enum { MOST = 65536 }; /* what a JPEG segment can hold; libexif counts in unsigned int */
    const unsigned char *exif;
    size_t n;
    if (!as_exif_find(data, size, format, &exif, &n) || n > MOST) return 1;
    unsigned char *block = as_alloc(n + 6);
    if (!block) return 1;
    memcpy(block, "Exif\0\0", 6);
    memcpy(block + 6, exif, n);
    ExifData *parsed = exif_data_new_from_data(block, (unsigned)(n + 6));
    ExifEntry *entry =
        parsed ? exif_content_get_entry(parsed->ifd[EXIF_IFD_0], EXIF_TAG_ORIENTATION) : NULL;
    int orientation = 1;
    if (entry && entry->format == EXIF_FORMAT_SHORT && entry->size >= 2)
        orientation = exif_get_short(entry->data, exif_data_get_byte_order(parsed));
    if (parsed) exif_data_unref(parsed);
    as_free(block);
    return orientation >= 1 && orientation <= 8 ? orientation : 1;
}

assay_code as_image_orient(as_image *image, int orientation, assay_error *err)
{
    if (orientation < 2 || orientation > 8) return ASSAY_OK;
    bool is_transposed = orientation >= 5;
    /* Orientations whose upright columns, or rows, run against the stored ones. */
    bool flips_x = orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
    bool flips_y = orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
    int h = is_transposed ? image->w : image->h, w = is_transposed ? image->h : image->w;
    as_image upright;
    assay_code code = as_image_init(&upright, h, w, err);
    if (code) return code;
    for (int y = 0; y < h; y++) {
        uint8_t *to = upright.bgr + (size_t)y * (size_t)w * 3;
        for (int x = 0; x < w; x++) {
            int ux = flips_x ? w - 1 - x : x, uy = flips_y ? h - 1 - y : y;
            int from_x = is_transposed ? uy : ux, from_y = is_transposed ? ux : uy;
            size_t from = ((size_t)from_y * (size_t)image->w + (size_t)from_x) * 3;
            memcpy(to + (size_t)x * 3, image->bgr + from, 3);
        }
    }
    as_image_free(image);
    *image = upright;
    return ASSAY_OK;
}
