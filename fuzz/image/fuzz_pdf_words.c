/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as what the programs that read PDFs say.  The first one tells whose: 'i' pdfinfo's listing, 'p'
 * pdftoppm's picture, 'q' qpdf's JSON, 'e' complaints on stderr.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fuzz.h"
#include "image/pdf_child.h"

static void require(bool holds)
{
    if (!holds) abort();
}

static void read_listing(const char *text)
{
    as_trouble trouble = AS_TROUBLE_NONE;
    as_pdf pdf = {.plain_fd = -1};
    pdf.path = as_strdup("x");
    assay_code code = as_pdf_read_listing(&pdf, text, &trouble, NULL);
    require(code ? !pdf.pages : pdf.n_pages >= 1 && pdf.pages);
    as_free(pdf.pages);
    as_free(pdf.path);
}

static void read_picture(const as_bytes *bytes)
{
    as_image image = {0};
    as_trouble trouble = AS_TROUBLE_NONE;
    assay_code code = as_pdf_read_ppm(bytes, "x", &image, &trouble, NULL);
    require(code ? !image.bgr : (size_t)image.w * (size_t)image.h * 3 < bytes->size);
    as_image_free(&image);
}

static void read_complaint(as_bytes *bytes)
{
    char text[40];
    assay_error err = {0};
    as_trouble trouble = AS_TROUBLE_NONE;
    as_process_result result = {.end = AS_PROCESS_EXITED, .status = 1, .err = *bytes};
    as_pdf_complaint(&result, text, sizeof text);
    require(text[0] && strlen(text) < sizeof text);
    require(as_pdf_judge(&result, "x", "y", &trouble, &err) && trouble != AS_TROUBLE_NONE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    as_trouble trouble = AS_TROUBLE_NONE;
    if (size == 0) return 0;
    unsigned char *copy = malloc(size); /* without the first byte, with a zero behind the end */
    if (!copy) return 0;
    memcpy(copy, data + 1, size - 1);
    copy[size - 1] = '\0';
    as_bytes bytes = {.data = copy, .size = size - 1};
    if (data[0] == 'i') read_listing((const char *)copy);
    if (data[0] == 'p') read_picture(&bytes);
    if (data[0] == 'q') (void)as_pdf_judge_box(&bytes, "x", &trouble, NULL);
    if (data[0] == 'e') read_complaint(&bytes);
    free(copy);
    return 0;
}
