/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding with leptonica.  Whether the file is whole and how large its picture is are asked
 * first; then leptonica makes a PIX of whatever kind, which becomes 32 bits a pixel and then BGR.
 */
#include <leptonica/allheaders.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/size.h"
#include "image/format.h"
#include "image/image.h"

static void drop(const char *message) { (void)message; }

void as_leptonica_silence(void)
{
    setMsgSeverity(L_SEVERITY_NONE);
    leptSetStderrHandler(drop);
}

/* The picture's sides as the header gives them. */
static bool read_size(const l_uint8 *data, size_t size, as_image_format format, int page,
                      l_int32 *w, l_int32 *h)
{
    l_int32 bps, spp, a, b, c;
    switch (format) {
    case AS_IMAGE_PNG:
        return readHeaderMemPng(data, size, w, h, &bps, &spp, &a) == 0;
    case AS_IMAGE_JPEG:
        return readHeaderMemJpeg(data, size, w, h, &spp, &a, &b) == 0;
    case AS_IMAGE_TIFF:
        return readHeaderMemTiff(data, size, page, w, h, &bps, &spp, &a, &b, &c) == 0;
    case AS_IMAGE_PNM:
        return readHeaderMemPnm(data, size, w, h, &a, &b, &bps, &spp) == 0;
    case AS_IMAGE_WEBP:
        return readHeaderMemWebP(data, size, w, h, &spp) == 0;
    default:
        return false;
    }
}

static assay_code check_size(const void *data, size_t size, as_image_format format, int page,
                             const char *name, assay_error *err)
{
    l_int32 w = 0, h = 0;
    if (format ==
        AS_IMAGE_PNG) { /* its header was checked; leptonica refuses large ones mutely */
        const unsigned char *at = data;
        uint32_t pw =
            (uint32_t)at[16] << 24 | (uint32_t)at[17] << 16 | (uint32_t)at[18] << 8 | at[19];
        uint32_t ph =
            (uint32_t)at[20] << 24 | (uint32_t)at[21] << 16 | (uint32_t)at[22] << 8 | at[23];
        w = pw > INT32_MAX ? INT32_MAX : (l_int32)pw;
        h = ph > INT32_MAX ? INT32_MAX : (l_int32)ph;
    } else if (!read_size(data, size, format, page, &w, &h) || w < 1 || h < 1) {
        return as_fail(err, ASSAY_E_FORMAT, "%s has a damaged %s header", name,
                       as_image_format_name(format));
    }
    if ((size_t)w > AS_IMAGE_PIXELS_MAX / (size_t)h)
        return as_fail(err, ASSAY_E_UNSUPPORTED, "%s has %dx%d pixels, at most %zu are allowed",
                       name, w, h, AS_IMAGE_PIXELS_MAX);
    return ASSAY_OK;
}

/* A PIX of any depth as 32 bits a pixel without alpha; consumes `pix`. */
static PIX *flatten(PIX *pix)
{
    PIX *wide = NULL;
    if (pix && pixGetColormap(pix)) {
        PIX *plain = pixRemoveColormap(pix, REMOVE_CMAP_BASED_ON_SRC);
        pixDestroy(&pix);
        pix = plain;
    }
    if (pix && pixGetDepth(pix) == 16) {
        PIX *narrow = pixConvert16To8(pix, L_MS_BYTE);
        pixDestroy(&pix);
        pix = narrow;
    }
    if (pix) wide = pixConvertTo32(pix);
    pixDestroy(&pix);
    if (wide && pixGetSpp(wide) == 4) {
        PIX *opaque = pixAlphaBlendUniform(wide, 0xffffff00u);
        pixDestroy(&wide);
        wide = opaque;
    }
    return wide;
}

static assay_code to_bgr(PIX *pix, as_image *out, assay_error *err)
{
    int w = pixGetWidth(pix), h = pixGetHeight(pix);
    assay_code code = as_image_init(out, h, w, err);
    if (code) return code;
    const l_uint32 *words = pixGetData(pix);
    size_t stride = (size_t)pixGetWpl(pix);
    for (int y = 0; y < h; y++) {
        const l_uint32 *row = words + (size_t)y * stride;
        uint8_t *to = out->bgr + (size_t)y * (size_t)w * 3;
        for (int x = 0; x < w; x++, to += 3) {
            to[0] = (uint8_t)(row[x] >> L_BLUE_SHIFT);
            to[1] = (uint8_t)(row[x] >> L_GREEN_SHIFT);
            to[2] = (uint8_t)(row[x] >> L_RED_SHIFT);
        }
    }
    return ASSAY_OK;
}

/* Is the file whole?  Formats without marks of their end are left to leptonica. */
static assay_code check_whole(const void *data, size_t size, as_image_format format,
                              const char *name, assay_error *err)
{
    if (size == 0) return as_fail(err, ASSAY_E_FORMAT, "%s is an empty file", name);
    switch (format) {
    case AS_IMAGE_PNG:
        return as_png_check(data, size, name, err);
    case AS_IMAGE_JPEG:
        return as_jpeg_check(data, size, name, err);
    case AS_IMAGE_PDF:
        return as_fail(err, ASSAY_E_UNSUPPORTED, "%s is a PDF, an image is needed here", name);
    case AS_IMAGE_UNKNOWN:
        return as_fail(err, ASSAY_E_FORMAT,
                       "%s is not a known image format (PNG, JPEG, TIFF, PNM, WebP)", name);
    default:
        return ASSAY_OK;
    }
}

static PIX *decode(const void *data, size_t size, as_image_format format, int page,
                   l_int32 *n_warnings)
{
    *n_warnings = 0;
    switch (format) {
    case AS_IMAGE_JPEG:
        return pixReadMemJpeg(data, size, 0, 1, n_warnings, 0);
    case AS_IMAGE_PNG:
        return pixReadMemPng(data, size);
    case AS_IMAGE_TIFF:
        return pixReadMemTiff(data, size, page);
    case AS_IMAGE_PNM:
        return pixReadMemPnm(data, size);
    case AS_IMAGE_WEBP:
        return pixReadMemWebP(data, size);
    default:
        return NULL;
    }
}

assay_code as_image_decode_page(const void *data, size_t size, int page, const char *name,
                                as_image *out, assay_error *err)
{
    as_image_format format = as_image_format_of(data, size);
    l_int32 n_warnings;
    *out = (as_image){0};
    as_leptonica_silence();
    assay_code code = check_whole(data, size, format, name, err);
    if (!code) code = check_size(data, size, format, page, name, err);
    if (code) return code;
    if (page != 0 && format != AS_IMAGE_TIFF)
        return as_fail(err, ASSAY_E_ARGUMENT, "%s has no page %d, a %s has one", name, page + 1,
                       as_image_format_name(format));
    PIX *pix = decode(data, size, format, page, &n_warnings);
    if (!pix || n_warnings > 0) {
        pixDestroy(&pix);
        return as_fail(err, ASSAY_E_FORMAT, "%s has damaged or truncated %s data", name,
                       as_image_format_name(format));
    }
    pix = flatten(pix);
    if (!pix) return as_fail(err, ASSAY_E_MEMORY, "no memory to expand %s", name);
    code = to_bgr(pix, out, err);
    pixDestroy(&pix);
    if (!code) code = as_image_orient(out, as_exif_orientation(data, size, format), err);
    if (code) as_image_free(out);
    return code;
}

assay_code as_image_decode(const void *data, size_t size, const char *name, as_image *out,
                           assay_error *err)
{
    return as_image_decode_page(data, size, 0, name, out, err);
}

assay_code as_image_read(const char *path, as_image *out, assay_error *err)
{
    as_bytes bytes;
    *out = (as_image){0};
    assay_code code = as_file_read(path, AS_IMAGE_FILE_BYTES_MAX, &bytes, err);
    if (!code) code = as_image_decode(bytes.data, bytes.size, path, out, err);
    as_bytes_free(&bytes);
    return code;
}

assay_code as_image_count(const void *data, size_t size, const char *name, int *n_pages,
                          assay_error *err)
{
    as_image_format format = as_image_format_of(data, size);
    assay_code code = check_whole(data, size, format, name, err);
    if (code) return code;
    if (format == AS_IMAGE_TIFF) return as_tiff_count(data, size, name, n_pages, err);
    *n_pages = 1;
    return ASSAY_OK;
}

void as_image_versions(char *text, size_t text_bytes)
{
    char *leptonica = getLeptonicaVersion(), *libraries = getImagelibVersions();
    snprintf(text, text_bytes, "%s: %s", leptonica ? leptonica : "leptonica",
             libraries ? libraries : "");
    lept_free(leptonica);
    lept_free(libraries);
    for (size_t n = strlen(text); n > 0 && strchr(" \n\r", text[n - 1]); n--)
        text[n - 1] = '\0';
}
