/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_IMAGE_DOCUMENT_H
#define ASSAY_IMAGE_DOCUMENT_H
/*
 * A document: a PDF, whose pages pdftoppm renders in a limited child process, or an image file
 * (a TIFF may have many pages, every other image is one).
 *
 *     code = as_document_open("paper.pdf", &limits, &document, &trouble, err);
 *     for (int i = 0; i < as_document_n_pages(document); i++)
 *         code = as_document_page(document, i, 200, &page, &trouble, err);
 *     as_document_free(document);
 */
#include "base/error.h"
#include "image/image.h"
#include "image/passwords.h"

typedef struct as_document as_document;

/** How a PDF is read: bounds on the children that do it, and what opens it.  Plain values. */
typedef struct as_document_limits {
    double wall_s;        /**< Seconds a page; 60. */
    size_t address_bytes; /**< Address space; 2 GiB. */
    size_t pixels;        /**< Pixels a page; AS_IMAGE_PIXELS_MAX. */
    bool (*stop)(void *); /**< As as_process_options.stop; NULL. */
    void *stop_context;   /**< Handed to `stop`. */
    const as_passwords
        *passwords; /**< Tried on encrypted PDFs; borrowed while one is open; NULL. */
} as_document_limits;

/** The values stated at the fields. */
as_document_limits as_document_limits_defaults(void);

/**
 * Open a document and count its pages.
 * @param trouble  what is wrong where the code says so; AS_TROUBLE_NONE for ASSAY_E_NOT_FOUND,
 *                 ASSAY_E_IO, ASSAY_E_MEMORY and other faults that are not the document's.
 * @return ASSAY_E_NOT_FOUND, ASSAY_E_ARGUMENT (a folder), ASSAY_E_FORMAT (damaged),
 *         ASSAY_E_UNSUPPORTED (encrypted, unsupported, too large), ASSAY_E_ENVIRONMENT (pdftoppm or
 *         pdfinfo is missing, or qpdf where it is needed), ASSAY_E_IO, ASSAY_E_MEMORY, ASSAY_E_INTERRUPTED.
 */
assay_code as_document_open(const char *path, const as_document_limits *limits,
                            as_document **out, as_trouble *trouble, assay_error *err);

/** Free it; takes NULL. */
void as_document_free(as_document *document);

/** Its format, its path as given, its number of pages (at least 1). */
as_image_format as_document_format(const as_document *document);
const char *as_document_path(const as_document *document);
int as_document_n_pages(const as_document *document);

/**
 * The pixels of page `page` (from 0).
 * @param dpi  of a PDF's rendering, 10..1200; images have their own pixels.
 * @param out  owned by the caller on success, empty on failure.
 * @return as as_document_open, with `trouble` filled in the same way.
 */
assay_code as_document_page(as_document *document, int page, int dpi, as_image *out,
                            as_trouble *trouble, assay_error *err);

/** "22.12.0", the version that `pdftoppm -v` tells, or "" when it is missing. */
void as_document_poppler_version(char *text, size_t text_bytes);

#endif
