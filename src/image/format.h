/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_IMAGE_FORMAT_H
#define ASSAY_IMAGE_FORMAT_H
/*
 * What is looked at before a decoder sees the bytes: is the file complete, how many
 * pages it has, how it is turned.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "image/image.h"

/** Let leptonica's messages go nowhere: every failure has a sentence of ours.  Repeating is fine. */
void as_leptonica_silence(void);

/**
 * Every chunk of a PNG whole, its checksum right, the last one IEND; the sides not 0.
 * @return ASSAY_E_FORMAT with the chunk and its place.
 */
assay_code as_png_check(const void *data, size_t size, const char *name, assay_error *err);

/** The checksum of a PNG's chunk over its type and data, `n` bytes. */
uint32_t as_png_checksum(const unsigned char *at, size_t n);

/** The segments of a JPEG up to its end marker.  @return ASSAY_E_FORMAT where it is missing. */
assay_code as_jpeg_check(const void *data, size_t size, const char *name, assay_error *err);

/** Directories (pages) of a TIFF or BigTIFF.  @return ASSAY_E_FORMAT where one lies outside. */
assay_code as_tiff_count(const void *data, size_t size, const char *name, int *n_pages,
                         assay_error *err);

/** Where the directory of page `page` (from 0) stands.  @return ASSAY_E_FORMAT where it is not. */
assay_code as_tiff_find(const void *data, size_t size, const char *name, int page,
                        uint64_t *place, assay_error *err);

/**
 * The Exif block of a JPEG, PNG or WebP: its bytes from the TIFF header on.
 * @return false when there is none.
 */
bool as_exif_find(const void *data, size_t size, as_image_format format,
                  const unsigned char **exif, size_t *exif_size);

/** The orientation 1..8 that a file's Exif block asks for; 1 where there is none or it is bad. */
int as_exif_orientation(const void *data, size_t size, as_image_format format);

/** Turn `image` upright by an Exif orientation 1..8; other values change nothing. */
assay_code as_image_orient(as_image *image, int orientation, assay_error *err);

#endif
