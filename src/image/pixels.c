/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/memory.h"
#include "base/size.h"
#include "image/image.h"

assay_code as_image_init(as_image *image, int h, int w, assay_error *err)
{
    *image = (as_image){0};
    if (h < 1 || w < 1)
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "an image of %dx%d pixels, both sides must be above 0", w, h);
    size_t bytes;
    uint8_t *bgr = NULL;
    if (as_mul((size_t)h, (size_t)w, &bytes) && as_mul(bytes, 3, &bytes)) bgr = as_alloc(bytes);
    if (!bgr)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for an image of %dx%d pixels", w, h);
    memset(bgr, 255, bytes);
    *image = (as_image){.bgr = bgr, .h = h, .w = w};
    return ASSAY_OK;
}

void as_image_free(as_image *image)
{
    as_free(image->bgr);
    *image = (as_image){0};
}

assay_code as_image_crop(const as_image *image, int x, int y, int w, int h, as_image *out,
                         assay_error *err)
{
    *out = (as_image){0};
    if (x < 0 || y < 0 || w < 1 || h < 1 || w > image->w - x || h > image->h - y)
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "the rectangle %d,%d of %dx%d pixels is not inside %dx%d", x, y, w, h,
                       image->w, image->h);
    assay_code code = as_image_init(out, h, w, err);
    for (int row = 0; !code && row < h; row++) {
        size_t from = ((size_t)(y + row) * (size_t)image->w + (size_t)x) * 3;
        memcpy(out->bgr + (size_t)row * (size_t)w * 3, image->bgr + from, (size_t)w * 3);
    }
    return code;
}
