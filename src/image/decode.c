/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding: whether the file is whole is asked first, then the decoder of its format reads it, then
 * the picture is turned upright.
 */
#include "image/decode.h"

#include <leptonica/allheaders.h>
#include <stdio.h>
#include <string.h>

#include "base/size.h"
#include "image/format.h"

/* A format's marks of its end, where it has any, and its decoder. */
typedef struct decoder {
    as_image_format format;
    assay_code (*check)(const void *data, size_t size, const char *name, assay_error *err);
    as_decode_fn *decode;
} decoder;

static const decoder decoders[] = {
    {AS_IMAGE_PNG, as_png_check, as_decode_png}, {AS_IMAGE_JPEG, as_jpeg_check, as_decode_jpeg},
    {AS_IMAGE_TIFF, NULL, as_decode_tiff},       {AS_IMAGE_PNM, NULL, as_decode_pnm},
    {AS_IMAGE_WEBP, NULL, as_decode_webp},
};

void as_complaint_keep(as_complaint *complaint, const char *text)
{
    if (complaint->text[0]) return;
    size_t n = 0;
    for (; text[n] && n + 1 < sizeof complaint->text; n++)
        complaint->text[n] = text[n];
    while (n > 0 && complaint->text[n - 1] == '.') /* the sentence has its own end */
        n--;
    complaint->text[n] = '\0';
    for (size_t i = 0; i < n; i++)
        if (complaint->text[i] < ' ' || complaint->text[i] > '~') complaint->text[i] = '?';
    if (n == 0) strcpy(complaint->text, "no reason given");
}

assay_code as_decode_damaged(const as_encoded *file, const char *why, as_trouble *trouble,
                             assay_error *err)
{
    *trouble = AS_TROUBLE_DAMAGED;
    return as_fail(err, ASSAY_E_FORMAT, "%s has damaged or truncated %s data (%s)", file->name,
                   as_image_format_name(file->format), why);
}

assay_code as_decode_unsupported(const as_encoded *file, const char *why, as_trouble *trouble,
                                 assay_error *err)
{
    *trouble = AS_TROUBLE_UNSUPPORTED;
    return as_fail(err, ASSAY_E_UNSUPPORTED, "%s is a %s of an unsupported kind (%s)",
                   file->name, as_image_format_name(file->format), why);
}

assay_code as_decode_check(const as_encoded *file, uint64_t w, uint64_t h, as_trouble *trouble,
                           assay_error *err)
{
    if (w == 0 || h == 0) {
        *trouble = AS_TROUBLE_DAMAGED;
        return as_fail(err, ASSAY_E_FORMAT,
                       "%s has width %llu and height %llu, both must be above 0", file->name,
                       (unsigned long long)w, (unsigned long long)h);
    }
    if (w > file->pixels_most / h) {
        *trouble = AS_TROUBLE_TOO_LARGE;
        return as_fail(err, ASSAY_E_UNSUPPORTED,
                       "%s has %llux%llu pixels, at most %zu are allowed", file->name,
                       (unsigned long long)w, (unsigned long long)h, file->pixels_most);
    }
    return ASSAY_OK;
}

assay_code as_decode_begin(const as_encoded *file, uint64_t w, uint64_t h, as_image *out,
                           as_trouble *trouble, assay_error *err)
{
    assay_code code = as_decode_check(file, w, h, trouble, err);
    return code ? code : as_image_init(out, (int)h, (int)w, err);
}

/* The decoder of a file's format, which is whole as far as its marks tell; else NULL. */
static const decoder *find_decoder(const as_encoded *file, as_trouble *trouble,
                                   assay_code *code, assay_error *err)
{
    *trouble = AS_TROUBLE_DAMAGED;
    *code = ASSAY_OK;
    for (size_t i = 0; i < AS_COUNT_OF(decoders); i++) {
        if (decoders[i].format != file->format) continue;
        if (decoders[i].check)
            *code = decoders[i].check(file->data, file->size, file->name, err);
        if (!*code) *trouble = AS_TROUBLE_NONE;
        return *code ? NULL : &decoders[i];
    }
    if (file->size == 0) {
        *code = as_fail(err, ASSAY_E_FORMAT, "%s is an empty file", file->name);
        return NULL;
    }
    *trouble = AS_TROUBLE_UNSUPPORTED;
    *code = file->format == AS_IMAGE_PDF
                ? as_fail(err, ASSAY_E_UNSUPPORTED, "%s is a PDF, an image is needed here",
                          file->name)
                : as_fail(err, ASSAY_E_FORMAT,
                          "%s is not a known image format (PNG, JPEG, TIFF, PNM, WebP)",
                          file->name);
    return NULL;
}

assay_code as_image_decode_page(const as_encoded *encoded, as_image *out, as_trouble *trouble,
                                assay_error *err)
{
    as_encoded file = *encoded;
    assay_code code;
    *out = (as_image){0};
    file.format = as_image_format_of(file.data, file.size);
    const decoder *found = find_decoder(&file, trouble, &code, err);
    if (!found) return code;
    if (file.page != 0 && file.format != AS_IMAGE_TIFF)
        return as_fail(err, ASSAY_E_ARGUMENT, "%s has no page %d, a %s has one", file.name,
                       file.page + 1, as_image_format_name(file.format));
    code = found->decode(&file, out, trouble, err);
    if (!code)
        code =
            as_image_orient(out, as_exif_orientation(file.data, file.size, file.format), err);
    if (code) as_image_free(out);
    return code;
}

assay_code as_image_decode(const void *data, size_t size, const char *name, as_image *out,
                           assay_error *err)
{
    as_trouble trouble;
    as_encoded file = {
        .data = data, .size = size, .name = name, .pixels_most = AS_IMAGE_PIXELS_MAX};
    return as_image_decode_page(&file, out, &trouble, err);
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

assay_code as_image_count(const as_encoded *encoded, int *n_pages, as_trouble *trouble,
                          assay_error *err)
{
    as_encoded file = *encoded;
    assay_code code;
    file.format = as_image_format_of(file.data, file.size);
    if (!find_decoder(&file, trouble, &code, err)) return code;
    *n_pages = 1;
    if (file.format == AS_IMAGE_TIFF)
        code = as_tiff_count(file.data, file.size, file.name, n_pages, err);
    if (code) *trouble = AS_TROUBLE_DAMAGED;
    return code;
}

static void drop(const char *message) { (void)message; }

void as_leptonica_silence(void)
{
    setMsgSeverity(L_SEVERITY_NONE);
    leptSetStderrHandler(drop);
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
