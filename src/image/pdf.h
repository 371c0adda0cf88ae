/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_IMAGE_PDF_H
#define ASSAY_IMAGE_PDF_H
/*
 * PDF pages by poppler's pdfinfo and pdftoppm, each run in a child process within limits.  A page
 * is what a viewer shows: its CropBox, turned by its Rotate; pixels are points * dpi / 72, rounded
 * up.  UserUnit is not applied, as in poppler.
 */
#include "image/document.h"

/** A page as pdfinfo tells it. */
typedef struct as_pdf_page {
    double w_pt, h_pt; /**< CropBox in points, before turning. */
    int turn_deg;      /**< 0, 90, 180 or 270. */
} as_pdf_page;

/**
 * The pages of the PDF at `path`.
 * @param pages  as_pdf_page[n_pages]; the caller's on success (as_free).
 */
assay_code as_pdf_open(const char *path, const as_document_limits *limits, as_pdf_page **pages,
                       int *n_pages, as_trouble *trouble, assay_error *err);

/** Render page `page` (from 0), whose size is `size`. */
assay_code as_pdf_render(const char *path, const as_document_limits *limits,
                         const as_pdf_page *size, int page, int dpi, as_image *out,
                         as_trouble *trouble, assay_error *err);

#endif
