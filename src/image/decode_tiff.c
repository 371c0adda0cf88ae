/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page of a TIFF by libtiff: strips or tiles, any compression that it was built with, grey,
 * palette, RGB, CMYK, YCbCr and Lab, samples of 1 to 16 bits, alpha.  libtiff's own reader of
 * pictures makes of all of these words with red in the lowest byte and alpha, multiplied in, in the
 * highest.
 */
#include <stdio.h>
#include <string.h>
#include <tiffio.h>

#include "base/memory.h"
#include "base/size.h"
#include "image/decode.h"
#include "image/format.h"

/* A strip or tile may take as much as the largest picture: 16-bit samples of five channels. */
#define ALLOCATION_MOST ((tmsize_t)(AS_IMAGE_PIXELS_MAX * 10))

/* One call; libtiff's functions find it by their handles. */
typedef struct tiff_call {
    const as_encoded *file;
    uint64_t place;      /* of its reading */
    bool warnings_count; /* while pixels are read, what libtiff warns of is damage */
    as_complaint complaint;
} tiff_call;

static void keep_message(tiff_call *call, const char *format, va_list values)
{
    char text[sizeof call->complaint.text];
    vsnprintf(text, sizeof text, format, values);
    as_complaint_keep(&call->complaint, text);
}

static int on_error(TIFF *tiff, void *handle, const char *module, const char *format,
                    va_list values)
{
    (void)tiff, (void)module;
    keep_message(handle, format, values);
    return 1; /* nobody else is to print it */
}

static int on_warning(TIFF *tiff, void *handle, const char *module, const char *format,
                      va_list values)
{
    tiff_call *call = handle;
    (void)tiff, (void)module;
    bool is_surplus =
        strstr(format, "Invalid tile byte count") != NULL; /* more than it needs */
    if (call->warnings_count && !is_surplus) keep_message(call, format, values);
    return 1;
}

static tmsize_t read_bytes(thandle_t handle, void *to, tmsize_t n)
{
    tiff_call *call = handle;
    if (n <= 0 || call->place >= call->file->size) return 0;
    size_t got = as_min((size_t)n, call->file->size - (size_t)call->place);
    memcpy(to, call->file->data + call->place, got);
    call->place += got;
    return (tmsize_t)got;
}

static tmsize_t write_bytes(thandle_t handle, void *from, tmsize_t n)
{
    (void)handle, (void)from, (void)n;
    return 0;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence)
{
    tiff_call *call = handle;
    uint64_t from = whence == SEEK_SET   ? 0
                    : whence == SEEK_CUR ? call->place
                                         : call->file->size;
    call->place = from + offset;
    return call->place;
}

static toff_t size_of(thandle_t handle)
{
    const tiff_call *call = handle;
    return call->file->size;
}

static int close_nothing(thandle_t handle)
{
    (void)handle;
    return 0;
}

/* Mapped, libtiff reads the bytes where they are; it takes a tile without compression no other way. */
static int map_bytes(thandle_t handle, void **base, toff_t *size)
{
    const tiff_call *call = handle;
    *base = (void *)(uintptr_t)call->file->data; /* it only reads */
    *size = call->file->size;
    return 1;
}

static void unmap_nothing(thandle_t handle, void *base, toff_t size)
{
    (void)handle, (void)base, (void)size;
}

static TIFF *open_tiff(tiff_call *call)
{
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options) return NULL;
    TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, call);
    TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, call);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, ALLOCATION_MOST);
    /* r: read, h: the header alone */
    TIFF *tiff = TIFFClientOpenExt("", "rh", call, read_bytes, write_bytes, seek, close_nothing,
                                   size_of, map_bytes, unmap_nothing, options);
    TIFFOpenOptionsFree(options);
    return tiff;
}

/* How a directory's alpha stands in libtiff's words. */
typedef enum alpha_kind { OPAQUE, MULTIPLIED, SEPARATE } alpha_kind;

static uint8_t sample_on_white(unsigned sample, unsigned alpha, alpha_kind kind)
{
    if (kind == OPAQUE) return (uint8_t)sample;
    if (kind == SEPARATE) return as_on_white(sample, alpha);
    return (uint8_t)as_min(sample + 255 - alpha, 255);
}

static void words_to_bgr(const uint32_t *words, alpha_kind kind, as_image *out)
{
    size_t n = (size_t)out->w * (size_t)out->h;
    for (size_t i = 0; i < n; i++) {
        unsigned alpha = TIFFGetA(words[i]);
        out->bgr[3 * i] = sample_on_white(TIFFGetB(words[i]), alpha, kind);
        out->bgr[3 * i + 1] = sample_on_white(TIFFGetG(words[i]), alpha, kind);
        out->bgr[3 * i + 2] = sample_on_white(TIFFGetR(words[i]), alpha, kind);
    }
}

/* libtiff multiplies alpha into colours, into 8-bit grey not, and of other grey it leaves it out. */
static bool read_alpha(const TIFFRGBAImage *reader, alpha_kind *kind)
{
    bool is_grey = reader->photometric == PHOTOMETRIC_MINISBLACK ||
                   reader->photometric == PHOTOMETRIC_MINISWHITE;
    bool is_separate = is_grey && reader->alpha == EXTRASAMPLE_UNASSALPHA;
    *kind = !reader->alpha ? OPAQUE : is_separate ? SEPARATE : MULTIPLIED;
    return !reader->alpha || !is_grey || reader->bitspersample == 8;
}

/* The pixels of the directory that `reader` was made for; as stored, whatever its orientation. */
static assay_code read_pixels(tiff_call *call, TIFFRGBAImage *reader, as_image *out,
                              as_trouble *trouble, assay_error *err)
{
    alpha_kind kind;
    if (!read_alpha(reader, &kind))
        return as_decode_unsupported(call->file, "grey with alpha of other than 8 bits",
                                     trouble, err);
    uint32_t *words = as_alloc_array((size_t)out->w * (size_t)out->h, sizeof *words);
    if (!words) return as_fail(err, ASSAY_E_MEMORY, "no memory to decode %s", call->file->name);
    reader->req_orientation = reader->orientation;
    call->warnings_count = true;
    bool is_read = TIFFRGBAImageGet(reader, words, (uint32_t)out->w, (uint32_t)out->h) != 0;
    if (is_read) words_to_bgr(words, kind, out);
    as_free(words);
    if (is_read && !call->complaint.text[0]) return ASSAY_OK;
    return as_decode_damaged(call->file, call->complaint.text, trouble, err);
}

static assay_code decode_directory(tiff_call *call, TIFF *tiff, as_image *out,
                                   as_trouble *trouble, assay_error *err)
{
    TIFFRGBAImage reader;
    uint32_t w = 0, h = 0;
    uint16_t orientation = 1;
    char why[1024] = "";
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &w);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &h);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &orientation);
    assay_code code = as_decode_begin(call->file, w, h, out, trouble, err);
    if (code) return code;
    if (!TIFFRGBAImageOK(tiff, why) || !TIFFRGBAImageBegin(&reader, tiff, 1, why)) {
        as_complaint reason = {""};
        as_complaint_keep(&reason, why);
        return as_decode_unsupported(call->file, reason.text, trouble, err);
    }
    code = read_pixels(call, &reader, out, trouble, err);
    TIFFRGBAImageEnd(&reader);
    return code ? code : as_image_orient(out, orientation, err);
}

assay_code as_decode_tiff(const as_encoded *file, as_image *out, as_trouble *trouble,
                          assay_error *err)
{
    tiff_call call = {.file = file};
    uint64_t directory;
    assay_code code =
        as_tiff_find(file->data, file->size, file->name, file->page, &directory, err);
    if (code) {
        *trouble = AS_TROUBLE_DAMAGED;
        return code;
    }
    TIFF *tiff = open_tiff(&call);
    if (!tiff)
        return call.complaint.text[0]
                   ? as_decode_damaged(file, call.complaint.text, trouble, err)
                   : as_fail(err, ASSAY_E_MEMORY, "no memory to decode %s", file->name);
    if (!TIFFSetSubDirectory(tiff, directory) || call.complaint.text[0])
        code = as_decode_damaged(file, call.complaint.text, trouble, err);
    else
        code = decode_directory(&call, tiff, out, trouble, err);
    TIFFClose(tiff);
    return code;
}
