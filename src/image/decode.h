/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_IMAGE_DECODE_H
#define ASSAY_IMAGE_DECODE_H
/*
 * What the decoders of this folder, one file a format, share.  Each is told the bytes of a file
 * whose format is known, looks at its header, asks as_decode_begin for a picture of that size, and
 * fills it.  Whatever a library says on the way becomes the end of one sentence; what it would only
 * warn of while it decodes pixels is damage, so that no half-decoded picture is used.
 */
#include "image/image.h"

/** A library's first complaint; later ones follow from it. */
typedef struct as_complaint {
    char text[80]; /**< Printable ASCII; "" when there is none. */
} as_complaint;

/** Keep `text` as the complaint unless there is one already. */
void as_complaint_keep(as_complaint *complaint, const char *text);

/** ASSAY_E_FORMAT and AS_TROUBLE_DAMAGED: "NAME has damaged or truncated PNG data (WHY)". */
assay_code as_decode_damaged(const as_encoded *file, const char *why, as_trouble *trouble,
                             assay_error *err);

/** ASSAY_E_UNSUPPORTED and AS_TROUBLE_UNSUPPORTED: "NAME is a WebP of an unsupported kind (WHY)". */
assay_code as_decode_unsupported(const as_encoded *file, const char *why, as_trouble *trouble,
                                 assay_error *err);

/**
 * Whether a picture of the size that a header announces may be made.
 * @return ASSAY_E_FORMAT for a side of 0; ASSAY_E_UNSUPPORTED and AS_TROUBLE_TOO_LARGE for more pixels
 *         than `file` allows.
 */
assay_code as_decode_check(const as_encoded *file, uint64_t w, uint64_t h, as_trouble *trouble,
                           assay_error *err);

/** as_decode_check, then as_image_init. */
assay_code as_decode_begin(const as_encoded *file, uint64_t w, uint64_t h, as_image *out,
                           as_trouble *trouble, assay_error *err);

/** A colour sample or grey of `alpha` (0..255) laid on white. */
static inline uint8_t as_on_white(unsigned sample, unsigned alpha)
{
    return (uint8_t)((sample * alpha + 255 * (255 - alpha) + 127) / 255);
}

/**
 * Decode into `out`, as stored: what turns it upright comes after.
 * @param out  owned by the caller on success, and to be freed by it on failure too.
 */
typedef assay_code as_decode_fn(const as_encoded *file, as_image *out, as_trouble *trouble,
                                assay_error *err);

as_decode_fn as_decode_png, as_decode_jpeg, as_decode_tiff, as_decode_webp, as_decode_pnm;

#endif
