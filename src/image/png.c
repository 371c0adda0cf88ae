/* SPDX-License-Identifier: Apache-2.0 */
#include <leptonica/allheaders.h>
#include <string.h>

#include "base/memory.h"
#include "image/format.h"
#include "image/image.h"

/* zlib's level: 6 is its default; what a region's PNG takes to write is half of what 9 takes. */
enum { ZLIB_LEVEL = 6 };

static bool is_grey(const as_image *image)
{
    size_t n = (size_t)image->h * (size_t)image->w * 3;
    for (size_t i = 0; i < n; i += 3)
        if (image->bgr[i] != image->bgr[i + 1] || image->bgr[i] != image->bgr[i + 2])
            return false;
    return true;
}

/* leptonica keeps 8-bit samples in words, the first sample in the highest byte. */
static void fill_grey(PIX *pix, const as_image *image)
{
    l_uint32 *words = pixGetData(pix);
    size_t stride = (size_t)pixGetWpl(pix);
    for (int y = 0; y < image->h; y++) {
        const uint8_t *from = image->bgr + (size_t)y * (size_t)image->w * 3;
        l_uint32 *row = words + (size_t)y * stride;
        for (int x = 0; x < image->w; x++)
            row[x / 4] |= (l_uint32)from[3 * x] << (24 - 8 * (x % 4));
    }
}

static void fill_colour(PIX *pix, const as_image *image)
{
    l_uint32 *words = pixGetData(pix);
    size_t stride = (size_t)pixGetWpl(pix);
    for (int y = 0; y < image->h; y++) {
        const uint8_t *from = image->bgr + (size_t)y * (size_t)image->w * 3;
        l_uint32 *row = words + (size_t)y * stride;
        for (int x = 0; x < image->w; x++, from += 3)
            row[x] = (l_uint32)from[0] << L_BLUE_SHIFT | (l_uint32)from[1] << L_GREEN_SHIFT |
                     (l_uint32)from[2] << L_RED_SHIFT;
    }
}

assay_code as_image_encode_png(const as_image *image, as_bytes *png, assay_error *err)
{
    *png = (as_bytes){0};
    as_leptonica_silence();
    bool grey = is_grey(image);
    PIX *pix = pixCreate(image->w, image->h, grey ? 8 : 32);
    l_uint8 *data = NULL;
    size_t size = 0;
    assay_code code = ASSAY_OK;
    if (pix) {
        (grey ? fill_grey : fill_colour)(pix, image);
        pixSetZlibCompression(pix, ZLIB_LEVEL);
    }
    if (!pix || pixWriteMemPng(&data, &size, pix, 0) != 0 || !(png->data = as_alloc(size + 1)))
        code = as_fail(err, ASSAY_E_MEMORY, "no memory to encode %dx%d pixels as PNG", image->w,
                       image->h);
    if (!code) {
        memcpy(png->data, data, size);
        png->size = size;
    }
    lept_free(data);
    pixDestroy(&pix);
    return code;
}

assay_code as_image_write_png(const as_image *image, const char *path, assay_error *err)
{
    as_bytes png;
    assay_code code = as_image_encode_png(image, &png, err);
    if (!code) code = as_file_write(path, png.data, png.size, err);
    as_bytes_free(&png);
    return code;
}
