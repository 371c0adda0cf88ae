/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_IMAGE_IMAGE_H
#define ASSAY_IMAGE_IMAGE_H
/*
 * Pictures as pixels: uint8 bgr[h][w][3], rows tight, blue first, upright, as OpenCV's
 * imread(IMREAD_COLOR) gives them.
 *
 *     as_image page = {0};
 *     code = as_image_read("scan.png", &page, err);
 *     as_image_draw_quad(&page, corners, green, 2);
 *     code = as_image_write_png(&page, "overlay.png", err);
 *     as_image_free(&page);
 *
 * The content decides the format, never the name.  Grey is replicated, palettes are expanded,
 * 16-bit samples keep their upper byte (a TIFF's are rounded), alpha is composed on white, EXIF's and
 * TIFF's orientation is applied.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/file.h"

/** No image of more pixels is decoded; the header is looked at first. */
#define AS_IMAGE_PIXELS_MAX     ((size_t)200000000)
/** No image file of more bytes is read. */
#define AS_IMAGE_FILE_BYTES_MAX ((size_t)1 << 30)

/** A picture; owns `bgr`. */
typedef struct as_image {
    uint8_t *bgr; /**< uint8 bgr[h][w][3] */
    int h, w;     /**< In pixels, at least 1. */
} as_image;

typedef enum as_image_format {
    AS_IMAGE_UNKNOWN, /**< None of the following. */
    AS_IMAGE_PNG,
    AS_IMAGE_JPEG,
    AS_IMAGE_TIFF,
    AS_IMAGE_PNM, /**< PBM, PGM, PPM, PAM */
    AS_IMAGE_WEBP,
    AS_IMAGE_PDF /**< Not an image: document.h opens it. */
} as_image_format;

/** What is wrong with a document or page, in the words of a corpus' `skipped` list. */
typedef enum as_trouble {
    AS_TROUBLE_NONE,
    AS_TROUBLE_ENCRYPTED,   /**< A password or security handler stands before it. */
    AS_TROUBLE_DAMAGED,     /**< Empty, truncated, checksum or syntax errors. */
    AS_TROUBLE_UNSUPPORTED, /**< Not a format that assay reads. */
    AS_TROUBLE_TOO_LARGE    /**< More pixels, bytes, time or memory than the limits allow. */
} as_trouble;

/** "encrypted", "damaged", "unsupported", "too-large"; "none". */
const char *as_trouble_name(as_trouble trouble);

/** The format that the first bytes tell; `size` may be anything. */
as_image_format as_image_format_of(const void *data, size_t size);

/** "PNG", "JPEG" ...; a static string. */
const char *as_image_format_name(as_image_format format);

/** A blank image, all bytes 255.  @return ASSAY_E_ARGUMENT for a side below 1, ASSAY_E_MEMORY. */
assay_code as_image_init(as_image *image, int h, int w, assay_error *err);

/** Free the pixels and make `image` empty; takes an empty one. */
void as_image_free(as_image *image);

/**
 * Decode an image of any known format.
 * @param name  the file's name for messages.
 * @param out   owned by the caller on success, empty on failure.
 * @return ASSAY_E_FORMAT for empty, truncated or damaged data and unknown formats;
 *         ASSAY_E_UNSUPPORTED when it has more than AS_IMAGE_PIXELS_MAX pixels, is animated or of a
 *         kind that its library does not read; ASSAY_E_MEMORY.
 */
assay_code as_image_decode(const void *data, size_t size, const char *name, as_image *out,
                           assay_error *err);

/** as_image_decode of a file; besides ASSAY_E_NOT_FOUND, ASSAY_E_ARGUMENT (a folder), ASSAY_E_IO. */
assay_code as_image_read(const char *path, as_image *out, assay_error *err);

/** A file's bytes to decode.  All borrowed. */
typedef struct as_encoded {
    const unsigned char *data;
    size_t size;
    const char *name;       /**< For messages. */
    int page;               /**< Of a TIFF, from 0; other formats have page 0 alone. */
    size_t pixels_most;     /**< No larger picture is made; AS_IMAGE_PIXELS_MAX. */
    as_image_format format; /**< Filled in by the functions that take it. */
} as_encoded;

/**
 * Pages of a TIFF, 1 for every other format.  Errors as as_image_decode.
 * @param trouble  what is wrong with the file where the code says so; AS_TROUBLE_NONE for faults
 *                 that are not the file's.
 */
assay_code as_image_count(const as_encoded *encoded, int *n_pages, as_trouble *trouble,
                          assay_error *err);

/** as_image_decode of one page.  @param trouble  as as_image_count. */
assay_code as_image_decode_page(const as_encoded *encoded, as_image *out, as_trouble *trouble,
                                assay_error *err);

/** Copy the rectangle x, y, w, h, which lies inside `image`, into a fresh image. */
assay_code as_image_crop(const as_image *image, int x, int y, int w, int h, as_image *out,
                         assay_error *err);

/**
 * Encode as PNG: grey where all pixels are, else RGB; the same pixels give the same bytes, no time
 * or name stands inside.
 * @param png  owned by the caller on success (as_bytes_free).
 */
assay_code as_image_encode_png(const as_image *image, as_bytes *png, assay_error *err);

/** as_image_encode_png into a file, whole or not at all. */
assay_code as_image_write_png(const as_image *image, const char *path, assay_error *err);

/** A colour, blue first as the pixels are. */
typedef struct as_bgr {
    uint8_t b, g, r;
} as_bgr;

/**
 * Draw a closed quadrilateral's outline.
 * @param corners        [4][2] (x, y); they may lie outside, what is inside is drawn.
 * @param thickness_px   width of the line, 1..64; it is centred on the edge.
 */
void as_image_draw_quad(as_image *image, const int32_t corners[4][2], as_bgr colour,
                        int thickness_px);

/** "leptonica 1.82.0: libjpeg ... libpng ..." into `text`. */
void as_image_versions(char *text, size_t text_bytes);

#endif
