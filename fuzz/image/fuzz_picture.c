/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as an image's file: its format, its pages, their pixels, how they are turned. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "image/format.h"
#include "image/image.h"

/* What one input may take, so that it takes milliseconds. */
enum { MOST_PIXELS = 1 << 16, MOST_PAGES = 3 };

static void require(bool holds)
{
    if (!holds) abort();
}

/* A failure leaves no picture and gives its reason; a picture has the pixels that are allowed. */
static void decode(as_encoded *file, int page)
{
    as_image image;
    as_trouble trouble;
    assay_error err = {0};
    file->page = page;
    assay_code code = as_image_decode_page(file, &image, &trouble, &err);
    if (code) {
        require(!image.bgr && err.message[0]);
        require(trouble != AS_TROUBLE_NONE || code == ASSAY_E_MEMORY);
    } else {
        require(trouble == AS_TROUBLE_NONE && image.w > 0 && image.h > 0);
        require((size_t)image.w * (size_t)image.h <= MOST_PIXELS);
        require(as_image_format_of(file->data, file->size) != AS_IMAGE_UNKNOWN);
    }
    as_image_free(&image);
}

/* Make the checksums of a PNG's chunks right, since made-up bytes never have them. */
static void repair_png(uint8_t *data, size_t size)
{
    for (size_t place = 8; place + 12 <= size;) {
        size_t n = (size_t)data[place] << 24 | (size_t)data[place + 1] << 16 |
                   (size_t)data[place + 2] << 8 | data[place + 3];
        if (n > size - place - 12) return;
        uint32_t sum = as_png_checksum(data + place + 4, n + 4);
        for (int i = 0; i < 4; i++)
            data[place + 8 + n + (size_t)i] = (uint8_t)(sum >> (24 - 8 * i));
        place += n + 12;
    }
}

static void try_bytes(const uint8_t *data, size_t size)
{
    as_encoded file = {.data = data, .size = size, .name = "x", .pixels_most = MOST_PIXELS};
    int n_pages = 0;
    as_trouble trouble;
    assay_code code = as_image_count(&file, &n_pages, &trouble, NULL);
    require(code ? trouble != AS_TROUBLE_NONE : n_pages >= 1);
    for (int page = 0; !code && page < n_pages && page < MOST_PAGES; page++)
        decode(&file, page);
    int orientation = as_exif_orientation(data, size, as_image_format_of(data, size));
    require(orientation >= 1 && orientation <= 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_bytes(data, size);
    if (as_image_format_of(data, size) != AS_IMAGE_PNG) return 0;
    uint8_t *copy = malloc(size);
    if (!copy) return 0;
    memcpy(copy, data, size);
    repair_png(copy, size);
    try_bytes(copy, size);
    free(copy);
    return 0;
}
