/* SPDX-License-Identifier: Apache-2.0 */
/* WebP by libwebp: lossy and lossless still pictures, with or without alpha. */
#include <webp/decode.h>

#include "base/memory.h"
#include "image/decode.h"

static const char *reason_of(VP8StatusCode status)
{
    switch (status) {
    case VP8_STATUS_BITSTREAM_ERROR:
        return "bitstream error";
    case VP8_STATUS_NOT_ENOUGH_DATA:
    case VP8_STATUS_SUSPENDED:
        return "unexpected end";
    case VP8_STATUS_UNSUPPORTED_FEATURE:
        return "unknown feature";
    default:
        return "no valid picture";
    }
}

/* Decode through BGRA and compose on white. */
static assay_code decode_alpha(const as_encoded *file, as_image *out, bool *is_decoded,
                               assay_error *err)
{
    size_t n = (size_t)out->w * (size_t)out->h;
    uint8_t *bgra = as_alloc_array(n, 4);
    if (!bgra) return as_fail(err, ASSAY_E_MEMORY, "no memory to decode %s", file->name);
    *is_decoded = WebPDecodeBGRAInto(file->data, file->size, bgra, n * 4, out->w * 4) != NULL;
    for (size_t i = 0; *is_decoded && i < n; i++)
        for (int c = 0; c < 3; c++)
            out->bgr[3 * i + (size_t)c] = as_on_white(bgra[4 * i + (size_t)c], bgra[4 * i + 3]);
    as_free(bgra);
    return ASSAY_OK;
}

assay_code as_decode_webp(const as_encoded *file, as_image *out, as_trouble *trouble,
                          assay_error *err)
{
    WebPBitstreamFeatures features;
    VP8StatusCode status = WebPGetFeatures(file->data, file->size, &features);
    if (status != VP8_STATUS_OK)
        return as_decode_damaged(file, reason_of(status), trouble, err);
    if (features.has_animation) return as_decode_unsupported(file, "animated", trouble, err);
    assay_code code = as_decode_begin(file, (uint64_t)features.width, (uint64_t)features.height,
                                      out, trouble, err);
    if (code) return code;
    bool is_decoded = false;
    if (features.has_alpha)
        code = decode_alpha(file, out, &is_decoded, err);
    else
        is_decoded = WebPDecodeBGRInto(file->data, file->size, out->bgr,
                                       (size_t)out->w * (size_t)out->h * 3, out->w * 3) != NULL;
    if (!code && !is_decoded)
        code = as_decode_damaged(file, "its data end early or are no WebP's", trouble, err);
    return code;
}
