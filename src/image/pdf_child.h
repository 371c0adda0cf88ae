/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_IMAGE_PDF_CHILD_H
#define ASSAY_IMAGE_PDF_CHILD_H
/* What pdf.c, pdf_box.c and pdf_unlock.c share: one program run on one PDF within limits. */
#include "base/process.h"
#include "image/pdf.h"

/** A PDF whose pages were counted. */
struct as_pdf {
    char *path;                /**< Owned; as given, for messages. */
    char *argument;            /**< Owned; the path as no program takes it for an option. */
    as_document_limits limits; /**< Its passwords are borrowed. */
    bool needs_password;       /**< poppler does not open it without. */
    int plain_fd;        /**< The decrypted file, in memory alone; -1 where there is none. */
    char plain_path[32]; /**< What opens it again in this process: /proc/self/fd/N. */
    as_pdf_page *pages;  /**< Owned; as_pdf_page[n_pages]. */
    int n_pages;
};

/** How a program takes the PDF: its path, or that of its standard input. */
static inline const char *as_pdf_argument(const as_pdf *pdf, const char *stdin_name)
{
    return pdf->plain_fd >= 0 ? stdin_name : pdf->argument;
}

/** The limits of a program on this PDF, its standard input where it is decrypted. */
as_process_options as_pdf_options(const as_pdf *pdf, const char *const *argv);

/** as_process_run; a missing program is ASSAY_E_ENVIRONMENT and names `package`. */
assay_code as_pdf_run(const as_process_options *options, const char *package,
                      as_process_result *result, assay_error *err);

/** Whether the child's stderr has `words`. */
bool as_pdf_says(const as_process_result *result, const char *words);

/** poppler's last complaint, else how the child ended, in printable ASCII for the end of a sentence. */
void as_pdf_complaint(const as_process_result *result, char *text, size_t room);

/**
 * Turn how poppler's `program` ended into a kind of trouble and a sentence about `what`; ASSAY_OK when
 * it did well.
 */
assay_code as_pdf_judge(const as_process_result *result, const char *program, const char *what,
                        as_trouble *trouble, assay_error *err);

/** Take pages from pdfinfo's listing.  @return ASSAY_E_FORMAT where there is none; and as as_pdf_open. */
assay_code as_pdf_read_listing(as_pdf *pdf, const char *listing, as_trouble *trouble,
                               assay_error *err);

/** pdftoppm's picture of `what`. */
assay_code as_pdf_read_ppm(const as_bytes *ppm, const char *what, as_image *out,
                           as_trouble *trouble, assay_error *err);

/** Whether the one page of qpdf's JSON has a MediaBox.  @return as as_pdf_check_box. */
assay_code as_pdf_judge_box(const as_bytes *json, const char *what, as_trouble *trouble,
                            assay_error *err);

/**
 * Decrypt the PDF with one of its limits' passwords; pdf->plain_fd is then open.
 * @return ASSAY_E_UNSUPPORTED and AS_TROUBLE_ENCRYPTED where none opens it, ASSAY_E_ENVIRONMENT where qpdf
 *         is missing.
 */
assay_code as_pdf_unlock(as_pdf *pdf, as_trouble *trouble, assay_error *err);

/**
 * Whether page `page` (from 0) has a MediaBox.  poppler takes Letter, 612 x 792 points, for one that is
 * missing or broken and says nothing, so pages of that size alone are looked at.
 * @return ASSAY_E_FORMAT and AS_TROUBLE_DAMAGED where it has none.
 */
assay_code as_pdf_check_box(const as_pdf *pdf, int page, const char *what, as_trouble *trouble,
                            assay_error *err);

#endif
