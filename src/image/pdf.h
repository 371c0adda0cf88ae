/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_IMAGE_PDF_H
#define ASSAY_IMAGE_PDF_H
/*
 * PDF pages by poppler's pdfinfo and pdftoppm, each run in a child process within limits.  A page
 * is what a viewer shows: its CropBox, turned by its Rotate; pixels are points * dpi / 72, rounded
 * up.  UserUnit is not applied, as in poppler.  A PDF that needs a password is decrypted by qpdf into
 * memory first.
 */
#include "image/document.h"

typedef struct as_pdf as_pdf;

/** A page as pdfinfo tells it. */
typedef struct as_pdf_page {
    double w_pt, h_pt;  /**< CropBox in points, before turning. */
    double media_pt[4]; /**< MediaBox: left, bottom, right, top. */
} as_pdf_page;

/** Open the PDF at `path`.  @param out  the caller's on success (as_pdf_free). */
assay_code as_pdf_open(const char *path, const as_document_limits *limits, as_pdf **out,
                       as_trouble *trouble, assay_error *err);

/** Free it; takes NULL. */
void as_pdf_free(as_pdf *pdf);

/** Its number of pages, at least 1. */
int as_pdf_n_pages(const as_pdf *pdf);

/** Render page `page` (from 0). */
assay_code as_pdf_render(const as_pdf *pdf, int page, int dpi, as_image *out,
                         as_trouble *trouble, assay_error *err);

#endif
