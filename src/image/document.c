/* SPDX-License-Identifier: Apache-2.0 */
#include "image/document.h"

#include <string.h>

#include "base/memory.h"
#include "base/process.h"
#include "image/pdf.h"

struct as_document {
    char *path; /* owns */
    as_image_format format;
    as_document_limits limits;
    int n_pages;
    as_bytes bytes; /* an image file's; empty for a PDF */
    as_pdf *pdf;    /* owns; NULL for an image */
};

const char *as_trouble_name(as_trouble trouble)
{
    switch (trouble) {
    case AS_TROUBLE_NONE:
        return "none";
    case AS_TROUBLE_ENCRYPTED:
        return "encrypted";
    case AS_TROUBLE_DAMAGED:
        return "damaged";
    case AS_TROUBLE_UNSUPPORTED:
        return "unsupported";
    case AS_TROUBLE_TOO_LARGE:
        return "too-large";
    }
    return "unknown";
}

as_document_limits as_document_limits_defaults(void)
{
    return (as_document_limits){
        .wall_s = 60, .address_bytes = (size_t)2 << 30, .pixels = AS_IMAGE_PIXELS_MAX};
}

static as_encoded encoded_page(const as_document *document, int page)
{
    return (as_encoded){.data = document->bytes.data,
                        .size = document->bytes.size,
                        .name = document->path,
                        .page = page,
                        .pixels_most = document->limits.pixels};
}

static assay_code open_image(as_document *document, as_trouble *trouble, assay_error *err)
{
    as_encoded file = encoded_page(document, 0);
    return as_image_count(&file, &document->n_pages, trouble, err);
}

static assay_code open_any(as_document *document, as_trouble *trouble, assay_error *err)
{
    assay_code code =
        as_file_read(document->path, AS_IMAGE_FILE_BYTES_MAX, &document->bytes, err);
    if (code == ASSAY_E_FORMAT) *trouble = AS_TROUBLE_TOO_LARGE;
    if (code) return code;
    document->format = as_image_format_of(document->bytes.data, document->bytes.size);
    if (document->format != AS_IMAGE_PDF) return open_image(document, trouble, err);
    as_bytes_free(&document->bytes);
    code = as_pdf_open(document->path, &document->limits, &document->pdf, trouble, err);
    if (!code) document->n_pages = as_pdf_n_pages(document->pdf);
    return code;
}

assay_code as_document_open(const char *path, const as_document_limits *limits,
                            as_document **out, as_trouble *trouble, assay_error *err)
{
    *out = NULL;
    *trouble = AS_TROUBLE_NONE;
    as_document *document = as_alloc(sizeof *document);
    if (!document) return as_fail(err, ASSAY_E_MEMORY, "no memory to open %s", path);
    document->limits = *limits;
    document->path = as_strdup(path);
    assay_code code = document->path
                          ? open_any(document, trouble, err)
                          : as_fail(err, ASSAY_E_MEMORY, "no memory to open %s", path);
    if (code)
        as_document_free(document);
    else
        *out = document;
    return code;
}

void as_document_free(as_document *document)
{
    if (!document) return;
    as_free(document->path);
    as_bytes_free(&document->bytes);
    as_pdf_free(document->pdf);
    as_free(document);
}

as_image_format as_document_format(const as_document *document) { return document->format; }

const char *as_document_path(const as_document *document) { return document->path; }

int as_document_n_pages(const as_document *document) { return document->n_pages; }

/* A page of several is named as a PDF's is. */
static assay_code decode_page(const as_document *document, int page, as_image *out,
                              as_trouble *trouble, assay_error *err)
{
    as_encoded file = encoded_page(document, page);
    if (document->n_pages == 1) return as_image_decode_page(&file, out, trouble, err);
    char *name = as_format("%s: page %d", document->path, page + 1);
    if (!name) return as_fail(err, ASSAY_E_MEMORY, "no memory to read %s", document->path);
    file.name = name;
    assay_code code = as_image_decode_page(&file, out, trouble, err);
    as_free(name);
    return code;
}

assay_code as_document_page(as_document *document, int page, int dpi, as_image *out,
                            as_trouble *trouble, assay_error *err)
{
    *out = (as_image){0};
    *trouble = AS_TROUBLE_NONE;
    if (page < 0 || page >= document->n_pages)
        return as_fail(err, ASSAY_E_ARGUMENT, "%s has no page %d, it has %d", document->path,
                       page + 1, document->n_pages);
    if (dpi < 10 || dpi > 1200)
        return as_fail(err, ASSAY_E_ARGUMENT, "%d dpi are asked for, 10 to 1200 are possible",
                       dpi);
    if (document->format == AS_IMAGE_PDF)
        return as_pdf_render(document->pdf, page, dpi, out, trouble, err);
    return decode_page(document, page, out, trouble, err);
}

void as_document_poppler_version(char *text, size_t text_bytes)
{
    as_process_options options = as_process_defaults((const char *[]){"pdftoppm", "-v", NULL});
    as_process_result result;
    if (text_bytes == 0) return;
    text[0] = '\0';
    options.wall_s = 10;
    if (as_process_run(&options, &result, NULL)) return;
    static const char before[] = "pdftoppm version ";
    const char *at = strstr((char *)result.err.data, before);
    if (at) {
        at += sizeof before - 1;
        size_t n = strspn(at, "0123456789.");
        if (n >= text_bytes) n = text_bytes - 1;
        memcpy(text, at, n);
        text[n] = '\0';
    }
    as_process_result_free(&result);
}
